"""Dates, right and wrong: first of all those around the moments at which a zone's clocks are put on or back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from parity import zones
from parity.gostd import time
from replay.fuzz import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parity.gostd.time import Zone
    from replay.fuzz.dice import Dice

ZONES: Final = (
    "UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca",
    "Asia/Kolkata", "Pacific/Apia", "America/St_Johns", "Asia/Kathmandu", "Pacific/Chatham", "Antarctica/Troll",
    "America/Sao_Paulo", "Asia/Tehran", "Africa/Monrovia", "Asia/Gaza", "Europe/London", "America/Santiago",
    "Etc/GMT+12", "Pacific/Kiritimati",
)  # fmt: skip
"""Zones with half hours, negative daylight time, days that are missing, seconds, odd rules."""

FIRST_SECOND: Final = -62_167_219_200
"""The year 0000 begins, UTC."""

END: Final = 253_402_300_800
"""The year 9999 is over, UTC."""

_LAST_TURN: Final = 2_366_841_600
"""Early in 2045."""

WORDS: Final = (
    "", "now", "NOW", "maintenant", "Maintenant", "MAINTENANT\n", " now ", "maıntenant", "ｎow", "now.", "nоw",
    "no\u0307w", "hier",
)  # fmt: skip

WRONG: Final = (
    "26", "202", "20261", "10000", "-0001", "+2026", "2026-13", "2026-00", "2026-1", "2026-02-29", "2024-02-29",
    "2026-04-31", "2026-01-32", "2026-01-00", "2026-1-2", "2026-01-2", "2026-01-02 24:00", "2026-01-02 23:60",
    "2026-01-02 23:59:60", "2026-01-02 7:5", "2026-01-02 07:05:", "2026-01-02 07:05:06.", "2026-01-02 07:05:06Z",
    "2026-01-02T07:05:06Z", "2026-01-02T07:05+01:00", "2026-01-02t07:05", "2026-01-02TT07", "T", "T07:05", "2026T",
    "2026-01T", "2026-01-02T", "2026-01-02\t07:05", "2026-01-02\xa007:05", "２０２６", "٢٠٢٦-01-02", "2026/01/02",
    "02/01/2026", "2026-W10-2", "20260102", "2026-01-02 07h05", "2026-01-02 -1:00", "2026-01-02 007:05", "0000",
    "0000-00-00", "0000-01-01", "9999-12-31 23:59:59.999999999", "2026-01-02 07.5", "2026-01-02 07:05.5",
    "2026-01-02 7:05:06,5", "2026-01-02 07:05:06;5", "1e3", "TT", "2026 ", "2026-01-02 ", '"2026"', "20\u200b26",
    "2026-01-02  7", "2023-02-29 10:00", "1582-10-10", "1900-02-29", "2000-02-29", "0004-02-29", "été", "2026-001",
    "2026-01-02 07:05:06.1234567890", "2026-01-02 07:05:06,", "2026-01-02 7", "2026-01-02 7:05:06",
    "2026-01-02 07:5:06", "2026-01-02 07:05:6", "2026--01", "2026-01-02 07: 05", "2026 -01", "2026-01-02   07:05",
    "2026-12-31 23:59:59.9999999999", "-", "--", "2026-10-16T09:3", "a-b-c-d", "2100-02-29", "1800-02-29 07:05",
    "1700-02-29 7", "0100-02-29 07:05:06", "1900-02-29T12:00",
)  # fmt: skip
"""What Go refuses, and what only looks as if it would."""


_ODD: Final = (
    "", "2", "20", "2026", "2026-", "2026-1", "2026-10", "2026-10-16 ", "2026-10-16T", "T", " ", "2026 10", "2026T10",
    "-0", "2026-10-16-", "---", "a-b-c-d-e", "2026-10-16-09-30",
)  # fmt: skip
"""What a view may be asked to look at, and is no date."""


@lru_cache(maxsize=64)
def turns(name: str) -> Sequence[int]:
    """The seconds since 1970 at which a zone's offset changes, up to 2045."""
    zone = zones.zone(name)
    found = list(zone.transitions)
    second = max((time.parse_in_location("2006", "2024", time.UTC).seconds, *zone.transitions[-1:]))
    while second < _LAST_TURN:
        second = max(zone.lookup(second).end, second + 86_400)
        found.append(second)
    return [one for one in found if FIRST_SECOND < one < _LAST_TURN] or [0]


