"""Two sides of a step, exactly: to the bit, to the type, nothing stripped, sorted or read again.

Most steps are alike, so what is alike must cost nothing: identical objects are never looked into. No recursion:
a journal may nest values ten thousand deep.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from replay.compare.align import Pair, pair_up
from replay.compare.difference import ABSENT, Difference, Subject, field_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.compare.difference import Absent, Kind, Path, Tolerated
    from replay.compare.tolerances import StepContext, Tolerance
    from replay.fields import Fields, Value

Trail: TypeAlias = "tuple[Trail | None, str | int, int]"
"""A path from its end, with its length: pieces are joined only for what differs."""

_DEEPEST: Final = 64
"""How deep a place is named: below that, the value at this depth is one difference, whole."""

_LIST: Final = "list"
_MAPPING: Final = "mapping"
_TEXT: Final = frozenset({str, bytes})
_SHAPES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
    bytes: "bytes",
    tuple: _LIST,
    dict: _MAPPING,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, in the order of the recording, and what differs but is accepted by a named rule."""

    differences: tuple[Difference, ...] = ()
    tolerated: tuple[Tolerated, ...] = ()


_SAME: Final = Comparison()


def compare(
    expected: Fields, actual: Fields, tolerances: Sequence[Tolerance] = (), context: StepContext | None = None
) -> Comparison:
    """Compare every field that was recorded. A field that only the candidate has is not compared.

    Tolerances are asked in their order, one difference at a time; without a context none is asked. Raises TypeError
    for a value that is none of the types of ``Value``.
    """
    found: list[Difference] = []
    for field, value in expected.items():
        other = actual.get(field, ABSENT)
        if value is other or (type(value) is str and type(other) is str and value == other):
            continue  # as most do: the same as below, without the calls
        if not _same_texts(value, other):
            found.extend(_differences(field, value, other))
    if not found:
        return _SAME
    if context is None or not tolerances:
        return Comparison(tuple(found))
    return _with_tolerances(found, tolerances, context)


def _same_text(value: Value, other: Value | Absent) -> bool:
    """A short cut for what most values are; the long way comes to the same."""
    return type(value) in _TEXT and type(value) is type(other) and value == other


def _same_texts(value: Value, other: Value | Absent) -> bool:
    """The same for a text, or a list of texts such as the requests of a step."""
    if type(value) is tuple and type(other) is tuple:
        return len(value) == len(other) and all(map(_same_text, value, other))
    return _same_text(value, other)


def _with_tolerances(found: Sequence[Difference], tolerances: Sequence[Tolerance], context: StepContext) -> Comparison:
    differences: list[Difference] = []
    tolerated: list[Tolerated] = []
    for difference in found:
        accepted = next(filter(None, (one.apply(context, difference) for one in tolerances)), None)
        if accepted is None:
            differences.append(difference)
        else:
            tolerated.append(accepted)
    return Comparison(tuple(differences), tuple(tolerated))


def shape(value: Value) -> str:
    """The type of a value in the words of a report: null, boolean, integer, number, text, bytes, list, mapping."""
    known = _SHAPES.get(type(value))
    if known is not None:
        return known
    if isinstance(value, Mapping):
        return _MAPPING
    message = f"{type(value).__name__} is no type of a compared value"
    raise TypeError(message)


def same(one: Value, other: Value) -> bool:
    """Whether two values are the same to the bit and in every type."""
    pending: list[tuple[Value, Value]] = [(one, other)]
    while pending:
        one, other = pending.pop()
        if one is other:
            continue
        kind = shape(one)
        if kind != shape(other):
            return False
        if kind == _MAPPING:
            ours, theirs = cast("Fields", one), cast("Fields", other)
            if ours.keys() != theirs.keys():
                return False
            pending.extend((value, theirs[name]) for name, value in ours.items())
        elif kind == _LIST:
            first, second = cast("tuple[Value, ...]", one), cast("tuple[Value, ...]", other)
            if len(first) != len(second):
                return False
            pending.extend(zip(first, second, strict=True))
        elif not _same_leaf(one, other):
            return False
    return True


def _same_leaf(one: Value, other: Value) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    return one == other


Pending: TypeAlias = "tuple[Trail, Value | Absent, Value | Absent]"


