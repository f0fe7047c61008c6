"""Five differences of five kinds, planted in the port: one command leads to the cause, a second to the function."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from real_command import DIVERGED, LOGS, MATCH, PROJECT

from parity.images import cost
from parity.tools import memory_index, registry, tracker_view, tracker_when
from replay import cli

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.tools.interface import Env, ToolAnswer, Tracker
    from parity.tools.tracker_when import When


def text(monkeypatch: pytest.MonkeyPatch) -> None:
    right = registry.TOOLS["recall_search"]

    def wrong(args: Mapping[str, object], env: Env) -> ToolAnswer:
        answer = right(args, env)
        return replace(answer, result=answer.result.replace("…", "..."))

    monkeypatch.setattr(registry, "TOOLS", {**registry.TOOLS, "recall_search": wrong})


def page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_index, "ENTRY", memory_index.ENTRY.replace("\n", "\r\n"))


def millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tracker_when.parse

    def wrong(when: str, env: Env) -> When:
        found = right(when, env)
        return replace(found, ts=found.ts + 1)

    monkeypatch.setattr(tracker_when, "parse", wrong)


def order(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tracker_view.by_last_point

    def wrong(trackers: Mapping[str, Tracker]) -> list[Tracker]:
        return right(trackers)[::-1]

    monkeypatch.setattr(tracker_view, "by_last_point", wrong)


def image_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    right = cost.shares

    def wrong(found: int, weights: Sequence[int]) -> tuple[int, ...]:
        shares = right(found, weights)
        return (shares[0] + 1, *shares[1:-1], shares[-1] - 1) if len(shares) > 1 else shares

    monkeypatch.setattr(cost, "shares", wrong)


PLANTED: Final[dict[str, tuple[Callable[[pytest.MonkeyPatch], None], str, tuple[str, ...], str]]] = {
    "a tool's text": (
        text,
        "recall.json",
        ("step 30 recall_search", "result: differs", "U+2026 HORIZONTAL ELLIPSIS", "look-alike"),
        "parity.tools.recall_search.snippet",
    ),
    "a page's byte": (
        page,
        "outils.json",
        (
            "step 22 mem_add",
            "files['MEMORY.md'].content: differs",
            "U+000D CARRIAGE RETURN",
            "crlf: lines end in CR LF",
        ),
        "parity.tools.memory_index.with_entry",
    ),
    "a millisecond": (
        millisecond,
        "outils.json",
        ("trackers['generale/poids'].events[0].ts: differs", "off by     +1", "2026-01-02 00:00:00.001"),
        "parity.tools.tracker_when",
    ),
    "an order": (
        order,
        "outils.json",
        ("step 48 tracker", "order: the same lines in another order", "line 2 of the recording is line 4"),
        "parity.tools.tracker_view.by_last_point",
    ),
    "an image's cost": (
        image_cost,
        "keepimg.json",
        ("step 23.8 observe", "extra[2].img_tokens: differs", "off by     +1"),
        "parity.images.cost.shares",
    ),
}


def test_the_readme_names_every_verb_and_every_file_that_it_leads_to_is_there() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert [verb for verb in cli._VERBS if f"| `loki-parity {verb}" not in readme] == []
    prose = re.sub(r"```.*?```", "", readme, flags=re.DOTALL)
    for file in re.findall(r"\]\(([A-Za-z./]+)\)", prose):
        assert (PROJECT / file).exists(), file


@pytest.mark.parametrize("name", PLANTED)
def test_one_command_leads_to_the_cause_and_a_second_to_the_function(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, journal, sentences, function = PLANTED[name]
    with monkeypatch.context() as planted:
        plant(planted)
        assert cli.main(["run", str(LOGS / journal), "-x", "--transport", "memory"]) == DIVERGED
    out = capsys.readouterr().out
    for sentence in sentences:
        assert sentence in out, out
    step = out.split("\nstep ", 1)[1].split(" ", 1)[0]
    assert cli.main(["rules", str(LOGS / journal), "--step", step]) == MATCH
    assert function in capsys.readouterr().out
