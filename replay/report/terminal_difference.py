"""A diverged step as a terminal shows it: which step, which field, the place, the characters there, why, the lines.

Plain text, or coloured by a styler that is given each line with its kind. Bounded in every direction: so many
differences of a step, so many lines of a text, so many characters of a line, so many bytes in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.compare import ABSENT, field_of, locate_text
from replay.compare.texts import as_text, as_texts
from replay.counted import counted
from replay.report import point_table
from replay.report.drawing import draw
from replay.report.line_view import ADDED, CARET, CONTEXT, NOTE, REMOVED, Row, one_sided, rows
from replay.report.secrets import HIDDEN, is_secret
from replay.report.value_text import brief, cut, outline, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from replay.compare import Absent, Difference, Location, Tolerated
    from replay.fields import Value
    from replay.outcome import StepRef

Styler: TypeAlias = "Callable[[str, str], str]"
"""``(kind, text) -> text``: gives one line its colours. The kinds are the constants below."""

Line: TypeAlias = tuple[str, str]
"""A kind and the text of one line."""

STEP: Final = "step"
PLACE: Final = "place"
FIELD: Final = "field"
FACT: Final = "fact"
CAUSE: Final = "cause"
KIND_CONTEXT: Final = "context"
KIND_REMOVED: Final = "removed"
KIND_ADDED: Final = "added"
KIND_CARET: Final = "caret"
KIND_NOTE: Final = "note"

_KINDS: Final = {
    CONTEXT: KIND_CONTEXT,
    REMOVED: KIND_REMOVED,
    ADDED: KIND_ADDED,
    CARET: KIND_CARET,
    NOTE: KIND_NOTE,
}
_TITLE: Final = 200
_FIELD: Final = 240
_MOST: Final = 5
_BUDGET: Final = 20_000
_NAMED: Final = 10
_TRACKERS: Final = "trackers"


def render(  # noqa: PLR0913 - what is shown, and how: each has its default
    step: StepRef,
    differences: Sequence[Difference],
    tolerated: Sequence[Tolerated] = (),
    *,
    budget: int = _BUDGET,
    styler: Styler | None = None,
    reveal: bool = False,
) -> str:
    """A step's differences as text, each line ended; never more than ``budget`` bytes of UTF-8 before styling.

    The first five differences are drawn, some more named. The same input gives the same text. ``reveal`` also shows
    what is sealed (:mod:`replay.report.secrets`).
    """
    kept = _within(list(lines(step, differences, tolerated, reveal=reveal)), budget)
    return "".join(f"{text if styler is None else styler(kind, text)}\n" for kind, text in kept)


def _within(due: list[Line], budget: int) -> list[Line]:
    """The first lines that fit, and how many do not."""
    sizes = [len(text.encode()) + 1 for _, text in due]
    if sum(sizes) <= budget:
        return due
    left = budget - _CUT_NOTE
    if left < 0:
        return []
    kept = 0
    while sizes[kept] <= left:
        left -= sizes[kept]
        kept += 1
    return [*due[:kept], (KIND_NOTE, f"… cut off here: {counted(len(due) - kept, 'more line')}")]


_CUT_NOTE: Final = 48
"""More bytes than the note takes that a report was cut off."""


def lines(
    step: StepRef, differences: Sequence[Difference], tolerated: Sequence[Tolerated] = (), *, reveal: bool = False
) -> Iterator[Line]:
    """The same as lines with their kinds, for other ways of showing them. Every line is drawn and bounded."""
    note = f" — {cut(step.note, _TITLE)}" if step.note else ""
    yield STEP, f"step {cut(step.number, _TITLE)} {cut(step.tool, _TITLE)} ({step.mode}){note}"
    yield PLACE, f"  at {cut(str(step.at), _TITLE)}"
    for number, difference in enumerate(differences[:_MOST], start=1):
        hidden = not reveal and is_secret(step, difference)
        yield from _one(difference, f"{number} of {len(differences):,}", hidden=hidden)
    yield from _tables([one for one in differences[:_MOST] if reveal or not is_secret(step, one)])
    rest = differences[_MOST:]
    if rest:
        named = ", ".join(_shown_field(difference.field) for difference in rest[:_NAMED])
        yield KIND_NOTE, f"  … {counted(len(rest), 'more difference')}: {named}{', …' if len(rest) > _NAMED else ''}"
    for one in tolerated:
        yield KIND_NOTE, f"  tolerated: {one.name} in {_shown_field(one.field)}, {counted(one.characters, 'character')}"


def _shown_field(field: str) -> str:
    """A field path with its middle cut out where it is long."""
    if len(field) <= _FIELD:
        return draw(field)
    half = _FIELD // 2
    return f"{draw(field[:half])}…{draw(field[-half:])}"


def _one(difference: Difference, number: str, *, hidden: bool) -> Iterator[Line]:
    yield FIELD, f"  {_shown_field(difference.field)}: {_SAYS[difference.kind]} ({number})"
    texts = _texts(difference)
    location = None if texts is None else locate_text(*texts)
    if texts is not None and location is not None:
        yield from _located(location)
        yield from [(KIND_NOTE, f"    the lines  {HIDDEN}")] if hidden else _rows(rows(*texts, location))
    elif difference.actual is ABSENT:
        yield from _one_side(difference.expected, REMOVED, hidden=hidden)
    elif difference.expected is ABSENT:
        yield from _one_side(difference.actual, ADDED, hidden=hidden)
    else:
        says = outline if hidden else typed
        yield KIND_REMOVED, f"    recorded   {says(difference.expected)}"
        yield KIND_ADDED, f"    candidate  {says(difference.actual)}"
        yield from _distance(difference.expected, difference.actual)


_SAYS: Final = {
    "changed": "differs",
    "missing": "recorded, missing from the candidate",
    "extra": "in the candidate, not recorded",
    "type": "another type",
}


def _texts(difference: Difference) -> tuple[str, str] | None:
    expected, actual = difference.expected, difference.actual
    if isinstance(expected, str) and isinstance(actual, str):
        return expected, actual
    if isinstance(expected, bytes) and isinstance(actual, bytes):
        return as_texts(expected, actual)
    return None


def _distance(expected: Value | Absent, actual: Value | Absent) -> Iterator[Line]:
    """By how much an integer is off: 3600000 ms tell a time zone from a typing error."""
    if type(expected) is int and type(actual) is int:
        off = actual - expected
        yield FACT, f"    off by     {'+' if off > 0 else ''}{brief(off)}"


def _located(location: Location) -> Iterator[Line]:
    place = f"line {location.line:,}, column {location.column:,}"
    offsets = f"byte {location.byte:,}, rune {location.rune:,}, UTF-16 {location.utf16:,}"
    yield FACT, f"    at         {place} ({offsets})"
    yield KIND_REMOVED, f"    recorded   {location.recorded}"
    yield KIND_ADDED, f"    candidate  {location.candidate}"
    length = counted(location.recorded_length, "character")
    yield FACT, f"    length     {length} recorded, {location.candidate_length:,} given"
    for cause in location.causes:
        yield CAUSE, f"    cause      {cause.name}: {cause.says} ({cause.extent})"


def _one_side(value: Value | Absent, sign: str, *, hidden: bool) -> Iterator[Line]:
    """What only one side has: a file with its seal and first lines, a text by its first lines, else in one line."""
    content = value.get("content") if isinstance(value, Mapping) else value
    if not isinstance(content, str | bytes):
        yield _KINDS[sign], f"    {sign} {outline(value) if hidden else typed(value)}"
        return
    if isinstance(value, Mapping):
        sealed = "sealed" if value.get("sealed") is True else "not sealed"
        yield FACT, f"    {sealed}, {counted(len(content), 'byte')}"
    if hidden:
        yield KIND_NOTE, f"    {counted(len(content), 'character')}, {HIDDEN}"
    else:
        yield from _rows(one_sided(as_text(content), sign))


def _tables(differences: Sequence[Difference]) -> Iterator[Line]:
    """The points of every tracker that differs, each table once."""
    subjects = {one.subject.path: one.subject for one in differences if one.subject and one.path[0] == _TRACKERS}
    for path, subject in subjects.items():
        table = point_table.rows(subject.expected, subject.actual)
        if table:
            yield FIELD, f"  points of {_shown_field(field_of(path))}"
            yield FACT, f"      {point_table.HEADING}"
            yield from _rows(table, numbered=False)


def _rows(found: Sequence[Row], *, numbered: bool = True) -> Iterator[Line]:
    """Rows behind their signs and line numbers. A caret row has the same margin as the line above it."""
    longest = max((len(str(row.number)) for row in found if row.number is not None), default=1)
    for row in found:
        sign = " " if row.sign == CARET else row.sign
        number = "" if row.number is None else str(row.number)
        margin = f"{number:>{longest}} │ " if numbered else ""
        yield _KINDS[row.sign], f"    {sign} {margin}{row.text}"
