"""Which steps of a journal exercise which rules: each is run by the port, from Go's own state, and watched.

What the port remembers from one step to the next would hide rules, so each step has a session of its own. Calls go to the
fake Go directly, without HTTP. A case of kept images is one session, and its start counts with its first operation.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from parity.stores.memory import StoredMemory
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import Judging, replay
from replay.journal.model import RECALL
from replay.outcome import Mode
from replay.rules.book import marked
from replay.rules.counting import Counting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Actual, Candidate, Identity, Session
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step
    from replay.outcome import StepRef


@dataclass(frozen=True, slots=True)
class StepRules:
    """A step and the ids of the rules that it exercises."""

    step: StepRef
    rules: frozenset[str]


def rules_of_steps(
    journals: Iterable[Journal], select: Callable[[StepRef], bool] = lambda _: True
) -> Iterator[StepRules]:
    """Every step of the journals that is selected, in order."""
    with Watched() as candidate:
        for journal in journals:
            for outcome in replay(journal, candidate, Judging(Mode.ISOLATED, select)):
                yield StepRules(outcome.step, candidate.last)


def steps_of_rules(found: Iterable[StepRules]) -> dict[str, list[StepRef]]:
    """To each rule the steps that exercise it, in order; rules that none exercises are not there."""
    steps: dict[str, list[StepRef]] = {}
    for one in found:
        for name in one.rules:
            steps.setdefault(name, []).append(one.step)
    return steps


class Watched:
    """The port as a candidate whose steps are watched: ``last`` holds the rules of the last one."""

    def __init__(self) -> None:
        self.last: frozenset[str] = frozenset()
        self.counting = Counting(marked(), unseen=(StoredMemory.snapshot, StoredMemory.restore))
        self._port = PortCandidate(IN_MEMORY)

    @property
    def identity(self) -> Identity:
        """The port's own."""
        return self._port.identity

    def __enter__(self) -> Self:
        """Start the port."""
        self._port.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self._port.__exit__(kind, error, trace)

    def offers(self, kind: str) -> bool:
        """Whether the port knows a kind of journal."""
        return self._port.offers(kind)

    def session(self, journal: Journal) -> WatchedSession:
        """A session that is watched."""
        return WatchedSession(self, self._port, journal)


class WatchedSession:
    """One run through one journal, a fresh session of the port for each step whose state is recorded."""

    def __init__(self, watched: Watched, port: Candidate, journal: Journal) -> None:
        """``watched`` is told what each step exercises."""
        self._watched = watched
        self._port = port
        self._journal = journal
        self._begun: frozenset[str] = frozenset()
        self._session = self._opened()

    def _opened(self) -> Session:
        """A session of the port; what its opening exercises counts with what is run first in it."""
        with self._watched.counting.watching() as seen:
            session = self._port.session(self._journal)
        self._begun = frozenset(seen)
        return session

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Start afresh where nothing of the port's own state is needed, then as any session."""
        if self._journal.kind == RECALL or (files is not None and trackers is not None):
            self._session.close()
            self._session = self._opened()
        self._session.restore(files, trackers)

    def call(self, step: Step) -> Actual:
        """Run one step, watched."""
        with self._step():
            return self._session.call(step)

    def begin(self, case: KeepimgCase) -> None:
        """Start a case, watched: its first operation will have exercised this."""
        with self._step():
            self._session.begin(case)
        self._begun = self._watched.last

    def visible(self, after: Fields) -> None:
        """As any session."""
        self._session.visible(after)

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation, watched."""
        with self._step():
            return self._session.operate(step)

    @contextmanager
    def _step(self) -> Iterator[None]:
        """What is exercised inside, even if it ends in a crash, is the last step's."""
        with self._watched.counting.watching() as seen:
            try:
                yield
            finally:
                self._watched.last = self._begun | seen
                self._begun = frozenset()

    def close(self) -> None:
        """End the last session."""
        self._session.close()
