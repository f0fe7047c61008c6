"""Go's ``encoding/json``, as far as the tools and the fake Go need it (contract: go-semantics.md, 2.10 and 2.11).

Two ways of reading give one answer: Python's C scanner where a document is plain, our own reader
(:mod:`parity.gostd._json_reader`) where it holds, or may hold, something that the scanner reads otherwise than Go, and
for the text of every error.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from parity.gostd._json_reader import JSONSyntaxError, Reader
from parity.gostd._json_writer import UnsupportedValueError, marshal
from parity.gostd._tree import Struct

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

__all__ = ["Decoded", "Struct", "UnsupportedValueError", "marshal", "unmarshal", "unmarshal_args"]

_SPACE: Final = " \t\n\r"
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")

_DEPTH_ENOUGH: Final = 64
"""How many containers one inside the other the C scanner may meet: it recurses, on a stack whose limit no version of
Python tells, and no document of ours is deeper."""

_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


class Decoded(NamedTuple):
    """What ``json.Unmarshal`` leaves in an ``any``, and the error it gives.

    ``value`` is None, bool, float, str, list or dict. Its texts are clean: U+FFFD stands for each byte that was not
    UTF-8 and each lone half of a surrogate pair. A dict has the document's order, which means nothing: a Go map has
    none, and what prints one sorts it. ``error`` is Go 1.25's text; for Go 1.27 it says only that there is an error.
    """

    value: object
    error: str | None


def unmarshal(raw: bytes, target: GoTarget) -> Decoded:
    """Go's ``json.Unmarshal(raw, &value)`` with ``var value any``.

    A syntax error leaves None. A number beyond float64 is an error too, but the rest of the document is filled in; its
    own slot is None up to Go 1.26 and 0 since Go 1.27. Never raises, however hostile the document.
    """
    try:
        return Decoded(_read_plain(raw), None)
    except (ValueError, RecursionError):
        return _read_any(raw, target)


def unmarshal_args(raw: bytes, target: GoTarget) -> dict[str, object]:
    """A tool's arguments: Go's ``json.Unmarshal`` into a ``map[string]any``, its error ignored.

    Empty if the document is null, no object, or not JSON at all.
    """
    try:
        value = _read_plain(raw)
    except (ValueError, RecursionError):
        value = _read_any(raw, target).value
    return value if isinstance(value, dict) else {}


def _read_any(raw: bytes, target: GoTarget) -> Decoded:
    reader = Reader(raw, target)
    try:
        return Decoded(reader.read(), reader.error)
    except JSONSyntaxError as error:
        return Decoded(None, str(error))


def _read_plain(raw: bytes) -> object:
    """The value of a document without traps. Raises ValueError or RecursionError if it may hold one."""
    text = raw.decode().strip(_SPACE)
    if "\\u" in text and _SURROGATE.search(text):
        raise ValueError
    if len(text) > _DEPTH_ENOUGH and text.count("[") + text.count("{") > _DEPTH_ENOUGH and not _is_shallow(raw):
        raise ValueError
    value, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError
    return value


def _is_shallow(raw: bytes) -> bool:
    """Whether at most :data:`_DEPTH_ENOUGH` containers stand one inside the other.

    True speaks for what the scanner reads: the document up to its first syntax error. False may only mean that brackets
    do not match.
    """
    if b"\\" in raw:
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    brackets = b"".join(raw.split(b'"')[::2]).translate(None, _NO_BRACKETS)
    for _ in range(_DEPTH_ENOUGH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets


def _number(literal: str) -> float:
    """A number of the document, whole ones too: Go's ``any`` holds float64 only, and ``-0`` keeps its sign."""
    number = float(literal)
    if math.isinf(number):
        raise ValueError
    return number


def _refuse(constant: str) -> object:
    """``NaN`` and ``Infinity``, which are not JSON."""
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_refuse)
