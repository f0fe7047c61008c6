"""What a candidate answered, written down: the drill of one that cannot be put on a recorded state.

The drill proves that the judge finds what is planted in a journal; whoever answers may be a record of the run itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from replay.candidates.interface import CandidateCrashed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Actual, Candidate, Identity, Session
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

KEPT: Final = 400
"""So many answers are remembered, the first ones."""


class Remembering:
    """A candidate that was started already, and the first of its answers by the number of the step."""

    def __init__(self, candidate: Candidate) -> None:
        self.answers: dict[str, Actual] = {}
        self._candidate = candidate

    @property
    def identity(self) -> Identity:
        """The candidate's own."""
        return self._candidate.identity

    def offers(self, kind: str) -> bool:
        """As the candidate says."""
        return self._candidate.offers(kind)

    def session(self, journal: Journal) -> RememberingSession:
        """The candidate's session, with its answers written down."""
        return RememberingSession(self.answers, self._candidate.session(journal))

    def replayed(self) -> Remembered:
        """A candidate that gives these answers and no others."""
        return Remembered(self)

    def __enter__(self) -> Self:
        """Nothing to start."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to stop."""


class Remembered(Remembering):
    """A candidate that gives the answers of another, in any order, from any state."""

    def __init__(self, other: Remembering) -> None:
        super().__init__(other)
        self.answers = other.answers

    def session(self, journal: Journal) -> RememberingSession:
        """A session that asks nobody."""
        del journal
        return RememberingSession(self.answers, None)


class RememberingSession:
    """A session whose answers are written down; without one, the answers that were."""

    def __init__(self, answers: dict[str, Actual], session: Session | None) -> None:
        self._answers = answers
        self._session = session

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Nothing: this is for candidates that cannot."""

    def call(self, step: Step) -> Actual:
        """The session's answer, or the remembered one."""
        number = str(step.index)
        if self._session is None:
            if number not in self._answers:
                message = "it had no answer to this step"
                raise CandidateCrashed(message)
            return self._answers[number]
        answer = self._session.call(step)
        if len(self._answers) < KEPT:
            self._answers[number] = answer
        return answer

    def begin(self, case: KeepimgCase) -> None:
        """Never asked: a case of kept images needs no record."""
        raise CandidateCrashed(case.name)

    def visible(self, after: Fields) -> None:
        """As :meth:`begin`."""
        raise CandidateCrashed(repr(after))

    def operate(self, step: KeepimgStep) -> Actual:
        """As :meth:`begin`."""
        raise CandidateCrashed(step.op)

    def close(self) -> None:
        """The session is over."""
        if self._session is not None:
            self._session.close()
