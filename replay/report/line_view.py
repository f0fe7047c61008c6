"""The lines in which two texts part, one under the other, cut to what a person can read.

However long the texts and their lines are, only a few lines are taken up, and only the part of a line near the place
is drawn. Line ends are drawn only where two lines differ in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final

from replay.compare import Pair, pair_up
from replay.compare.texts import common_prefix
from replay.counted import counted
from replay.report.drawing import draw, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.compare import Location

CONTEXT: Final = " "
REMOVED: Final = "-"
ADDED: Final = "+"
CARET: Final = "^"
NOTE: Final = "…"

_LINES: Final = 12
"""So many lines of each side are taken up, from the first that differs."""

_BESIDE: Final = 2
_SHOWN: Final = 6
"""So many lines of each side are shown where they differ in one place."""

_WHOLE_LINE: Final = 160
_BEFORE: Final = 60
_AFTER: Final = 90


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its sign (one of the constants above), the line's number on its own side, the drawn text."""

    sign: str
    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Cut:
    """A drawn line and how many cells stand before the place in it."""

    text: str
    cells: int


def rows(recorded: str, candidate: str, location: Location) -> list[Row]:
    """The view of a divergence: context, the recorded lines, the candidate's, a caret under the place."""
    start = location.rune - location.column + 1
    ours, our_end = _taken(recorded, start)
    theirs, their_end = _taken(candidate, start)
    pairs = _trimmed(_pairs(ours, theirs), cut=our_end < len(recorded) or their_end < len(candidate))
    view = _View(ours, theirs, location)
    found = [*_context_before(recorded, start, location.line), *view.rows(pairs)]
    left = (recorded.count("\n", our_end), candidate.count("\n", their_end))
    if any(left):
        found.append(
            Row(NOTE, None, f"{counted(left[0], 'more line end')} recorded, {left[1]:,} more in the candidate")
        )
    return found


def _pairs(ours: Sequence[str], theirs: Sequence[str]) -> list[Pair]:
    """The lines, paired up. Two that hold the place and differ in their ends alone belong together.

    Else one of them could answer a later line of the same text, and be shown as one line more and as one alike.
    """
    if not ours or not theirs or _content(ours[0]) != _content(theirs[0]):
        return pair_up(ours, theirs)
    rest = pair_up(ours[1:], theirs[1:])
    return [Pair(0, 0), *(Pair(_next(one.expected), _next(one.actual), equal=one.equal) for one in rest)]


def _next(index: int | None) -> int | None:
    return None if index is None else index + 1


def one_sided(text: str, sign: str) -> list[Row]:
    """The first lines of a text that only one side has."""
    lines, end = _taken(text, 0)
    found = [Row(sign, number, _cut(_content(line), 0).text) for number, line in enumerate(lines[:_SHOWN], start=1)]
    left = len(lines) - len(found) + text.count("\n", end)
    return [*found, Row(NOTE, None, counted(left, "more line"))] if left else found


def _taken(text: str, start: int) -> tuple[list[str], int]:
    """The next lines, their ends included, and where the last of them ends."""
    lines: list[str] = []
    while start < len(text) and len(lines) < _LINES:
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline + 1
        lines.append(text[start:end])
        start = end
    return lines, start


def _context_before(text: str, start: int, number: int) -> Iterator[Row]:
    begins = [start]
    while begins[0] > 0 and len(begins) <= _BESIDE:
        begins.insert(0, text.rfind("\n", 0, begins[0] - 1) + 1)
    for at, (begin, end) in enumerate(pairwise(begins)):
        yield Row(CONTEXT, number - len(begins) + 1 + at, _cut(text[begin : end - 1], 0).text)


def _trimmed(pairs: list[Pair], *, cut: bool) -> list[Pair]:
    """Without what follows the last equal line: where more lines follow, their counterparts may be among them."""
    last = max((at for at, pair in enumerate(pairs) if pair.equal), default=None)
    return pairs if last is None or not cut else pairs[: last + 1]


def _content(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _cut(line: str, place: int) -> _Cut:
    """The part of a line around a place, and how much was left out."""
    first, last = 0, len(line)
    if len(line) > _WHOLE_LINE:
        first, last = max(0, place - _BEFORE), min(len(line), place + _AFTER)
    before = f"[{counted(first, 'character')}]…" if first else ""
    after = f"…[{counted(len(line) - last, 'character')}]" if last < len(line) else ""
    ends = last == len(line)
    left = before + draw(line[first:place], ends=ends and not line[place:].strip(" "))
    return _Cut(left + draw(line[place:last], ends=ends) + after, width(left))


class _View:
    """Draws pairs of lines; knows which two hold the place."""

    def __init__(self, ours: Sequence[str], theirs: Sequence[str], location: Location) -> None:
        self._sides = {REMOVED: ours, ADDED: theirs}
        self._first = location.line
        self._place = location.column - 1
        self._caret_due = True

    def rows(self, pairs: Sequence[Pair]) -> Iterator[Row]:
        for equal, run in groupby(pairs, key=lambda pair: pair.equal):
            several = list(run)
            yield from self._equal(several, last=several[-1] is pairs[-1]) if equal else self._different(several)

    def _equal(self, several: Sequence[Pair], *, last: bool) -> Iterator[Row]:
        """Lines alike: the first two and the last two of them; at the end, where nothing follows, the first two."""
        after = [] if last else several[-_BESIDE:]
        shown = several if len(several) <= _BESIDE + len(after) else [*several[:_BESIDE], *after]
        left_out = len(several) - len(shown)
        for at, pair in enumerate(shown):
            if at == _BESIDE and left_out:
                yield Row(NOTE, None, f"{counted(left_out, 'line')} alike")
            index = pair.expected or 0
            yield Row(CONTEXT, self._first + index, _cut(_content(self._sides[REMOVED][index]), 0).text)

    def _different(self, several: Sequence[Pair]) -> Iterator[Row]:
        ours = [(pair.expected, pair.actual) for pair in several if pair.expected is not None]
        theirs = [(pair.actual, pair.expected) for pair in several if pair.actual is not None]
        caret_below_theirs = any(index == 0 for index, _ in theirs)
        yield from self._side(REMOVED, ADDED, ours, caret=not caret_below_theirs)
        yield from self._side(ADDED, REMOVED, theirs, caret=True)

    def _side(self, sign: str, opposite: str, lines: Sequence[tuple[int, int | None]], *, caret: bool) -> Iterator[Row]:
        for index, beside in lines[:_SHOWN]:
            cut = self._line(self._sides[sign][index], index, None if beside is None else self._sides[opposite][beside])
            yield Row(sign, self._first + index, cut.text)
            if caret and index == 0:
                yield Row(CARET, None, " " * cut.cells + "^")
        if len(lines) > _SHOWN:
            yield Row(NOTE, None, counted(len(lines) - _SHOWN, "more such line"))

    def _line(self, line: str, index: int, beside: str | None) -> _Cut:
        """A line that differs, around the place or around where it leaves its counterpart."""
        content = _content(line)
        only_ends = not content if beside is None else content == _content(beside)
        shown = line if only_ends else content
        place = self._place
        if index:
            place = 0 if beside is None else common_prefix(line, beside)
        return _cut(shown, min(place, len(shown)))
