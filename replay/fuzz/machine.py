"""Sequences of calls as state machines of hypothesis: it chooses the calls, and keeps the shortest that fails.

What a machine draws is recorded as its subject would have drawn it: played again by the subject, it is the same input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from replay.fuzz.dice import Dice, RecordedDice
from replay.fuzz.keepimg_calls import Turn, trial_of
from replay.fuzz.memory_calls import TOOLS, Walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from parity.gostd.target import GoTarget
    from replay.fuzz.trial import Trial

    Judge = Callable[[Trial, RecordedDice], None]


class _Data(Dice):
    """Draws through whatever hypothesis gave last."""

    def __init__(self, data: strategies.DataObject) -> None:
        self.data = data

    def below(self, count: int) -> int:
        return self.data.draw(strategies.integers(0, count - 1))


def memory_machine(judge: Judge, target: GoTarget) -> type[RuleBasedStateMachine]:
    """A machine whose rules are the memory's tools; ``judge`` raises where the port and Go differ."""

    class MemoryMachine(RuleBasedStateMachine):
        @initialize(data=strategies.data())
        def begin(self, data: strategies.DataObject) -> None:
            self.source = _Data(data)
            self.dice = RecordedDice(source=self.source)
            self.walk = Walk(self.dice, target)

        @rule(data=strategies.data(), tool=strategies.sampled_from(TOOLS))
        def call(self, data: strategies.DataObject, tool: str) -> None:
            self.source.data = data
            with self.dice.round():
                self.dice.note(0)  # one of its own tools
                self.dice.note(TOOLS.index(tool))
                self.walk.step(tool)

        def teardown(self) -> None:
            if hasattr(self, "walk") and self.walk.steps:
                self.dice.note(0)
                judge(self.walk.trial(), self.dice)

    return MemoryMachine


def turn_machine(judge: Judge, target: GoTarget) -> type[RuleBasedStateMachine]:
    """A machine whose rule is an operation on a turn's kept images."""

    class TurnMachine(RuleBasedStateMachine):
        @initialize(data=strategies.data())
        def begin(self, data: strategies.DataObject) -> None:
            self.source = _Data(data)
            self.dice = RecordedDice(source=self.source)
            self.turn = Turn(self.dice)

        @rule(data=strategies.data())
        def operate(self, data: strategies.DataObject) -> None:
            self.source.data = data
            with self.dice.round():
                self.turn.step(self.turn.next_operation())
                if self.turn.has_stopped:
                    self.dice.note(0)  # go on all the same

        def teardown(self) -> None:
            if hasattr(self, "turn") and self.turn.steps:
                self.dice.note(0)
                judge(trial_of(self.turn, target), self.dice)

    return TurnMachine
