"""From a journal that diverges to the smallest one that still does, chained, in the same way.

In the same way means: the last step ends as it did, and its first difference has the same field, the same kind and the
same two texts. A looser sense would slip: take a page away, and the result differs in another place for a reason of
its own. One attempt is judged more loosely, for it cannot slip: the diverging step alone from the state that Go
recorded before it. That state and that record are both Go's, so whatever differs there is a difference.

What is removed afterwards - steps before the diverging one, blocks, pages, trackers - leaves a state that Go never
recorded. So every other step loses its record (it only runs), and what the diverging step's record names is not
removed. A witness, where there is one, must go on answering the step as recorded.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from replay.compare import ALL as TOLERANCES
from replay.counted import named
from replay.engine import Judging, everything, numbers, replay
from replay.journal.model import KEEPIMG, MEMORY, RECORDED, Expected
from replay.journal.window import state_before
from replay.outcome import Crashed, Diverged, Match, Mode, name
from replay.reduce import inputs
from replay.reduce.delta import fewest
from replay.scope import scope

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from parity.stores.state import State
    from replay.candidates.interface import Candidate
    from replay.journal.model import Journal
    from replay.outcome import Outcome


class NothingToReduceError(Exception):
    """The journal cannot be reduced: it does not diverge, or the candidate cannot be judged on it; one sentence."""


class NoSuchStepError(Exception):
    """The journal has no step of that number; one sentence."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """The smallest journal that was found, the outcome of its last step, and how it came about.

    ``step`` and ``steps`` are numbers in the whole journal: of the diverging step, of all that are kept.
    ``from_record``: it starts from the state that Go recorded before the first of them. ``untouched``: nothing on which
    Go's answer rests was taken away. ``spent``: the runs were spent, so it may get smaller.
    """

    journal: Journal
    outcome: Outcome
    step: str
    steps: tuple[str, ...]
    from_record: bool
    untouched: bool
    runs: int
    spent: bool


class Reducing:
    """The reduction of one journal."""

    def __init__(self, journal: Journal, candidate: Candidate, witness: Candidate | None, most_runs: int) -> None:
        """Both candidates are started. ``most_runs`` is how often the candidate runs at most."""
        self._journal = journal
        self._candidate = candidate
        self.witness = witness
        """Who must go on answering the step as recorded; None as well when it does not do so from the start."""
        self._most = most_runs
        self._runs = 0
        self._spent = False

    def reduced(self, number: str | None) -> Reduced:
        """Reduce to a step, or to the first that diverges.

        Raises :class:`NothingToReduceError` and :class:`NoSuchStepError`.
        """
        self._check_candidate()
        first = self._diverging(number)
        if self.witness is not None and not self._agrees(self._journal, first.step.number):
            self.witness = None
        if self._journal.kind == KEEPIMG:
            return self._case(first)
        return self._steps(first)

    def _check_candidate(self) -> None:
        who = self._candidate.identity.name
        if not self._candidate.offers(self._journal.kind):
            message = f"{who} takes no journals of the kind {self._journal.kind}"
            raise NothingToReduceError(message)
        if self._journal.kind == MEMORY and not self._candidate.identity.can.reset:
            message = f"{who} cannot be reset: every attempt would start where the one before it ended"
            raise NothingToReduceError(message)

    def _diverging(self, number: str | None) -> Outcome:
        """The outcome of the step that is asked for, or of the first that is no match."""
        if number is not None and number not in set(numbers(self._journal)):
            count = len(list(numbers(self._journal)))
            message = f"no step {number}: {count:,} {named(count, 'is', 'are')} there"
            raise NoSuchStepError(message)
        self._runs += 1
        with closing(self._outcomes(self._journal, self._candidate)) as outcomes:
            for outcome in outcomes:
                if number == outcome.step.number or (number is None and not isinstance(outcome, Match)):
                    break
            else:
                what = f"step {number} is not judged, chained: the candidate cannot set the clock"
                if number is None:
                    what = "no step diverges, chained: there is nothing to reduce"
                raise NothingToReduceError(what)
        if isinstance(outcome, Match):
            message = f"step {number} does not diverge, chained: there is nothing to reduce"
            raise NothingToReduceError(message)
        return outcome

    def _outcomes(self, journal: Journal, candidate: Candidate) -> Generator[Outcome]:
        judged = scope(journal, Mode.CHAINED, candidate.identity.can, None)
        judging = Judging(Mode.CHAINED, judged.chooses or everything, TOLERANCES, judged.fields)
        return cast("Generator[Outcome]", replay(journal, candidate, judging))

    def _of_step(self, journal: Journal, candidate: Candidate, number: str) -> Outcome | None:
        with closing(self._outcomes(journal, candidate)) as outcomes:
            return next((one for one in outcomes if one.step.number == number), None)

    def _agrees(self, journal: Journal, number: str) -> bool:
        """Whether the witness, if there is one, answers a step as recorded."""
        return self.witness is None or isinstance(self._of_step(journal, self.witness, number), Match)

    def _attempt(self, journal: Journal, like: Callable[[Outcome, Outcome], bool], wanted: Outcome) -> Outcome | None:
        """The outcome of the last step, if it is like the wanted one; None where it is not, or the runs are spent."""
        if self._runs >= self._most:
            self._spent = True
            return None
        self._runs += 1
        last = list(numbers(journal))[-1]
        outcome = self._of_step(journal, self._candidate, last)
        if outcome is None or not like(outcome, wanted) or not self._agrees(journal, last):
            return None
        return outcome

    def _steps(self, first: Outcome) -> Reduced:
        journal = self._journal
        end = int(first.step.number)
        start, wanted = self._start(end, self._again(_only(journal, range(end), journal.initial), first))
        initial = state_before(journal, start)

        def with_steps(before: tuple[int, ...]) -> Journal:
            return _only(journal, (*before, end - 1), initial)

        before = fewest(
            tuple(range(start, end - 1)),
            lambda some: self._attempt(with_steps(some), _same, wanted) is not None,
        )
        small = with_steps(before)
        free = inputs.removable(small, wanted)

        def with_inputs(some: tuple[inputs.Part, ...]) -> Journal:
            return inputs.without(small, frozenset(free) - frozenset(some))

        needed = fewest(free, lambda some: self._attempt(with_inputs(some), _same, wanted) is not None)
        last = with_inputs(needed)
        all_that_counts = journal.kind != MEMORY or len(before) == end - 1 - start
        return Reduced(
            journal=last,
            outcome=self._again(last, wanted),
            step=first.step.number,
            steps=tuple(str(at + 1) for at in (*before, end - 1)),
            from_record=start > 0 and journal.kind == MEMORY,
            untouched=all_that_counts and len(needed) == len(free),
            runs=self._runs,
            spent=self._spent,
        )

    def _start(self, end: int, found: Outcome) -> tuple[int, Outcome]:
        """How many steps need not run at all, for Go's record of the state after them does as well."""
        journal = self._journal
        back = 0
        while back < end - 1:
            at = end - 1 - back
            if _state_is_known(journal, at):
                small = _only(journal, range(at, end), state_before(journal, at))
                outcome = self._attempt(small, _alike, found)
                if outcome is not None:
                    return at, outcome
            back = max(1, 2 * back)
        return 0, found

    def _case(self, first: Outcome) -> Reduced:
        number, operation = map(int, first.step.number.split("."))
        case = self._journal.cases[number - 1]

        def only(before: tuple[int, ...]) -> Journal:
            steps = [replace(case.steps[at], index=new + 1, after={}) for new, at in enumerate(before)]
            steps.append(replace(case.steps[operation - 1], index=len(before) + 1))
            return replace(self._journal, cases=(replace(case, index=1, steps=tuple(steps)),))

        whole = tuple(range(operation - 1))
        wanted = self._again(only(whole), first)
        before = fewest(whole, lambda some: self._attempt(only(some), _same, wanted) is not None)
        return Reduced(
            journal=only(before),
            outcome=self._again(only(before), wanted),
            step=first.step.number,
            steps=tuple(f"{number}.{at + 1}" for at in (*before, operation - 1)),
            from_record=False,
            untouched=before == whole,
            runs=self._runs,
            spent=self._spent,
        )

    def confirmed(self, small: Journal, found: Reduced) -> Outcome:
        """The outcome of the last step of the reduced journal as it is read again. Raises as :meth:`reduced` does."""
        return self._again(small, found.outcome)

    def _again(self, journal: Journal, wanted: Outcome) -> Outcome:
        """The outcome of the last step, which must be the wanted one. Raises :class:`NothingToReduceError`."""
        self._runs += 1
        outcome = self._of_step(journal, self._candidate, list(numbers(journal))[-1])
        if outcome is None or not _same(outcome, wanted):
            who = self._candidate.identity.name
            message = f"step {wanted.step.number} does not diverge in the same way twice: {who} does not repeat itself"
            raise NothingToReduceError(message)
        return outcome


