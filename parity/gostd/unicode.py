"""Go's ``unicode``: what single characters are and become, by the tables of the Go that is copied.

A character is a ``str`` of length one. Python's own Unicode is never asked: it changes with the Python (contract:
go-semantics.md, 1). A surrogate, such as stands for a bad byte, is not printable, no space, and itself in any case.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from parity.gostd import _unicode_15_0, _unicode_17_0
from parity.gostd.target import UNICODE_15, UNICODE_17

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.gostd.target import GoTarget


_TO_LOWER: Final = {UNICODE_15: _unicode_15_0.TO_LOWER, UNICODE_17: _unicode_17_0.TO_LOWER}
_SIMPLE_FOLD: Final = {UNICODE_15: _unicode_15_0.SIMPLE_FOLD, UNICODE_17: _unicode_17_0.SIMPLE_FOLD}
_IS_PRINT: Final = {UNICODE_15: _unicode_15_0.IS_PRINT, UNICODE_17: _unicode_17_0.IS_PRINT}

SPACES: Final = "".join(map(chr, _unicode_15_0.IS_SPACE))
"""The 25 characters of Go's ``unicode.IsSpace``, the same in every Go (go-semantics.md, 2.2)."""

_SPACE_SET: Final = frozenset(SPACES)


def is_space(c: str) -> bool:
    """Whether Go's ``unicode.IsSpace`` holds: 25 characters; U+001C to U+001F and U+200B are not among them."""
    return c in _SPACE_SET


def is_print(c: str, target: GoTarget) -> bool:
    """Whether Go's ``strconv.IsPrint`` (and ``unicode.IsPrint``) holds: of the spaces only U+0020 does."""
    firsts, lasts = _printable(target.unicode)
    index = bisect_right(firsts, ord(c)) - 1
    return index >= 0 and ord(c) <= lasts[index]


def to_lower(c: str, target: GoTarget) -> str:
    """The lower case of one character: Go's ``unicode.ToLower``."""
    return chr(lower_table(target).get(ord(c), ord(c)))


def simple_fold(c: str, target: GoTarget) -> str:
    """The next character of the ring of those that are equal but for case: Go's ``unicode.SimpleFold``.

    The ring goes up by code point and from the last to the first; a character that has no other is its own next.
    """
    return chr(_folds(target.unicode).get(ord(c), ord(c)))


def lower_pairs(target: GoTarget) -> tuple[tuple[int, int], ...]:
    """Every code point that ``ToLower`` changes, ascending, with what it becomes."""
    return tuple(lower_table(target).items())


def lower_table(target: GoTarget) -> Mapping[int, int]:
    """The same as a mapping of code points."""
    return _lowers(target.unicode)


def fold_table(target: GoTarget) -> Mapping[int, int]:
    """To each code point that has an equal but for case, the first of its ring: equal texts map to one text."""
    return _first_of_rings(target.unicode)


@lru_cache
def _lowers(unicode: str) -> Mapping[int, int]:
    return MappingProxyType(_mapping(_TO_LOWER[unicode]))


@lru_cache
def _folds(unicode: str) -> Mapping[int, int]:
    return MappingProxyType(_mapping(_SIMPLE_FOLD[unicode]))


@lru_cache
def _first_of_rings(unicode: str) -> Mapping[int, int]:
    following = _folds(unicode)
    first: dict[int, int] = {}
    for point in following:  # ascending: a ring is met at its first character
        if point in first:
            continue
        other = following[point]
        while other != point:
            first[other] = point
            other = following[other]
    return MappingProxyType(first)


@lru_cache
def _printable(unicode: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    ranges = _IS_PRINT[unicode]
    return tuple(first for first, _ in ranges), tuple(last for _, last in ranges)


def _mapping(runs: tuple[tuple[int, int, int, int], ...]) -> dict[int, int]:
    """The runs of a generated table, point by point, ascending."""
    points = {point: point + delta for first, last, step, delta in runs for point in range(first, last + 1, step)}
    return dict(sorted(points.items()))
