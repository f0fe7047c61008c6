"""Server-sent events, read as their bytes come (facade.md, The turn).

A stream can be cut into pieces anywhere, inside a character or between the two bytes of a line end, so lines are bytes
and only a whole one is read. Lines end in LF, CR or both. What stands after the last blank line is no event: a stream
that is cut gives nothing of the event it was cut in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of one event, unless the reader is told otherwise."""

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class EventTooLargeError(Exception):
    """An event, or one line of it, is larger than the reader takes."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: ``name`` as the stream gives it (empty for an ordinary message), ``data`` with its lines joined."""

    data: bytes
    name: bytes = b""


class EventReader:
    """Turns the pieces of one stream into events. ``limit`` bounds the bytes of an event."""

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._name = b""
        self._size = 0
        self._first = True
        self._half_line_end = False

    @rule("facade/turn/event-lines")
    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in ``piece``. Raises EventTooLargeError."""
        if not piece:
            return
        if self._half_line_end and piece.startswith(b"\n"):
            piece = piece[1:]  # the rest of a CR LF that was cut in two: its line has ended already
            self._half_line_end = False
            if not piece:
                return
        self._half_line_end = piece.endswith(b"\r")
        start, *others = _LINE_END.split(piece)
        self._continue(start)
        for line in others:
            yield from self._end_line()
            self._continue(line)

    def _continue(self, part: bytes) -> None:
        """More of the line that is being read."""
        self._line.append(part)
        self._size += len(part)
        if self._size > self._limit:
            raise EventTooLargeError

    def _end_line(self) -> Iterator[Event]:
        line = b"".join(self._line)
        self._line.clear()
        if self._first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._first = False
        if line:
            self._read_field(line)
            return
        if self._data:
            yield Event(b"\n".join(self._data), self._name)
        self._data.clear()
        self._name = b""
        self._size = 0

    @rule("facade/turn/event-fields")
    def _read_field(self, line: bytes) -> None:
        """One field: a name, a colon, a space that may be missing, a value.

        ``data`` adds a line and ``event`` names the event; a comment has no name; ``id`` and ``retry`` are for a client
        that connects again, which a completion is not; others mean nothing.
        """
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        else:
            self._size -= len(line)  # it is not kept, so any number of comments may keep a connection alive
            if field == b"event":
                self._name = value
