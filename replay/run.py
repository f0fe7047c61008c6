"""The gate: journals through a candidate, in every mode asked for, with a drill and a receipt.

Nothing is printed here: what happens is told to reporters, and what it came to is a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Final, Protocol

from replay.compare import ALL as TOLERANCES
from replay.drill import drill
from replay.engine import Judging, replay
from replay.exercise import MISSED
from replay.journal import JournalError, load
from replay.outcome import Match, Mode
from replay.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.candidates.interface import Candidate, Identity
    from replay.exercise import Exercise
    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef
    from replay.sources import Source

BOTH_MODES: Final = (Mode.ISOLATED, Mode.CHAINED)


class Exit(IntEnum):
    """The exit status of a run, from best to worst: the worst that happened counts."""

    MATCH = 0
    NOT_JUDGED = 3
    DIVERGED = 1
    BAD_INPUT = 2
    INTERRUPTED = 130


_SEVERITY: Final = tuple(Exit)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which steps are judged: all of them, or those of some tools or with some numbers."""

    tools: frozenset[str] = frozenset()
    steps: tuple[tuple[str, str], ...] = ()
    """Ranges of step numbers, both ends included; a single step is a range of one."""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return not self.tools and not self.steps

    def chooses(self, step: StepRef) -> bool:
        """Whether a step is judged."""
        if self.tools and step.tool not in self.tools:
            return False
        return not self.steps or any(_order(low) <= _order(step.number) <= _order(high) for low, high in self.steps)


def _order(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("."))


@dataclass(frozen=True, slots=True)
class Floors:
    """Fewer journals or steps than this, and a green proves nothing."""

    journals: int = 1
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does."""

    sources: Sequence[Source]
    modes: tuple[Mode, ...] = BOTH_MODES
    selection: Selection = field(default_factory=Selection)
    floors: Floors = field(default_factory=Floors)
    stop_at_first: bool = False


@dataclass(frozen=True, slots=True)
class JournalReceipt:
    """What was done with one journal: its tally in each mode, the drill, and what does not add up."""

    journal: Journal
    tallies: tuple[Tally, ...]
    exercises: tuple[Exercise, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A journal that was not judged: the sentence that says why, and the exit status that it leads to."""

    file: str
    sentence: str
    exit: Exit


@dataclass(slots=True)
class Receipt:
    """What a run did, all of it."""

    identity: Identity
    plan: Plan
    journals: list[JournalReceipt] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    stopped: bool = False
    interrupted: bool = False

    @property
    def steps(self) -> int:
        """How many steps were judged in at least one mode."""
        return sum(max((tally.due for tally in one.tallies), default=0) for one in self.journals)

    def count(self, outcome: str) -> int:
        """How many outcomes of a name there are over all journals and modes."""
        return sum(tally.outcomes[outcome] for one in self.journals for tally in one.tallies)

    @property
    def exit(self) -> Exit:
        """The worst that happened."""
        worst = [refusal.exit for refusal in self.refusals]
        if self.interrupted:
            worst.append(Exit.INTERRUPTED)
        if any(self.count(name) for name in ("diverged", "crashed", "went-through-go")):
            worst.append(Exit.DIVERGED)
        if self.problems or any(one.problems for one in self.journals):
            worst.append(Exit.NOT_JUDGED)
        return max(worst, key=_SEVERITY.index, default=Exit.MATCH)


class Reporter(Protocol):
    """Somebody who is told what happens, as it happens."""

    def begin(self, plan: Plan, identity: Identity) -> None:
        """The run starts."""
        ...

    def journal(self, journal: Journal, steps: int) -> None:
        """A journal was read; ``steps`` outcomes of it will follow."""
        ...

    def outcome(self, outcome: Outcome) -> None:
        """One step was judged."""
        ...

    def end(self, receipt: Receipt) -> None:
        """The run is over, or was interrupted."""
        ...


def run(plan: Plan, candidate: Candidate, reporters: Sequence[Reporter]) -> Receipt:
    """Judge, and tell the reporters. An interrupt ends the run with what was done so far; nothing else is raised."""
    receipt = Receipt(candidate.identity, plan)
    for reporter in reporters:
        reporter.begin(plan, candidate.identity)
    try:
        for source in plan.sources:
            _judge_source(source, candidate, receipt, reporters)
            if receipt.stopped:
                break
    except KeyboardInterrupt:
        receipt.interrupted = True
    if not receipt.stopped and not receipt.interrupted:
        receipt.problems.extend(_short_of_floors(receipt))
    for reporter in reporters:
        reporter.end(receipt)
    return receipt


def _judge_source(source: Source, candidate: Candidate, receipt: Receipt, reporters: Sequence[Reporter]) -> None:
    try:
        journal = load(source.path, file_name=source.name)
    except JournalError as error:
        exit_ = Exit.NOT_JUDGED if error.kind == "go-not-offered" else Exit.BAD_INPUT
        receipt.refusals.append(Refusal(source.name, str(error), exit_))
        return
    if not candidate.offers(journal.kind):
        sentence = f"{source.name}: journals of the kind {journal.kind} are not ported yet, so it was not judged"
        receipt.refusals.append(Refusal(source.name, sentence, Exit.NOT_JUDGED))
        return
    receipt.journals.append(_judge(journal, candidate, receipt, reporters))


def _judge(journal: Journal, candidate: Candidate, receipt: Receipt, reporters: Sequence[Reporter]) -> JournalReceipt:
    plan = receipt.plan
    tallies = tuple(Tally(journal, mode, plan.selection.chooses) for mode in plan.modes)
    for reporter in reporters:
        reporter.journal(journal, sum(tally.due for tally in tallies))
    try:
        for tally in tallies:
            for outcome in replay(journal, candidate, Judging(tally.mode, plan.selection.chooses, TOLERANCES)):
                tally.add(outcome)
                for reporter in reporters:
                    reporter.outcome(outcome)
                if plan.stop_at_first and not isinstance(outcome, Match):
                    receipt.stopped = True
                    return JournalReceipt(journal, tallies)
        exercises = tuple(drill(journal, candidate, tallies[0].matched, TOLERANCES))
    except KeyboardInterrupt:
        receipt.interrupted = True
        return JournalReceipt(journal, tallies)
    return JournalReceipt(journal, tallies, exercises, tuple(_problems(tallies, exercises)))


def _problems(tallies: Sequence[Tally], exercises: Sequence[Exercise]) -> Iterator[str]:
    """Why what was done to a journal proves nothing, a sentence each."""
    for tally in tallies:
        yield from tally.problems()
    for exercise in exercises:
        if exercise.outcome == MISSED:
            where = f"step {exercise.step}, {exercise.field}"
            yield f"the drill planted {exercise.name} in {where} and did not find it there: {exercise.why}"


def _short_of_floors(receipt: Receipt) -> Iterator[str]:
    floors = receipt.plan.floors
    if receipt.refusals and not receipt.journals:
        return
    if len(receipt.journals) < floors.journals:
        yield f"{len(receipt.journals)} journals were judged, fewer than the floor of {floors.journals}"
    if receipt.steps < floors.steps:
        yield f"{receipt.steps} steps were judged, fewer than the floor of {floors.steps}"
