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
    from replay.candidates.interface import Actual, Candidate, Session
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgStep, Step
    from replay.outcome import StepRef

CRASHED: Final = "crashed"


def answers(journal: Journal, candidate: Candidate, target: GoTarget) -> Iterator[tuple[StepRef, Fields]]:
    """Each step with what a started candidate shows of it; a crash of its own is the field ``crashed``."""
    heard: dict[str, Fields] = {}
    observed = ObservedCandidate(candidate, lambda one, of: _HeardSession(heard, one.session(of)))
    for outcome in replay(replace(journal, target=target), observed, Judging(Mode.ISOLATED)):
        fields = heard.pop(outcome.step.number, {})
        yield outcome.step, {CRASHED: outcome.what} if isinstance(outcome, Crashed) else fields


class _HeardSession(ObservedSession):
    """A session whose answers are written down by the number of the step."""

    def __init__(self, heard: dict[str, Fields], session: Session) -> None:
        super().__init__(session)
        self._heard = heard

    def call(self, step: Step) -> Actual:
        actual = super().call(step)
        self._heard[self.number(step)] = actual.fields
        return actual

    def operate(self, step: KeepimgStep) -> Actual:
        actual = super().operate(step)
        self._heard[self.number(step)] = actual.fields
        return actual
