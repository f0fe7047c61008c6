"""Measuring beside a rival, and the table that it ends in.

A machine that does other things makes everything slower at some times and not at others, so both are timed in turns,
round after round, and what counts is the median of the rounds' ratios.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_HEADER: Final = ("figure", "ours", "rival", "ratio", "target", "")


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be reached, by the ratio where there is a rival, by our own value where there is none."""

    bound: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value >= self.bound if self.at_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {shown(self.bound)}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table: what was measured in which unit, ours, the rival's, their ratio, what it should be."""

    name: str
    unit: str
    ours: float
    rival: float | None = None
    ratio: float | None = None
    target: Target | None = None

    def cells(self) -> tuple[str, ...]:
        """The line in columns; a missed target is said, and nothing else comes of it."""
        decisive = self.ours if self.ratio is None else self.ratio
        missed = self.target is not None and not self.target.met(decisive)
        return (
            self.name,
            f"{shown(self.ours)} {self.unit}",
            "" if self.rival is None else f"{shown(self.rival)} {self.unit}",
            "" if self.ratio is None else f"{self.ratio:.3f}",
            "" if self.target is None else str(self.target),
            "missed" if missed else "",
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds that something took: on the wall, and of a processor, all threads of this process together.

    Both are the same on a machine that does nothing else; on another, the second says more.
    """

    wall: float
    processor: float


def spent(work: Callable[[], object]) -> Spent:
    """How long ``work`` takes."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - processor)


def seconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes, by the clock on the wall."""
    return spent(work).wall


def beside(name: str, unit: str, rounds: Iterable[tuple[float, float]], target: Target | None = None) -> Figure:
    """The figure of rounds, each our value and the rival's."""
    ours, rivals = zip(*rounds, strict=True)
    ratio = statistics.median(one / other for one, other in zip(ours, rivals, strict=True))
    return Figure(name, unit, statistics.median(ours), statistics.median(rivals), ratio, target)


def load() -> str:
    """How busy the machine is: processors, and processes that want one, over the last minute."""
    return f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"


def shown(value: float) -> str:
    """Three digits, or all there are before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(figures: Sequence[Figure]) -> str:
    """All lines, in columns."""
    rows = [_HEADER, *(figure.cells() for figure in figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at in {0, 4, 5} else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"
