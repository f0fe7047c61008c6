"""Values on the way to the oracle and back: text that may not be UTF-8, moments (model/PROTOCOL.md)."""

from __future__ import annotations

import base64
from contextlib import suppress
from functools import lru_cache
from typing import Final

from parity.gostd import time, utf8

_LAYOUT: Final = "2006-01-02 15:04:05"
_NANOSECONDS: Final = 1_000_000_000


class NoTextError(ValueError):
    """A value that is no text on the wire."""


def text(content: bytes | str) -> str | dict[str, str]:
    """A text to send: a string, or ``{"b64"}`` for bytes that are not UTF-8.

    In a ``str`` one of U+DC80 to U+DCFF is such a byte (:mod:`parity.gostd.utf8`).
    """
    if isinstance(content, str):
        if content.isascii() or utf8.clean(content) is content:
            return content
        content = utf8.encode(content)
    if utf8.valid(content):
        return content.decode("utf-8")
    return {"b64": base64.b64encode(content).decode("ascii")}


def read(value: object, key: str = "b64") -> bytes:
    """The bytes of a text that was answered. ``key`` is the one of bytes that are not UTF-8.

    Raises :class:`NoTextError` for what is no text.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, dict) and isinstance(value.get(key), str):
        with suppress(ValueError):
            return base64.b64decode(value[key], validate=True)
    raise NoTextError(key)


@lru_cache(maxsize=4096)
def moment(nanoseconds: int) -> str:
    """A moment in nanoseconds since 1970 as RFC 3339 writes it, in UTC, for the years 0000 to 9999."""
    day, _, clock = time.unix_nano(nanoseconds).format(_LAYOUT).partition(" ")
    return f"{day}T{clock}.{nanoseconds % _NANOSECONDS:09d}Z"
