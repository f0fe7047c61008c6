"""What a candidate answers to the steps of a journal, from Go's own state, under a version of Go of one's choice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.engine import Judging, replay
from replay.observed import ObservedCandidate, ObservedSession
from replay.outcome import Crashed, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parity.gostd.target import GoTarget
    from replay.candidates.interface import Actual, Candidate
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgStep, Step
    from replay.outcome import StepRef

CRASHED: Final = "crashed"


def answers(journal: Journal, candidate: Candidate, target: GoTarget) -> Iterator[tuple[StepRef, Fields]]:
    """Each step with what a started candidate shows of it; a crash of its own is the field ``crashed``."""
    heard = _Heard()
    observed = ObservedCandidate(candidate, heard.session)
    for outcome in replay(replace(journal, target=target), observed, Judging(Mode.ISOLATED)):
        yield outcome.step, {CRASHED: outcome.what} if isinstance(outcome, Crashed) else heard.last


class _Heard:
    """Hears sessions; ``last`` is the last answer."""

    def __init__(self) -> None:
        self.last: Fields = {}

    def session(self, candidate: Candidate, journal: Journal) -> _HeardSession:
        return _HeardSession(self, candidate, journal)


class _HeardSession(ObservedSession):
    def __init__(self, heard: _Heard, candidate: Candidate, journal: Journal) -> None:
        super().__init__(candidate.session(journal))
        self._heard = heard

    def call(self, step: Step) -> Actual:
        actual = super().call(step)
        self._heard.last = actual.fields
        return actual

    def operate(self, step: KeepimgStep) -> Actual:
        actual = super().operate(step)
        self._heard.last = actual.fields
        return actual
