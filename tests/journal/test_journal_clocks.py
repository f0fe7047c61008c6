"""The clock of a step: as recorded, else the new id, else where it was (journal.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replay.journal import JournalError, loads

T1 = 1_790_000_000_000_000_001
T2 = 1_790_000_000_000_000_002

# Go 1.25.5's time.Parse(time.RFC3339Nano, …): Unix() and Nanosecond().
MOMENTS = [
    ("2026-10-16T09:30:00.000007123Z", 1792143000, 7123),
    ("1970-01-01T00:00:00Z", 0, 0),
    ("1969-12-31T23:59:59.999999999Z", -1, 999999999),
    ("0000-01-01T00:00:00Z", -62167219200, 0),
    ("0000-02-29T00:00:00Z", -62162121600, 0),
    ("0001-01-01T00:00:00Z", -62135596800, 0),
    ("9999-12-31T23:59:59.999999999Z", 253402300799, 999999999),
    ("2024-02-29T12:00:00+02:00", 1709200800, 0),
    ("2024-01-01T00:30:00+01:00", 1704065400, 0),
    ("2023-12-31T23:00:00-05:30", 1704083400, 0),
    ("2026-06-15T12:00:00+23:59", 1781438460, 0),
    ("2000-02-29T00:00:00.5Z", 951782400, 500000000),
    ("1900-03-01T00:00:00Z", -2203891200, 0),
    ("2026-10-16T09:30:00.1Z", 1792143000, 100000000),
]

# Go refuses these; the last six it takes, though RFC 3339 does not, and no Go writes them.
NO_MOMENTS = [
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-32T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00z",
    "2026-01-01t00:00:00Z",
    "2026-1-01T00:00:00Z",
    "12026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z ",
    " 2026-01-01T00:00:00Z",
    "\u0662026-01-01T00:00:00Z",
    "1790000000000000001",
    "hier",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+00:60",
    "2026-01-01T0:00:00Z",
    "2026-01-01T00:00:00.0000000001Z",
    "2026-01-01T00:00:00,5Z",
    "2026-01-01T00:00:00-99:99",
]


def clocks(*steps: dict[str, Any], initial: dict[str, Any] | None = None) -> list[tuple[int | None, str]]:
    journal = {
        "initial": {"trackers": initial or {}},
        "steps": [{"tool": "tracker", "result": ""} | step for step in steps],
    }
    return [(step.now_ns, step.clock_from) for step in loads(json.dumps(journal).encode(), "a.json").steps]


def trackers(**ids: list[str]) -> dict[str, Any]:
    return {
        f"generale/{name}": {"name": name, "events": [{"id": one, "ts": 1, "text": ""} for one in events]}
        for name, events in ids.items()
    }


def added(point: object) -> str:
    return f"[ok] point ajouté à « Poids » (id {point})."


@pytest.mark.parametrize(("written", "seconds", "nanoseconds"), MOMENTS)
def test_a_moment_is_read_as_go_reads_it(written: str, seconds: int, nanoseconds: int) -> None:
    assert clocks({"now": written}) == [(seconds * 10**9 + nanoseconds, "recorded")]


@pytest.mark.parametrize("written", NO_MOMENTS)
def test_what_is_no_moment_is_refused(written: str) -> None:
    with pytest.raises(JournalError) as caught:
        clocks({"now": written})
    assert (caught.value.kind, caught.value.place.path) == ("bad-time", "steps[0].now")


def test_an_integer_is_nanoseconds_where_it_can_be_nothing_else() -> None:
    assert clocks({"now": T1}) == [(T1, "recorded")]
    assert clocks({"now": 10**18}, {"now": 2**63 - 1}) == [(10**18, "recorded"), (2**63 - 1, "recorded")]


@pytest.mark.parametrize("number", [0, 1790000000, 1790000000000, 10**18 - 1, 2**63, -T1, 1.79e18])
def test_an_integer_that_could_be_another_unit_is_refused(number: float) -> None:
    with pytest.raises(JournalError) as caught:
        clocks({"now": number})
    assert caught.value.kind == "bad-time"


def test_where_nothing_is_known_the_clock_stands_at_0() -> None:
    assert clocks({}, {}) == [(0, "carried"), (0, "carried")]


def test_the_new_id_in_the_result_is_the_clock() -> None:
    assert clocks({"result": added(T1)}, {}) == [(T1, "new-id"), (T1, "carried")]


def test_the_new_id_in_the_trackers_is_the_clock() -> None:
    before, after = trackers(a=[str(T1)], b=[]), trackers(a=[str(T1)], b=[str(T2)])
    assert clocks({"trackers": after}, initial=before) == [(T2, "new-id")]


def test_the_id_in_the_result_comes_before_those_in_the_trackers() -> None:
    assert clocks({"result": added(T1), "trackers": trackers(a=[str(T1), str(T2)])}) == [(T1, "new-id")]


def test_a_recorded_clock_comes_before_a_new_id() -> None:
    assert clocks({"now": "1970-01-01T00:00:00.000000005Z", "result": added(T1)}) == [(5, "recorded")]


def test_an_id_that_was_there_before_is_not_new() -> None:
    state = trackers(a=[str(T1)])
    steps: list[dict[str, Any]] = [{"trackers": state}, {}, {"trackers": trackers(b=[str(T1)])}]
    assert clocks(*steps, initial=state) == [(0, "carried")] * 3


def test_a_step_that_records_no_trackers_leaves_the_state_before() -> None:
    state = trackers(a=[str(T1)])
    assert clocks({"now": "1970-01-01T00:00:00Z"}, {"trackers": state}, initial=state)[1] == (0, "carried")


def test_of_several_new_ids_the_largest_is_the_clock() -> None:
    assert clocks({"trackers": trackers(a=[str(T2), str(T1)])}) == [(T2, "new-id")]


@pytest.mark.parametrize("point", ["", "x1", "1.5", "9223372036854775808", "1" * 30, "\u0661", " 1"])
def test_an_id_that_is_no_clock_is_not_taken_for_one(point: str) -> None:
    assert clocks({"result": added(point)}, {"trackers": trackers(a=[point])}) == [(0, "carried")] * 2


@pytest.mark.parametrize("point", [-1, 0, 7, 2**63 - 1, -(2**63)])
def test_an_id_of_any_moment_that_go_can_count_is_a_clock(point: int) -> None:
    assert clocks({"result": added(point)}) == [(point, "new-id")]


@pytest.mark.parametrize(
    "step",
    [
        {"result": f"1\t{added(T1)}"},
        {"result": f"{added(T1)}\n"},
        {"tool": "mem_read", "result": added(T1)},
        {"result": None, "panic": added(T1)},
    ],
)
def test_only_the_result_of_an_addition_holds_a_new_id(step: dict[str, Any]) -> None:
    assert clocks(step) == [(0, "carried")]


def test_a_name_with_line_ends_and_ids_in_it_is_still_a_name() -> None:
    assert clocks({"result": f"[ok] point ajouté à « a » (id 5).\nb » (id {T1})."}) == [(T1, "new-id")]


def test_the_state_before_may_stand_after_the_steps() -> None:
    state = json.dumps(trackers(a=[str(T1)]))
    text = (
        f'{{"steps": [{{"tool": "tracker", "result": "", "trackers": {state}}}], "initial": {{"trackers": {state}}}}}'
    )
    assert loads(text.encode(), "a.json").steps[0].clock_from == "carried"
