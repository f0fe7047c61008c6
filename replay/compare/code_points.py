"""Code points by name, from the pinned Unicode data: a report must not depend on the Python that writes it.

Text holds bytes that are not UTF-8 as U+DC80 to U+DCFF, one each: such a character is called by its byte.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import unicodedata2

_C0: Final = (
    "NULL",
    "START OF HEADING",
    "START OF TEXT",
    "END OF TEXT",
    "END OF TRANSMISSION",
    "ENQUIRY",
    "ACKNOWLEDGE",
    "ALERT",
    "BACKSPACE",
    "CHARACTER TABULATION",
    "LINE FEED",
    "LINE TABULATION",
    "FORM FEED",
    "CARRIAGE RETURN",
    "SHIFT OUT",
    "SHIFT IN",
    "DATA LINK ESCAPE",
    "DEVICE CONTROL ONE",
    "DEVICE CONTROL TWO",
    "DEVICE CONTROL THREE",
    "DEVICE CONTROL FOUR",
    "NEGATIVE ACKNOWLEDGE",
    "SYNCHRONOUS IDLE",
    "END OF TRANSMISSION BLOCK",
    "CANCEL",
    "END OF MEDIUM",
    "SUBSTITUTE",
    "ESCAPE",
    "INFORMATION SEPARATOR FOUR",
    "INFORMATION SEPARATOR THREE",
    "INFORMATION SEPARATOR TWO",
    "INFORMATION SEPARATOR ONE",
)
_FROM_DELETE: Final = (
    "DELETE",
    "PADDING CHARACTER",
    "HIGH OCTET PRESET",
    "BREAK PERMITTED HERE",
    "NO BREAK HERE",
    "INDEX",
    "NEXT LINE",
    "START OF SELECTED AREA",
    "END OF SELECTED AREA",
    "CHARACTER TABULATION SET",
    "CHARACTER TABULATION WITH JUSTIFICATION",
    "LINE TABULATION SET",
    "PARTIAL LINE FORWARD",
    "PARTIAL LINE BACKWARD",
    "REVERSE LINE FEED",
    "SINGLE SHIFT TWO",
    "SINGLE SHIFT THREE",
    "DEVICE CONTROL STRING",
    "PRIVATE USE ONE",
    "PRIVATE USE TWO",
    "SET TRANSMIT STATE",
    "CANCEL CHARACTER",
    "MESSAGE WAITING",
    "START OF GUARDED AREA",
    "END OF GUARDED AREA",
    "START OF STRING",
    "SINGLE GRAPHIC CHARACTER INTRODUCER",
    "SINGLE CHARACTER INTRODUCER",
    "CONTROL SEQUENCE INTRODUCER",
    "STRING TERMINATOR",
    "OPERATING SYSTEM COMMAND",
    "PRIVACY MESSAGE",
    "APPLICATION PROGRAM COMMAND",
)
CONTROL_NAMES: Final = {
    **{chr(point): name for point, name in enumerate(_C0)},
    **{chr(point): name for point, name in enumerate(_FROM_DELETE, start=0x7F)},
}
"""The usual names of the control characters: Unicode gives them none, only these aliases."""

_NOT_PLAIN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_ZERO_WIDTH: Final = frozenset({"Mn", "Me"})
_TWO_CELLS: Final = frozenset({"W", "F"})
_IGNORED: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0x16FE4, 0x16FE4),
    (0xE0100, 0xE01EF),
)
"""Letters and marks that show nothing: Default_Ignorable_Code_Point outside the category Cf, and the blank Braille."""

_CACHED: Final = 4096


def category(character: str) -> str:
    """The general category, such as ``Lu``."""
    return str(unicodedata2.category(character))


def compose(text: str, form: str = "NFC") -> str:
    """The normal form of a text: NFC, NFD, NFKC or NFKD."""
    return str(unicodedata2.normalize(form, text))


@lru_cache(_CACHED)
def is_plain(character: str) -> bool:
    """Whether a terminal shows the character as itself: no control, no blank but the space, nothing invisible."""
    if character == " ":
        return True
    point = ord(character)
    return category(character) not in _NOT_PLAIN and not any(first <= point <= last for first, last in _IGNORED)


@lru_cache(_CACHED)
def is_mark(character: str) -> bool:
    """Whether the character stands on the one before it."""
    return category(character) in _MARKS


@lru_cache(_CACHED)
def cells(character: str) -> int:
    """How many cells of a terminal the character takes: 0, 1 or 2."""
    if category(character) in _ZERO_WIDTH:
        return 0
    return 2 if str(unicodedata2.east_asian_width(character)) in _TWO_CELLS else 1


@lru_cache(_CACHED)
def small_letter(character: str) -> str:
    """The small letter of a capital, found by its name; every other character stays as it is."""
    if category(character) != "Lu":
        return character
    name = str(unicodedata2.name(character, ""))
    try:
        return str(unicodedata2.lookup(name.replace("CAPITAL", "SMALL")))
    except KeyError:
        return character


def bad_byte(character: str) -> int | None:
    """The byte that a character stands for, if it stands for one that is not UTF-8."""
    point = ord(character)
    return point - 0xDC00 if 0xDC80 <= point <= 0xDCFF else None


def describe(text: str, at: int) -> str:
    """The character at a rune offset: ``U+00E9 LATIN SMALL LETTER E WITH ACUTE``, ``byte 0xE9 …``, ``end of text``."""
    if at >= len(text):
        return "end of text"
    character = text[at]
    byte = bad_byte(character)
    if byte is not None:
        return f"byte 0x{byte:02X} (not UTF-8)"
    return f"U+{ord(character):04X} {_name(character)}"


def _name(character: str) -> str:
    if character in CONTROL_NAMES:
        return CONTROL_NAMES[character]
    name = str(unicodedata2.name(character, ""))
    if name:
        return name
    point = ord(character)
    if point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF:
        return "<noncharacter>"
    return _NAMELESS[category(character)]


_NAMELESS: Final = {"Cs": "<lone surrogate>", "Co": "<private use>", "Cn": "<unassigned>"}