def _only(journal: Journal, chosen: Sequence[int], initial: State | None) -> Journal:
    """Some steps, by position, from a state. The last keeps its record; the others only run."""
    steps = [replace(journal.steps[at], index=new + 1) for new, at in enumerate(chosen)]
    if journal.kind == MEMORY:  # a clock that was told by what is no longer there is written down
        steps = [replace(one, clock_from=RECORDED) for one in steps]
    steps[:-1] = [replace(one, expected=Expected()) for one in steps[:-1]]
    return replace(journal, steps=tuple(steps), initial=initial)


def _state_is_known(journal: Journal, at: int) -> bool:
    """Whether the journal says the state before the step at a position; without a memory there is none to say."""
    before = journal.steps[at - 1].expected
    return journal.kind != MEMORY or (before.files is not None and before.trackers is not None)


def _way(outcome: Outcome) -> tuple[object, ...]:
    """How a step ended: its outcome, and where and why, without any text of a difference."""
    ends: tuple[object, ...] = (name(outcome), outcome.step.tool)
    if isinstance(outcome, Diverged):
        ends += (outcome.differences[0].field, outcome.differences[0].kind)
    if isinstance(outcome, Crashed):
        ends += (outcome.what.partition(":")[0], outcome.where)
    return ends


def _alike(one: Outcome, other: Outcome) -> bool:
    return _way(one) == _way(other)


def _same(one: Outcome, other: Outcome) -> bool:
    """Alike, and the first difference is the same to the character."""
    if not _alike(one, other):
        return False
    if isinstance(one, Diverged) and isinstance(other, Diverged):
        return (one.differences[0].expected, one.differences[0].actual) == (
            other.differences[0].expected,
            other.differences[0].actual,
        )
    return True
