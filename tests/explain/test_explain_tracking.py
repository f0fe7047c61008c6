"""Slugs and dates, told step by step (contract: tracker.md; go-semantics.md, 2.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from stand_in_oracle import StandIn

from parity import zones
from parity.gostd import time
from parity.gostd.target import GO_1_25
from replay.explain.tracking import explain_slug, explain_when

if TYPE_CHECKING:
    from replay.explain.explanation import Explanation
    from replay.fields import Value


def value(explanation: Explanation, rule: str) -> Value:
    (found,) = [part for part in explanation.parts if rule in part.rules]
    return found.value if found.lines is None else found.lines


@pytest.mark.parametrize(
    ("name", "slug", "stored", "result"),
    [
        (" Poids (kg) — été ", "poids-kg-ete", "poids-kg-ete", "poids-kg-ete"),
        ("—", "", "tracker", "none: stored as tracker, and nothing is found by this name"),
    ],
)
def test_a_slug_is_told_with_what_it_is_stored_under(name: str, slug: str, stored: str, result: str) -> None:
    told = explain_slug(name, GO_1_25)
    assert value(told, "tracker/slug") == slug
    assert value(told, "tracker/add/slug") == stored
    assert told.result == result
    (ask,) = told.asks
    assert ask(StandIn.saying(slug).oracle).same


def test_a_date_is_tried_by_each_layout_until_one_fits() -> None:
    # the second 02:30 of that night, as Go has it: +01:00 (go-semantics.md, 2.14)
    told = explain_when("2024-10-27T02:30", GO_1_25, zones.zone("Europe/Paris"), None)
    layouts = [part for part in told.parts if part.says.startswith("Go's time.ParseInLocation")]
    assert [part.lines for part in layouts] == [
        ('parsing time "2024-10-27 02:30" as "2006-01-02 15:04:05": cannot parse "" as ":"',),
        ("fits: 2024-10-27 02:30:00",),
    ]
    assert value(told, "tracker/when/layouts") == {"ts": 1729992600000, "date_only": False}
    assert value(told, "tracker/view/level") == ("4: the points of a time of day",)
    assert told.result == (
        "1729992600000 ms, with a time: 2024-10-27 02:30:00 in Europe/Paris, 2024-10-27 01:30:00 in UTC"
    )
    answers = {"level": 4, "when": {"ts": 1729992600000, "date_only": False, "error": None}}
    stand_in = StandIn(lambda question: answers[str(question["q"])], by="model")
    assert all(ask(stand_in.oracle).same for ask in told.asks)
    assert stand_in.asked[1] == {
        "q": "when",
        "s": "2024-10-27T02:30",
        "zone": "Europe/Paris",
        "now": "1970-01-01T00:00:00.000000000Z",
    }


def test_a_date_without_a_time_says_so() -> None:
    told = explain_when("2025", GO_1_25, time.UTC, None)
    assert told.result == (
        "1735689600000 ms, a date without a time: 2025-01-01 00:00:00 in UTC, 2025-01-01 00:00:00 in UTC"
    )
    assert value(told, "tracker/view/level") == ("1: a year by months",)


def test_a_date_that_no_layout_fits_has_the_contracts_text() -> None:
    told = explain_when(" 2023-02-29T ", GO_1_25, time.UTC, None)
    text = 'date non comprise : "2023-02-29T" (attendu AAAA, AAAA-MM, AAAA-MM-JJ ou AAAA-MM-JJ HH:MM)'
    assert value(told, "tracker/when/misunderstood") == text
    assert told.result == f"[erreur] {text}"
    assert len([part for part in told.parts if part.says.startswith("Go's time.ParseInLocation")]) == 6
    assert told.asks[1](StandIn.saying({"error": text}).oracle).same


@pytest.mark.parametrize("text", ["", "NOW", "maintenant"])
def test_the_clock_is_meant_and_named(text: str) -> None:
    told = explain_when(text, GO_1_25, time.UTC, 1_792_143_000_000_000_007)
    assert value(told, "tracker/when/now") is True
    assert told.result == ("1792143000000 ms, with a time: 2026-10-16 09:30:00 in UTC, 2026-10-16 09:30:00 in UTC")
    assert len(told.asks) == 2


def test_without_a_clock_the_moment_is_left_open_and_not_asked_for() -> None:
    told = explain_when("now", GO_1_25, time.UTC, None)
    assert told.result == "the clock, which --now sets"
    assert len(told.asks) == 1


def test_more_parts_than_a_date_has_select_by_time() -> None:
    assert value(explain_when("2025-01-02-03-04-05", GO_1_25, time.UTC, None), "tracker/view/level") == (
        "6: the points that begin so: there is none",
    )
