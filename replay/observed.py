"""A candidate that somebody looks over the shoulder of: everything is handed on, and what is wanted is noticed.

Whoever observes overrides the methods of :class:`ObservedSession` that matter to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Actual, Candidate, Identity, Session
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step


class ObservedCandidate:
    """A candidate whose sessions are made by ``observe``."""

    def __init__(self, candidate: Candidate, observe: Callable[[Candidate, Journal], Session]) -> None:
        self._candidate = candidate
        self._observe = observe

    @property
    def identity(self) -> Identity:
        """The candidate's own."""
        return self._candidate.identity

    def offers(self, kind: str) -> bool:
        """Whether it can be judged on journals of a kind."""
        return self._candidate.offers(kind)

    def session(self, journal: Journal) -> Session:
        """A session that is observed."""
        return self._observe(self._candidate, journal)

    def __enter__(self) -> Self:
        """Start the candidate."""
        self._candidate.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self._candidate.__exit__(kind, error, trace)


class ObservedSession:
    """A session that hands everything on. ``case`` is the index of the case that was begun last."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.case = 0

    def number(self, step: Step | KeepimgStep) -> str:
        """A step or an operation as outcomes name it: whoever runs steps may run some before it tells of the first."""
        return f"{self.case}.{step.index}" if self.case else str(step.index)

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Make the memory equal to a recorded state."""
        self.session.restore(files, trackers)

    def call(self, step: Step) -> Actual:
        """Run one step."""
        return self.session.call(step)

    def begin(self, case: KeepimgCase) -> None:
        """Start a case of kept images."""
        self.case = case.index
        self.session.begin(case)

    def visible(self, after: Fields) -> None:
        """Give the case a recorded visible state."""
        self.session.visible(after)

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of the case."""
        return self.session.operate(step)

    def close(self) -> None:
        """Give back what the session holds."""
        self.session.close()
