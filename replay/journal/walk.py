"""Our own reader of JSON, without recursion: for traps, and to name the place of what is wrong.

It reads what the scanner of Python's ``json`` reads (that one is faster, this one has no depth that it cannot reach
and knows where it is), and gives the same trees.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, cast

from replay.journal import lexis, octets
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Tree: TypeAlias = "bool | bytes | str | list[Tree] | tuple[tuple[str, Tree], ...] | None"
"""A JSON value as scanned: a string is its octets, a number its literal as bytes, an object a tuple of its members."""

_CLOSERS: Final[dict[str, Literal["}", "]"]]] = {"{": "}", "[": "]"}
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}


class Event(NamedTuple):
    """A part of a value: an opening, a closing, a key, a scalar; from offset ``start`` to offset ``end``."""

    sort: Literal["{", "[", "}", "]", "key", "scalar"]
    start: int
    end: int


class Walker:
    """Reads the value at an offset, part by part. ``path`` leads from that value to the part that was read last."""

    def __init__(self, text: str, at: int, depth: int) -> None:
        """``text`` is octets. ``depth`` is how many levels may be open at once."""
        self.text = text
        self.at = at
        self.path: list[str | int] = []
        self._depth = depth
        self._open = bytearray()

    def events(self) -> Iterator[Event]:
        """The parts, in order. Raises :class:`Defect`, its path being the one from the value to it."""
        try:
            yield from self._parts()
        except Defect as defect:
            raise defect.inside(*self.path) from None

    def _parts(self) -> Iterator[Event]:
        yield (part := self._value())
        whole = part.sort == "scalar"
        while not whole or self._open:
            follows = self._after_value() if whole else self._after_opening()
            if follows is not None:
                yield follows
            whole = follows is not None and follows.sort != "key"
            if not whole:
                yield (part := self._value())
                whole = part.sort == "scalar"

    def _value(self) -> Event:
        start = lexis.after_space(self.text, self.at)
        if self.text.startswith("{", start):
            return self._opening("{", start)
        if self.text.startswith("[", start):
            return self._opening("[", start)
        self.at = lexis.scalar_end(self.text, start)
        return Event("scalar", start, self.at)

    def _opening(self, sort: Literal["{", "["], start: int) -> Event:
        if len(self._open) == self._depth:
            raise Defect(Kind.TOO_DEEP, f"level {self._depth + 1}", f"at most {self._depth} levels", offset=start)
        self._open.append(ord(sort))
        self.at = start + 1
        return Event(sort, start, self.at)

    def _after_opening(self) -> Event | None:
        """What follows an opening: the closing, the first key, or (None) the first element of an array."""
        opener = chr(self._open[-1])
        at = lexis.after_space(self.text, self.at)
        if self.text.startswith(_CLOSERS[opener], at):
            return self._closing(at)
        if opener == "{":
            return self._key(at)
        self.path.append(0)
        return None

    def _after_value(self) -> Event | None:
        """What follows a member or an element: the closing, the next key, or (None) the next element."""
        last = self.path.pop()
        at = lexis.after_space(self.text, self.at)
        closer = _CLOSERS[chr(self._open[-1])]
        if self.text.startswith(closer, at):
            return self._closing(at)
        if not self.text.startswith(",", at):
            raise lexis.unexpected(self.text, at, f'"," or "{closer}"')
        self.at = at + 1
        if isinstance(last, str):
            return self._key(lexis.after_space(self.text, self.at))
        self.path.append(last + 1)
        return None

    def _closing(self, at: int) -> Event:
        self.at = at + 1
        return Event(_CLOSERS[chr(self._open.pop())], at, self.at)

    def _key(self, start: int) -> Event:
        end, self.at = lexis.key_end(self.text, start)
        self.path.append(octets.shown(string(self.text[start:end])))
        return Event("key", start, end)


@dataclass(slots=True)
class _Unfinished:
    """An object or an array that is still open: its members so far, and the key whose value is being read."""

    is_object: bool
    members: list[tuple[str, Tree]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    key: str = ""

    def finished(self) -> Tree:
        return tuple(self.members) if self.is_object else [value for _, value in self.members]


def read(text: str, at: int, depth: int) -> tuple[Tree, int]:
    """The value at an offset and the offset after it.

    Raises :class:`Defect`: for what is no JSON, for more than ``depth`` levels, for a key that an object has twice.
    """
    walker = Walker(text, at, depth)
    document = _Unfinished(is_object=False)
    unfinished = [document]
    for sort, start, end in walker.events():
        if sort == "key":
            _take_key(unfinished[-1], string(text[start:end]), start, walker.path)
        elif sort in _CLOSERS:
            unfinished.append(_Unfinished(is_object=sort == "{"))
        else:
            value = _scalar(text[start:end]) if sort == "scalar" else unfinished.pop().finished()
            unfinished[-1].members.append((unfinished[-1].key, value))
    return document.members[0][1], walker.at


def end_of(text: str, at: int, depth: int) -> int:
    """The offset after the value at an offset. Raises :class:`Defect`: no JSON, or more than ``depth`` levels."""
    walker = Walker(text, at, depth)
    for _ in walker.events():
        pass
    return walker.at


def find(text: str, at: int, path: Sequence[str | int], *, key: bool) -> int:
    """The offset of what a path leads to from the value at an offset: of the key that it ends in, or of the value.

    The value is valid JSON and holds the path.
    """
    walker = Walker(text, at, len(text))
    target = list(path)
    return next(start for sort, start, _ in walker.events() if walker.path == target and (sort == "key") == key)


def string(literal: str) -> str:
    """The octets of the text that a string literal means, its quotes included."""
    if octets.has_wide_escapes(literal):
        literal = octets.without_wide_escapes(literal)
    return cast("str", json.loads(literal))


def _scalar(literal: str) -> Tree:
    if literal.startswith('"'):
        return string(literal)
    return _WORDS[literal] if literal in _WORDS else literal.encode("ascii")


def _take_key(container: _Unfinished, key: str, start: int, path: Sequence[str | int]) -> None:
    if key in container.keys:
        found = f"the key {quoted(octets.shown(key))} a second time"
        raise Defect(Kind.DUPLICATE_KEY, found, "each key once", offset=start).inside(*path)
    container.keys.add(key)
    container.key = key
