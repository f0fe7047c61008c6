r"""Text for a terminal: every character is shown and none is obeyed.

C0 controls are their Unicode pictures (``␛``, ``␤``, a tab is ``⇥``), C1 controls and bytes that are not UTF-8 are
``\x9b``, a no-break space is ``⍽``, a space that nothing follows is ``·``; what would be invisible, would turn the
direction of the line or has no picture is ``\u{200B}``. An accent that has nothing to stand on stands on ``◌``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from replay.compare.code_points import bad_byte, cells, is_mark, is_plain
from replay.compare.texts import as_text

_PICTURES: Final = {"\n": "␤", "\t": "⇥", "\x7f": "␡", "\u00a0": "⍽"}
_CIRCLE: Final = "◌"
_MOST_MARKS: Final = 4
"""So many accents on one letter are drawn; the rest of a heap that would cover other lines is written out."""

_LAST_SPACES: Final = re.compile("(?<! ) ++(?=[\r\n]|\\Z)")
_CACHED: Final = 4096


def draw(text: str | bytes, *, ends: bool = True) -> str:
    """The text on one line. ``ends`` says that it is whole, so that spaces at its end are drawn as such."""
    text = as_text(text)
    found = _LAST_SPACES.sub(_dots, text) if ends else text
    if found.isascii():
        return "".join(map(_drawn, found))
    return _with_marks(found)


def _dots(found: re.Match[str]) -> str:
    return "·" * len(found[0])


def _with_marks(text: str) -> str:
    """Marks stand on the character before them if that is drawn as itself."""
    pieces: list[str] = []
    height: int | None = None
    for character in text:
        drawn = _drawn(character)
        if drawn != character:
            height = None
        elif not is_mark(character):
            height = 0
        else:
            if height is None:
                pieces.append(_CIRCLE)
                height = 0
            if height < _MOST_MARKS:
                height += 1
            else:
                drawn = _escaped(character)
        pieces.append(drawn)
    return "".join(pieces)


@lru_cache(_CACHED)
def _drawn(character: str) -> str:
    picture = _PICTURES.get(character)
    if picture is not None:
        return picture
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if is_plain(character):
        return character
    return _escaped(character)


def _escaped(character: str) -> str:
    byte = bad_byte(character)
    if byte is not None:
        return f"\\x{byte:02x}"
    point = ord(character)
    return f"\\x{point:02x}" if point <= 0x9F else f"\\u{{{point:X}}}"


def width(drawn: str) -> int:
    """How many cells of a terminal a drawn text takes."""
    return sum(map(cells, drawn))
