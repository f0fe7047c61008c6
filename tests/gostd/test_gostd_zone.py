"""Zones made of bytes of our own: every answer here is real Go's, 1.25.5 and 1.27.3 alike, to the same bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import pytest

from parity.gostd.time import UTC, ParseError, Time, Zone, ZoneDataError, parse_in_location

if TYPE_CHECKING:
    from collections.abc import Sequence

LETTERS: Final = b"AAA\0BBB\0CCC\0"
AAA: Final = (0, 0, 0)
BBB: Final = (-1000, 0, 4)
LONGEST: Final = "2006-01-02 15:04:05"


def tzif(
    kinds: Sequence[tuple[int, int, int]] = (AAA, BBB),
    transitions: Sequence[tuple[int, int]] = ((0, 1),),
    footer: bytes | None = None,
    version: bytes = b"2",
) -> bytes:
    """A TZif file: kinds are (offset, daylight, place of the name in LETTERS), transitions (second, kind)."""

    def half(form: str) -> bytes:
        times = struct.pack(f">{len(transitions)}{form}", *(second for second, _ in transitions))
        indexes = bytes(index for _, index in transitions)
        return times + indexes + b"".join(struct.pack(">iBB", *kind) for kind in kinds) + LETTERS

    counts = struct.pack(">6I", 0, 0, 0, len(transitions), len(kinds), len(LETTERS))
    header = b"TZif" + version + bytes(15) + counts
    second_half = b"" if version == b"\0" else header + half("q")
    return header + half("i") + second_half + (b"" if footer is None else b"\n" + footer + b"\n")


def offsets(data: bytes, seconds: Sequence[int]) -> list[int]:
    zone = Zone.from_tzif("Made/Up", data)
    return [zone.lookup(second).offset for second in seconds]


IN_2040: Final = (
    2208988800,  # 2040-01-01 00:00:00, UTC as all of these
    2214190799,  # 2040-03-01 04:59:59
    2214216000,  # 2040-03-01 12:00:00
    2224713600,  # 2040-07-01 00:00:00
    2245752000,  # 2041-03-01 12:00:00
    2234952000,  # 2040-10-27 12:00:00
    2266488000,  # 2041-10-27 12:00:00
    2240611199,  # 2040-12-31 23:59:59
)

FOOTERS: Final = [
    (b"EST5EDT", [-18000, -18000, -18000, -14400, -18000, -14400, -14400, -18000]),
    (b"EST5EDT,J60/2,J300", [-18000, -18000, -14400, -14400, -14400, -18000, -18000, -18000]),
    (b"EST5EDT,59/0,300", [-18000, -14400, -14400, -14400, -14400, -18000, -14400, -18000]),
    (b"EST5EDT4;M3.2.0,M11.1.0/-3:30:30", [-18000, -18000, -18000, -14400, -18000, -14400, -14400, -18000]),
    (b"<+0330>-3:30:15", [12615] * 8),
    (b"AEST-10AEDT,M10.1.0,M4.1.0/3", [39600, 39600, 39600, 36000, 39600, 39600, 39600, 39600]),
    (b"<>5<x y>+6,M3.5.0,M10.5.6/167", [-18000, -18000, -18000, -21600, -18000, -21600, -21600, -18000]),
    (b"EST5,whatever", [-18000] * 8),
    (b"EST005EDT,0/0,J365/25", [-18000, -14400, -14400, -14400, -14400, -14400, -14400, -14400]),
]


@pytest.mark.parametrize(("footer", "expected"), FOOTERS)
def test_after_the_last_transition_the_footers_rule_holds(footer: bytes, expected: list[int]) -> None:
    assert offsets(tzif(footer=footer), IN_2040) == expected


MALFORMED_FOOTERS: Final = [
    b"",
    b"AB5",
    b"EST",
    b"EST169",
    b"EST5:60",
    b"EST5:",
    b"<x5",
    b"EST5AB",
    b"EST5EDT6x",
    b"EST5EDT:M3.2.0,M11.1.0",
    b"EST5EDT,M13.1.0,M11.1.0",
    b"EST5EDT,M3,M11.1.0",
    b"EST5EDT,M3.6.0,M11.1.0",
    b"EST5EDT,M3.2,M11.1.0",
    b"EST5EDT,M3.2.7,M11.1.0",
    b"EST5EDT,M3.2.0",
    b"EST5EDT,M3.2.0,",
    b"EST5EDT,M3.2.0,M11.1.0x",
    b"EST5EDT,J0,J300",
    b"EST5EDT,J366,J300",
    b"EST5EDT,366,J300",
    b"EST5EDT,M3.2.0/,M11.1.0",
    b"EST5EDT,M3.2.0/169,M11.1.0",
]


@pytest.mark.parametrize("footer", MALFORMED_FOOTERS)
def test_a_footer_go_does_not_read_leaves_the_last_kind_in_force(footer: bytes) -> None:
    assert offsets(tzif(footer=footer), IN_2040) == [-1000] * 8


IN_THE_PAST: Final = (
    -62167219195,
    -62184499200,
    -62139052800,
    -2208988799,
    -2203848000,
    -2203891200,
    -1000000000000,
    -62163763200,
    -59005411200,
)

FOOTERS_IN_THE_PAST: Final = [
    (
        b"EST5EDT,M3.2.0,M11.1.0",
        [-18000, -14400, -18000, -18000, -18000, -18000, -14400, -18000, -18000],
    ),
    (
        b"AEST-10AEDT,M10.1.0,M2.1.0/3",
        [39600, 36000, 39600, 39600, 36000, 36000, 36000, 36000, 36000],
    ),
]


@pytest.mark.parametrize(("footer", "expected"), FOOTERS_IN_THE_PAST)
def test_a_zone_without_transitions_follows_its_footer_at_all_times_with_gos_negative_remainders(
    footer: bytes,
    expected: list[int],
) -> None:
    assert offsets(tzif(transitions=(), footer=footer), IN_THE_PAST) == expected


FIRST_KINDS: Final = [
    # Nothing changes to the first kind: it is what held before.
    (((0, 0, 0), (100, 0, 4), (200, 1, 8)), ((0, 1), (5, 2)), [0, 100, 200]),
    # The first change is to daylight time: the nearest standard time listed before it.
    (((0, 0, 0), (100, 0, 4), (200, 1, 8)), ((0, 2), (5, 0)), [100, 200, 0]),
    # None is listed before it: the first standard time there is.
    (((0, 1, 0), (100, 1, 4), (200, 0, 8)), ((0, 1), (5, 0)), [200, 100, 0]),
    # There is no standard time at all: the first kind.
    (((0, 1, 0), (100, 1, 4)), ((0, 1), (5, 0)), [0, 100, 0]),
    # The first change is to standard time: the first standard time there is.
    (((0, 0, 0), (100, 1, 4)), ((0, 0), (5, 1)), [0, 0, 100]),
]


@pytest.mark.parametrize(("kinds", "transitions", "expected"), FIRST_KINDS)
def test_what_held_before_the_first_transition_is_chosen_as_go_does(
    kinds: tuple[tuple[int, int, int], ...],
    transitions: tuple[tuple[int, int], ...],
    expected: list[int],
) -> None:
    assert offsets(tzif(kinds, transitions), (-1, 0, 5)) == expected


@pytest.mark.parametrize("version", [b"\0", b"2", b"3"])
def test_versions_one_to_three_are_read(version: bytes) -> None:
    assert offsets(tzif(version=version, footer=b"CET-1"), (-1, 0, 5)) == [0, 3600, 3600]


@pytest.mark.parametrize("version", [b"1", b"4"])
def test_no_other_version_is_read(version: bytes) -> None:
    with pytest.raises(ZoneDataError, match="'Made/Up' is malformed"):
        offsets(tzif(version=version), ())


WHOLE: Final = tzif(footer=b"CET-1")


@pytest.mark.parametrize("left", [0, 3, 4, 19, 20, 43, 44, 78, len(WHOLE) - 8])
def test_a_file_cut_off_is_refused(left: int) -> None:
    with pytest.raises(ZoneDataError):
        offsets(WHOLE[:left], ())


@pytest.mark.parametrize("left", [len(WHOLE) - 7, len(WHOLE) - 1])
def test_a_footer_cut_off_is_ignored(left: int) -> None:
    assert offsets(WHOLE[:left], (-1, 0, 5)) == [0, -1000, -1000]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(tzif(kinds=((0, 0, 12),)), id="name outside the letters"),
        pytest.param(tzif(transitions=((0, 2),)), id="transition to no kind"),
        pytest.param(tzif(kinds=(), transitions=()), id="no kind"),
    ],
)
def test_a_file_that_points_nowhere_is_refused(data: bytes) -> None:
    with pytest.raises(ZoneDataError):
        offsets(data, ())


def test_a_name_of_no_letters_is_read() -> None:
    zone = Zone.from_tzif("Made/Up", tzif(kinds=((0, 0, 11),), transitions=()))
    assert zone.lookup(0).abbreviation == ""


GAPS: Final = [
    # To parse a time, Go looks its number of seconds up as if it were UTC: kinds, transitions, the local time, UTC.
    (((0, 0, 0), (100, 0, 4), (200, 1, 8)), ((0, 1), (5, 2)), "1970-01-01 00:00:00", 0),
    (((0, 0, 0), (100, 0, 4), (200, 1, 8)), ((0, 2), (5, 0)), "1969-12-31 23:59:59", -101),
    (((0, 0, 0), (100, 0, 4), (200, 1, 8)), ((0, 2), (5, 0)), "1970-01-01 00:00:00", -100),
    (((0, 1, 0), (100, 1, 4), (200, 0, 8)), ((0, 1), (5, 0)), "1970-01-01 00:00:00", -200),
]


@pytest.mark.parametrize(("kinds", "transitions", "text", "expected"), GAPS)
def test_a_local_time_near_a_transition_is_resolved_by_two_lookups(
    kinds: tuple[tuple[int, int, int], ...],
    transitions: tuple[tuple[int, int], ...],
    text: str,
    expected: int,
) -> None:
    zone = Zone.from_tzif("Made/Up", tzif(kinds, transitions))
    assert parse_in_location(LONGEST, text, zone).seconds == expected


def test_utc_is_utc_at_all_times() -> None:
    assert [UTC.lookup(second)[:2] for second in (-(2**63), 0, 2**63 - 1)] == [("UTC", 0)] * 3
    with pytest.raises(ParseError):
        parse_in_location(LONGEST, "", UTC)
    assert Time(0).zone is UTC