def zone_name(dice: Dice) -> str:
    """A zone: one with odd clocks, or any of the database."""
    if dice.one_in(6):
        return dice.pick(_all_zones())
    return dice.pick(ZONES)


@lru_cache(maxsize=1)
def _all_zones() -> Sequence[str]:
    return sorted(zones.names())


def second(dice: Dice, zone: str) -> int:
    """A moment in seconds since 1970: recent, near a turn of the clocks, at a year's edge, or from 0000 to 9999."""
    sort = dice.below(6)
    if sort == 0:
        return 1_760_000_000 + dice.below(40_000_000)
    if sort <= 2:
        recent = turns(zone)[-80:] if sort == 1 else turns(zone)
        return (
            dice.pick(recent) + dice.pick((0, -1, 1, -1800, 1799, 1800, 3599, 3600, -3600, 7200)) + dice.between(-2, 2)
        )
    if sort == 3:
        year = dice.pick(
            ("2026", "2025", "1970", "0000", "0000", "0000", "0001", "9999", "9998", "1900", "2000", "2038", "1600")
        )
        edge = time.parse_in_location("2006", year, time.UTC).seconds
        return max(FIRST_SECOND, edge + dice.between(-90_000, 90_000))
    if sort == 4:
        return dice.between(-3_000_000_000, 4_000_000_000)
    return dice.between(FIRST_SECOND, END - 1)


def nanoseconds(dice: Dice, zone: str) -> int:
    """What a clock shows, in nanoseconds since 1970: within 64 bits."""
    bound = (1 << 63) // 1_000_000_000 - 1
    found = second(dice, zone)
    return min(max(found, -bound), bound) * 1_000_000_000 + dice.pick((0, 1, 7123, 999_999_999, 999_999, 500_000_000))


def clocks(dice: Dice, zone: Zone) -> str:
    """A date and a time that a zone's clocks show, or skip: ``2006-01-02 15:04:05``."""
    moment = second(dice, zone.name)
    offset = zone.lookup(moment).offset if dice.below(2) else 0
    local = min(max(moment + offset, FIRST_SECOND), END - 1)
    return time.Time(local).format("2006-01-02 15:04:05")


def when(dice: Dice, zone: Zone) -> str:
    """A date as a person or a model writes it, right or wrong."""
    sort = dice.below(10)
    if sort <= 1:
        return texts.padded(dice, dice.pick(WORDS))
    if sort == 2:
        return texts.padded(dice, dice.pick(WRONG))
    if sort == 3:
        return texts.bent(dice, written(dice, clocks(dice, zone)))
    return texts.padded(dice, written(dice, clocks(dice, zone)))


def written(dice: Dice, full: str) -> str:
    """A full date cut and spelled in one of the ways that the layouts take."""
    day, _, clock = full.partition(" ")
    sort = dice.below(7)
    if sort < 3:
        return (full[:4], full[:7], day)[sort]
    between = dice.pick((" ", "T", " ", "  ", "T ", "      ", "TT"))
    if dice.one_in(4) and clock.startswith("0"):
        clock = clock[1:]
    hour, minute, second_ = clock.split(":")
    if sort == 3:
        return day + between + hour
    if sort == 4:
        return f"{day}{between}{hour}:{minute}"
    return f"{day}{between}{hour}:{minute}:{second_}" + (fraction(dice) if sort == 6 else "")


def fraction(dice: Dice) -> str:
    """A fraction of a second, of any length."""
    digits = "".join([dice.pick("0159") for _ in dice.some(4, 14)])
    return dice.pick(".,") + digits


def zoom(dice: Dice, zone: Zone, moments: Sequence[int]) -> str:
    """What a view looks at: mostly a beginning of a date that is there. ``moments`` are milliseconds since 1970."""
    sort = dice.below(4)
    if sort == 0 or not moments:
        return texts.padded(dice, dice.pick(dice.pick((_ODD, WRONG))))
    minute = time.unix_milli(dice.pick(moments), zone).format("2006-01-02 15:04")
    text = minute[: dice.pick((4, 7, 10, 13, 16, 3, 5, 6, 8, 11, 12, 14))]
    return texts.padded(dice, text.replace(" ", "T", 1) if dice.one_in(3) else text)
