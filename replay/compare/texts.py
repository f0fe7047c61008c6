"""Where two texts part, and what that place is called: fast on texts of tens of megabytes.

Slices are compared whole and then halved; a loop over characters would take seconds where this takes milliseconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 16
_FOUR_BYTES: Final = bytes(range(0xF0, 0xF5))
_FIRST_CONTINUATION: Final = 0x80
_LAST_CONTINUATION: Final = 0xBF
_LONGEST: Final = 4
"""A character takes at most so many bytes; after so many continuation bytes none is still open."""

_BAD_BYTE: Final = re.compile("[\udc80-\udcff]")


def as_text(value: str | bytes) -> str:
    """Bytes as text, without loss: each byte that is not UTF-8 becomes one character, U+DC80 to U+DCFF."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def as_texts(one: bytes, other: bytes) -> tuple[str, str]:
    """Both as text, as :func:`as_text` gives them; what they begin with alike is decoded once."""
    at = common_prefix(one, other)
    at = next((cut for cut in range(at, max(-1, at - _LONGEST), -1) if _begins(one, cut) and _begins(other, cut)), at)
    alike = as_text(one[:at])
    return alike + as_text(one[at:]), alike + as_text(other[at:])


def _begins(text: bytes, at: int) -> bool:
    """Whether no character goes on at this byte."""
    return at in {0, len(text)} or not _FIRST_CONTINUATION <= text[at] <= _LAST_CONTINUATION


def common_prefix(one: str | bytes, other: str | bytes) -> int:
    """How many characters, or bytes, the two begin with alike. Both are of one type."""
    limit = min(len(one), len(other))
    low = 0
    high = min(_CHUNK, limit)
    while low < high and one[low:high] == other[low:high]:
        low, high = high, min(high + _CHUNK, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: str, other: str, limit: int) -> int:
    """How many characters the two texts end with alike, at most ``limit``."""
    ends = (len(one), len(other))

    def alike(low: int, high: int) -> bool:
        return one[ends[0] - high : ends[0] - low] == other[ends[1] - high : ends[1] - low]

    low = 0
    high = min(_CHUNK, limit)
    while low < high and alike(low, high):
        low, high = high, min(high + _CHUNK, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def utf8_length(text: str, end: int) -> int:
    """How many bytes the first ``end`` characters take; a byte that is not UTF-8 takes one."""
    return sum(map(_bytes_of, _chunks(text, end)))


def utf16_length(text: str, end: int) -> int:
    """How many UTF-16 units the first ``end`` characters take; a byte that is not UTF-8 counts as one."""
    return end + sum(_pairs_of(chunk) for chunk in _chunks(text, end))


def line_and_column(text: str, at: int) -> tuple[int, int]:
    """The line and the column of a character, both from 1; lines end at LF, columns count characters."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _chunks(text: str, end: int) -> Iterator[str]:
    for start in range(0, end, _CHUNK):
        yield text[start : min(start + _CHUNK, end)]


def _bytes_of(chunk: str) -> int:
    try:
        return len(chunk.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a surrogate that stands for no byte: three bytes, as Go's bytes of it would be
        return len(chunk.encode("utf-8", "surrogatepass")) - 2 * len(_BAD_BYTE.findall(chunk))


def _pairs_of(chunk: str) -> int:
    """How many characters take two UTF-16 units. Python's own UTF-16 takes seconds for megabytes of bad bytes."""
    encoded = chunk.encode("utf-8", "replace")
    return len(encoded) - len(encoded.translate(None, _FOUR_BYTES))
