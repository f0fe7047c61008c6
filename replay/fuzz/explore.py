"""The same rules driven by hypothesis, which explores and shrinks by its own means; and its state machines.

hypothesis is asked for, not needed: where it is not installed, this says so.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import util
from typing import TYPE_CHECKING, Final

from replay.fuzz.campaign import Finding, judged, tried_with
from replay.fuzz.dice import HypothesisDice, RecordedDice

if TYPE_CHECKING:
    from collections.abc import Callable

    import hypothesis

    from parity.gostd.target import GoTarget
    from replay.fuzz.trial import Subject, Trial
    from replay.oracle.client import Oracle


_ORIGIN: Final = "hypothesis"
_MACHINES: Final = frozenset({"memory", "keepimg"})
"""Subjects whose inputs are long sequences: state machines choose them."""


class _DifferenceFoundError(AssertionError):
    """What hypothesis is to make small."""


def available() -> bool:
    """Whether hypothesis is installed."""
    return util.find_spec("hypothesis") is not None


def explore(subject: Subject, oracle: Oracle, target: GoTarget, examples: int, seed: int) -> Finding | None:
    """The smallest difference that hypothesis finds in so many examples, or None.

    Raises an OracleError when the oracle breaks.
    """
    found: list[Finding] = []

    def check(finding: Finding | None) -> None:
        if finding is not None:
            found.append(finding)
            raise _DifferenceFoundError

    def judge(trial: Trial) -> None:
        differing = judged(trial, list(oracle.ask(trial.questions)))
        check(None if differing is None else Finding(subject, trial, *differing, _ORIGIN))

    try:
        if subject.name in _MACHINES:
            _run_machine(subject.name, judge, target, examples, seed)
        else:
            _run_examples(lambda dice: check(tried_with(subject, dice, oracle, target)), examples, seed)
    except _DifferenceFoundError:
        return replace(found[-1], origin=_ORIGIN)  # hypothesis ends by running the smallest one again
    return None


def _run_examples(check: Callable[[RecordedDice], None], examples: int, seed: int) -> None:
    import hypothesis  # noqa: PLC0415 - only whoever explores needs it
    from hypothesis import strategies  # noqa: PLC0415 - as above

    @hypothesis.seed(seed)
    @plain_settings(examples)
    @hypothesis.given(strategies.data())
    def one(data: strategies.DataObject) -> None:
        check(RecordedDice(source=HypothesisDice(lambda count: data.draw(strategies.integers(0, count - 1)))))

    one()


def _run_machine(name: str, judge: Callable[[Trial], None], target: GoTarget, examples: int, seed: int) -> None:
    import hypothesis  # noqa: PLC0415 - as above
    from hypothesis.stateful import run_state_machine_as_test  # noqa: PLC0415 - as above

    from replay.fuzz import machine  # noqa: PLC0415 - as above

    machines = {"memory": machine.memory_machine, "keepimg": machine.turn_machine}
    made = hypothesis.seed(seed)(machines[name](judge, target))
    run_state_machine_as_test(made, settings=plain_settings(examples))


def plain_settings(examples: int) -> hypothesis.settings:
    """What hypothesis is told: so many examples, nothing kept, no health check, no word."""
    import hypothesis  # noqa: PLC0415 - as above

    return hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
    )
