"""What moved, as text: drawn, bounded, the same from run to run."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final, cast

from replay.compare import ABSENT, locate_text
from replay.compare.code_points import describe
from replay.compare.texts import as_texts
from replay.counted import counted
from replay.drift.real_go import MOST_SHOWN
from replay.report.drawing import draw
from replay.report.value_text import brief, cut, outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replay.compare import Absent, Difference, Location
    from replay.drift.change import Change
    from replay.drift.journals import JournalDrift
    from replay.drift.real_go import Beside
    from replay.drift.tables import Moved
    from replay.drift.versions import VersionDrift
    from replay.fields import Value
    from replay.rules.book import Book

MOST_CHANGES: Final = 40
"""How many changed steps are shown."""

MOST_DIFFERENCES: Final = 6
"""How many differences of one step are shown."""

MOST_RANGES: Final = 60
MOST_NAMED: Final = 8

_NAME: Final = 200
_WIDTH: Final = 110


def of_journals(drift: JournalDrift, *, reveal: bool) -> Iterator[str]:
    """Two journals."""
    yield f"{cut(drift.old.file, _NAME)} → {cut(drift.new.file, _NAME)}"
    secret = any(change.secret for change in drift.changes)
    if drift.head:
        yield "before the steps"
        yield from _differences(drift.head, hidden=secret and not reveal)
    yield from _changes(drift.changes, reveal=reveal)
    kinds = [change.kind for change in drift.changes]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in ("added", "removed", "changed"))
    yield f"steps: {counts}, {drift.same:,} the same"


def of_versions(drift: VersionDrift, known: Book, *, reveal: bool) -> Iterator[str]:
    """Two versions of Go."""
    old, new = drift.old, drift.new
    yield f"{old.version} (Unicode {old.unicode}) → {new.version} (Unicode {new.unicode})"
    yield "the tables"
    for one in drift.tables:
        yield from _moved(one)
    yield "what it matters to"
    for one in drift.matters:
        where = "; ".join(f"{name} · {known.section(name)}" for name in one.rules)
        yield from _moved(one, f" ({where})")
    yield "JSON and query strings"
    for probe in drift.probes:
        yield f"  {probe.about}: {draw(probe.old)} → {draw(probe.new)}"
    if not drift.probes:
        yield "  nothing"
    yield from _changed_steps(drift, reveal=reveal)


def _changed_steps(drift: VersionDrift, *, reveal: bool) -> Iterator[str]:
    if drift.steps is None:
        yield "steps: none was run"
        return
    for journal in dict.fromkeys(one.journal for one in drift.changes):
        yield cut(journal, _NAME)
        yield from _changes([one.change for one in drift.changes if one.journal == journal], reveal=reveal)
    yield f"steps: {len(drift.changes):,} of {drift.steps:,} would change"


def _moved(one: Moved, where: str = "") -> Iterator[str]:
    count = len(one.points)
    if not count:
        yield f"  {one.name}: none{where}"
        return
    gone = "" if one.gone is None else f", {count - one.gone:,} added and {one.gone:,} removed"
    yield f"  {one.name}: {count:,} code points{gone}{where}"
    yield from _names(one.points) if where else _ranges(one.points)


def _names(points: Sequence[int]) -> Iterator[str]:
    yield from (f"    {describe(chr(point), 0)}" for point in points[:MOST_NAMED])
    if len(points) > MOST_NAMED:
        yield f"    … and {len(points) - MOST_NAMED:,} more"


def _ranges(points: Sequence[int]) -> Iterator[str]:
    ranges = list(ranges_of(points))
    yield from wrap(", ".join(ranges[:MOST_RANGES]), _WIDTH, initial_indent="    ", subsequent_indent="    ")
    if len(ranges) > MOST_RANGES:
        yield f"    … and {counted(len(ranges) - MOST_RANGES, 'more range')}"


def ranges_of(points: Sequence[int]) -> Iterator[str]:
    """Ascending code points in few words: ``U+A7CB..U+A7CC``."""
    start = 0
    for at, point in enumerate(points):
        if at + 1 == len(points) or points[at + 1] != point + 1:
            first = points[start]
            yield f"U+{first:04X}" if first == point else f"U+{first:04X}..U+{point:04X}"
            start = at + 1


def _changes(changes: Sequence[Change], *, reveal: bool) -> Iterator[str]:
    for change in changes[:MOST_CHANGES]:
        number = change.old if change.new is None else change.new
        was = f" (was {change.old})" if change.old not in {None, number} else ""
        note = f" — {cut(change.note, _NAME)}" if change.note else ""
        yield f"step {number}{was} {cut(change.tool)} {change.kind}{note}"
        yield from _differences(change.differences, hidden=change.secret and not reveal)
        yield from wrap(", ".join(change.rules), _WIDTH, initial_indent="  touches ", subsequent_indent="    ")
    if len(changes) > MOST_CHANGES:
        yield f"… and {counted(len(changes) - MOST_CHANGES, 'more step')}"


def _differences(found: Sequence[Difference], *, hidden: bool) -> Iterator[str]:
    for one in found[:MOST_DIFFERENCES]:
        yield f"  {cut(one.field, _NAME)}"
        if hidden:
            yield f"    - {outline(one.expected)}"
            yield f"    + {outline(one.actual)}"
            continue
        yield from _place(one.expected, one.actual)
        yield f"    - {_shown(one.expected)}"
        yield f"    + {_shown(one.actual)}"
    if len(found) > MOST_DIFFERENCES:
        yield f"  … and {counted(len(found) - MOST_DIFFERENCES, 'more difference')}"


def _place(old: Value | Absent, new: Value | Absent) -> Iterator[str]:
    """Where two texts part."""
    if isinstance(old, bytes) and isinstance(new, bytes):
        old, new = as_texts(old, new)
    if isinstance(old, str) and isinstance(new, str):
        place = cast("Location", locate_text(old, new))  # they do part
        yield f"    line {place.line:,}, column {place.column:,}: {place.recorded} → {place.candidate}"


def _shown(value: Value | Absent) -> str:
    if value is ABSENT:
        return "nothing"
    return f'"{cut(value, _NAME)}"' if isinstance(value, str | bytes) else brief(value)


def of_real_go(found: Beside) -> Iterator[str]:
    """What real Go said."""
    yield "real Go"
    for one in found.sweeps:
        if one.missing:
            yield f"  not asked: {one.missing}"
        elif one.disagreements:
            yield f"  {one.version} DIFFERS from the port's tables in {counted(len(one.disagreements), 'answer')}"
            yield from _few(one.disagreements)
        else:
            asked = f"ToLower, Quote and Fields of {counted(one.asked, 'code point')}"
            yield f"  {one.version} answers as the port's tables do: {asked}, EqualFold of those that moved"
    if found.steps_agree is not None:
        same = "the same steps change, in the same way" if found.steps_agree else "OTHER steps change, or otherwise"
        yield f"  the model, compiled by both: {same}"


def _few(lines: Sequence[str]) -> Iterable[str]:
    yield from (f"    {line}" for line in lines[:MOST_SHOWN])
    if len(lines) > MOST_SHOWN:
        yield f"    … and {len(lines) - MOST_SHOWN:,} more"
