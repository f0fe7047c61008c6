"""Every line of every sort of run is what ``replay/report/schema.json`` says: the format that programs may rely on."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, LOGS, MATCH, NOT_JUDGED, PROJECT

from parity.tools import registry
from parity.tools.interface import GoUnavailable, ToolAnswer
from replay import cli
from replay.report import jsonl

if TYPE_CHECKING:
    from pathlib import Path

    from parity.tools.interface import Args, Env

SCHEMA: Final = json.loads((PROJECT / "replay" / "report" / "schema.json").read_text(encoding="utf-8"))
VALIDATOR: Final = jsonschema.Draft202012Validator(SCHEMA)

Lines = list[dict[str, Any]]


def judged(folder: Path, *arguments: str) -> tuple[int, Lines]:
    """Run the command in this process; its status and the lines of its report."""
    report = folder / "report.jsonl"
    status = cli.main(["run", "--transport", "memory", *arguments, "--report-json", str(report)])
    return status, [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]


def check(lines: Lines) -> None:
    """Every line is valid, and there is one header before and one footer after the steps."""
    for line in lines:
        VALIDATOR.validate(line)
    assert [line["type"] for line in lines] == ["header", *["step"] * (len(lines) - 2), "footer"]


def outcomes(lines: Lines) -> set[str]:
    return {line["outcome"] for line in lines if line["type"] == "step"}


@pytest.mark.usefixtures("capsys")
def test_matching_runs_of_every_kind_of_journal(tmp_path: Path) -> None:
    status, lines = judged(tmp_path, str(LOGS))
    assert (status, outcomes(lines)) == (MATCH, {"match"})
    check(lines)


@pytest.mark.usefixtures("capsys")
def test_differences_of_every_sort(tmp_path: Path) -> None:
    """Texts, bytes that are not UTF-8, numbers, truth, whole files and trackers, recorded only and given only."""
    page = {"base64": "/+n/YQ=="}
    event = {"id": "1", "ts": 7, "text": "x", "date_only": True}
    recorded: dict[str, Any] = {
        "label": "other",
        "diff": [{"op": "+", "text": "never"}],
        "files": {"a.md": page, "b.md": "only recorded\n"},
        "trackers": {"generale/t": {"name": "T", "events": [event]}, "generale/u": {"name": "U", "events": []}},
    }
    initial = {
        "files": {"a.md": {"base64": "/+n/Yg=="}, "c.md": "only given\n"},
        "trackers": {"generale/t": {"name": "T", "events": [{"id": "1", "ts": 8, "text": "x"}]}},
    }
    small_journals.write(
        tmp_path,
        small_journals.memory(
            small_journals.step("mem_read", {"file": "a"}, "x" * 5000, **recorded),
            {"tool": "mem_search", "args": {"query": "a"}, "panic": "runtime error: never"},
            initial=initial,
        ),
    )
    status, lines = judged(tmp_path, str(tmp_path / "journal.json"))
    assert (status, outcomes(lines)) == (DIVERGED, {"diverged"})
    check(lines)
    kinds = {one["kind"] for line in lines if line["type"] == "step" for one in line["differences"]}
    assert kinds == {"changed", "missing", "extra"}


@pytest.mark.usefixtures("capsys")
@pytest.mark.parametrize("reveal", [(), ("--reveal",)], ids=["hidden", "revealed"])
def test_sealed_memories(reveal: tuple[str, ...], tmp_path: Path) -> None:
    journal = json.loads((LOGS / "scelles.json").read_bytes())
    for step in journal["steps"]:
        step["result"] += " of another"
    small_journals.write(tmp_path, journal)
    status, lines = judged(tmp_path, str(tmp_path / "journal.json"), *reveal)
    assert (status, outcomes(lines)) == (DIVERGED, {"diverged"})
    check(lines)
    assert any("opened" in line for line in lines) is bool(reveal)


@pytest.mark.usefixtures("capsys")
def test_a_tolerance(tmp_path: Path) -> None:
    trackers = {
        f"generale/{slug}": {"name": slug, "events": [{"id": "1", "ts": 86_400_000, "text": "x"}]} for slug in "ab"
    }
    lines_of_it = "".join(f"- {slug} — 1 points, du 1970-01-02 au 1970-01-02\n" for slug in "ba")
    result = f'Trackers du projet (2) :\n{lines_of_it}Zoom : tracker(name:"<nom>") pour le détail d\'un tracker.'
    step = small_journals.step("tracker", {}, result, trackers=trackers)
    small_journals.write(tmp_path, small_journals.memory(step, initial={"trackers": trackers}))
    status, lines = judged(tmp_path, str(tmp_path / "journal.json"))
    assert status == MATCH
    check(lines)
    assert lines[1]["tolerated"][0]["name"] == "tracker-order"


def crash(_: Args, __: Env) -> ToolAnswer:
    message = "no such thing \ud800"
    raise KeyError(message)


def unavailable(_: Args, __: Env) -> ToolAnswer:
    reason = "no connection to Go"
    raise GoUnavailable(reason)


@pytest.mark.usefixtures("capsys")
@pytest.mark.parametrize(("tool", "outcome"), [(crash, "crashed"), (unavailable, "went-through-go")])
def test_a_port_that_crashes_and_one_that_goes_through_go(
    tool: Any,  # noqa: ANN401 - either of two functions
    outcome: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "TOOLS", {"recall": tool})
    small_journals.write(tmp_path, small_journals.recall(small_journals.unread(), small_journals.unread()))
    status, lines = judged(tmp_path, str(tmp_path / "journal.json"))
    assert (status, outcomes(lines)) == (DIVERGED, {outcome})
    check(lines)


@pytest.mark.usefixtures("capsys")
def test_refusals_problems_selections_and_stops(tmp_path: Path) -> None:
    small_journals.write(tmp_path, {"kind": "recall"}, "bad.json")
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()), "good.json")
    status, lines = judged(tmp_path, str(tmp_path))
    assert status == BAD_INPUT
    check(lines)
    good = str(tmp_path / "good.json")
    for arguments, expected in (
        (["-x"], DIVERGED),
        (["--step", "7-9", "--tool", "recall"], NOT_JUDGED),
        (["--mode", "chained", "--step", "1"], DIVERGED),
        (["--field", "requests"], MATCH),
    ):
        status, lines = judged(tmp_path, good, *arguments)
        assert status == expected
        check(lines)


@pytest.mark.usefixtures("capsys")
def test_an_interrupted_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_journals.write(tmp_path, small_journals.recall(*[small_journals.unread()] * 3))
    told = jsonl.JsonLines.outcome

    def interrupted(self: jsonl.JsonLines, *rest: Any) -> None:  # noqa: ANN401 - passed on as they are
        told(self, *rest)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(jsonl.JsonLines, "outcome", interrupted)
    status, lines = judged(tmp_path, str(tmp_path / "journal.json"))
    assert status == INTERRUPTED
    check(lines)
    assert (lines[-1]["interrupted"], lines[-1]["counts"]["match"], len(lines)) == (True, 1, 3)


def test_the_schema_is_a_schema_and_is_strict() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == jsonl.SCHEMA
    wrong: list[object] = [{}, {"type": "step"}, {"type": "footer", "exit": 4}, []]
    for line in wrong:
        assert not VALIDATOR.is_valid(line)


@pytest.mark.usefixtures("capsys")
def test_a_line_with_a_key_too_many_or_too_few_is_no_line(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    _, lines = judged(tmp_path, str(tmp_path / "journal.json"))
    check(lines)
    for line in lines:
        assert not VALIDATOR.is_valid({**line, "more": 1})
        for key in line:
            assert not VALIDATOR.is_valid({name: value for name, value in line.items() if name != key})
