"""The points of a tracker as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from replay.compare import ABSENT
from replay.report.point_table import moment, rows

if TYPE_CHECKING:
    from replay.fields import Value


def tracker(*events: Value) -> Value:
    return {"name": "Poids", "events": events}


def event(number: int, **changed: Value) -> Value:
    return {"id": f"id{number}", "ts": number * 1000, "text": f"text{number}", "date_only": False, **changed}


def table(expected: Any, actual: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - any value
    return [(row.sign, row.text.split()[0]) for row in rows(expected, actual)]


def test_a_row_holds_every_field_of_a_point() -> None:
    (row,) = rows(tracker(event(5)), tracker())
    assert row.sign == "-"
    assert row.text.split() == ["id5", "5000", "1970-01-01", "00:00:05.000", "false", "text5"]


def test_a_changed_point_is_shown_as_recorded_and_as_given() -> None:
    assert table(tracker(event(1), event(2)), tracker(event(1), event(2, ts=7))) == [
        (" ", "id1"),
        ("-", "id2"),
        ("+", "id2"),
    ]


def test_points_alike_before_the_first_that_differs_are_counted() -> None:
    events = [event(number) for number in range(5)]
    assert table(tracker(*events), tracker(*events[:4])) == [("…", "3"), (" ", "id3"), ("-", "id4")]


def test_a_long_table_is_cut_and_says_how_much_follows() -> None:
    found = rows(tracker(*map(event, range(50))), ABSENT)
    assert len(found) == 13
    assert (found[-1].sign, found[-1].text) == ("…", "38 more points")


def test_a_side_that_is_no_tracker_has_no_points() -> None:
    assert rows(ABSENT, {"events": 1}) == []
    assert table(ABSENT, tracker(event(1))) == [("+", "id1")]


def test_a_point_of_another_form_is_shown_as_it_is() -> None:
    assert [row.text for row in rows(tracker("x"), tracker())] == ['"x"']
    (row,) = rows(tracker({"id": 1, "ts": "x", "text": None}), tracker())
    assert row.text.split() == ["1", '"x"', "null", "null"]


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        (0, "1970-01-01 00:00:00.000"),
        (-1, "1969-12-31 23:59:59.999"),
        (1767312000000, "2026-01-02 00:00:00.000"),
        (951782400000, "2000-02-29 00:00:00.000"),
        (4107542400000, "2100-03-01 00:00:00.000"),
        (-62167219200000, "0000-01-01 00:00:00.000"),
        (253402300800000, "10000-01-01 00:00:00.000"),
        (1 << 63, ""),
        (-(1 << 63) - 1, ""),
    ],
)
def test_milliseconds_are_a_moment_in_utc_in_every_year(ts: int, shown: str) -> None:
    assert moment(ts) == shown


def test_every_day_of_four_centuries_is_its_own_date() -> None:
    dates = [moment(day * 86_400_000)[:10] for day in range(146_097)]
    assert dates == sorted(set(dates))
    assert (dates[0], dates[-1]) == ("1970-01-01", "2369-12-31")
