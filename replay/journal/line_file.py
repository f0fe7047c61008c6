"""The lines of a checked file, read again whenever they are asked for; each must be what it was when it was checked."""

from __future__ import annotations

import os
import weakref
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Generic, NoReturn, TypeVar, overload

from replay.journal.defects import Kind
from replay.journal.drawing import drawn
from replay.journal.errors import JournalError
from replay.journal.model import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_AT_ONCE: Final = 1 << 18
"""So many bytes are read at once, and one line at least."""


class LineFile:
    """An open file, where its lines begin, and a hash of each: 16 bytes a line. The file is closed with the value.

    The first line of those meant here is the second of the file: the head stands before it.
    """

    def __init__(self, descriptor: int, file: str) -> None:
        """``file`` is what errors call it."""
        self._descriptor = descriptor
        self._file = file
        self._begins = array("Q")
        self._hashes = array("q")
        self._end = 0
        weakref.finalize(self, os.close, descriptor)

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self._hashes)

    def add(self, offset: int, line: bytes) -> None:
        """A line that was checked, and where it begins. The lines come in order, and touch."""
        self._begins.append(offset)
        self._hashes.append(hash(line))
        self._end = offset + len(line)

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """The lines from one position to another. Raises JournalError: one is not what it was, or cannot be read."""
        while first < stop:
            end = first + 1
            begin = self._begins[first]
            while end < stop and self._begin(end + 1) - begin <= _AT_ONCE:
                end += 1
            data = memoryview(self._data(begin, self._begin(end) - begin, first))
            for at in range(first, end):
                line = bytes(data[self._begins[at] - begin : self._begin(at + 1) - begin])
                if hash(line) != self._hashes[at]:
                    self._changed(at)
                yield line
            first = end

    def _begin(self, at: int) -> int:
        return self._begins[at] if at < len(self._begins) else self._end

    def _data(self, offset: int, length: int, at: int) -> bytes:
        try:
            return os.pread(self._descriptor, length, offset)
        except OSError as error:
            found = f"a line that the system refuses to read ({drawn(error.strerror or str(error))})"
            raise JournalError(Kind.UNREADABLE.value, self._place(at), found, "what was checked") from None

    def _changed(self, at: int) -> NoReturn:
        found = "another line than when the journal was checked"
        raise JournalError(Kind.CHANGED.value, self._place(at), found, "a file that nobody changes meanwhile")

    def _place(self, at: int) -> Place:
        return Place(self._file, "", at + 2)


class Lines(Sequence[T], Generic[T]):
    """What lines of a file mean: made anew each time one is asked for. A slice is such a sequence again."""

    def __init__(self, file: LineFile, meaning: Callable[[int, bytes], T], within: range) -> None:
        """``meaning`` makes the value of a line; ``within`` are the positions in the file, one after another."""
        self._file = file
        self._meaning = meaning
        self._within = within

    def __len__(self) -> int:
        """How many values there are."""
        return len(self._within)

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...

    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """One value, or a part of the sequence."""
        chosen = self._within[at]
        if isinstance(chosen, range):
            return Lines(self._file, self._meaning, chosen)
        (line,) = self._file.read(chosen, chosen + 1)
        return self._meaning(chosen, line)

    def __iter__(self) -> Iterator[T]:
        """Every value, in order; neighbours are read from the file together."""
        if self._within.step != 1:
            yield from map(self.__getitem__, range(len(self)))
            return
        for at, line in zip(self._within, self._file.read(self._within.start, self._within.stop), strict=True):
            yield self._meaning(at, line)
