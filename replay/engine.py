"""A journal through a candidate: an iterator of outcomes, one per step that is judged. Whatever a port does is a value.

isolated: each step starts from the state recorded after the step before it, so one wrong step is one difference.
chained: the candidate's own state runs on from the start to the end, so nothing can drift unseen. A chained run is
always whole: a selection chooses what is judged, not what runs.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from parity.gostd import json
from parity.stores.state import Settings
from replay import fields as named
from replay.candidates.interface import NATIVE, CandidateCrashed, CandidateNotReadyError
from replay.compare import ABSENT, UNSTABLE, Difference, StepContext, compare
from replay.journal.model import KEEPIMG, MEMORY, RECALL
from replay.outcome import Compared, Crashed, Diverged, Match, Mode, StepRef, WentThroughGo
from replay.requirements import requests_of
from replay.surroundings import lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Actual, Candidate, Session
    from replay.compare import Comparison, Tolerance
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step
    from replay.outcome import Outcome


def everything(_: StepRef) -> bool:
    """Choose every step."""
    return True


@dataclass(frozen=True, slots=True)
class Judging:
    """How a replay judges: the mode, which steps get an outcome, the named tolerances that may be used."""

    mode: Mode
    select: Callable[[StepRef], bool] = everything
    tolerances: Sequence[Tolerance] = ()
    fields: frozenset[str] | None = None
    """The fields that are compared; None: all that were recorded."""
    extra_requests: tuple[str, ...] = ()
    """Requests that every step must make beyond its own: the drill plants one here."""


def replay(journal: Journal, candidate: Candidate, judging: Judging) -> Iterator[Outcome]:
    """The outcomes of a journal's steps, in order. Raises CandidateNotReadyError when it cannot be judged at all."""
    if journal.kind == KEEPIMG:
        return _replay_cases(journal, candidate, judging)
    return _Steps(journal, candidate, judging).outcomes()


_ROOM: Final = 1 << 20
_COPIES: Final = 4
"""A step may need so many bytes on disk, and so many for each character of its record."""


def doubted(outcomes: Iterator[Outcome], journal: Journal, candidate: Candidate) -> Iterator[Outcome]:
    """The same outcomes; where one is no match, :func:`assure` is asked first, and raises what it raises."""
    for outcome in outcomes:
        if not isinstance(outcome, Match):
            recorded = sum(outcome.compared.fields.values()) if isinstance(outcome, Diverged) else 0
            assure(journal, candidate, recorded)
        yield outcome


def assure(journal: Journal, candidate: Candidate, recorded: int = 0) -> None:
    """Raise CandidateNotReadyError if the machine lacks what a judgement needs: what looks wrong may be right then.

    ``recorded``: how many characters the record of the step holds.
    """
    folder = candidate.identity.folder
    why = None if folder is None else lacking(folder, 0 if journal.kind == RECALL else _ROOM + _COPIES * recorded)
    if why is not None:
        raise CandidateNotReadyError(why)


def references(journal: Journal, mode: Mode) -> Iterator[StepRef]:
    """Every step of a journal, in order, as a report names it."""
    for step in journal.steps:
        yield _reference(journal, step, mode)
    for case in journal.cases:
        for operation in case.steps:
            yield _case_reference(journal, case, operation, mode)


def numbers(journal: Journal) -> Iterator[str]:
    """The same steps, by their numbers alone."""
    for step in journal.steps:
        yield str(step.index)
    for case in journal.cases:
        for operation in case.steps:
            yield f"{case.index}.{operation.index}"


def _reference(journal: Journal, step: Step, mode: Mode) -> StepRef:
    secret = journal.settings is not None and journal.settings.dek is not None
    return StepRef(journal.file, str(step.index), step.tool, step.note, step.at, mode, secret)


def _case_reference(journal: Journal, case: KeepimgCase, operation: KeepimgStep, mode: Mode) -> StepRef:
    return StepRef(journal.file, f"{case.index}.{operation.index}", operation.op, case.name, operation.at, mode)


_CALLED_TOGETHER: Final = 32


def _together(journal: Journal) -> Iterator[tuple[Step, ...]]:
    """The steps, in order; those that come together are all called before the first of them is judged.

    Only where no call leaves a state behind. Right after an answer came over HTTP, everything runs at a third of its
    speed, because meanwhile the processor has worked for the server: the less is done there, the better.
    """
    size = _CALLED_TOGETHER if journal.kind == RECALL else 1
    for first in range(0, len(journal.steps), size):
        yield tuple(journal.steps[first : first + size])


