"""Makes a failing input small: fewer choices, and smaller ones, as long as it still fails.

Choices are what :class:`replay.fuzz.dice.RecordedDice` plays. An attempt may use fewer of them than it is given, or
clip some: what it really drew is what counts. Shorter is smaller; of two as long, the one whose first different choice
is smaller.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from replay.fuzz.dice import RecordedDice

MOST_ATTEMPTS: Final = 20_000
SECONDS: Final = 20.0

_BLOCKS: Final = (64, 32, 16, 8, 4, 3, 2, 1)


@dataclass(slots=True)
class Smallest:
    """The smallest failing choices so far, and how many attempts it took."""

    choices: list[int]
    spans: list[tuple[int, int]]
    attempts: int = 0


def shrink(
    first: RecordedDice,
    attempt: Callable[[Sequence[int]], RecordedDice | None],
    *,
    most: int = MOST_ATTEMPTS,
    seconds: float = SECONDS,
) -> Smallest:
    """The smallest choices that still fail, found by trying.

    ``attempt`` plays choices and gives back the dice if the input fails, else None. ``first`` is the failing input.
    """
    return _Shrinking(Smallest(list(first.drawn), list(first.spans)), attempt, most, seconds).run()


class _Shrinking:
    def __init__(
        self,
        best: Smallest,
        attempt: Callable[[Sequence[int]], RecordedDice | None],
        most: int,
        seconds: float,
    ) -> None:
        self.best = best
        self._attempt = attempt
        self._most = most
        self._end = time.monotonic() + seconds
        self._tried: set[tuple[int, ...]] = {tuple(best.choices)}

    def run(self) -> Smallest:
        passes = (self._without_spans, self._without_blocks, self._zeroed_blocks, self._lowered)
        improved = True
        while improved and self._may_go_on():
            # No shortcut: every pass has its turn in each round.
            improved = any([self._exhausted(one) for one in passes])  # noqa: C419 - a generator would stop at the first
        return self.best

    def _may_go_on(self) -> bool:
        return self.best.attempts < self._most and time.monotonic() < self._end

    def _exhausted(self, candidates: Callable[[], Iterator[list[int]]]) -> bool:
        """Try every candidate of a pass; start it again from each success. Whether there was one."""
        improved = False
        again = True
        while again:
            again = False
            for candidate in candidates():
                if not self._may_go_on():
                    return improved
                if self._try(candidate):
                    improved = again = True
                    break
        return improved

    def _try(self, candidate: list[int]) -> bool:
        key = tuple(candidate)
        if key in self._tried:
            return False
        self._tried.add(key)
        self.best.attempts += 1
        dice = self._attempt(candidate)
        if dice is None or _size(dice.drawn) >= _size(self.best.choices):
            return False
        self._tried.add(tuple(dice.drawn))
        self.best.choices = list(dice.drawn)
        self.best.spans = list(dice.spans)
        return True

    def _without_spans(self) -> Iterator[list[int]]:
        choices = self.best.choices
        for start, end in sorted(self.best.spans, key=lambda span: span[0] - span[1]):
            yield choices[:start] + choices[end:]

    def _without_blocks(self) -> Iterator[list[int]]:
        choices = self.best.choices
        for length in _BLOCKS:
            for start in range(len(choices) - length, -1, -1):
                yield choices[:start] + choices[start + length :]

    def _zeroed_blocks(self) -> Iterator[list[int]]:
        choices = self.best.choices
        for length in _BLOCKS:
            for start in range(0, len(choices) - length + 1, length):
                if any(choices[start : start + length]):
                    yield choices[:start] + [0] * length + choices[start + length :]

    def _lowered(self) -> Iterator[list[int]]:
        """Each choice smaller: first a lot, then by one; a smaller one may also want one choice less after it."""
        choices = self.best.choices
        for at, value in enumerate(choices):
            step = value
            while step:
                lower = [*choices[:at], value - step, *choices[at + 1 :]]
                yield lower
                if at + 1 < len(choices):
                    yield lower[: at + 1] + lower[at + 2 :]
                step //= 2


def _size(choices: Sequence[int]) -> tuple[int, Sequence[int]]:
    return len(choices), list(choices)
