"""A journal's bytes, read once from front to back: the skeleton here, each value in it by the scanner of ``json``.

The skeleton is what is large and has a known shape: the top level, the arrays of steps, blocks and cases, the files
and the trackers of a state. Its objects and arrays are read member by member, so no more than one value at a time is
held as a tree, and the offset of every member is known. Where anything is wrong our own reader (:mod:`.walk`) reads
the same value again: it is the one that says what and where, so every Python says the same.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from replay.journal import drawing, lexis, octets, shapes, walk
from replay.journal.defects import Defect, Kind
from replay.journal.errors import JournalError
from replay.journal.limits import ARGS_DEPTH
from replay.journal.model import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.journal.aliases import Names
    from replay.journal.limits import Limits
    from replay.journal.walk import Tree

T = TypeVar("T")

_SAFE_RECURSION: Final = 20_000
"""Up to this recursion limit ``json``'s scanner, which recurses in C, meets the limit before the end of its stack."""

_OPENED: Final = {"{": "an object", "[": "an array"}
_CLOSERS: Final = {"{": "}", "[": "]"}
_KEY: Final = re.compile('[ \t\n\r]*"([^"\\\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')


def _refuse(word: str) -> NoReturn:
    message = f"{word} is no JSON"
    raise ValueError(message)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=str.encode, parse_float=str.encode, parse_constant=_refuse, strict=True
)
"""Objects come out as tuples of members, numbers as their literals: nothing is lost, and no two sorts compare equal."""


