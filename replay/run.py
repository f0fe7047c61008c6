"""The gate: journals through a candidate, in every mode asked for, with a drill and a receipt.

Nothing is printed here: what happens is told to reporters, and what it came to is a value.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.resting import Resting
from replay.compare import ALL as TOLERANCES
from replay.counted import counted
from replay.discretion import discreet
from replay.drill import drill
from replay.engine import assure, doubted, replay
from replay.exercise import MISSED
from replay.fields import REQUESTS
from replay.interrupts import HELD, holdable
from replay.journal import JournalError, load
from replay.journal.model import MEMORY, RECORDED, REDUCED
from replay.numbering import Numbering
from replay.outcome import Match, Mode, Waived
from replay.remembered import Remembering
from replay.scope import scope
from replay.tally import Tally
from replay.waivers.waiver import Waivers
from replay.waivers.watch import Watch
from replay.work import pieces
from replay.workers import WORTH_SHARING, Reports, Shared, UnusableJournalError, WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.candidates.interface import Candidate, Identity
    from replay.exercise import Exercise
    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef
    from replay.scope import LeftOut, Scope
    from replay.sources import Source
    from replay.work import Shard

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
    fields: frozenset[str] | None = None
    """Which fields are compared; None: all that were recorded."""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self.every_step and self.fields is None

    @property
    def every_step(self) -> bool:
        """Whether no step is left out."""
        return not self.tools and not self.steps

    def chooses(self, step: StepRef) -> bool:
        """Whether a step is judged."""
        if self.tools and step.tool not in self.tools:
            return False
        number = order(step.number)
        return not self.steps or any(
            order(low) <= number and number[: len(order(high))] <= order(high) for low, high in self.steps
        )


def order(number: str) -> tuple[int, ...]:
    """The number of a step, such as ``3.2``, as numbers that can be compared: a case comes before its operations."""
    return tuple(int(part) for part in number.split("."))


@dataclass(frozen=True, slots=True)
class Floors:
    """Fewer journals or steps than this, and a green proves nothing."""

    journals: int = 1
    steps: int = 1
    compared: Mapping[str, int] = field(default_factory=dict)
    """Field to the least number of steps in which what Go recorded of it is compared."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does."""

    sources: Sequence[Source]
    modes: tuple[Mode, ...] = BOTH_MODES
    selection: Selection = field(default_factory=Selection)
    floors: Floors = field(default_factory=Floors)
    stop_at_first: bool = False
    require_signed: bool = False
    """Whether a journal without a hash chain is not judged."""
    everything: bool = False
    """Whether these are all the journals that the project has."""
    waivers: Waivers = field(default_factory=Waivers)
    today: str | None = None
    """The day, such as ``2026-12-31``: no clock is read. None: whether a waiver has expired is not judged."""
    jobs: int = 1
    """How many processes judge one journal."""
    shard: Shard | None = None
    """Which part of the run this is; None: the whole of it."""


