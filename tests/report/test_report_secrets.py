"""The contents of sealed memories stay out of every report unless they are asked for."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from replay.compare import ABSENT, Difference, compare
from replay.journal.model import Place
from replay.outcome import Compared, Crashed, Diverged, Match, Mode, StepRef, WentThroughGo
from replay.report.jsonl import JsonLines
from replay.report.outcome_text import render
from replay.report.secrets import has_secrets, is_secret, without_secrets
from replay.report.styles import Plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.fields import Value
    from replay.outcome import Outcome

OPEN = StepRef("logs/a.json", "1", "mem_read", "", Place("logs/a.json", "steps[0]", 3), Mode.ISOLATED)
SEALED = dataclasses.replace(OPEN, secret=True)
SECRET = "le code est 4711"  # noqa: S105 - what a sealed page holds in these tests
PAGE: dict[str, Value] = {"sealed": True, "content": SECRET.encode()}


def diverged(step: StepRef, expected: Mapping[str, Value], actual: Mapping[str, Value]) -> Diverged:
    return Diverged(step, Compared({"result": 1}), compare(expected, actual).differences)


def written(outcome: Outcome, *, reveal: bool) -> dict[str, Any]:
    stream = io.StringIO()
    JsonLines(stream, Path("run.jsonl"), reveal=reveal).outcome(outcome)
    line: dict[str, Any] = json.loads(stream.getvalue())
    return line


SEALED_OUTCOMES: list[Outcome] = [
    diverged(SEALED, {"result": SECRET}, {"result": SECRET.upper()}),
    diverged(SEALED, {"result": SECRET}, {}),
    diverged(SEALED, {"diff": ({"op": "+", "text": SECRET},)}, {"diff": ()}),
    diverged(SEALED, {"label": SECRET}, {"label": 7}),
    diverged(SEALED, {"trackers": {"a/b": {"name": SECRET, "events": ()}}}, {"trackers": {}}),
    diverged(SEALED, {"trackers": {"a": {"events": ({"text": SECRET},)}}}, {"trackers": {"a": {"events": ()}}}),
    diverged(OPEN, {"files": {"a.md": PAGE}}, {"files": {}}),
    diverged(OPEN, {"files": {}}, {"files": {"a.md": PAGE}}),
    diverged(OPEN, {"files": {"a.md": PAGE}}, {"files": {"a.md": {**PAGE, "content": b"autre"}}}),
    diverged(OPEN, {"files": {"a.md": PAGE}}, {"files": {"a.md": {**PAGE, "sealed": False}}}),
    Diverged(OPEN, Compared({}), (Difference("files", "missing", {"a.md": PAGE}, ABSENT),)),
    Crashed(SEALED, f"KeyError: {SECRET}", "parity/a.py:1 in f"),
    WentThroughGo(SEALED, f"not ported: {SECRET}"),
]


@pytest.mark.parametrize("outcome", SEALED_OUTCOMES)
def test_no_report_shows_what_is_sealed(outcome: Outcome) -> None:
    assert has_secrets(outcome)
    shown = render(outcome, Plain())
    line = json.dumps(written(outcome, reveal=False))
    for word in ("4711", "le code", "LE CODE"):
        assert word not in shown
        assert word not in line
    assert '"sealed": true' in line
    assert "opened" not in line


@pytest.mark.parametrize("outcome", [one for one in SEALED_OUTCOMES if not isinstance(one, WentThroughGo)])
def test_who_asks_is_shown_it_and_a_run_keeps_it_apart(outcome: Outcome) -> None:
    assert render(outcome, Plain(), reveal=True) != render(outcome, Plain()) or "sealed: differs" in render(
        outcome, Plain()
    )
    line = written(outcome, reveal=True)
    opened = line.pop("opened")
    assert line == written(outcome, reveal=False)
    assert opened["shown"] == render(outcome, Plain(), reveal=True).split("\n")


def test_a_place_its_code_points_and_the_lengths_are_told() -> None:
    text = render(SEALED_OUTCOMES[0], Plain())
    assert "at         line 1, column 1 (byte 0, rune 0, UTF-16 0)" in text
    assert "recorded   U+006C LATIN SMALL LETTER L" in text
    assert "length     16 characters recorded, 16 given" in text
    assert "the lines  sealed; --reveal shows it" in text


def test_a_page_that_only_one_side_has_is_told_by_its_length() -> None:
    assert "sealed, 16 bytes\n    16 characters, sealed; --reveal shows it" in render(SEALED_OUTCOMES[6], Plain())


def test_whether_a_page_is_sealed_is_no_secret() -> None:
    assert "recorded   true (boolean)" in render(SEALED_OUTCOMES[9], Plain())


def test_both_sides_are_kept_for_who_asks() -> None:
    sides = written(SEALED_OUTCOMES[0], reveal=True)["opened"]["sides"]
    assert [sides[0][name]["text"] for name in ("recorded", "candidate")] == [SECRET, SECRET.upper()]


def test_what_is_not_sealed_is_shown_as_ever() -> None:
    outcome = diverged(OPEN, {"files": {"a.md": {"sealed": False, "content": b"x"}}}, {"files": {}})
    assert not has_secrets(outcome)
    line = written(outcome, reveal=True)
    assert "opened" not in line
    assert line["differences"][0]["recorded"] == {"type": "mapping", "text": "x", "from": 0, "length": 1}
    assert not has_secrets(Match(SEALED, Compared({})))
    assert not has_secrets(Crashed(OPEN, "ValueError: x", ""))


def test_a_difference_elsewhere_is_no_secret() -> None:
    assert not is_secret(OPEN, Difference("extra", "changed", {"sealed": True}, {"sealed": False}))
    assert not is_secret(OPEN, Difference("files", "changed", 1, 2))


def test_a_sentence_without_a_colon_is_left_as_it_is() -> None:
    assert without_secrets(SEALED, "it died") == "it died"
    assert without_secrets(OPEN, "KeyError: x") == "KeyError: x"
