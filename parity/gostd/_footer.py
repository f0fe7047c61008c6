"""The last line of a TZif file: a zone's rule for all times after its last transition, in the form of the variable TZ.

Such as ``CET-1CEST,M3.5.0,M10.5.0/3``. Mirrors ``tzset`` and what it calls in Go's ``zoneinfo.go``, its way with
negative numbers included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from parity.gostd._calendar import SECONDS_PER_DAY, date_of, days_before, days_in, days_of, is_leap, quotient, remainder

ALPHA: Final = -(2**63)
"""The beginning of time."""

OMEGA: Final = 2**63 - 1
"""The end of time."""

_SECONDS_PER_HOUR: Final = 3600
_TWO_IN_THE_NIGHT: Final = 2 * _SECONDS_PER_HOUR
_DEFAULT_DAYLIGHT: Final = ",M3.2.0,M11.1.0"
_DIGITS: Final = "0123456789"
_END_OF_NAME: Final = "0123456789,-+"
_SHORTEST_NAME: Final = 3


class Period(NamedTuple):
    """What holds in a zone from ``start`` (included) to ``end`` (not), in seconds since 1970.

    ``offset`` is in seconds east of UTC.
    """

    abbreviation: str
    offset: int
    start: int
    end: int
    is_daylight: bool


@dataclass(frozen=True, slots=True)
class Change:
    """When in a year the clocks change: ``kind`` is ``J``, ``M`` or empty, ``time`` seconds after local midnight.

    ``J``: ``day`` from 1 to 365, the 29th of February not counted. Empty: ``day`` from 0 to 365, counted.
    ``M``: the ``week``-th (5: the last) weekday ``day`` (0: Sunday) of ``month``.
    """

    kind: str
    day: int
    time: int
    week: int = 0
    month: int = 0


@dataclass(frozen=True, slots=True)
class Daylight:
    """The second half of a rule: the other time of the year, and the two changes."""

    abbreviation: str
    offset: int
    start: Change
    end: Change


@dataclass(frozen=True, slots=True)
class Footer:
    """A whole rule; ``daylight`` is None where the clocks never change."""

    abbreviation: str
    offset: int
    daylight: Daylight | None


def parse(text: str) -> Footer | None:
    """The rule that a footer states, one character a byte, or None where Go's ``tzset`` gives up."""
    try:
        return _Reader(text).footer()
    except _MalformedError:
        return None


def lookup(footer: Footer, last: int, second: int) -> Period:
    """What holds at ``second``, which is not before ``last``, the last transition; both in seconds since 1970."""
    daylight = footer.daylight
    if daylight is None:
        return Period(footer.abbreviation, footer.offset, last, OMEGA, is_daylight=False)
    days = second // SECONDS_PER_DAY
    year = date_of(days)[0]
    into = (days - days_of(year, 1, 1)) * SECONDS_PER_DAY + remainder(second, SECONDS_PER_DAY)
    year_start = second - into
    first = _seconds_into_year(year, daylight.start, footer.offset)
    then = _seconds_into_year(year, daylight.end, daylight.offset)
    outside, inside = (footer.abbreviation, footer.offset, False), (daylight.abbreviation, daylight.offset, True)
    if then < first:
        # The southern half of the world: the year begins and ends in daylight saving time.
        first, then, outside, inside = then, first, inside, outside
    if into < first:
        return _period(outside, year_start, first + year_start)
    if into >= then:
        return _period(outside, then + year_start, year_start + 365 * SECONDS_PER_DAY)
    return _period(inside, first + year_start, then + year_start)


def _period(kind: tuple[str, int, bool], start: int, end: int) -> Period:
    abbreviation, offset, is_daylight = kind
    return Period(abbreviation, offset, start, end, is_daylight)


def _seconds_into_year(year: int, change: Change, offset: int) -> int:
    """When a change happens, in seconds after the year began in UTC (Go's ``tzruleTime``)."""
    if change.kind == "J":
        day = change.day - 1 + (is_leap(year) and change.day >= 60)
    elif change.kind == "M":
        day = _weekday_of_month(year, change)
    else:
        day = change.day
    return day * SECONDS_PER_DAY + change.time - offset


