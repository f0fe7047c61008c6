from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from vectors_reader import Entry, every_vector

from parity.gostd import time
from parity.zones import zone

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

LAYOUTS: Final = ("2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02 15", "2006-01-02", "2006-01", "2006")
PRINTED: Final = ("2006-01-02 15:04", "2006-01-02", "2006-01", "2006")


def answer(layout: str, entry: Entry) -> dict[str, object]:
    """What the vectors hold of one parse: Go's time, or the text of its error."""
    try:
        found = time.parse_in_location(layout, entry["in"], zone(entry["loc"]))
    except time.ParseError as error:
        return {"err": str(error)}
    period = found.zone.lookup(found.seconds)
    return {
        "unix": found.seconds,
        "nsec": found.nanoseconds,
        "offset": period.offset,
        "zone": period.abbreviation,
    }


def without_rfc3339(recorded: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in recorded.items() if name != "rfc3339nano"}


@every_vector("parse_when")
def test_the_six_layouts_fit_or_fail_as_in_go(target: GoTarget, entry: Entry) -> None:
    del target  # the package has no tables of its own: both versions give one answer
    answers = [answer(layout, entry) for layout in LAYOUTS]
    first = next((index for index, one in enumerate(answers) if "err" not in one), None)
    assert first == entry.get("layout")
    assert entry["out"] is None if first is None else answers[first] == without_rfc3339(entry["out"])
    if "each" in entry:
        assert answers == [without_rfc3339(one) for one in entry["each"]]


@every_vector("time_format")
def test_a_moment_prints_as_in_go(target: GoTarget, entry: Entry) -> None:
    del target
    moment = time.Time(entry["unix"], entry["nsec"], zone(entry["loc"]))
    whole = entry["formats"]["2006-01-02 15:04:05"]
    day, clock = whole.split(" ")
    assert moment.format("2006-01-02 15:04:05") == whole
    assert [moment.format(layout) for layout in PRINTED] == [whole[:-3], day, day[:-3], day[:-6]]
    assert [moment.format("15"), moment.format("04"), moment.format("05")] == clock.split(":")


# Real Go, 1.25.5 and 1.27.3 alike: UnixMilli(ts).In(zone).Format of the four layouts, tzdata 2025b and 2026f alike.
MOMENTS: Final = [
    ("Europe/Paris", -(2**63), "-292275055-05-16 16:56|-292275055-05-16|-292275055-05|-292275055"),
    ("Europe/Paris", 2**63 - 1, "292278994-08-17 09:12|292278994-08-17|292278994-08|292278994"),
    ("Europe/Paris", -(10**18), "-31686769-06-29 22:22|-31686769-06-29|-31686769-06|-31686769"),
    ("Europe/Paris", 10**18, "31690708-07-05 03:46|31690708-07-05|31690708-07|31690708"),
    ("Europe/Paris", 253402300799999, "10000-01-01 00:59|10000-01-01|10000-01|10000"),
    ("Europe/Paris", -62167219200000, "0000-01-01 00:09|0000-01-01|0000-01|0000"),
    ("Europe/Paris", -62135596800001, "0001-01-01 00:09|0001-01-01|0001-01|0001"),
    ("Europe/Paris", -1, "1970-01-01 00:59|1970-01-01|1970-01|1970"),
    ("Europe/Paris", 999, "1970-01-01 01:00|1970-01-01|1970-01|1970"),
    ("America/New_York", -(2**63), "-292275055-05-16 11:51|-292275055-05-16|-292275055-05|-292275055"),
    ("America/New_York", 2**63 - 1, "292278994-08-17 03:12|292278994-08-17|292278994-08|292278994"),
    ("America/New_York", -62167219200001, "-0001-12-31 19:03|-0001-12-31|-0001-12|-0001"),
    ("America/New_York", 253402300799999, "9999-12-31 18:59|9999-12-31|9999-12|9999"),
    ("Pacific/Apia", -(10**18), "-31686769-06-30 10:46|-31686769-06-30|-31686769-06|-31686769"),
    ("Pacific/Apia", -62167219200001, "0000-01-01 12:33|0000-01-01|0000-01|0000"),
    ("Africa/Monrovia", -62167219200001, "-0001-12-31 23:16|-0001-12-31|-0001-12|-0001"),
]


