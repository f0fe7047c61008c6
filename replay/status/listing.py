"""The systems for people and for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.rules.book import PortRule
    from replay.status.judged import Verdict
    from replay.status.systems import System

_LINE: Final = 300


@dataclass(frozen=True, slots=True)
class Standing:
    """A system, how many steps of each journal judge it (None: the journal is not here), its rules, what runs proved.

    ``verdicts`` is None where no report was given.
    """

    system: System
    steps: Mapping[str, int | None]
    rules: Sequence[PortRule]
    verdicts: Sequence[Verdict] | None

    @property
    def tests(self) -> list[str]:
        """Its own tests and those of its rules, each once."""
        return sorted({*self.system.tests, *(test for rule in self.rules for test in rule.tests)})


def lines(standings: Sequence[Standing], reports: Sequence[str]) -> Iterator[str]:
    """The listing for people."""
    lot = ""
    for one in standings:
        if one.system.lot != lot:
            lot = one.system.lot
            yield f"lot {lot}"
        yield f"  {one.system.id:<18} {one.system.what}"
        yield f"    {'exists':<11}{_exists(one)}"
        for verdict in one.verdicts or ():
            who = [cut(verdict.candidate, _LINE)] if verdict.candidate else []
            why = [cut("; ".join(verdict.why), _LINE)] if verdict.why else []
            yield f"    {verdict.state.upper():<11}{': '.join((*who, *why))}"
        yield from (f"    {'open':<11}{sentence}" for sentence in one.system.not_judged)
    yield ""
    if reports:
        yield f"what these runs proved: {', '.join(cut(one, _LINE) for one in reports)}. Tests were counted, not run"
    else:
        yield "this is what exists, not that it is green: for that, loki-parity run --report-json RUN.jsonl,"
        yield "then loki-parity status --report RUN.jsonl"


def _exists(one: Standing) -> str:
    pieces = [
        f"{name} is not here" if steps is None else f"{counted(steps, 'step')} of {name}"
        for name, steps in one.steps.items()
    ]
    if one.system.candidate:
        pieces.append(f"through the candidate {one.system.candidate}")
    pieces += [counted(len(one.rules), "rule"), counted(len(one.tests), "test")]
    return ", ".join(pieces)


def as_json(standings: Sequence[Standing], reports: Sequence[str]) -> str:
    """The listing for programs, whole."""
    document = {
        "reports": list(reports),
        "systems": [
            {
                "id": one.system.id,
                "lot": int(one.system.lot),
                "what": one.system.what,
                "contract": one.system.contract,
                "candidate": one.system.candidate or None,
                "steps": dict(one.steps),
                "rules": [rule.id for rule in one.rules],
                "tests": one.tests,
                "not_judged": list(one.system.not_judged),
                "verdicts": None
                if one.verdicts is None
                else [
                    {"candidate": each.candidate or None, "state": str(each.state), "why": list(each.why)}
                    for each in one.verdicts
                ],
            }
            for one in standings
        ],
    }
    return json.dumps(document, indent=1)
