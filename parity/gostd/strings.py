"""Go's ``strings``, as far as the tools need it (contract: go-semantics.md, 2.1 to 2.3 and 2.15).

Every function takes text as ``utf8.text`` gives it: a byte that is not UTF-8 is one of U+DC80 to U+DCFF. Some of Go's
functions keep such a byte, others see U+FFFD in its place; each docstring says which.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from parity.gostd import unicode, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

_ASCII: Final = bytes(range(0x80))
_ASCII_LOWER: Final = bytes.maketrans(bytes(range(ord("A"), ord("Z") + 1)), bytes(range(ord("a"), ord("z") + 1)))

# To lower a text of accented French takes 3 ns a byte by a one-byte encoding, 4 to 11 ns by a replacement for each
# character that changes, 41 ns by str.translate; real Go takes 3.5 ns. The encoding is our own: ASCII, Latin-1, and
# what French texts and their tables hold besides. What it lacks takes the second way, and the third when much changes.
_TYPOGRAPHY: Final = "œŒŸ€‚„…‘’“”•–—™‹›ŠšŽž\u2011\u202f→←⇒✓≥≤≠≈−"
_ONE_BYTE: Final = "".join(map(chr, range(0x80))) + _TYPOGRAPHY + "".join(map(chr, range(0xA0, 0x100)))
_ONE_BYTE_ENCODING: Final = codecs.charmap_build(_ONE_BYTE)
_MOST_REPLACEMENTS: Final = 64


def to_lower(s: str, target: GoTarget) -> str:
    """Go's ``strings.ToLower``: one character becomes one, by table alone; each bad byte becomes U+FFFD."""
    if s.isascii():
        return s.encode("ascii").translate(_ASCII_LOWER).decode("ascii")
    try:
        one_byte, _ = codecs.charmap_encode(s, "strict", _ONE_BYTE_ENCODING)
    except UnicodeEncodeError:
        return _to_lower_any(utf8.clean(s), target)
    return codecs.charmap_decode(one_byte, "strict", _one_byte_lower(target))[0]


def trim_space(s: str) -> str:
    """Go's ``strings.TrimSpace``: the 25 spaces of ``unicode.IsSpace`` off both ends; bad bytes stay."""
    return s.strip(unicode.SPACES)


def fields(s: str) -> list[str]:
    """Go's ``strings.Fields``: the pieces between runs of those 25 spaces, none of them empty; bad bytes stay."""
    for space in unicode.SPACES:
        if space in s:
            s = s.replace(space, " ")
    return list(filter(None, s.split(" ")))


def equal_fold(a: str, b: str, target: GoTarget) -> bool:
    """Go's ``strings.EqualFold``: as many characters on both sides, each equal to its other but for case.

    A character is never equal to two. A bad byte is equal to any bad byte and to U+FFFD.
    """
    if len(a) != len(b):
        return False
    table = unicode.fold_table(target)
    return utf8.clean(a).translate(table) == utf8.clean(b).translate(table)


def _to_lower_any(s: str, target: GoTarget) -> str:
    raw = s.encode("utf-8")
    beyond_ascii = raw.translate(None, _ASCII).decode("utf-8")
    changing = _upper_characters(target).intersection(beyond_ascii)
    if len(changing) > _MOST_REPLACEMENTS:
        return s.translate(unicode.lower_table(target))
    lower = raw.translate(_ASCII_LOWER).decode("utf-8")
    for character in changing:  # in any order: no lower case is itself changed by ToLower
        lower = lower.replace(character, unicode.to_lower(character, target))
    return lower


@lru_cache
def _upper_characters(target: GoTarget) -> frozenset[str]:
    return frozenset(chr(point) for point, _ in unicode.lower_pairs(target) if point >= len(_ASCII))


@lru_cache
def _one_byte_lower(target: GoTarget) -> str:
    return _ONE_BYTE.translate(unicode.lower_table(target))