class _Recorded:
    """The state that the journal recorded before each step, half by half: what a later step does not say stays."""

    def __init__(self, journal: Journal) -> None:
        initial = journal.initial
        self.files: Mapping[str, bytes] | None = None if initial is None else initial.files
        self.trackers: Mapping[str, Tracker] | None = None if initial is None else initial.trackers

    def after(self, step: Step) -> None:
        """Move on: what the step recorded is the state before the next; a half it lacks is the candidate's own."""
        self.files = step.expected.files
        self.trackers = step.expected.trackers


class _Steps:
    """One run through the steps of a recall or memory journal."""

    def __init__(self, journal: Journal, candidate: Candidate, judging: Judging) -> None:
        self.journal = journal
        self.candidate = candidate
        self.judging = judging
        settings = journal.settings or Settings()
        self.dek = settings.dek
        self.project = settings.project_slug
        self.reads = journal.kind == RECALL and candidate.identity.reads_seen
        self.diverged = False
        self.probe: Session | None = None

    def outcomes(self) -> Iterator[Outcome]:
        with closing(self.candidate.session(self.journal)) as session:
            try:
                yield from self._run(session)
            finally:
                if self.probe is not None:
                    self.probe.close()

    def _run(self, session: Session) -> Iterator[Outcome]:
        isolated = self.judging.mode is Mode.ISOLATED
        recorded = _Recorded(self.journal)
        for steps in _together(self.journal):
            references = [_reference(self.journal, step, self.judging.mode) for step in steps]
            chosen = [self.judging.select(reference) for reference in references]
            answers = [
                self._answer(session, step, recorded if isolated else None)
                if judged or not isolated or self._leaves_its_own_state(step)
                else None
                for step, judged in zip(steps, chosen, strict=True)
            ]
            for step, reference, judged, answer in zip(steps, references, chosen, answers, strict=True):
                if answer is not None and (judged or not isolated):
                    outcome = self._verdict(step, reference, answer)
                    if not isolated and not isinstance(outcome, Match):
                        outcome = self._owned(outcome, step, reference, recorded)
                    if judged:
                        yield outcome
                recorded.after(step)

    def _leaves_its_own_state(self, step: Step) -> bool:
        """Whether a step must run although nobody judges it: the next one starts from what it leaves behind."""
        recorded = step.expected
        return self.journal.kind == MEMORY and (recorded.files is None or recorded.trackers is None)

    def _owned(self, outcome: Outcome, step: Step, reference: StepRef, recorded: _Recorded) -> Outcome:
        """Say whether a chained divergence after the first is the step's own: judge it again from Go's own state."""
        if not self.diverged:
            self.diverged = True
            return outcome
        if not _probes(self.candidate, self.journal):
            return outcome
        if self.probe is None:
            self.probe = self.candidate.session(self.journal)
        alone = self._verdict(step, reference, self._answer(self.probe, step, recorded))
        assert not isinstance(outcome, Match)  # noqa: S101 - the caller asks for the others only
        return replace(outcome, inherited=isinstance(alone, Match))

    def _answer(self, session: Session, step: Step, start: _Recorded | None) -> Actual | CandidateCrashed:
        """What the candidate does with a step, from a state or from where it stands."""
        try:
            if start is not None:
                session.restore(start.files, start.trackers)
            return session.call(step)
        except CandidateCrashed as crash:
            return crash

    def _verdict(self, step: Step, reference: StepRef, answer: Actual | CandidateCrashed) -> Outcome:
        """Compare what was recorded with what was answered, exactly; where something differs, with the tolerances."""
        if isinstance(answer, CandidateCrashed):
            return Crashed(reference, answer.what, answer.where)
        expected: Fields = self._expected(step)
        if self.judging.fields is not None:
            expected = named.chosen(expected, self.judging.fields)
            answer = replace(answer, fields=named.chosen(answer.fields, self.judging.fields))
        comparison = compare(expected, answer.fields)
        if comparison.differences:
            comparison = self._with_tolerances(step, expected, answer)
        return _verdict(reference, expected, answer, comparison)

    def _expected(self, step: Step) -> dict[str, Value]:
        expected = named.expected_fields(step.expected, self.dek)
        if self.reads:
            args = json.unmarshal_args(step.raw_args, self.journal.target)
            expected[named.REQUESTS] = requests_of(step.tool, args) + self.judging.extra_requests
        return expected

    def _with_tolerances(self, step: Step, expected: Fields, actual: Actual) -> Comparison:
        context = StepContext(
            tool=step.tool,
            raw_args=step.raw_args,
            expected=expected,
            actual=actual.fields,
            system_error=actual.system_error,
            target=self.journal.target,
            project=self.project,
            redacted=frozenset(one.field for one in self.journal.redacted if one.step == step.index),
            unstable=frozenset(one.field for one in self.journal.unstable if one.step == step.index),
        )
        return compare(expected, actual.fields, self.judging.tolerances, context)


