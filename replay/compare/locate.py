"""Where two texts part: the place in every count that a tool may show, the characters there, what surrounds it, why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.compare.causes import Parting, causes
from replay.compare.code_points import describe
from replay.compare.texts import as_texts, common_prefix, common_suffix, line_and_column, utf8_length, utf16_length

if TYPE_CHECKING:
    from replay.compare.causes import Cause
    from replay.compare.difference import Difference

_AROUND: Final = 40


@dataclass(frozen=True, slots=True)
class Location:
    """The first divergence of two texts. Up to it both are alike, so every count holds for both.

    ``line`` and ``column`` count from 1, columns in characters (runes); ``byte`` (UTF-8), ``rune`` and ``utf16`` are
    offsets from 0. A byte that is not UTF-8 is one character. ``recorded`` and ``candidate`` say what stands there;
    ``before``, ``recorded_from`` and ``candidate_from`` are the text around it, at most 40 characters each.
    """

    line: int
    column: int
    byte: int
    rune: int
    utf16: int
    recorded: str
    candidate: str
    before: str
    recorded_from: str
    candidate_from: str
    recorded_length: int
    candidate_length: int
    causes: tuple[Cause, ...]


def locate(difference: Difference) -> Location | None:
    """The place of a difference between two texts or two files' contents; None for any other difference."""
    expected, actual = difference.expected, difference.actual
    if isinstance(expected, bytes) and isinstance(actual, bytes):
        return locate_text(*as_texts(expected, actual))
    if isinstance(expected, str) and isinstance(actual, str):
        return locate_text(expected, actual)
    return None


def locate_text(recorded: str, candidate: str) -> Location | None:
    """The place where two texts part; None if they do not."""
    at = common_prefix(recorded, candidate)
    shorter = min(len(recorded), len(candidate))
    if at == len(recorded) == len(candidate):
        return None
    line, column = line_and_column(recorded, at)
    return Location(
        line=line,
        column=column,
        byte=utf8_length(recorded, at),
        rune=at,
        utf16=utf16_length(recorded, at),
        recorded=describe(recorded, at),
        candidate=describe(candidate, at),
        before=recorded[max(0, at - _AROUND) : at],
        recorded_from=recorded[at : at + _AROUND],
        candidate_from=candidate[at : at + _AROUND],
        recorded_length=len(recorded),
        candidate_length=len(candidate),
        causes=causes(Parting(recorded, candidate, at, common_suffix(recorded, candidate, shorter - at))),
    )
