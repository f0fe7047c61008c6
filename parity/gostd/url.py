"""Go's ``net/url``: the query string (contract: go-semantics.md, 2.12)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parity.gostd import strconv, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

_PARAMETERS_AT_MOST: Final = 10000
_FIRST_MINOR_WITH_A_LIMIT: Final = 26

_ESCAPE: Final = re.compile(rb"%([0-9a-fA-F]{2})")
_BAD_ESCAPE: Final = re.compile(rb"%(?![0-9a-fA-F]{2}).{0,2}", re.DOTALL)


class Values(dict[bytes, list[bytes]]):
    """Go's ``url.Values``: each key with its values in order, keys in order of appearance.

    ``error`` is the text of Go's error, or None; the pairs without a fault are there all the same.
    """

    def __init__(self) -> None:
        super().__init__()
        self.error: str | None = None

    def first(self, key: bytes) -> bytes:
        """The first value of a key, empty if there is none: Go's ``Values.Get``."""
        held = self.get(key)
        return held[0] if held else b""

    def has(self, key: bytes) -> bool:
        """Whether the key is there, with a value or without: Go's ``Values.Has``."""
        return key in self


class _EscapeError(ValueError):
    """An escape that is none; the message is Go's."""


def parse_query(raw: bytes | str, target: GoTarget) -> Values:
    """A query string's pairs: Go's ``url.ParseQuery``. A pair with a raw ``;`` or a bad escape is dropped whole.

    Since Go 1.26, more than 10,000 parameters (empty ones count) are an error and none is read. That is with a ``go``
    line of 1.24 or later in go.mod: an older one asks for no limit.
    """
    query = utf8.encode(raw) if isinstance(raw, str) else raw
    values = Values()
    pairs = query.split(b"&")
    if target.minor >= _FIRST_MINOR_WITH_A_LIMIT and len(pairs) > _PARAMETERS_AT_MOST:
        values.error = "number of URL query parameters exceeded limit"
        return values
    for pair in pairs:
        if b";" in pair:
            values.error = "invalid semicolon separator in query"  # whatever came before, as in Go
        elif pair:
            _add(values, pair, target)
    return values


def _add(values: Values, pair: bytes, target: GoTarget) -> None:
    name, _, value = pair.partition(b"=")
    try:
        key, held = _unescape(name, target), _unescape(value, target)
    except _EscapeError as error:
        values.error = values.error or str(error)
    else:
        values.setdefault(key, []).append(held)


def _unescape(component: bytes, target: GoTarget) -> bytes:
    """Go's ``QueryUnescape``."""
    if bad := _BAD_ESCAPE.search(component):
        message = f"invalid URL escape {strconv.quote(utf8.text(bad[0]), target)}"
        raise _EscapeError(message)
    return _ESCAPE.sub(_byte, component.replace(b"+", b" "))


def _byte(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode())