def _probes(candidate: Candidate, journal: Journal) -> bool:
    """Whether a step can be judged again beside a chained session, from Go's own state, without disturbing it."""
    can = candidate.identity.can
    return journal.kind == RECALL or (can.reset and can.side_by_side)


def _replay_cases(journal: Journal, candidate: Candidate, judging: Judging) -> Iterator[Outcome]:
    with closing(candidate.session(journal)) as session:
        for case in journal.cases:
            outcomes = _case_outcomes(session, journal, case, judging.mode, judging.fields)
            if judging.mode is Mode.CHAINED:
                outcomes = _owned_outcomes(outcomes, journal, candidate, case, judging.fields)
            yield from (outcome for outcome in outcomes if judging.select(outcome.step))


def _case_outcomes(
    session: Session, journal: Journal, case: KeepimgCase, mode: Mode, fields: frozenset[str] | None
) -> Iterator[Outcome]:
    """A case from its start, whole; isolated, its visible state is restored before each operation but the first."""
    references = [_case_reference(journal, case, operation, mode) for operation in case.steps]
    try:
        session.begin(case)
    except CandidateCrashed as crash:
        yield from (Crashed(reference, crash.what, crash.where) for reference in references)
        return
    before: Fields | None = None
    for operation, reference in zip(case.steps, references, strict=True):
        yield _operate(session, operation, reference, before, fields)
        # An operation of a reduced journal may hold no record: the next one starts from what it left behind.
        before = operation.after if mode is Mode.ISOLATED and operation.after else None


def _owned_outcomes(
    outcomes: Iterator[Outcome],
    journal: Journal,
    candidate: Candidate,
    case: KeepimgCase,
    fields: frozenset[str] | None,
) -> Iterator[Outcome]:
    """Say of each divergence after a chained case's first whether it is its own: the case is judged again, isolated."""
    alone: dict[str, bool] | None = None
    diverged = False
    for outcome in outcomes:
        if isinstance(outcome, Match):
            yield outcome
        elif not diverged:
            diverged = True
            yield outcome
        else:
            if alone is None:
                with closing(candidate.session(journal)) as probe:
                    isolated = _case_outcomes(probe, journal, case, Mode.ISOLATED, fields)
                    alone = {one.step.number: isinstance(one, Match) for one in isolated}
            yield replace(outcome, inherited=alone[outcome.step.number])


def _operate(
    session: Session,
    operation: KeepimgStep,
    reference: StepRef,
    before: Fields | None,
    fields: frozenset[str] | None,
) -> Outcome:
    try:
        if before is not None:
            session.visible(before)
        actual = session.operate(operation)
    except CandidateCrashed as crash:
        return Crashed(reference, crash.what, crash.where)
    expected = named.chosen(operation.after, fields)
    shown = named.chosen(actual.fields, fields)
    comparison = compare(expected, shown)
    # An operation of a reduced journal may only run: nothing was recorded of it, and nothing is too many.
    extra = _not_recorded(expected, shown, shown) if operation.after else ()
    if extra:  # the contract names everything that stands after an operation, and the loader saw to it
        comparison = replace(comparison, differences=comparison.differences + extra)
    return _verdict(reference, expected, replace(actual, fields=shown), comparison)


def _verdict(reference: StepRef, expected: Fields, actual: Actual, comparison: Comparison) -> Outcome:
    """What the comparison of a record with an answer comes to."""
    shown = actual.fields
    requests = shown.get(named.REQUESTS, ())
    served = len(requests) if isinstance(requests, tuple) else 0
    if actual.route != NATIVE:
        return WentThroughGo(reference, actual.reason, requests=served)
    hidden = {one.field for one in comparison.tolerated if one.name == UNSTABLE}
    compared = Compared(
        {field: named.characters(value) for field, value in expected.items() if field not in hidden},
        tuple([field for field in shown if field not in expected]),
        comparison.tolerated,
    )
    differences = comparison.differences
    if named.RESULT not in expected or named.PANIC in shown:  # else it ended in a result on both sides
        differences += _ways_of_ending(expected, shown)
    if differences:
        return Diverged(reference, compared, differences, requests=served)
    return Match(reference, compared, served)


def _ways_of_ending(expected: Fields, shown: Fields) -> tuple[Difference, ...]:
    """A step ends in a result or in a crash of Go: an ending that was not recorded is a difference too."""
    if named.RESULT not in expected and named.PANIC not in expected:
        return ()
    return _not_recorded(expected, shown, (named.RESULT, named.PANIC))


def _not_recorded(expected: Fields, shown: Fields, fields: Iterable[str]) -> tuple[Difference, ...]:
    """The fields, of those named, that only the candidate has."""
    return tuple(
        [
            Difference(field, "extra", ABSENT, shown[field])
            for field in fields
            if field in shown and field not in expected
        ]
    )
