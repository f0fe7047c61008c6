"""Which element of a recorded list answers which of the candidate's: one lost in the middle is one difference.

Two passes, both of bounded effort (Myers' greedy search for a shortest edit script, which gives up when there are too
many edits): first elements that are equal, then, between these, elements that carry the same name (a point's ``id``, a
diff line's ``op``). What is left is paired by position.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from replay.fields import Value

_MOST_EDITS: Final = 128
_EFFORT: Final = 400_000
"""How many equal elements a search may step over, all its paths together: a fifth of a second."""

_NAMES: Final = ("id", "op")


@dataclass(frozen=True, slots=True)
class Pair:
    """Indexes of two elements that answer each other; None where one has no counterpart."""

    expected: int | None
    actual: int | None
    equal: bool = False


def pair_up(expected: Sequence[Value], actual: Sequence[Value]) -> list[Pair]:
    """Every element of both lists exactly once, in order."""
    numbers: dict[Hashable, int] = {}
    ours, theirs = ([numbers.setdefault(exact(value), len(numbers)) for value in side] for side in (expected, actual))
    return list(_pairs(expected, actual, _matches(ours, theirs)))


def exact(value: Value) -> Hashable:
    """A key that two values share when they are the same to the bit and in every type, and only then."""
    kind = type(value)
    if kind is str or kind is bytes:
        return value
    return tuple(_tokens(value))


def _tokens(value: Value) -> Iterator[Hashable]:
    """The value as a flat row: nesting may be deeper than Python's own comparison can go."""
    pending: list[Value] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple):
            yield len(one)
            pending.extend(one)
        elif isinstance(one, Mapping):
            names = sorted(one)
            yield tuple(names)
            pending.extend(one[name] for name in names)
        else:
            yield type(one).__name__
            yield struct.pack("<d", one) if isinstance(one, float) else one


def _pairs(expected: Sequence[Value], actual: Sequence[Value], anchors: list[tuple[int, int]]) -> Iterator[Pair]:
    before = (0, 0)
    for anchor in [*anchors, (len(expected), len(actual))]:
        yield from _between(expected, actual, before, anchor)
        if anchor[0] < len(expected):
            yield Pair(*anchor, equal=True)
        before = (anchor[0] + 1, anchor[1] + 1)


def _between(
    expected: Sequence[Value], actual: Sequence[Value], start: tuple[int, int], end: tuple[int, int]
) -> Iterator[Pair]:
    """The elements between two anchors: by name where they have one, then by position."""
    ours = range(start[0], end[0])
    theirs = range(start[1], end[1])
    named = _matches([_name(expected[at], ("e", at)) for at in ours], [_name(actual[at], ("a", at)) for at in theirs])
    before = start
    for one, other in [*((start[0] + a, start[1] + b) for a, b in named), end]:
        shared = min(one - before[0], other - before[1])
        for step in range(shared):
            yield Pair(before[0] + step, before[1] + step)
        for at in range(before[0] + shared, one):
            yield Pair(at, None)
        for at in range(before[1] + shared, other):
            yield Pair(None, at)
        if one < end[0]:
            yield Pair(one, other)
        before = (one + 1, other + 1)


def _name(value: Value, otherwise: Hashable) -> Hashable:
    if isinstance(value, Mapping):
        for key in _NAMES:
            name = value.get(key)
            if isinstance(name, str):
                return name
    return otherwise


def _matches(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of equal elements along a shortest edit script, in order; none when the search is given up."""
    reached: dict[int, int] = {1: 0}
    history: list[dict[int, int]] = []
    effort = 0
    for edits in range(min(len(one) + len(other), _MOST_EDITS) + 1):
        history.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            at = _furthest(reached, diagonal, edits)
            first = at
            while at < len(one) and at - diagonal < len(other) and one[at] == other[at - diagonal]:
                at += 1
            reached[diagonal] = at
            effort += at - first
            if at >= len(one) and at - diagonal >= len(other):
                return _traced(history, at, at - diagonal)
        if effort > _EFFORT:
            break
    return []


def _furthest(reached: Mapping[int, int], diagonal: int, edits: int) -> int:
    """Where a path of so many edits enters a diagonal: after leaving out one of ``other``, or else one of ``one``."""
    if diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1]):
        return reached[diagonal + 1]
    return reached[diagonal - 1] + 1


def _traced(history: list[dict[int, int]], at: int, beside: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        reached = history[edits]
        diagonal = at - beside
        entered = _furthest(reached, diagonal, edits)
        while at > entered:
            at -= 1
            beside -= 1
            found.append((at, beside))
        down = diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
        at, beside = (entered, entered - diagonal - 1) if down else (entered - 1, entered - diagonal)
    found.reverse()
    return found
