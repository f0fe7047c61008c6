"""The column of this project: the command on the journal that a class makes, and what it said."""

from __future__ import annotations

import json
import re
import shlex
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import candidate
import planting
from real_command import DIVERGED, MATCH, loki_parity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from planting import Row

CAUGHT: Final = "caught"
MISSED: Final = "missed"
QUIET: Final = "quiet"
ALARM: Final = "false alarm"

DEADLINES: Final = {"hangs": "2"}
"""Seconds that an answer may take; where it never comes, a run waits for them twice."""

_STATE: Final = ("files", "trackers", "messages")


def verdict(row: Row, folder: Path) -> tuple[str, str]:
    """What the real command, in a process of its own, came to for a class; why, where that is not as it should be."""
    folder.mkdir(parents=True)
    (folder / f"{row.name}.json").write_bytes(planting.text(row))
    with answering(row) as options:
        ran = loki_parity("run", f"{row.name}.json", "--report-json", "report.jsonl", "--reveal", *options, cwd=folder)
    status, said = ran.status, (ran.out + ran.err)[:800]
    report = folder / "report.jsonl"
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()] if report.exists() else []
    if row.harmless:
        return (QUIET, "") if status == MATCH else (ALARM, f"exit {status}: {said}")
    if status != DIVERGED:
        return MISSED, f"exit {status}: {said}"
    why = misplaced(row, [line for line in lines if line["type"] == "step" and line["outcome"] != "match"])
    return (MISSED, why) if why else (CAUGHT, "")


def answering(row: Row) -> AbstractContextManager[Sequence[str]]:
    """Whoever answers: the options that name it, while it runs."""
    kind, _, habit = (f"cmd:{row.vice}" if row.vice else row.served).partition(":")
    if kind == "cmd":
        words = [sys.executable, str(planting.HERE / "candidate.py"), habit, row.word]
        return nullcontext(("--deadline", DEADLINES.get(habit, "20"), "--candidate", f"cmd:{shlex.join(words)}"))
    if kind == "http":
        return _Serving(habit)
    return nullcontext(())


class _Serving:
    def __init__(self, habit: str) -> None:
        self._serving = candidate.serving(habit)

    def __enter__(self) -> Sequence[str]:
        return "--candidate", self._serving.__enter__()

    def __exit__(self, *_: object) -> None:
        self._serving.__exit__(None, None, None)


def misplaced(row: Row, found: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong about the place in which a divergence was found; empty if nothing is."""
    own = str(planting.place(row)[-1] + 1) if row.journal != "keepimg" else row.step
    places: dict[str, list[str]] = {"isolated": [], "chained": []}
    fields = set()
    for line in found:
        places[line["mode"]].append(line["step"])
        if line["step"] == own:
            fields |= set(named(line))
    if row.chained_only:
        right = not places["isolated"] and places["chained"][:1] == [own]
    elif row.vice:
        right = all(numbers[:1] == [own] for numbers in places.values())
    else:
        chain = [own, following(own)] if row.next_too else [own]
        # An isolated step starts from the record of the one before it: where a state was changed, it rightly differs.
        restored = row.field.startswith(_STATE)
        chained = places["chained"][:1] if row.drifts else places["chained"]
        isolated = (chain, [own, following(own)]) if restored else (chain,)
        right = chained == chain and places["isolated"] in isolated
    if not right:
        return f"found in {places}"
    if not any(one == row.field or one.startswith((f"{row.field}[", f"{row.field}.")) for one in fields):
        return f"found in {sorted(fields)}"
    touched = {str(edit["at"][0]) for edit in row.plant if edit["at"]}
    others = {one for one in fields if re.split(r"[\[.]", one)[0] not in touched}
    return f"found in {sorted(others)} too" if touched and not row.vice and others else ""


def following(step: str) -> str:
    """The number of the step after one."""
    *case, last = step.split(".")
    return ".".join((*case, str(int(last) + 1)))


def named(line: Mapping[str, Any]) -> list[str]:
    """The fields that a line of the report names, or the outcome of a step that was not compared."""
    return [one["field"] for one in line.get("differences", ())] or [line["outcome"]]
