"""A campaign: inputs of many subjects in turn, batch by batch, the port's answers held against real Go's.

Questions are sent ahead, so Go answers one batch while the port answers the next. The first difference of a subject is
kept, and the subject retires: one wrong rule would fill the report otherwise.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from replay.fuzz.dice import RandomDice, RecordedDice
from replay.oracle.answers import reading
from replay.oracle.errors import OracleLiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare import Difference
    from replay.fields import Fields
    from replay.fuzz.trial import Bucket, Call, Subject, Trial
    from replay.oracle.client import Answer, Oracle, Question

BATCH: Final = 256
"""How many inputs of a subject are made before it is another's turn."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input on which the port and Go differ: what it was, what both said, and the choices that make it again."""

    subject: Subject
    trial: Trial
    call: Call
    expected: Fields
    differences: Sequence[Difference]
    judge: str
    origin: str
    choices: RecordedDice | None = None


@dataclass(slots=True)
class Tally:
    """What was done with a subject."""

    subject: Subject
    inputs: int = 0
    left: list[Bucket] = field(default_factory=list)
    place: tuple[int, int] | None = None
    """The first difference, as batch and input; what comes after it is not looked at."""

    def __post_init__(self) -> None:
        """No bucket was reached yet."""
        self.left = list(self.subject.buckets)

    def count(self, call: Call) -> None:
        """One input was judged: count it, and cross out the buckets that it reached."""
        self.inputs += 1
        if self.left:
            seen, actual = call.seen, call.actual
            reached = [bucket for bucket in self.left if _reached(bucket, seen, actual)]
            for bucket in reached:
                self.left.remove(bucket)

    def absorb(self, inputs: int, left: Sequence[int], place: tuple[int, int] | None) -> None:
        """Count what another process did; ``left`` are the indexes of the buckets that it never reached."""
        self.inputs += inputs
        buckets = self.subject.buckets
        never = {buckets[index] for index in left}
        self.left = [bucket for bucket in self.left if bucket in never]
        if place is not None:
            self.place = place if self.place is None else min(self.place, place)


def _reached(bucket: Bucket, seen: Mapping[str, object], actual: Fields) -> bool:
    try:
        return bool(bucket.reached(seen, actual))
    except (KeyError, TypeError, AttributeError, ValueError):
        return False  # the port crashed, or showed something else than this bucket looks at


@dataclass(frozen=True, slots=True)
class Budget:
    """When a campaign is over: after so many inputs over all subjects, or so many seconds, whichever comes first."""

    inputs: int | None = None
    seconds: float | None = None


class Campaign:
    """Runs subjects against one oracle."""

    def __init__(
        self, subjects: Sequence[Subject], target: GoTarget, seed: int, batches: tuple[int, int] = (0, 1)
    ) -> None:
        """``batches`` are the number of the first batch, and how far it is to the next."""
        self.tallies = [Tally(subject) for subject in subjects]
        self.target = target
        self.seed = seed
        self._batches = batches
        self.questions = 0
        self.seconds = 0.0
        self._pending: deque[tuple[Tally, int, int, Trial]] = deque()

    @property
    def inputs(self) -> int:
        """How many inputs were judged."""
        return sum(tally.inputs for tally in self.tallies)

    def findings(self, oracle: Oracle) -> Iterator[Finding]:
        """The first difference of each subject that has one, made again.

        Raises an OracleError when the oracle breaks, or does not answer as it did.
        """
        for tally in self.tallies:
            if tally.place is None:
                continue
            batch, index = tally.place
            found = tried_with(tally.subject, self._recorded(tally.subject, batch, index), oracle, self.target)
            if found is None:
                message = f"the oracle lies: asked again about {tally.subject.name}, it answers otherwise"
                raise OracleLiedError(message)
            yield replace(found, origin=f"seed {self.seed}, batch {batch}, input {index}")

    def run(self, oracle: Oracle, budget: Budget, watch: Callable[[int], None] = lambda _: None) -> None:
        """Go on until the budget is used up; ``watch`` is told the number of inputs now and then.

        Raises an OracleError when the oracle breaks, KeyboardInterrupt when interrupted: what was judged is counted.
        """
        start = time.monotonic()
        try:
            answers = oracle.ask(self._stream(budget, start))
            while True:
                first = next(answers, None)
                if first is None:
                    return
                tally, batch, index, trial = self._pending.popleft()
                said = [first, *(next(answers) for _ in range(len(trial.questions) - 1))]
                self._judge(tally, batch, index, trial, said)
                if not index:
                    watch(self.inputs)
        finally:
            self.seconds += time.monotonic() - start

    def _stream(self, budget: Budget, start: float) -> Iterator[Question]:
        """The questions of one trial after the other: a batch of each subject in turn."""
        share = None if budget.inputs is None else -(-budget.inputs // len(self.tallies))
        made = dict.fromkeys(range(len(self.tallies)), 0)
        batch, step = self._batches
        busy = True
        while busy:
            busy = False
            for at, tally in enumerate(self.tallies):
                if tally.place is not None or (share is not None and made[at] >= share):
                    continue
                busy = True
                goal = BATCH if share is None else min(BATCH, share - made[at])
                for index, trial in self._batch(tally.subject, batch, goal):
                    made[at] += len(trial.calls)
                    self._pending.append((tally, batch, index, trial))
                    self.questions += len(trial.questions)
                    yield from trial.questions
                    if budget.seconds is not None and time.monotonic() - start > budget.seconds:
                        return
            batch += step

    def _batch(self, subject: Subject, batch: int, goal: int) -> Iterator[tuple[int, Trial]]:
        dice = RandomDice(self._origin(subject, batch))
        count = index = 0
        while count < goal:
            trial = subject.trial(dice, self.target)
            count += len(trial.calls)
            yield index, trial
            index += 1

    def _origin(self, subject: Subject, batch: int) -> str:
        return f"{self.seed}/{subject.name}/{batch}"

    def _judge(self, tally: Tally, batch: int, index: int, trial: Trial, said: Sequence[Answer]) -> None:
        if tally.place is None and judged(trial, said, tally.count) is not None:
            tally.place = (batch, index)

    def _recorded(self, subject: Subject, batch: int, index: int) -> RecordedDice:
        """Dice that make a trial of a batch again."""
        dice = RandomDice(self._origin(subject, batch))
        for _ in range(index):
            subject.trial(dice, self.target)
        return RecordedDice(source=dice)


def tried_with(subject: Subject, dice: RecordedDice, oracle: Oracle, target: GoTarget) -> Finding | None:
    """The finding that an input is, or None if the port and Go agree on it."""
    trial = subject.trial(dice, target)
    found = judged(trial, list(oracle.ask(trial.questions)))
    return None if found is None else Finding(subject, trial, *found, "", dice)


def judged(
    trial: Trial, said: Sequence[Answer], count: Callable[[Call], None] = lambda _: None
) -> tuple[Call, Fields, Sequence[Difference], str] | None:
    """The first call of a trial that differs, what Go said, the differences, and who judged; None if all are alike.

    Raises OracleLiedError for an answer that cannot be read.
    """
    for call in trial.calls:
        count(call)
        answer = said[call.at]
        with reading(answer):
            expected = trial.expected(call, answer)
        differences = trial.differences(call, expected)
        if differences:
            return call, expected, differences, answer.by
    return None