def _weekday_of_month(year: int, change: Change) -> int:
    """The day of the year, from 0, of the ``week``-th weekday ``day`` of a month: Zeller's congruence, as Go has it."""
    month = (change.month + 9) % 12 + 1
    shifted = year - 1 if change.month <= 2 else year
    century, rest = quotient(shifted, 100), remainder(shifted, 100)
    first = ((26 * month - 2) // 10 + 1 + rest + quotient(rest, 4) + quotient(century, 4) - 2 * century) % 7
    day = (change.day - first) % 7
    for _ in range(1, change.week):
        if day + 7 >= days_in(change.month, year):
            break
        day += 7
    return day + days_before(change.month, year)


class _MalformedError(Exception):
    """The footer is not one that Go reads."""


class _Reader:
    """Reads a footer from left to right; every method raises :class:`_MalformedError` where Go gives up."""

    def __init__(self, text: str) -> None:
        self._rest = text

    def footer(self) -> Footer:
        """All of it (Go's ``tzset``)."""
        abbreviation = self._name()
        # What the text adds to local time to get UTC, we add to UTC to get local time.
        offset = -self._offset()
        if self._rest[:1] in {"", ","}:
            return Footer(abbreviation, offset, None)
        return Footer(abbreviation, offset, self._daylight(offset))

    def _daylight(self, standard_offset: int) -> Daylight:
        abbreviation = self._name()
        offset = standard_offset + _SECONDS_PER_HOUR if self._rest[:1] in {"", ","} else -self._offset()
        self._rest = self._rest or _DEFAULT_DAYLIGHT
        self._take(",;")
        start = self._change()
        self._take(",")
        end = self._change()
        if self._rest:
            raise _MalformedError
        return Daylight(abbreviation, offset, start, end)

    def _take(self, wanted: str) -> str:
        """The next character, which must be one of these."""
        taken = self._rest[:1]
        if not taken or taken not in wanted:
            raise _MalformedError
        self._rest = self._rest[1:]
        return taken

    def _skip(self, wanted: str) -> str:
        """The next character if it is one of these, else nothing."""
        return self._take(wanted) if self._rest and self._rest[0] in wanted else ""

    def _name(self) -> str:
        """``CET``, or anything between ``<`` and ``>`` (Go's ``tzsetName``)."""
        if self._skip("<"):
            name, closed, self._rest = self._rest.partition(">")
            if not closed:
                raise _MalformedError
            return name
        length = next((at for at, one in enumerate(self._rest) if one in _END_OF_NAME), len(self._rest))
        if length < _SHORTEST_NAME:
            raise _MalformedError
        name, self._rest = self._rest[:length], self._rest[length:]
        return name

    def _offset(self) -> int:
        """``[+-]hh[:mm[:ss]]`` in seconds; up to a week, as tzcode allows (Go's ``tzsetOffset``)."""
        sign = -1 if self._skip("+-") == "-" else 1
        seconds = self._number(0, 24 * 7) * _SECONDS_PER_HOUR
        for unit in (60, 1):
            if not self._skip(":"):
                break
            seconds += self._number(0, 59) * unit
        return sign * seconds

    def _change(self) -> Change:
        """``Jn``, ``n`` or ``Mm.w.d``, and ``/time`` (Go's ``tzsetRule``)."""
        kind = self._skip("JM")
        week = month = 0
        if kind == "M":
            month = self._number(1, 12)
            self._take(".")
            week = self._number(1, 5)
            self._take(".")
            day = self._number(0, 6)
        else:
            day = self._number(1 if kind else 0, 365)
        time = self._offset() if self._skip("/") else _TWO_IN_THE_NIGHT
        return Change(kind, day, time, week, month)

    def _number(self, least: int, most: int) -> int:
        """Decimal digits that make a number from ``least`` to ``most`` (Go's ``tzsetNum``)."""
        number = int(self._take(_DIGITS))
        while digit := self._skip(_DIGITS):
            number = min(number * 10 + int(digit), most + 1)
        if not least <= number <= most:
            raise _MalformedError
        return number
