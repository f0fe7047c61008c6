"""What a regenerated text, a snapshot, says otherwise than the old one: runs of lines that were replaced."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from replay.compare import Difference, pair_up
from replay.compare.texts import as_text
from replay.journal.model import Place
from replay.outcome import Mode, StepRef
from replay.review.changes import Change
from replay.review.rewrite import Elements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replay.compare import Pair


class TextChanges:
    """The changes of one text."""

    def __init__(self, file: str, old: bytes, new: bytes) -> None:
        self._file = file
        self._sides = tuple(as_text(data).split("\n") for data in (old, new))
        pairs = pair_up(*self._sides)
        self._runs = [(equal, list(run)) for equal, run in groupby(pairs, key=lambda pair: pair.equal)]
        self.all: tuple[Change, ...] = tuple(self._found())

    def rewritten(self, side: int, applied: Iterable[Change]) -> bytes:
        """The old text (side 0) or the new one (side 1) with some changes as the other has them."""
        chosen = {row for one in applied if isinstance(one.part, Elements) for row in one.part.rows}
        lines: list[str] = []
        for number, (_, run) in enumerate(self._runs):
            lines.extend(self._lines(run, 1 - side if number in chosen else side))
        return "\n".join(lines).encode("utf-8", "surrogateescape")

    def _lines(self, run: Iterable[Pair], side: int) -> list[str]:
        indexes = (pair.actual if side else pair.expected for pair in run)
        return [self._sides[side][index] for index in indexes if index is not None]

    def _found(self) -> Iterator[Change]:
        line = 1
        for number, (equal, run) in enumerate(self._runs):
            old, new = ("\n".join(self._lines(run, side)) for side in (0, 1))
            if not equal:
                step = StepRef(self._file, f"{line}", "", "", Place(self._file, "", line), Mode.ISOLATED)
                shown = Difference("lines", "changed", old, new, ("lines",))
                yield Change((old, new), "lines", str(line), step, (shown,), Elements(((), ()), (number,)))
            line += len(self._lines(run, 0))
