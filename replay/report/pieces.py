"""A text in pieces for a page: what is plain as it is, each other character drawn and called by its name.

Around the place where two texts part every character stands alone, so that a reader can ask each what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.compare.code_points import describe, is_mark
from replay.report.drawing import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.report.run_values import Side

Piece: TypeAlias = "str | list[str | int]"
"""A plain text, or a drawn character and the number of its name."""

NEAR: Final = 24
"""So many characters on each side of the place stand alone."""

LINE_FEED: Final = "\n"

_C0: Final = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS ⇥ ↵ VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
_WORDS: Final = {**{chr(point): word for point, word in enumerate(_C0.split(" "))}, "\x7f": "DEL"}
"""Controls by their short names: few fonts of a browser hold the pictures that a terminal is given."""

_LAST_SPACES: Final = re.compile(r" +(?=\r?\n|\Z)")


class Names:
    """The names of characters, each once, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a name."""
        return self._numbers.setdefault(name, len(self._numbers))

    def __iter__(self) -> Iterator[str]:
        """The names in order."""
        return iter(self._numbers)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces, and which of them is the one at the place: their number where the text ends there, -1 for none."""

    pieces: list[Piece]
    mark: int


def pieces(side: Side, place: int | None, names: Names) -> Pieces:
    """The text of a side. ``place`` is the character, in the whole text, at which it parts from the other; or None.

    A line feed is drawn, then stands as itself in a piece of its own.
    """
    text = side.text
    middle = -NEAR - 1 if place is None else place - side.start
    near = range(middle - NEAR, middle + NEAR + 1)
    whole = side.start + len(text) >= side.length
    blanks = {
        at
        for found in _LAST_SPACES.finditer(text)
        if whole or found.end() < len(text)
        for at in range(found.start(), found.end())
    }
    found: list[Piece] = []
    plain_from = 0
    mark = -1
    for at, character in enumerate(text):
        drawn = "·" if at in blanks else _WORDS.get(character) or draw(character, ends=False)
        if at not in near and (drawn == character or is_mark(character)):
            continue
        _add_plain(found, text[plain_from:at])
        plain_from = at + 1
        if at == middle:
            mark = len(found)
        found.append([drawn, names.number(describe(character, 0))])
        if character == LINE_FEED:
            found.append(LINE_FEED)
    _add_plain(found, text[plain_from:])
    return Pieces(found, len(found) if middle == len(text) else mark)


def _add_plain(found: list[Piece], text: str) -> None:
    if text:
        found.append(draw(text, ends=False))