@dataclass(frozen=True, slots=True)
class JournalReceipt:
    """What was done with one journal: its tally in each mode, the drill, and what does not add up."""

    journal: Journal
    tallies: tuple[Tally, ...]
    exercises: tuple[Exercise, ...] = ()
    problems: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """What the candidate could not be judged on."""
    stateless: str = ""
    """In how many steps of a memory the journal lacks the state, in words; nothing where it lacks none."""


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
    waivers: Watch = field(init=False)

    def __post_init__(self) -> None:
        """The candidate's waivers, none of them seen."""
        plan = self.plan
        self.waivers = Watch(plan.waivers, self.identity.name, plan.today, plan.selection.fields)

    @property
    def steps(self) -> int:
        """How many steps were judged in at least one mode."""
        return sum(max((tally.due for tally in one.tallies), default=0) for one in self.journals)

    def count(self, outcome: str) -> int:
        """How many outcomes of a name there are over all journals and modes."""
        return sum(tally.outcomes[outcome] for one in self.journals for tally in one.tallies)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the candidate could not be judged on in some journal, in a word each."""
        return tuple(sorted({one.what for each in self.journals for one in each.left_out}))

    @property
    def exit(self) -> Exit:
        """The worst that happened."""
        worst = [refusal.exit for refusal in self.refusals]
        if self.interrupted:
            worst.append(Exit.INTERRUPTED)
        if any(self.count(name) for name in ("diverged", "crashed", "went-through-go")):
            worst.append(Exit.DIVERGED)
        if self.problems or any(one.problems or one.left_out for one in self.journals):
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
    with holdable():
        return _run(plan, candidate, reporters)


def _run(plan: Plan, candidate: Candidate, reporters: Sequence[Reporter]) -> Receipt:
    receipt = Receipt(candidate.identity, plan)
    for reporter in reporters:
        reporter.begin(plan, candidate.identity)
    try:
        for source in plan.sources:
            _judge_source(source, candidate, receipt, reporters)
            if receipt.stopped or receipt.interrupted:
                break
    except KeyboardInterrupt:
        receipt.interrupted = True
    ended = not receipt.stopped and not receipt.interrupted
    if ended and plan.shard is None:
        receipt.problems.extend(_short_of_floors(receipt))
    whole = ended and plan.selection.everything and not receipt.left_out
    everything = plan.everything and not receipt.refusals
    receipt.problems.extend(receipt.waivers.problems(plan.modes, whole=whole, everything=everything))
    with contextlib.suppress(KeyboardInterrupt), HELD:  # the run is over: nothing is left that could be interrupted
        for reporter in reporters:
            reporter.end(receipt)
    return receipt


def exit_of(error: JournalError) -> Exit:
    """What a journal that cannot be used leads to: a Go that is not offered is no fault of the journal's."""
    return Exit.NOT_JUDGED if error.kind == "go-not-offered" else Exit.BAD_INPUT


def _judge_source(source: Source, candidate: Candidate, receipt: Receipt, reporters: Sequence[Reporter]) -> None:
    try:
        journal = load(source.path, file_name=source.name)
    except JournalError as error:
        receipt.refusals.append(Refusal(source.name, str(error), exit_of(error)))
        return
    if source.recording and journal.source == REDUCED:
        sentence = f"{source.name}: a reduced journal is no recording, so the gate does not judge it here"
        receipt.refusals.append(Refusal(source.name, sentence, Exit.NOT_JUDGED))
        return
    if not candidate.offers(journal.kind):
        sentence = f"{source.name}: {_not_offered(journal.kind, candidate.identity)}, so it was not judged"
        receipt.refusals.append(Refusal(source.name, sentence, Exit.NOT_JUDGED))
        return
    if receipt.plan.require_signed and journal.signed is None and not source.found:
        sentence = f"{source.name}: it is not signed, and only signed journals are to be judged, so it was not judged"
        receipt.refusals.append(Refusal(source.name, sentence, Exit.NOT_JUDGED))
        return
    receipt.journals.append(_judge(journal, source, candidate, receipt, reporters))


def _not_offered(kind: str, identity: Identity) -> str:
    if identity.name == "port":
        return f"journals of the kind {kind} are not ported yet"
    return f"{identity.name} takes no journals of the kind {kind}"


def _judge(
    journal: Journal, source: Source, candidate: Candidate, receipt: Receipt, reporters: Sequence[Reporter]
) -> JournalReceipt:
    plan = receipt.plan
    can = candidate.identity.can
    chooses = None if plan.selection.every_step else plan.selection.chooses
    scopes = [scope(journal, mode, can, chooses, plan.selection.fields) for mode in plan.modes]
    judged = [one for one in scopes if one.judged]
    left_out = tuple(one for each in scopes for one in each.left_out)
    numbering = Numbering(journal)
    work = pieces(journal, numbering, judged, plan.shard, plan.sources.index(source))
    tallies = tuple(Tally(journal, one.scope.mode, one.scope.chooses, numbering, one.steps(numbering)) for one in work)
    if plan.shard is not None:
        receipt.waivers.shares(source.path, numbering.has)
    for reporter in reporters:
        reporter.journal(journal, sum(tally.due for tally in tallies))
    told = replace(journal, blocks=(), initial=None, steps=(), cases=())  # a receipt needs no more, and outlives it
    made = partial(JournalReceipt, told, tallies, left_out=left_out, stateless=_stateless(journal))
    try:
        watched = candidate if can.reset or journal.kind != MEMORY else Remembering(candidate)
        todo = [(tally, piece) for tally, piece in zip(tallies, work, strict=True) if piece.units]
        shared = Shared(journal, source.path, numbering, todo, watched, receipt.waivers, plan.stop_at_first)
        receipt.stopped = _judge_steps(shared, plan, reporters)
        if receipt.stopped:
            return made()
        exercises = tuple(_drilled(journal, watched, list(zip(tallies, judged, strict=True))))
        if any(exercise.outcome == MISSED for exercise in exercises):
            assure(journal, watched)
    except KeyboardInterrupt:
        receipt.interrupted = True
        return made()
    except (CandidateNotReadyError, WorkerDiedError) as error:
        return made(problems=(discreet(str(error)),))
    except (JournalError, UnusableJournalError) as error:  # one of lines that has changed since it was checked
        receipt.refusals.append(Refusal(journal.file, str(error), Exit.BAD_INPUT))
        return made()
    return made(exercises=exercises, problems=tuple(_problems(tallies, exercises)))


