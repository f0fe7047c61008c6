"""Sequences of calls as state machines of hypothesis: it chooses the calls, and keeps the shortest that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from replay.fuzz.dice import HypothesisDice
from replay.fuzz.keepimg_calls import OPERATIONS, Turn, trial_of
from replay.fuzz.memory_calls import TOOLS, Walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from parity.gostd.target import GoTarget
    from replay.fuzz.trial import Trial
    from replay.oracle.client import Answer, Question

    Ask = Callable[[Question], Answer]
    Judge = Callable[[Trial], None]


def memory_machine(judge: Judge, target: GoTarget) -> type[RuleBasedStateMachine]:
    """A machine whose rules are the memory's tools; ``judge`` raises where the port and Go differ."""

    class MemoryMachine(RuleBasedStateMachine):
        @initialize(data=strategies.data())
        def begin(self, data: strategies.DataObject) -> None:
            self.walk = Walk(_dice(data), target)

        @rule(data=strategies.data(), tool=strategies.sampled_from(TOOLS))
        def call(self, data: strategies.DataObject, tool: str) -> None:
            self.walk.dice = _dice(data)
            self.walk.step(tool)

        def teardown(self) -> None:
            if hasattr(self, "walk") and self.walk.steps:
                judge(self.walk.trial())

    return MemoryMachine


def turn_machine(judge: Judge, target: GoTarget) -> type[RuleBasedStateMachine]:
    """A machine whose rules are the operations on a turn's kept images."""

    class TurnMachine(RuleBasedStateMachine):
        @initialize(data=strategies.data())
        def begin(self, data: strategies.DataObject) -> None:
            self.turn = Turn(_dice(data))

        @rule(data=strategies.data(), name=strategies.sampled_from(OPERATIONS))
        def operate(self, data: strategies.DataObject, name: str) -> None:
            self.turn.dice = _dice(data)
            self.turn.step(name)

        def teardown(self) -> None:
            if hasattr(self, "turn") and self.turn.steps:
                judge(trial_of(self.turn, target))

    return TurnMachine


def _dice(data: strategies.DataObject) -> HypothesisDice:
    return HypothesisDice(lambda count: data.draw(strategies.integers(0, count - 1)))
