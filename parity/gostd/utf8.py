"""Go's strings are bytes: from bytes to text and back, as Go's ``range`` and ``unicode/utf8`` read them.

Two forms of text stand for bytes. *Text* as :func:`text` gives it keeps every byte: one that is not UTF-8 is one of
U+DC80 to U+DCFF. *Clean text* as :func:`decode` gives it has U+FFFD for each such byte, as Go's ``range``, ``ToLower``
and JSON have it (contract: go-semantics.md, 2.1). Each bad BYTE counts for one: Python's ``"replace"`` handler would
write a single U+FFFD for several.
"""

from __future__ import annotations

import re
from typing import Final

REPLACEMENT: Final = "\ufffd"
"""Go's ``utf8.RuneError``."""

_BAD_BYTES: Final = re.compile("[\udc80-\udcff]+")


def text(b: bytes) -> str:
    """The bytes as text, each byte that is not UTF-8 as one of U+DC80 to U+DCFF; :func:`encode` gives them back."""
    return b.decode("utf-8", "surrogateescape")


def encode(s: str) -> bytes:
    """The bytes of a text: the inverse of :func:`text`; plain UTF-8 when the text is clean.

    Raises UnicodeEncodeError for a surrogate that stands for no byte, which neither :func:`text` nor Go's JSON gives.
    """
    return s.encode("utf-8", "surrogateescape")


def decode(b: bytes) -> str:
    """The bytes as clean text: U+FFFD for each byte that is not UTF-8, as Go's ``string([]rune(s))``."""
    try:
        return b.decode("utf-8")
    except UnicodeDecodeError:
        # Python marks as bad exactly the bytes at which Go's decoder stops; what it takes together (a cut sequence)
        # is one lead byte and continuation bytes, each of which is bad by itself in Go.
        return _replace_bad_bytes(text(b))


def clean(s: str) -> str:
    """A text with each byte that is not UTF-8 as U+FFFD: what :func:`decode` makes of the same bytes."""
    try:
        s.encode("utf-8")  # five times as fast as looking for surrogates
    except UnicodeEncodeError:
        return _replace_bad_bytes(s)
    return s


def valid(b: bytes) -> bool:
    """Whether the bytes are UTF-8, as Go's ``utf8.Valid`` says."""
    try:
        b.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _replace_bad_bytes(s: str) -> str:
    return _BAD_BYTES.sub(lambda bad: REPLACEMENT * len(bad[0]), s)