def _stateless(journal: Journal) -> str:
    if journal.kind != MEMORY:
        return ""
    lacking = sum(step.expected.files is None or step.expected.trackers is None for step in journal.steps)
    return f"state not recorded in {lacking:,} of {counted(len(journal.steps), 'step')}" if lacking else ""


def _judge_steps(shared: Shared, plan: Plan, reporters: Sequence[Reporter]) -> bool:
    """Judge, in this process or in several. Whether that was stopped at the first step that does not match."""
    told_apart = [one for one in reporters if isinstance(one, Reports)]
    due = sum(tally.due for tally, _ in shared.work)
    if isinstance(shared.candidate, Resting) and due >= WORTH_SHARING and len(told_apart) == len(reporters):
        return shared.share_out(plan.jobs, shared.candidate, told_apart)
    for tally, piece in shared.work:
        part, judging = piece.part(shared.journal, shared.numbering)
        for judged_so in doubted(replay(part, shared.candidate, judging), part, shared.candidate):
            with HELD:
                outcome = shared.waivers.judged(shared.file, judged_so)
                tally.add(outcome)
                for reporter in reporters:
                    reporter.outcome(outcome)
            if plan.stop_at_first and not isinstance(outcome, (Match, Waived)):
                return True
    return False


def _drilled(journal: Journal, candidate: Candidate, judged: Sequence[tuple[Tally, Scope]]) -> Iterator[Exercise]:
    """The drill, on the first steps that were judged; each part of a run has its own.

    Of a candidate that cannot be put on a recorded state, with what it answered in the run.
    """
    some = [one for one in judged if one[0].due] or judged
    if not some:
        return
    tally, judged_in = some[0]
    matched = tally.exact
    if isinstance(candidate, Remembering):
        matched = [number for number in candidate.answers if number in matched]
        candidate = candidate.replayed()
    yield from drill(journal, candidate, matched, TOLERANCES, judged_in.fields)


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
    if receipt.journals and not receipt.steps and not any(one.left_out for one in receipt.journals):
        yield "nothing to judge: the selection chooses no step of these journals"
        return
    # A journal that is named twice, under whatever names, is one journal.
    steps = {one.journal.sha256: max((tally.due for tally in one.tallies), default=0) for one in receipt.journals}
    if len(steps) < floors.journals:
        yield f"{counted(len(steps), 'journal was', 'journals were')} judged, fewer than the floor of {floors.journals}"
    if sum(steps.values()) < floors.steps:
        judged = sum(steps.values())
        yield f"{counted(judged, 'step was', 'steps were')} judged, fewer than the floor of {floors.steps}"
    yield from _short_of_fields(receipt)


def _short_of_fields(receipt: Receipt) -> Iterator[str]:
    """The fields of which a journal lacks the record; what the candidate cannot show is said where it is left out."""
    if receipt.left_out:
        return
    recorded = {one.journal.sha256: one for one in receipt.journals if one.journal.source == RECORDED}
    for name, least in receipt.plan.floors.compared.items():
        if name == REQUESTS and not receipt.identity.reads_seen:
            continue
        count = sum(min((_compared(tally, name) for tally in one.tallies), default=0) for one in recorded.values())
        if count < least:
            yield f"{name} was compared in {counted(count, 'step')} that Go recorded, fewer than the floor of {least:,}"


def _compared(tally: Tally, name: str) -> int:
    """In how many steps a field was compared; a step that had no answer to compare is no fault of the journal's."""
    return tally.fields[name] + tally.outcomes["crashed"] + tally.outcomes["went-through-go"]
