"""A value of any type in one short line: for what is neither text nor a file."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from replay.compare import ABSENT, shape
from replay.counted import counted
from replay.fields import characters
from replay.report.drawing import draw
from replay.report.secrets import HIDDEN

if TYPE_CHECKING:
    from replay.compare import Absent
    from replay.fields import Value

_CHARACTERS: Final = 80
_ITEMS: Final = 6
_DEPTH: Final = 3
_BITS: Final = 512


def cut(text: str | bytes, most: int = _CHARACTERS) -> str:
    """The beginning of a text, drawn, and how much follows."""
    left = len(text) - most
    return draw(text[:most], ends=left <= 0) + (f"…[{left:,} more]" if left > 0 else "")


def typed(value: Value | Absent) -> str:
    """A value with its type: ``1 (integer)``."""
    if value is ABSENT:
        return "nothing"
    return f"{brief(value)} ({shape(value)})"


def outline(value: Value | Absent) -> str:
    """What may be said of a value that is a secret: its type, how many characters it holds; no more, save yes or no."""
    if value is ABSENT or value is None or isinstance(value, bool):
        return typed(value)
    return f"{shape(value)}, {counted(characters(value), 'character')}; {HIDDEN}"


def brief(value: Value, depth: int = _DEPTH) -> str:
    """A value in one line of bounded length, whatever it holds."""
    if isinstance(value, str | bytes):
        return f'"{cut(value)}"'
    if isinstance(value, tuple | Mapping) and depth <= 0:
        return counted(len(value), "item")
    if isinstance(value, tuple):
        return f"[{_listed([brief(one, depth - 1) for one in value[:_ITEMS]], len(value))}]"
    if isinstance(value, Mapping):
        names = sorted(value)[:_ITEMS]
        return f"{{{_listed([f'{cut(name)}: {brief(value[name], depth - 1)}' for name in names], len(value))}}}"
    return _scalar(value)


def _listed(items: list[str], count: int) -> str:
    return ", ".join(items) + (f", and {count - len(items):,} more" if count > len(items) else "")


def _scalar(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value!r} (bits {struct.pack('>d', value).hex()})"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"an integer of {value.bit_length():,} bits"
    return str(value)
