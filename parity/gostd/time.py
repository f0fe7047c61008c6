"""Go's package ``time``, as far as the tracker needs it: moments, zones, ``ParseInLocation`` and ``Format``.

Every year that Go can print works: nothing here goes through Python's own dates. Layouts are those made of the elements
``2006 01 02 15 04 05`` with ``-``, ``:`` and spaces between (contract: go-semantics.md, 2.14).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from parity.gostd._calendar import SECONDS_PER_DAY, date_of, days_in, days_of
from parity.gostd._footer import Period
from parity.gostd._zone import UTC, Zone, ZoneDataError

__all__ = [
    "UTC",
    "ParseError",
    "Period",
    "Time",
    "Zone",
    "ZoneDataError",
    "parse_in_location",
    "unix_milli",
    "unix_nano",
]

_ELEMENT: Final = re.compile("(2006|01|02|15|04|05)")
_BETWEEN: Final = frozenset("-: ")
_RANGES: Final = {"01": ("month", 1, 12), "15": ("hour", 0, 23), "04": ("minute", 0, 59), "05": ("second", 0, 59)}
_BEGINNING: Final = {"2006": 0, "01": 1, "02": 1, "15": 0, "04": 0, "05": 0}
"""What a field is when the layout does not hold it."""

_DIGITS: Final = frozenset("0123456789")
_NANOSECOND_DIGITS: Final = 9


class ParseError(ValueError):
    """A text that a layout does not fit; the message is Go's ``ParseError.Error()``."""


@dataclass(frozen=True, slots=True)
class Time:
    """A moment in a zone: ``seconds`` since 1970 UTC, which may be negative, and ``nanoseconds`` (0 to 999999999)."""

    seconds: int
    nanoseconds: int = 0
    zone: Zone = UTC

    def unix_milli(self) -> int:
        """Milliseconds since 1970, rounded down (Go's ``UnixMilli``; no year from 0000 to 9999 overflows)."""
        return self.seconds * 1000 + self.nanoseconds // 1_000_000

    def unix_nano(self) -> int:
        """Nanoseconds since 1970 in 64 bits: outside the years 1678 to 2262 they wrap around, as Go's do."""
        exact = self.seconds * 1_000_000_000 + self.nanoseconds
        return (exact + 2**63) % 2**64 - 2**63

    def format(self, layout: str) -> str:
        """The moment as its zone's clocks show it (Go's ``Format``): years beyond 9999 longer, before 0 with a minus.

        Raises ValueError for a layout of other elements.
        """
        chunks, tail = _chunks(layout)
        fields = _fields(self.seconds + self.zone.lookup(self.seconds).offset)
        return "".join(between + _padded(fields[element], len(element)) for between, element in chunks) + tail


def unix_milli(milliseconds: int, zone: Zone = UTC) -> Time:
    """The moment so many milliseconds after 1970 (Go's ``UnixMilli(…).In(zone)``)."""
    seconds, rest = divmod(milliseconds, 1000)
    return Time(seconds, rest * 1_000_000, zone)


def unix_nano(nanoseconds: int, zone: Zone = UTC) -> Time:
    """The moment so many nanoseconds after 1970 (Go's ``Unix(0, …).In(zone)``, in whatever year)."""
    return Time(*divmod(nanoseconds, 1_000_000_000), zone)


def _of_clocks(local: int, nanosecond: int, zone: Zone) -> Time:
    """The moment when a zone's clocks show a time, given in seconds after they would show 1970 (end of Go's ``Date``).

    Where clocks are put back, and one time is shown twice, or forward, and one is skipped: go-semantics.md, 2.14.
    """
    found = zone.lookup(local)
    moment = local - found.offset
    if not found.start <= moment < found.end:
        moment = local - zone.lookup(moment).offset
    return Time(moment, nanosecond, zone)


