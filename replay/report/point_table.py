"""The points of a tracker as a table: the recorded ones and the candidate's, from the first that differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from replay.compare import Pair, pair_up, same
from replay.counted import counted
from replay.report.line_view import ADDED, CONTEXT, NOTE, REMOVED, Row
from replay.report.value_text import brief, cut

if TYPE_CHECKING:
    from replay.compare import Absent
    from replay.fields import Value

_ROWS: Final = 12
_TEXT: Final = 40
_ID: Final = 24
_MOST_MILLISECONDS: Final = 1 << 63

HEADING: Final = f"{'id':<20} {'ts':>14}  {'UTC':<23}  {'date_only':<9}  text"


def rows(expected: Value | Absent, actual: Value | Absent) -> list[Row]:
    """The table. A side that is no tracker has no points."""
    ours, theirs = _points(expected), _points(actual)
    start = 0
    while start < min(len(ours), len(theirs)) and same(ours[start], theirs[start]):
        start += 1
    first = max(0, start - 1)
    found = [Row(NOTE, None, f"{counted(first, 'point')} alike")] if first else []
    pairs = pair_up(ours[first:], theirs[first:])
    for pair in pairs[:_ROWS]:
        found.extend(_pair(pair, ours, theirs, first))
    if len(pairs) > _ROWS:
        found.append(Row(NOTE, None, counted(len(pairs) - _ROWS, "more point")))
    return found


def _points(side: Value | Absent) -> tuple[Value, ...]:
    events = side.get("events") if isinstance(side, Mapping) else None
    return events if isinstance(events, tuple) else ()


def _pair(pair: Pair, ours: tuple[Value, ...], theirs: tuple[Value, ...], first: int) -> list[Row]:
    found: list[Row] = []
    if pair.expected is not None:
        found.append(Row(CONTEXT if pair.equal else REMOVED, None, _point(ours[first + pair.expected])))
    if pair.actual is not None and not pair.equal:
        found.append(Row(ADDED, None, _point(theirs[first + pair.actual])))
    return found


def _point(event: Value) -> str:
    if not isinstance(event, Mapping):
        return brief(event)
    ts = event.get("ts")
    text = event.get("text")
    id_ = event.get("id")
    shown = (
        cut(id_, _ID) if isinstance(id_, str) else brief(id_),
        brief(ts),
        moment(ts) if isinstance(ts, int) else "",
        brief(event.get("date_only")),
        cut(text, _TEXT) if isinstance(text, str) else brief(text),
    )
    return f"{shown[0]:<20} {shown[1]:>14}  {shown[2]:<23}  {shown[3]:<9}  {shown[4]}"


def moment(ts: int) -> str:
    """Milliseconds since 1970 as a date and a time in UTC, for every year; nothing beyond 64 bits."""
    if not -_MOST_MILLISECONDS <= ts < _MOST_MILLISECONDS:
        return ""
    seconds, milliseconds = divmod(ts, 1000)
    days, second = divmod(seconds, 86400)
    year, month, day = _date(days)
    return (
        f"{year:04}-{month:02}-{day:02} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{milliseconds:03}"
    )


def _date(days: int) -> tuple[int, int, int]:
    """The Gregorian date of a day counted from 1970, worked out in cycles of 400 years that begin on a 1 March."""
    cycle, day_of_cycle = divmod(days + 719_468, 146_097)
    year = (day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36_524 - day_of_cycle // 146_096) // 365
    day_of_year = day_of_cycle - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    january = month >= 10
    return cycle * 400 + year + january, month - 9 if january else month + 3, day