@pytest.mark.parametrize(("name", "milliseconds", "expected"), MOMENTS)
def test_any_64_bits_of_milliseconds_print_as_in_go(name: str, milliseconds: int, expected: str) -> None:
    moment = time.unix_milli(milliseconds, zone(name))
    assert "|".join(moment.format(layout) for layout in PRINTED) == expected
    assert moment.unix_milli() == milliseconds


# Real Go, 1.25.5 and 1.27.3 alike: ParseInLocation(…).Unix(), tzdata 2025b and 2026f alike.
NIGHTS: Final = [
    ("Europe/Paris", "2024-10-27 02:30", 1729992600),
    ("Europe/Paris", "2024-03-31 02:30", 1711848600),
    ("America/New_York", "2024-03-10 02:30", 1710052200),
    ("America/New_York", "2024-11-03 01:30", 1730611800),
    ("Australia/Lord_Howe", "2024-04-07 01:45", 1712416500),
    ("Australia/Lord_Howe", "2024-10-06 02:15", 1728143100),
    ("Europe/Dublin", "2024-10-27 01:30", 1729992600),
    ("Europe/Dublin", "2024-03-31 01:30", 1711848600),
    ("Africa/Casablanca", "2024-03-10 02:30", 1710037800),
    ("Africa/Casablanca", "2024-04-14 02:30", 1713061800),
    ("Pacific/Apia", "2011-12-30 00:00", 1325152800),
    ("Pacific/Apia", "2011-12-31 00:00", 1325239200),
    ("America/St_Johns", "2007-03-11 00:01", 1173580260),
    ("Antarctica/Troll", "2024-03-31 02:00", 1711850400),
    ("Antarctica/Troll", "2024-10-27 02:30", 1729996200),
    ("Asia/Kathmandu", "1986-01-01 00:00", 504901800),
    ("Africa/Monrovia", "1972-01-07 00:20", 63591600),
    ("Africa/Monrovia", "1972-01-07 00:45", 63593100),
    ("Europe/Paris", "0000-01-01 00:00", -62167219761),
    ("Europe/Paris", "1911-03-10 23:55", -1855958700),
    ("Asia/Kolkata", "1800-01-01 00:00", -5364683608),
    ("Europe/Paris", "9999-12-31 00:00", 253402210800),
    ("Europe/Paris", "9999-10-31 02:30", 253396949400),
    ("Europe/Paris", "9999-03-28 02:30", 253378200600),
    ("America/Santiago", "9999-04-03 23:30", 253378809000),
    ("America/Nuuk", "2050-03-26 23:30", 2531953800),
    ("America/Nuuk", "2050-10-29 23:30", 2550702600),
    ("Asia/Gaza", "2100-03-26 02:30", 4109704200),
]


@pytest.mark.parametrize(("name", "text", "expected"), NIGHTS)
def test_a_night_when_clocks_change_is_resolved_as_in_go(name: str, text: str, expected: int) -> None:
    assert time.parse_in_location("2006-01-02 15:04", text, zone(name)) == time.Time(expected, 0, zone(name))


# Real Go: UnixMilli() and UnixNano() of 9999-12-31 23:59:59 in Apia, of 0000-01-01 00:00:00 in Paris.
def test_nanoseconds_since_1970_wrap_around_in_64_bits_and_milliseconds_do_not() -> None:
    late = time.Time(253402253999)
    assert (late.unix_milli(), late.unix_nano()) == (253402253999000, -4852163032933722624)
    early = time.Time(-62167219761)
    assert (early.unix_milli(), early.unix_nano()) == (-62167219761000, -6826987539871345152)


def test_milliseconds_are_rounded_down() -> None:
    assert time.Time(-1, 999_999_999).unix_milli() == -1
    assert time.Time(-2, 1).unix_milli() == -2000


def test_nanoseconds_make_the_moment_they_name() -> None:
    paris = zone("Europe/Paris")
    assert time.unix_nano(-1, paris) == time.Time(-1, 999_999_999, paris)


@pytest.mark.parametrize("layout", ["2006-1-2", "Jan", "15h04", "2006_01_02", ".000", "06"])
def test_a_layout_of_other_elements_is_refused(layout: str) -> None:
    with pytest.raises(ValueError, match="is not offered"):
        time.Time(0).format(layout)
    with pytest.raises(ValueError, match="is not offered"):
        time.parse_in_location(layout, "2024", time.UTC)
