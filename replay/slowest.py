"""The slowest steps of a run: each call is timed where it is made, and told after the run.

Times differ from run to run, so they stand in no report and on no standard output. Whoever does not ask pays nothing:
the candidate is wrapped only for this.
"""

from __future__ import annotations

import heapq
import itertools
import time
from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.observed import ObservedCandidate, ObservedSession
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replay.candidates.interface import Actual, Candidate, Identity, Session
    from replay.journal.model import Journal, KeepimgStep, Step
    from replay.outcome import Outcome, StepRef
    from replay.run import Plan, Receipt

_NAME: Final = 200


class Slowest:
    """A reporter that keeps the slowest steps, and the candidate whose calls it times."""

    def __init__(self, most: int, clock: Callable[[], float] = time.perf_counter) -> None:
        """``most`` is how many steps are kept; ``clock`` tells seconds."""
        self._most = most
        self._clock = clock
        self._order = itertools.count()
        self._told: dict[str, float] = {}
        self._kept: list[tuple[float, int, StepRef]] = []
        self._count = 0

    def timed(self, candidate: Candidate) -> Candidate:
        """The same candidate, its calls timed."""
        return ObservedCandidate(candidate, self._session)

    def _session(self, candidate: Candidate, journal: Journal) -> Session:
        return _TimedSession(candidate.session(journal), self._told, self._clock)

    def begin(self, plan: Plan, identity: Identity) -> None:
        """Nothing: no step has run."""

    def journal(self, journal: Journal, steps: int) -> None:  # noqa: ARG002 - a reporter is told both
        """What the drill of the journal before ran is no step of a run."""
        self._told.clear()

    def outcome(self, outcome: Outcome) -> None:
        """A step was judged; its call was timed before. Of equal times the first is the slower one."""
        seconds = self._told.pop(outcome.step.number, 0.0)
        self._count += 1
        entry = (seconds, -next(self._order), outcome.step)
        (heapq.heappush if len(self._kept) < self._most else heapq.heappushpop)(self._kept, entry)

    def end(self, receipt: Receipt) -> None:
        """Nothing: who asked for the lines prints them after the receipt."""

    def lines(self) -> Iterator[str]:
        """The slowest steps, the slowest first."""
        yield f"slowest {len(self._kept):,} of {counted(self._count, 'step')}, the candidate's time alone:"
        for seconds, _, step in sorted(self._kept, reverse=True, key=lambda one: one[:2]):
            where = f"{cut(step.journal, _NAME)} step {step.number} {cut(step.tool)} ({step.mode})"
            yield f"  {seconds * 1000:>10,.2f} ms  {where}"


class _TimedSession(ObservedSession):
    """Notes how long each call took: the first time that it runs, for a step that is looked at again tells nothing."""

    def __init__(self, session: Session, told: dict[str, float], clock: Callable[[], float]) -> None:
        super().__init__(session)
        self._told = told
        self._clock = clock

    def call(self, step: Step) -> Actual:
        started = self._clock()
        try:
            return super().call(step)
        finally:
            self._told.setdefault(self.number(step), self._clock() - started)

    def operate(self, step: KeepimgStep) -> Actual:
        started = self._clock()
        try:
            return super().operate(step)
        finally:
            self._told.setdefault(self.number(step), self._clock() - started)
