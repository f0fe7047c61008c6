"""A journal's bytes as text, one character per byte (Latin-1), and the text that those bytes mean.

The scanner works on the bytes so seen: every character of JSON's syntax is ASCII, so it reads them as it would the
text, its positions are byte offsets, the file takes one byte of memory per byte, and bytes that are no UTF-8 (a trap
that ``args`` may hold) disturb nothing. What it gives for a string is that string's UTF-8, again one character per
byte: *octets*; :func:`text` makes text of them. For that to be true of escapes as well, those that stand for other
characters than ASCII are replaced before scanning (:func:`without_wide_escapes`).
"""

from __future__ import annotations

import re
from typing import Final

from replay.journal.defects import Defect, Kind

_ASCII_ESCAPES: Final = r"\\u(?!00[0-7])"
_WIDE: Final = re.compile(_ASCII_ESCAPES)
_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|[^u])"
)
_REPLACEMENT: Final = 0xFFFD
_CONTINUATION: Final = re.compile("[\x80-\xbf]+")
_GOOD: Final = re.compile("[^\udc80-\udcff]*")
_CHUNK: Final = 1 << 20


def seen(data: bytes) -> str:
    """The bytes, one character each."""
    return data.decode("latin-1")


def raw(octets: str) -> bytes:
    """The bytes that octets stand for: the inverse of :func:`seen`."""
    return octets.encode("latin-1")


def text(octets: str) -> str:
    """The text whose UTF-8 the octets are. Raises :class:`Defect` ``not-utf8``."""
    if octets.isascii():
        return octets
    try:
        return octets.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"the byte 0x{error.object[error.start]:02x}"
        raise Defect(Kind.NOT_UTF8, found, "UTF-8") from None


def shown(octets: str) -> str:
    """The text as far as the octets are UTF-8, U+FFFD in place of the rest: for errors only."""
    return octets.encode("latin-1").decode("utf-8", "replace")


def first_bad_byte(octets: str) -> int:
    """Where octets, which are not UTF-8, stop being it: counted from their start."""
    good = _GOOD.match(octets.encode("latin-1").decode("utf-8", "surrogateescape"))
    return 0 if good is None else len(good[0].encode("utf-8"))


def has_wide_escapes(octets: str, start: int = 0, end: int | None = None) -> bool:
    r"""Whether a ``\u`` escape may stand there for a character outside ASCII."""
    stop = len(octets) if end is None else end
    return octets.find("\\u", start, stop) >= 0 and _WIDE.search(octets, start, stop) is not None


def without_wide_escapes(octets: str) -> str:
    r"""Valid JSON with every ``\u`` escape for a character outside ASCII replaced by that character's octets.

    A half of a surrogate pair that stands alone becomes U+FFFD, as in Go's decoder (go-semantics.md, 2.10).
    """
    return _ESCAPE.sub(_character, octets)


def characters(octets: str, start: int, end: int) -> int:
    """How many characters of UTF-8 begin between two offsets."""
    return sum(len(_CONTINUATION.sub("", octets[at : min(at + _CHUNK, end)])) for at in range(start, end, _CHUNK))


def _character(escape: re.Match[str]) -> str:
    high, low, single = escape.groups()
    if high is not None:
        code = 0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00
    elif single is None or int(single, 16) < 0x80:
        return escape[0]
    else:
        code = int(single, 16)
        if 0xD800 <= code <= 0xDFFF:
            code = _REPLACEMENT
    return chr(code).encode("utf-8").decode("latin-1")