def parse_in_location(layout: str, value: str, zone: Zone) -> Time:
    """The moment that a text names by a zone's clocks (Go's ``ParseInLocation``).

    Raises :class:`ParseError` where the text does not fit, ValueError for a layout of other elements.
    """
    fields = dict(_BEGINNING)
    nanosecond = 0
    rest = value
    chunks, tail = _chunks(layout)
    for between, element in chunks:
        rest = _skip(rest, between, layout, value)
        fields[element], rest = _number(rest, element, layout, value)
        if element == "05":
            nanosecond, rest = _fraction(rest)
    rest = _skip(rest, tail, layout, value)
    if rest:
        raise ParseError(_parsing(value) + f": extra text: {_quote(rest)}")
    if not 1 <= fields["02"] <= days_in(fields["01"], fields["2006"]):
        raise ParseError(_parsing(value) + ": day out of range")
    days = days_of(fields["2006"], fields["01"], fields["02"])
    second = fields["15"] * 3600 + fields["04"] * 60 + fields["05"]
    return _of_clocks(days * SECONDS_PER_DAY + second, nanosecond, zone)


@lru_cache(maxsize=64)
def _chunks(layout: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """The layout cut (Go's ``nextStdChunk``): each element with the text before it, and the text after the last."""
    *parts, tail = _ELEMENT.split(layout)
    chunks = tuple(zip(parts[::2], parts[1::2], strict=True))
    if not all(map(_BETWEEN.issuperset, (*parts[::2], tail))):
        message = f"the layout {layout!r} is not offered"
        raise ValueError(message)
    return chunks, tail


def _fields(local: int) -> dict[str, int]:
    """What clocks show, by element, ``local`` seconds after they showed 1970."""
    days, second = divmod(local, SECONDS_PER_DAY)
    year, month, day = date_of(days)
    return {
        "2006": year,
        "01": month,
        "02": day,
        "15": second // 3600,
        "04": second // 60 % 60,
        "05": second % 60,
    }


def _padded(number: int, width: int) -> str:
    """Decimal, zeros in front up to ``width`` digits, a minus before them (Go's ``appendInt``)."""
    return f"{'-' if number < 0 else ''}{abs(number):0{width}d}"


def _skip(rest: str, between: str, layout: str, value: str) -> str:
    """What is left after the text between two elements; a run of spaces stands for any run (Go's ``skip``)."""
    wanted = between
    while wanted:
        if wanted[0] == " ":
            if rest and rest[0] != " ":
                raise ParseError(_cannot(layout, value, rest, between))
            wanted, rest = wanted.lstrip(" "), rest.lstrip(" ")
            continue
        if rest[:1] != wanted[0]:
            raise ParseError(_cannot(layout, value, rest, between))
        wanted, rest = wanted[1:], rest[1:]
    return rest


def _number(rest: str, element: str, layout: str, value: str) -> tuple[int, str]:
    """A field and what is left: as many digits as the element has, for the hour one or two (Go's ``getnum``)."""
    width = len(element)
    if element == "15" and not _all_digits(rest[1:2]):
        width = 1
    digits = rest[:width]
    if len(digits) < width or not _all_digits(digits):
        raise ParseError(_cannot(layout, value, rest, element))
    number = int(digits)
    if element in _RANGES:
        name, least, most = _RANGES[element]
        if not least <= number <= most:
            raise ParseError(_parsing(value) + f": {name} out of range")
    return number, rest[width:]


def _fraction(rest: str) -> tuple[int, str]:
    """Nanoseconds from a fraction after the seconds, though no layout has one: cut, never rounded, at nine digits."""
    if rest[:1] not in {".", ","} or not _all_digits(rest[1:2]):
        return 0, rest
    end = next((at for at in range(1, len(rest)) if rest[at] not in _DIGITS), len(rest))
    return int(rest[1:end][:_NANOSECOND_DIGITS].ljust(_NANOSECOND_DIGITS, "0")), rest[end:]


def _all_digits(text: str) -> bool:
    """Whether there is a character and every one is an ASCII digit."""
    return bool(text) and _DIGITS.issuperset(text)


def _parsing(value: str) -> str:
    return f"parsing time {_quote(value)}"


def _cannot(layout: str, value: str, rest: str, element: str) -> str:
    return f"{_parsing(value)} as {_quote(layout)}: cannot parse {_quote(rest)} as {_quote(element)}"


def _quote(text: str) -> str:
    r"""The package's own quoting (go-semantics.md, 2.5): every byte of 0x80 and more, or below 0x20, as ``\x00``."""
    return '"' + "".join(map(_quoted, text.encode("utf-8", "surrogateescape"))) + '"'


def _quoted(byte: int) -> str:
    if byte >= 0x80 or byte < 0x20:
        return f"\\x{byte:02x}"
    return f"\\{byte:c}" if byte in b'"\\' else chr(byte)
