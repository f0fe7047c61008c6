"""Delta debugging: the fewest of some things with which something still holds (Zeller and Hildebrandt, ddmin).

What comes out is 1-minimal: without any one of them it no longer holds. Things keep their order; nothing is random.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def fewest(things: tuple[T, ...], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Things with which ``holds`` is true, as it is with all of them; ``holds`` is never asked about those again."""
    if not things or holds(()):
        return ()
    pieces = 2
    while len(things) > 1:
        smaller = _without_a_piece(things, pieces, holds)
        if smaller is not None:
            things, pieces = smaller, max(2, pieces - 1)
        elif pieces >= len(things):
            break
        else:
            pieces = min(len(things), 2 * pieces)
    return things


def _without_a_piece(
    things: tuple[T, ...], pieces: int, holds: Callable[[tuple[T, ...]], bool]
) -> tuple[T, ...] | None:
    """All but one of so many pieces, the last that can go; None where each is needed."""
    ends = [round(at * len(things) / pieces) for at in range(pieces + 1)]
    for start, end in reversed(list(pairwise(ends))):
        smaller = things[:start] + things[end:]
        if smaller and holds(smaller):  # that it does not hold with nothing is known
            return smaller
    return None
