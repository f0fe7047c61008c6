"""A candidate that is started when it is needed, can be stopped in between, and be started anew by a copied process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from replay.candidates.interface import Candidate, Identity, Session
    from replay.journal.model import Journal


class Resting:
    """A candidate made by ``make``, as often as it has to be started."""

    def __init__(self, make: Callable[[], Candidate]) -> None:
        self._make = make
        self._candidate = make()
        self._runs = False

    @property
    def identity(self) -> Identity:
        """The candidate's own, as it was when it was started last."""
        return self._candidate.identity

    def offers(self, kind: str) -> bool:
        """As the candidate says."""
        return self._candidate.offers(kind)

    def session(self, journal: Journal) -> Session:
        """A session of the candidate, which is started if it rests."""
        if not self._runs:
            self._candidate = self._make()
            self._start()
        return self._candidate.session(journal)

    def rest(self) -> None:
        """Stop the candidate, if it runs: nothing of it is left in this process."""
        if self._runs:
            self._runs = False
            self._candidate.__exit__(None, None, None)

    def _start(self) -> None:
        self._candidate.__enter__()
        self._runs = True

    def __enter__(self) -> Self:
        """Start it: what it is and can is known from then on."""
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self.rest()
