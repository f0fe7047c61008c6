"""Where the inputs' chance comes from: every rule that makes an input draws small integers, and nothing else.

So one rule serves three: a seeded generator that is fast, a recording that can be played again and made smaller, and
hypothesis. The smaller the integers and the fewer, the simpler the input: a rule puts its plainest alternative first.
"""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")

_EXACT = 1 << 50
"""Up to here a float64 between 0 and 1 is fine enough to choose fairly."""


class Drawing(Protocol):
    """What a source of chance must do."""

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1."""
        ...


class Dice:
    """The drawings that rules use, all made of :meth:`below`."""

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1."""
        raise NotImplementedError

    def between(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of these, the first being the simplest."""
        return items[self.below(len(items))]

    def one_in(self, count: int) -> bool:
        """True once in so many times."""
        return self.below(count) == count - 1

    def some(self, mean: int, most: int = 1 << 30) -> Iterator[None]:
        """So many rounds: ``mean`` of them on average, never more than ``most``; none is the simplest."""
        for _ in range(most):
            if not self.below(mean + 1):
                return
            yield

    def rarely(self, count: int) -> Iterator[None]:
        """Rounds, each of which comes once in so many times; none is the simplest, and nearly always the case."""
        while self.one_in(count):
            yield


class RandomDice(Dice):
    """A seeded generator: the same seed, the same inputs, on every Python."""

    def __init__(self, seed: str) -> None:
        """``seed`` is any text."""
        self._random = random.Random(seed)  # noqa: S311 - inputs for a test must be repeatable
        self._fraction = self._random.random

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1."""
        if count > _EXACT:
            return self._random.randrange(count)
        return int(self._fraction() * count)


class RecordedDice(Dice):
    """Plays choices again, and records what was drawn; zero once they are used up.

    ``spans`` are the ranges of choices that belong together: a round of :meth:`some`.
    """

    def __init__(self, choices: Sequence[int] = (), source: Drawing | None = None) -> None:
        """``source`` gives what comes after the choices, instead of zero."""
        self._choices = choices
        self._source = source
        self.drawn: list[int] = []
        self.spans: list[tuple[int, int]] = []

    def below(self, count: int) -> int:
        """The next choice, or the largest that is possible where it is too large."""
        at = len(self.drawn)
        if at < len(self._choices):
            value = min(self._choices[at], count - 1)
        else:
            value = 0 if self._source is None else self._source.below(count)
        self.drawn.append(value)
        return value

    def some(self, mean: int, most: int = 1 << 30) -> Iterator[None]:
        """As :meth:`Dice.some`; each round is a span."""
        for _ in range(most):
            start = len(self.drawn)
            if not self.below(mean + 1):
                return
            yield
            self.spans.append((start, len(self.drawn)))

    def rarely(self, count: int) -> Iterator[None]:
        """As :meth:`Dice.rarely`; each round is a span."""
        start = len(self.drawn)
        while self.one_in(count):
            yield
            self.spans.append((start, len(self.drawn)))
            start = len(self.drawn)

    def note(self, value: int) -> None:
        """A choice that was made elsewhere."""
        self.drawn.append(value)

    @contextmanager
    def round(self) -> Iterator[None]:
        """A round of :meth:`some` that somebody else has asked for."""
        start = len(self.drawn)
        self.note(1)
        yield
        self.spans.append((start, len(self.drawn)))


class HypothesisDice(Dice):
    """Draws through hypothesis, which then explores and shrinks by its own means."""

    def __init__(self, draw_below: Callable[[int], int]) -> None:
        """``draw_below`` draws an integer below another."""
        self._draw_below = draw_below

    def below(self, count: int) -> int:
        """An integer from 0 to ``count`` - 1."""
        return self._draw_below(count)
