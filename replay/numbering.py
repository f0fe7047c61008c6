"""Where a step stands among the steps of a journal, by its number: so that a set of steps is a byte for each."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from replay.journal.model import KEEPIMG

if TYPE_CHECKING:
    from replay.journal.model import Journal


class Numbering:
    """The numbers of a journal's steps, such as ``12`` or ``3.2``, and their positions from 0, in order.

    Steps and cases are numbered without a gap, as the loader gives them; a journal that is a part of another begins
    with a later number.
    """

    def __init__(self, journal: Journal) -> None:
        self._first = 1
        self._starts = array("Q", [0])
        self._of_cases = journal.kind == KEEPIMG
        if self._of_cases:
            for case in journal.cases:
                if len(self._starts) == 1:
                    self._first = case.index
                self._starts.append(self._starts[-1] + len(case.steps))
            self._length = self._starts[-1]
        else:
            self._length = len(journal.steps)
            if self._length:
                self._first = journal.steps[0].index

    def __len__(self) -> int:
        """How many steps there are."""
        return self._length

    def start(self, unit: int) -> int:
        """The position of the first step of a unit: of a step itself, or of a case; both count from 0."""
        return self._starts[unit] if self._of_cases else unit

    def unit(self, position: int) -> int:
        """The first unit that begins at a position or after it."""
        return bisect_left(self._starts, position) if self._of_cases else position

    def position(self, number: str) -> int | None:
        """The position of a number; None for one that the journal does not have."""
        if ("." in number) != self._of_cases:
            return None
        if not self._of_cases:
            position = int(number) - self._first
            return position if 0 <= position < self._length else None
        case, _, operation = number.partition(".")
        at = int(case) - self._first
        if not 0 <= at < len(self._starts) - 1:
            return None
        position = self._starts[at] + int(operation) - 1
        return position if self._starts[at] <= position < self._starts[at + 1] else None

    def has(self, number: str) -> bool:
        """Whether there is a step that is numbered so, written as it is written here."""
        at = self.position(number)
        return at is not None and self.number(at) == number

    def number(self, position: int) -> str:
        """The number at a position."""
        if not self._of_cases:
            return str(self._first + position)
        at = bisect_right(self._starts, position) - 1
        return f"{self._first + at}.{position - self._starts[at] + 1}"
