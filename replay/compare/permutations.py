"""Reads a text that is a row of known lines, group after group, in any order inside a group.

The lines may hold anything, newlines and copies of each other included, so that a text can sometimes be read in more
than one way: the reader tries one way after another, with bounded effort.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_DAY: Final = "-?[0-9]{4,}+-[0-9]{2}-[0-9]{2}"
_DAYS: Final = re.compile(f"{_DAY} au {_DAY}\n", re.ASCII)
_BEFORE_DAYS: Final = " points, du "
_EFFORT_PER_LINE: Final = 8
_EFFORT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line that must stand there: its whole text, or all of it but the two days that end it (``dated``)."""

    text: str
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A line as it was read, its days included."""

    line: Line
    text: str


def read(text: str, groups: Sequence[Sequence[Line]]) -> list[list[Found]] | None:
    """The text as the lines of every group, each used exactly once; None when it is not, or not within the effort."""
    found = _Reader(text, groups).read()
    if found is None:
        return None
    pieces = iter(found)
    return [[next(pieces) for _ in group] for group in groups]


@dataclass(slots=True)
class _Group:
    """The lines of a group that are still to come, and all of its lines by what they show up to the first newline."""

    left: Counter[Line]
    by_start: dict[str, list[Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for line in self.left:
            start = line.text.find("\n") + 1
            self.by_start.setdefault(line.text[:start] if start else line.text, []).append(line)


class _Reader:
    def __init__(self, text: str, groups: Iterable[Sequence[Line]]) -> None:
        self._text = text
        self._owners: list[_Group] = []
        for lines in groups:
            self._owners.extend([_Group(Counter(lines))] * len(lines))

    def read(self) -> list[Found] | None:
        """Depth first, without recursion: a choice that leads nowhere is taken back."""
        found: list[Found] = []
        at = 0
        effort = _EFFORT + _EFFORT_PER_LINE * len(self._owners)
        choices = [self._choices(0, 0)]
        while at != len(self._text) or len(found) != len(self._owners):
            following = next(choices[-1], None)
            if following is not None and effort > 0:
                effort -= 1
                self._owners[len(found)].left[following.line] -= 1
                found.append(following)
                at += len(following.text)
                choices.append(self._choices(len(found), at))
            elif found and effort > 0:
                choices.pop()
                undone = found.pop()
                self._owners[len(found)].left[undone.line] += 1
                at -= len(undone.text)
            else:
                return None
        return found

    def _choices(self, number: int, at: int) -> Iterator[Found]:
        """The lines that can stand at this place as the line of this number."""
        if number == len(self._owners):
            return
        group = self._owners[number]
        shown = self._text[at : self._text.find("\n", at) + 1]
        before_days = shown[: shown.rfind(_BEFORE_DAYS) + len(_BEFORE_DAYS)]
        for start in {shown: None, before_days: None}:
            for line in group.by_start.get(start, ()):
                if group.left[line] and self._text.startswith(line.text, at):
                    text = self._whole(line, at)
                    if text is not None:
                        yield Found(line, text)

    def _whole(self, line: Line, at: int) -> str | None:
        if not line.dated:
            return line.text
        days = _DAYS.match(self._text, at + len(line.text))
        return None if days is None else self._text[at : days.end()]
