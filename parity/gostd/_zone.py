"""A time zone as Go holds it: read from the bytes of a TZif file, looked up as ``Location.lookup`` does.

Mirrors ``LoadLocationFromTZData`` of Go's ``zoneinfo_read.go`` and ``zoneinfo.go``, but for one thing: Go remembers the
period of the moment at which it loaded the zone. That could show only where a zone's last recorded change does not
follow the zone's own rule, in a Go running in that very period.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from parity.gostd import _footer
from parity.gostd._footer import ALPHA, OMEGA, Footer, Period

_MAGIC: Final = b"TZif"
_VERSIONS: Final = (b"\0", b"2", b"3")
_RESERVED: Final = 15
_COUNTS: Final = struct.Struct(">6I")
_KIND: Final = struct.Struct(">iBB")
_SMALLEST_FOOTER: Final = 3


class ZoneDataError(ValueError):
    """Bytes that Go would refuse ("malformed time zone information"); the message names the zone."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of a zone's local times: what it is called, seconds east of UTC, whether it is daylight saving time."""

    abbreviation: str
    offset: int
    is_daylight: bool


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone: ``kinds[indexes[n]]`` holds from ``transitions[n]`` on, in seconds since 1970, ``footer`` after the last.

    ``name`` is the IANA name. Make one with :meth:`from_tzif`.
    """

    name: str
    kinds: tuple[Kind, ...] = field(repr=False)
    transitions: tuple[int, ...] = field(repr=False)
    indexes: bytes = field(repr=False)
    footer: Footer | None = field(default=None, repr=False)

    @classmethod
    def from_tzif(cls, name: str, data: bytes) -> Zone:
        """The zone that the bytes of a TZif file describe. Raises :class:`ZoneDataError`."""
        try:
            return _read(name, data)
        except _RefusedError as error:
            message = f"the data of the zone {name!a} is malformed"
            raise ZoneDataError(message) from error

    def lookup(self, second: int) -> Period:
        """What holds at a moment, in seconds since 1970 (Go's ``Location.lookup``)."""
        at = bisect_right(self.transitions, second) - 1
        if at < 0:
            return self._period(self._first_kind(), ALPHA, self.transitions[0])
        start = self.transitions[at]
        if at + 1 < len(self.transitions):
            return self._period(self.indexes[at], start, self.transitions[at + 1])
        if self.footer is not None:
            return _footer.lookup(self.footer, start, second)
        return self._period(self.indexes[at], start, OMEGA)

    def _period(self, index: int, start: int, end: int) -> Period:
        kind = self.kinds[index]
        return Period(kind.abbreviation, kind.offset, start, end, kind.is_daylight)

    def _first_kind(self) -> int:
        """What held before the first transition (Go's ``lookupFirstZone``)."""
        if 0 not in self.indexes:
            return 0
        if self.kinds[self.indexes[0]].is_daylight:
            for index in reversed(range(self.indexes[0])):
                if not self.kinds[index].is_daylight:
                    return index
        return next((index for index, kind in enumerate(self.kinds) if not kind.is_daylight), 0)


class _RefusedError(Exception):
    """The bytes end too early, or hold something that Go refuses."""


class _Bytes:
    """Bytes read from left to right."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes. Raises :class:`_RefusedError` if there are fewer."""
        if len(self._data) - self._at < count:
            raise _RefusedError
        self._at += count
        return self._data[self._at - count : self._at]

    def rest(self) -> bytes:
        """All that is left."""
        return self._data[self._at :]


def _read(name: str, data: bytes) -> Zone:
    source = _Bytes(data)
    version = source.take(len(_MAGIC) + 1).removeprefix(_MAGIC)
    if version not in _VERSIONS:
        raise _RefusedError
    source.take(_RESERVED)
    counts = _COUNTS.unpack(source.take(_COUNTS.size))
    if version == _VERSIONS[0]:
        return _body(name, source, counts, 4)
    # The first half, in 32-bit seconds, is for old readers. A second header, then all again in 64-bit seconds.
    utc_local, standard_wall, leaps, transitions, kinds, letters = counts
    source.take(transitions * 5 + kinds * 6 + letters + leaps * 8 + standard_wall + utc_local)
    source.take(len(_MAGIC) + 1 + _RESERVED)
    return _body(name, source, _COUNTS.unpack(source.take(_COUNTS.size)), 8)


def _body(name: str, source: _Bytes, counts: tuple[int, ...], size: int) -> Zone:
    utc_local, standard_wall, leaps, transition_count, kind_count, letter_count = counts
    times = source.take(transition_count * size)
    indexes = source.take(transition_count)
    kind_data = source.take(kind_count * _KIND.size)
    letters = source.take(letter_count)
    source.take(leaps * (size + 4) + standard_wall + utc_local)
    kinds = tuple(_kind(letters, *found) for found in _KIND.iter_unpack(kind_data))
    if not kinds or any(index >= len(kinds) for index in indexes):
        raise _RefusedError
    transitions = struct.unpack(f">{transition_count}{'i' if size == 4 else 'q'}", times)
    if not transitions:
        # A zone that never changed: one transition covers all time.
        transitions, indexes = (ALPHA,), b"\0"
    return Zone(name, kinds, transitions, indexes, _footer_of(source.rest()))


def _kind(letters: bytes, offset: int, is_daylight: int, at: int) -> Kind:
    if at >= len(letters):
        raise _RefusedError
    return Kind(letters[at:].partition(b"\0")[0].decode("latin-1"), offset, is_daylight != 0)


def _footer_of(rest: bytes) -> Footer | None:
    if len(rest) < _SMALLEST_FOOTER or not (rest.startswith(b"\n") and rest.endswith(b"\n")):
        return None
    return _footer.parse(rest[1:-1].decode("latin-1"))


UTC: Final = Zone("UTC", (Kind("UTC", 0, is_daylight=False),), (ALPHA,), b"\0")
"""Coordinated universal time; no file is read for it."""
