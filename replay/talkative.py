"""A candidate that says more than it was recorded to say, in one step: what the drill plants into an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay import fields as named
from replay.observed import ObservedCandidate, ObservedSession

if TYPE_CHECKING:
    from replay.candidates.interface import Actual, Candidate, Session
    from replay.fields import Value
    from replay.journal.model import KeepimgStep, Step

PLANTED: Final = "planted"
"""The text of the line of a diff, and the field that stands after an operation, that nobody recorded."""


def talkative(candidate: Candidate, number: str) -> ObservedCandidate:
    """The candidate, which says too much in the step with a number."""
    return ObservedCandidate(candidate, lambda one, journal: _TalkativeSession(one.session(journal), number))


class _TalkativeSession(ObservedSession):
    def __init__(self, session: Session, number: str) -> None:
        super().__init__(session)
        self._number = number

    def call(self, step: Step) -> Actual:
        """Run one step: its diff has a line more."""
        answer = super().call(step)
        own = answer.fields.get(named.DIFF)
        lines = own if isinstance(own, tuple) else ()
        return self._with(step, answer, named.DIFF, (*lines, {"op": "+", "text": PLANTED}))

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation: something more stands after it."""
        return self._with(step, super().operate(step), PLANTED, value=True)

    def _with(self, step: Step | KeepimgStep, answer: Actual, field: str, value: Value) -> Actual:
        if self.number(step) != self._number:
            return answer
        return replace(answer, fields={**answer.fields, field: value})