class Scanner:
    """Octets, and how far they have been read: up to the offset ``at``, which ``trail`` leads to.

    Whoever is called back at a value must read it, by one of the methods. They all raise :class:`Defect`, its offset
    known, its path being the one from the trail, which then stays as it is.
    """

    def __init__(self, text: str, file: str, limits: Limits) -> None:
        """``text`` is octets; ``file`` is what places call the file."""
        self.text = text
        self.file = file
        self.limits = limits
        self.at = lexis.after_space(text, 0)
        self.trail: list[str | int] = []
        self.renamed: dict[str, str] = {}
        self._wide = octets.has_wide_escapes(text)
        self._first = 1
        self._line = 1
        self._line_at = 0

    def restart(self, text: str, line: int, *trail: str | int) -> None:
        """Go on with another line of the file, which the trail leads to."""
        self.text = text
        self.at = lexis.after_space(text, 0)
        self.trail = list(trail)
        self._wide = octets.has_wide_escapes(text)
        self._first = self._line = line
        self._line_at = 0

    def object(self, names: Names, read: Callable[[str], None]) -> dict[str, str]:
        """Read an object that has fixed keys; ``read`` is called at each value, with the key's own name.

        Gives the keys it has, and how they are written.
        """
        written: dict[str, str] = {}

        def place(key: str) -> None:
            name = shapes.place(key, names, written)
            written[name] = key
            if name != key:
                self.renamed.setdefault(key, name)
            read(name)

        self._members(place)
        return written

    def mapping(self, read: Callable[[str], None]) -> None:
        """Read an object whose keys are free; ``read`` is called at each value, with the key."""
        seen: set[str] = set()

        def place(key: str) -> None:
            if key in seen:
                raise shapes.duplicate(key)
            seen.add(key)
            read(key)

        self._members(place)

    def array(self, read: Callable[[int], None]) -> None:
        """Read an array; ``read`` is called at each element, with its index."""
        index = 0
        more = self._enter("[", "an array")
        while more:
            start = self.at
            self.trail.append(index)
            try:
                read(index)
            except Defect as defect:
                raise self._placed(defect, start) from None
            self.trail.pop()
            index += 1
            more = self._more("]")

    def leaf(self, convert: Callable[[Tree], T]) -> T:
        """Read a whole value and convert it."""
        start = self.at
        tree, self.at = self._tree(start)
        try:
            return convert(tree)
        except Defect as defect:
            raise self._found(defect, start) from None

    def null(self) -> bool:
        """Read a null, if one stands here."""
        found = self.text.startswith("null", self.at)
        if found:
            self.at += len("null")
        return found

    def raw(self) -> bytes:
        """Read a value as it is written, whatever it holds: args."""
        start = self.at
        try:
            _, self.at = self._by_json(start)
        except (ValueError, RecursionError):
            self.at = walk.end_of(self.text, start, ARGS_DEPTH)
        return octets.raw(self.text[start : self.at])

    def same(self, text: str) -> bool:
        """Read the value that ``text`` is, if the very same stands here. Text is an object, an array or a string."""
        found = self.text.startswith(text, self.at)
        if found:
            self.at += len(text)
        return found

    def end(self) -> None:
        """Make sure that nothing follows."""
        at = lexis.after_space(self.text, self.at)
        if at < len(self.text):
            raise Defect(Kind.TRAILING, lexis.character(self.text, at), "the end of the file", offset=at)

    def place(self) -> Place:
        """The place of the value that stands here. Asking from front to back is cheap."""
        self._line += self.text.count("\n", self._line_at, self.at)
        self._line_at = self.at
        return Place(self.file, drawing.path(self.trail), self._line)

    def error(self, defect: Defect) -> JournalError:
        """The defect as the outside sees it."""
        at = defect.offset or 0
        begin = self.text.rfind("\n", 0, at) + 1
        column = octets.characters(self.text, begin, at) + 1
        path = drawing.path([*self.trail, *defect.path])
        place = Place(self.file, path, self.text.count("\n", 0, at) + self._first, column)
        return JournalError(defect.kind.value, place, defect.found, defect.expected)

    def _members(self, read: Callable[[str], None]) -> None:
        more = self._enter("{", "an object")
        while more:
            start = self.at
            plain = _KEY.match(self.text, start)
            if plain is None:
                end, self.at = lexis.key_end(self.text, start)
                written = walk.string(self.text[start:end])
            else:
                written, self.at = plain[1], plain.end()
            value = self.at
            self.trail.append(octets.shown(written))
            try:
                read(shapes.key(written))
            except Defect as defect:
                raise self._placed(defect, start if defect.at_key else value) from None
            self.trail.pop()
            more = self._more("}")

    def _enter(self, opener: str, expected: str) -> bool:
        """Go into an object or an array; False if it is empty, and then it has been read."""
        if not self.text.startswith(opener, self.at):
            found = _OPENED.get(self.text[self.at : self.at + 1]) or shapes.described(self._tree(self.at)[0])
            raise Defect(Kind.WRONG_TYPE, found, expected, offset=self.at)
        self.at = lexis.after_space(self.text, self.at + 1)
        closer = _CLOSERS[opener]
        if not self.text.startswith(closer, self.at):
            return True
        self.at += 1
        return False

    def _more(self, closer: str) -> bool:
        """Go on to the next member or element; False if there is none, and then the whole has been read."""
        at = lexis.after_space(self.text, self.at)
        if self.text.startswith(closer, at):
            self.at = at + 1
            return False
        if not self.text.startswith(",", at):
            raise lexis.unexpected(self.text, at, f'"," or "{closer}"')
        self.at = lexis.after_space(self.text, at + 1)
        return True

    def _tree(self, start: int) -> tuple[Tree, int]:
        try:
            tree, end = self._by_json(start)
        except (ValueError, RecursionError):
            return walk.read(self.text, start, self.limits.depth)
        if self._wide and octets.has_wide_escapes(self.text, start, end):
            tree, _ = _DECODER.raw_decode(octets.without_wide_escapes(self.text[start:end]))
        return tree, end

    def _by_json(self, start: int) -> tuple[Tree, int]:
        if sys.getrecursionlimit() > _SAFE_RECURSION:
            raise RecursionError
        tree, end = _DECODER.raw_decode(self.text, start)
        # Where the file ends within a number, json's scanner takes the part of it that is one.
        return tree, lexis.scalar_end(self.text, start) if isinstance(tree, bytes) else end

    def _found(self, defect: Defect, start: int) -> Defect:
        """A defect of the value that begins at an offset, its own offset looked for.

        Raises another one instead, if our own reader finds the value to be no JSON, too deep, or to have a key twice.
        """
        walk.read(self.text, start, self.limits.depth)
        return self._placed(defect, walk.find(self.text, start, defect.path, key=defect.at_key))

    def _placed(self, defect: Defect, at: int) -> Defect:
        """A defect, its offset known: that of what is wrong, if it was not known before."""
        if defect.offset is None:
            defect.offset = at
            if defect.kind is Kind.NOT_UTF8:
                defect.offset += octets.first_bad_byte(self.text[at : lexis.scalar_end(self.text, at)])
                defect.found += f" at offset {defect.offset}"
        return defect
