"""What runs proved of a system: no more than their steps, of these very journals, by this very code.

Green needs every step of the system, in both modes, to match, a drill that missed nothing, and no problem with the
journal. Whatever stands in the way has a sentence, and then it is not green.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from replay.counted import counted, named
from replay.engine import references
from replay.exercise import FOUND, MISSED
from replay.journal.model import RECORDED
from replay.outcome import Mode
from replay.report.run_values import MATCH, MODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.journal.model import Journal
    from replay.report.run_values import CandidateTold, JournalTold, ToldRun
    from replay.status.systems import System

_OURS: Final = ("parity.", "fake_go.")
"""Modules of ours begin so: their hashes can be compared with those of the code here."""


class State(StrEnum):
    """What a run says of a system."""

    GREEN = "green"
    RED = "red"
    NOT_JUDGED = "not judged"
    BY_TESTS = "by tests"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one candidate's run says of a system, and why where it is not green."""

    candidate: str
    state: State
    why: tuple[str, ...] = ()


def steps_of(system: System, journal: Journal) -> frozenset[str]:
    """The numbers of a journal's steps that judge a system."""
    return frozenset(one.number for one in references(journal, Mode.CHAINED) if one.tool in system.tools)


def verdicts(
    system: System, runs: Sequence[ToldRun], journals: Mapping[str, Journal], code: Mapping[str, str]
) -> Iterator[Verdict]:
    """What each candidate's run says. ``journals``: those that are here; ``code``: the port's module hashes here."""
    found = False
    for run in runs if system.journals else ():
        several = len(run.header.candidates) > 1
        for candidate in run.header.candidates:
            if system.candidate in {"", candidate.name}:
                found = True
                yield _Reading(system, run, candidate, code, several=several).verdict(journals)
    if not system.journals:
        yield Verdict("", State.BY_TESTS, ("no journal judges it: its tests do",))
    elif not found:
        yield Verdict("", State.NOT_JUDGED, (f"no report of a run of the candidate {system.candidate}",))


class _Reading:
    """One system in one candidate's run."""

    def __init__(
        self, system: System, run: ToldRun, candidate: CandidateTold, code: Mapping[str, str], *, several: bool
    ) -> None:
        self._system = system
        self._run = run
        self._candidate = candidate
        self._code = code
        self._of = candidate.name if several else ""

    def verdict(self, journals: Mapping[str, Journal]) -> Verdict:
        unequal: list[str] = []
        missing = list(self._of_the_run())
        for name in self._system.journals:
            told = self._told(name)
            if name not in journals:
                missing.append(f"{name} is not here")
            elif told is None:
                missing.append(f"{name} was not judged")
            elif told.sha256 != journals[name].sha256:
                missing.append(f"{name} was another file then")
            else:
                missing += self._of_a_journal(name, told)
                self._steps(name, steps_of(self._system, journals[name]), unequal, missing)
        state = State.RED if unequal else State.NOT_JUDGED if missing else State.GREEN
        who = f"{self._candidate.name}, {self._candidate.transport}"
        return Verdict(who, state, (*unequal, *missing))

    def _of_the_run(self) -> Iterator[str]:
        ours = {name: digest for name, digest in self._candidate.modules if name.startswith(_OURS)}
        if ours and any(self._code.get(name) != digest for name, digest in ours.items()):
            yield "the code that ran is another now than in that run"
        if self._system.transport not in {"", self._candidate.transport}:
            yield f"it was reached by {self._candidate.transport}, not by {self._system.transport}"
        if "fields" in self._run.header.selection:
            yield f"only some fields were compared ({self._run.header.selection})"

    def _told(self, journal: str) -> JournalTold | None:
        same = (one for one in self._run.journals if (one.journal, one.candidate) == (journal, self._of))
        return next(same, None)

    def _of_a_journal(self, name: str, told: JournalTold) -> Iterator[str]:
        if told.source != RECORDED:
            yield f"{name} is no recording ({told.source})"
        for mode, tally in told.modes.items():
            for field in self._system.fields:
                if tally.fields.get(field, 0) < tally.steps:
                    yield f"{name} ({mode}): {field} were not compared in every step"
        yield from (f"{name}: {problem}" for problem in told.problems)
        yield from (f"{name}: not judged: {one}" for one in told.left_out)
        if not any(one.outcome == FOUND for one in told.drill):
            yield f"{name}: the drill planted nothing that was found"
        yield from (f"{name}: the drill missed {one.name}" for one in told.drill if one.outcome == MISSED)

    def _steps(self, journal: str, due: frozenset[str], unequal: list[str], missing: list[str]) -> None:
        for mode in MODES:
            outcomes = {
                step.number: step.outcome
                for step in self._run.steps
                if (step.journal, step.mode, step.candidate) == (journal, mode, self._of) and step.number in due
            }
            wrong = [number for number in outcomes if outcomes[number] != MATCH]
            of, left = counted(len(due), "step"), len(due) - len(outcomes)
            if wrong:
                says = named(len(wrong), "does", "do")
                unequal.append(f"{journal} ({mode}): {len(wrong):,} of {of} {says} not match, first {wrong[0]}")
            if left:
                missing.append(f"{journal} ({mode}): {left:,} of {of} {named(left, 'was', 'were')} not judged")