def _differences(field: str, expected: Value, actual: Value | Absent) -> Iterator[Difference]:
    """The differences of one field, in order. Every pending pair is two objects that may still be equal."""
    subjects = _Subjects(expected, actual)
    pending: list[Pending] = [((None, field, 1), expected, actual)]
    while pending:
        trail, one, other = pending.pop()
        if one is ABSENT:
            yield subjects.difference(trail, "extra", one, other)
        elif other is ABSENT:
            yield subjects.difference(trail, "missing", one, other)
        else:
            kind = shape(one)
            if kind != shape(other):
                yield subjects.difference(trail, "type", one, other)
            elif trail[2] == _DEEPEST:
                if not same(one, other):
                    yield subjects.difference(trail, "changed", one, other)
            elif kind == _MAPPING:
                pending.extend(reversed(_entries(trail, cast("Fields", one), cast("Fields", other))))
            elif kind == _LIST:
                ours, theirs = cast("tuple[Value, ...]", one), cast("tuple[Value, ...]", other)
                pending.extend(reversed(_elements(trail, ours, theirs)))
            elif not _same_leaf(one, other):
                yield subjects.difference(trail, "changed", one, other)


def _entries(trail: Trail, expected: Fields, actual: Fields) -> list[Pending]:
    """What may differ in a mapping: in recorded order, then what only the candidate has, by name."""
    found: list[Pending] = []
    depth = trail[2] + 1
    shared = 0
    for name, value in expected.items():
        other = actual.get(name, ABSENT)
        if value is other:
            shared += 1
            continue
        if other is not ABSENT:
            shared += 1
            if _same_text(value, other):
                continue
        found.append(((trail, name, depth), value, other))
    if shared != len(actual):
        extra = sorted(actual.keys() - expected.keys())
        found.extend(((trail, name, depth), ABSENT, actual[name]) for name in extra)
    return found


def _elements(trail: Trail, expected: tuple[Value, ...], actual: tuple[Value, ...]) -> list[Pending]:
    """What may differ in a list: the elements between the equal beginning and the equal end, paired up."""
    shorter = min(len(expected), len(actual))
    start = 0
    while start < shorter and same(expected[start], actual[start]):
        start += 1
    room = shorter - start - (len(expected) == len(actual))  # of equal lengths, the first that differ are known
    end = 0
    while end < room and same(expected[-1 - end], actual[-1 - end]):
        end += 1
    ours, theirs = expected[start : len(expected) - end], actual[start : len(actual) - end]
    if not ours and not theirs:
        return []
    pairs = [Pair(0, 0)] if len(ours) == len(theirs) == 1 else pair_up(ours, theirs)
    found: list[Pending] = []
    for pair in pairs:
        one = ABSENT if pair.expected is None else ours[pair.expected]
        other = ABSENT if pair.actual is None else theirs[pair.actual]
        at = pair.actual if pair.expected is None else pair.expected
        if not pair.equal and at is not None:
            found.append(((trail, start + at, trail[2] + 1), one, other))
    return found


class _Subjects:
    """Makes differences of one field, each with the whole that it lies in."""

    def __init__(self, expected: Value, actual: Value | Absent) -> None:
        self._sides = (expected, actual)
        self._free = isinstance(expected, Mapping) and isinstance(actual, Mapping)
        self._known: dict[Path, Subject] = {}

    def difference(self, trail: Trail, kind: Kind, expected: Value | Absent, actual: Value | Absent) -> Difference:
        path = _path(trail)
        return Difference(field_of(path), kind, expected, actual, path, self._subject(path))

    def _subject(self, path: Path) -> Subject:
        whole = path[:2] if self._free else path[:1]
        known = self._known.get(whole)
        if known is None:
            expected, actual = (_within(side, whole) for side in self._sides)
            known = self._known[whole] = Subject(whole, expected, actual)
        return known


def _within(side: Value | Absent, whole: Path) -> Value | Absent:
    """The entry of a field that a subject's path names, or the field itself."""
    if len(whole) == 1 or not isinstance(side, Mapping):
        return side
    return side.get(str(whole[1]), ABSENT)


def _path(trail: Trail) -> Path:
    pieces: list[str | int] = []
    rest: Trail | None = trail
    while rest is not None:
        rest, piece, _ = rest
        pieces.append(piece)
    return tuple(reversed(pieces))
