"""A difference as a value: which field, what kind, what was recorded, what the candidate gave.

A field path is written as a person would: ``result``, ``diff[3].text``, ``files['a.md'].content``,
``trackers['generale/poids'].events[2].ts``. The index of a list is the recorded one, and the candidate's own for an
element that was not recorded.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from replay.compare.code_points import is_plain

if TYPE_CHECKING:
    from replay.fields import Value


class Absent(Enum):
    """The type of :data:`ABSENT`: nothing stands there, not even None."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

Kind: TypeAlias = Literal["changed", "missing", "extra", "type"]
"""``missing``: recorded, and the candidate lacks it. ``extra``: the other way round. ``type``: 1 against 1.0."""

Path: TypeAlias = tuple[str | int, ...]

_FREE_NAMES: Final = frozenset({"files", "trackers"})
"""Fields whose keys are names of the user's: they always stand in brackets."""

_IDENTIFIER: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*+", re.ASCII)
_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Subject:
    """The whole that a difference lies in: one file, one tracker, else the whole field; as recorded and as given."""

    path: Path
    expected: Value | Absent
    actual: Value | Absent


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``expected`` is ABSENT when ``kind`` is extra, ``actual`` when it is missing.

    ``path`` is ``field`` in pieces; empty when whoever made the difference named the field only.
    """

    field: str
    kind: Kind
    expected: Value | Absent
    actual: Value | Absent
    path: Path = ()
    subject: Subject | None = dataclasses.field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tolerated:
    """A difference that a named rule accepts: the rule, the field, how many recorded characters were not compared."""

    name: str
    field: str
    characters: int


def field_of(path: Path) -> str:
    """The path as text. No character of it is obeyed by a terminal, and two paths never give the same text."""
    pieces: list[str] = []
    for depth, piece in enumerate(path):
        if isinstance(piece, int):
            pieces.append(f"[{piece}]")
        elif _IDENTIFIER.fullmatch(piece) is None or (depth == 1 and path[0] in _FREE_NAMES):
            pieces.append(f"[{_quoted(piece)}]")
        else:
            pieces.append(f".{piece}" if depth else piece)
    return "".join(pieces)


def _quoted(name: str) -> str:
    """A name as Python's ``repr`` quotes it, except that the pinned Unicode data say what is printable."""
    quote = '"' if "'" in name and '"' not in name else "'"
    return quote + "".join(_escaped(character, quote) for character in name) + quote


def _escaped(character: str, quote: str) -> str:
    if character == quote:
        return f"\\{quote}"
    if character in _ESCAPES:
        return _ESCAPES[character]
    if is_plain(character):
        return character
    point = ord(character)
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"
