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
    rarity: bool = False
    """Whether it is counted how often each bucket is reached, not only whether it is."""
    inputs: int = 0
    reached: list[int] = field(default_factory=list)
    """How many inputs reached each bucket of the subject; without ``rarity`` no more than one for each process."""
    place: tuple[int, int] | None = None
    """The first difference, as batch and input; what comes after it is not looked at."""
    _open: list[tuple[int, Bucket]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """No bucket was reached yet."""
        self.reached = [0] * len(self.subject.buckets)
        self._open = list(enumerate(self.subject.buckets))

    @property
    def left(self) -> Sequence[Bucket]:
        """The buckets that were never reached."""
        return [bucket for bucket, count in zip(self.subject.buckets, self.reached, strict=True) if not count]

    def count(self, call: Call) -> None:
        """One input was judged: count it, and the buckets that it reached."""
        self.inputs += 1
        if self._open:
            seen, actual = call.seen, call.actual
            found = [at for at, bucket in self._open if _reached(bucket, seen, actual)]
            for at in found:
                self.reached[at] += 1
            if found and not self.rarity:
                self._open = [(at, bucket) for at, bucket in self._open if not self.reached[at]]

    def absorb(self, inputs: int, reached: Sequence[int], place: tuple[int, int] | None) -> None:
        """Count what another process did; ``reached`` are its counts."""
        self.inputs += inputs
        self.reached = [mine + theirs for mine, theirs in zip(self.reached, reached, strict=True)]
        if place is not None:
            self.place = place if self.place is None else min(self.place, place)


def _reached(bucket: Bucket, seen: Mapping[str, object], actual: Fields) -> bool:
    try:
        return bool(bucket.reached(seen, actual))
    except (KeyError, TypeError, AttributeError, ValueError):
        return False  # the port crashed, or showed something else than this bucket looks at


@dataclass(frozen=True, slots=True)
class Budget:
    """When a campaign is over: after so many inputs over all subjects, or so many seconds, whichever comes first.

    ``first``: or at the first difference of any subject.
    """

    inputs: int | None = None
    seconds: float | None = None
    first: bool = False


class Campaign:
    """Runs subjects against one oracle."""

    def __init__(
        self,
        subjects: Sequence[Subject],
        target: GoTarget,
        seed: int,
        batches: tuple[int, int] = (0, 1),
        *,
        rarity: bool = False,
    ) -> None:
        """``batches`` are the number of the first batch, and how far it is to the next; ``rarity`` as in a tally."""
        self.tallies = [Tally(subject, rarity) for subject in subjects]
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

    @property
    def differs(self) -> bool:
        """Whether there is a difference."""
        return any(tally.place is not None for tally in self.tallies)

    @property
    def never(self) -> Sequence[tuple[Subject, Bucket]]:
        """The buckets that were never reached, with their subjects."""
        return [(tally.subject, bucket) for tally in self.tallies for bucket in tally.left]

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
                    if budget.first and self.differs:
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
