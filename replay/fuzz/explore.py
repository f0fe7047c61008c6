"""The same rules driven by hypothesis, which explores and shrinks by its own means; and its state machines.

hypothesis is asked for, not needed: where it is not installed, this says so.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from importlib import util
from typing import TYPE_CHECKING, Final

from replay.fuzz.campaign import Finding, judged, tried_with
from replay.fuzz.dice import HypothesisDice, RecordedDice
from replay.oracle.errors import OracleError

if TYPE_CHECKING:
    from collections.abc import Callable

    import hypothesis

    from parity.gostd.target import GoTarget
    from replay.fuzz.trial import Subject, Trial
    from replay.oracle.client import Oracle

    Judge = Callable[[Trial, RecordedDice], None]


_ORIGIN: Final = "hypothesis"
_MACHINES: Final = frozenset({"memory", "keepimg"})
"""Subjects whose inputs are long sequences: state machines choose them."""


PATIENCE: Final = 10.0
"""Seconds that hypothesis has to make a difference small once it has found one: by itself it takes minutes."""


class _DifferenceFoundError(AssertionError):
    """What hypothesis is to make small."""


class _EnoughError(BaseException):
    """Nothing that hypothesis takes for a failing example: it ends there and then."""


class _Smallest:
    """The smallest difference so far, by what it asks."""

    def __init__(self) -> None:
        self.finding: Finding | None = None
        self.broken: OracleError | None = None
        self._size = (0, 0)
        self._first = 0.0

    def check(self, look: Callable[[], Finding | None]) -> None:
        """Tell hypothesis of a difference; once its time is over, or the oracle broken, end it."""
        try:
            finding = look()
        except OracleError as error:
            self.broken = error
            raise _EnoughError from None
        if finding is not None:
            size = (len(finding.trial.questions), len(str(finding.trial.questions)))
            if self.finding is None:
                self._first = time.monotonic()
            if self.finding is None or size < self._size:
                self.finding, self._size = finding, size
        if self.finding is not None and time.monotonic() - self._first > PATIENCE:
            raise _EnoughError
        if finding is not None:
            raise _DifferenceFoundError


def available() -> bool:
    """Whether hypothesis is installed."""
    return util.find_spec("hypothesis") is not None


def explore(subject: Subject, oracle: Oracle, target: GoTarget, examples: int, seed: int) -> Finding | None:
    """The smallest difference that hypothesis finds in so many examples, or None.

    Raises an OracleError when the oracle breaks.
    """
    found = _Smallest()

    def finding_of(trial: Trial, dice: RecordedDice) -> Finding | None:
        differing = judged(trial, list(oracle.ask(trial.questions)))
        return None if differing is None else Finding(subject, trial, *differing, _ORIGIN, dice)

    def judge(trial: Trial, dice: RecordedDice) -> None:
        found.check(lambda: finding_of(trial, dice))

    with contextlib.suppress(_DifferenceFoundError, _EnoughError):
        if subject.name in _MACHINES:
            _run_machine(subject.name, judge, target, examples, seed)
        else:
            _run_examples(lambda dice: found.check(lambda: tried_with(subject, dice, oracle, target)), examples, seed)
    if found.broken is not None:
        raise found.broken
    return None if found.finding is None else replace(found.finding, origin=_ORIGIN)


def _run_examples(check: Callable[[RecordedDice], None], examples: int, seed: int) -> None:
    import hypothesis  # noqa: PLC0415 - only whoever explores needs it
    from hypothesis import strategies  # noqa: PLC0415 - as above

    @hypothesis.seed(seed)
    @plain_settings(examples)
    @hypothesis.given(strategies.data())
    def one(data: strategies.DataObject) -> None:
        check(RecordedDice(source=HypothesisDice(lambda count: data.draw(strategies.integers(0, count - 1)))))

    one()


def _run_machine(
    name: str, judge: Callable[[Trial, RecordedDice], None], target: GoTarget, examples: int, seed: int
) -> None:
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
