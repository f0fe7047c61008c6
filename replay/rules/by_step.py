"""Which steps of a journal exercise which rules: each is run by the port, from Go's own state, and watched.

What the port remembers from one step to the next would hide rules, so each step has a session of its own. Calls go to
the fake Go directly, without HTTP. A case of kept images is one session, and its start counts with its first operation.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parity.stores.memory import StoredMemory
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import Judging, replay
from replay.journal.model import RECALL
from replay.observed import ObservedCandidate, ObservedSession
from replay.outcome import Mode
from replay.rules.book import marked
from replay.rules.counting import Counting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Actual, Candidate
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step
    from replay.outcome import StepRef


@dataclass(frozen=True, slots=True)
class StepRules:
    """A step and the ids of the rules that it exercises: those whose function runs in it."""

    step: StepRef
    rules: frozenset[str]


def rules_of_steps(
    journals: Iterable[Journal], select: Callable[[StepRef], bool] = lambda _: True
) -> Iterator[StepRules]:
    """Every step of the journals that is selected, in order."""
    watch = _Watch()
    with ObservedCandidate(PortCandidate(IN_MEMORY), watch.session) as candidate:
        for journal in journals:
            watch.rules.clear()
            for outcome in replay(journal, candidate, Judging(Mode.ISOLATED, select)):
                yield StepRules(outcome.step, watch.rules.pop(outcome.step.number, frozenset()))


def steps_of_rules(found: Iterable[StepRules]) -> dict[str, list[StepRef]]:
    """To each rule the steps that exercise it, in order; rules that none exercises are not there."""
    steps: dict[str, list[StepRef]] = {}
    for one in found:
        for name in one.rules:
            steps.setdefault(name, []).append(one.step)
    return steps


class _Watch:
    """Watches sessions; ``rules`` are those of each step that has run, by its number."""

    def __init__(self) -> None:
        self.rules: dict[str, frozenset[str]] = {}
        self.counting = Counting(marked(), unseen=(StoredMemory.snapshot, StoredMemory.restore))

    def session(self, port: Candidate, journal: Journal) -> _WatchedSession:
        return _WatchedSession(self, port, journal)


class _WatchedSession(ObservedSession):
    """One run through one journal, a fresh session of the port for each step whose state is recorded."""

    def __init__(self, watch: _Watch, port: Candidate, journal: Journal) -> None:
        self._watch = watch
        self._port = port
        self._journal = journal
        self._next: set[str] = set()
        self._open()

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Start afresh where nothing of the port's own state is needed."""
        if self._journal.kind == RECALL or (files is not None and trackers is not None):
            self.close()
            self._next = set()
            self._open()
        super().restore(files, trackers)

    def call(self, step: Step) -> Actual:
        with self._step(self.number(step)):
            return super().call(step)

    def begin(self, case: KeepimgCase) -> None:
        with self._watching():
            super().begin(case)

    def operate(self, step: KeepimgStep) -> Actual:
        with self._step(self.number(step)):
            return super().operate(step)

    def _open(self) -> None:
        """A session of the port; what its opening exercises counts with what is run first in it."""
        with self._watching():
            session = self._port.session(self._journal)
        super().__init__(session)

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """What is exercised inside counts with the next step."""
        with self._watch.counting.watching() as seen:
            try:
                yield
            finally:
                self._next |= seen

    @contextmanager
    def _step(self, number: str) -> Iterator[None]:
        """What is exercised inside, even if it ends in a crash, is a step's."""
        try:
            with self._watching():
                yield
        finally:
            self._watch.rules[number] = frozenset(self._next)
            self._next = set()
