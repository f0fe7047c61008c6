"""The proleptic Gregorian calendar on plain integers: any year, days counted from 1970-01-01.

Go counts in 64-bit seconds from the year -292277022400; whatever fits there comes out here alike (``time.go``,
"Computations on Times").
"""

from __future__ import annotations

from typing import Final

SECONDS_PER_DAY: Final = 86_400

_DAYS_PER_400_YEARS: Final = 146_097
_DAYS_PER_100_YEARS: Final = 36_524
_DAYS_PER_4_YEARS: Final = 1_461
_EPOCH: Final = 719_468
"""Days from 0000-03-01, where a year of this reckoning begins, to 1970-01-01."""

_DAYS_IN_MONTH: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FEBRUARY: Final = 2


def quotient(number: int, divisor: int) -> int:
    """Go's ``/`` on integers: cut towards zero, where Python's ``//`` goes down. ``divisor`` is positive."""
    return number // divisor if number >= 0 else -(-number // divisor)


def remainder(number: int, divisor: int) -> int:
    """Go's ``%`` on integers: it has the sign of ``number``. ``divisor`` is positive."""
    return number - quotient(number, divisor) * divisor


def is_leap(year: int) -> bool:
    """Whether the year has a 29th of February (Go's ``isLeap``)."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(month: int, year: int) -> int:
    """How many days a month (1 to 12) of a year has (Go's ``daysIn``)."""
    return 29 if month == _FEBRUARY and is_leap(year) else _DAYS_IN_MONTH[month - 1]


def days_before(month: int, year: int) -> int:
    """How many days of the year come before the first of a month (1 to 12)."""
    return sum(days_in(one, year) for one in range(1, month))


def days_of(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date (Go's ``dateToAbsDays``, with 1970 for its epoch)."""
    march_year = year if month > _FEBRUARY else year - 1
    century, year_of_century = divmod(march_year, 100)
    month_from_march = (month - 3) % 12
    year_day = (153 * month_from_march + 2) // 5 + day - 1
    return century * _DAYS_PER_400_YEARS // 4 + year_of_century * _DAYS_PER_4_YEARS // 4 + year_day - _EPOCH


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month (1 to 12) and day (1 to 31) that stand ``days`` days from 1970-01-01 (Go's ``absDays.date``)."""
    # The last day of 400 years would start a fifth century, the last of four years a fifth year: hence the two min.
    cycle, day = divmod(days + _EPOCH, _DAYS_PER_400_YEARS)
    century = min(day // _DAYS_PER_100_YEARS, 3)
    day -= century * _DAYS_PER_100_YEARS
    fours, day = divmod(day, _DAYS_PER_4_YEARS)
    single = min(day // 365, 3)
    day -= single * 365
    month_from_march = (5 * day + 2) // 153
    day_of_month = day - (153 * month_from_march + 2) // 5 + 1
    year = cycle * 400 + century * 100 + fours * 4 + single
    if month_from_march < 10:
        return year, month_from_march + 3, day_of_month
    return year + 1, month_from_march - 9, day_of_month
