"""What a step must ask of Go, by recall.md alone; and what a step shows, as values."""

from __future__ import annotations

from typing import Final

import pytest

from parity.stores import seal
from parity.tools.interface import DiffLine, Tracker, TrackerEvent
from replay import fields as named
from replay.journal.model import Expected
from replay.requirements import READ_ALL, requests_of

KEY: Final = bytes(range(32))

READ: Final = {
    "r7": "7",
    "R7": "7",
    "rR7": "7",
    "7": "7",
    " \u00a0r \u3000 0012\n": "12",
    "0" * 5000 + "7": "7",
    "000": "0",
    "18446744073709551615": "18446744073709551615",
}
NOT_READ: Final = (
    *("", " ", "r", "rR", "Rr7", "rr7", "r7x", "r-1", "r+1", "r1_0", "r\uff11", "r\u0661", "7\u200b", "\x1c7"),
    *("18446744073709551616", "9" * 5000, "7 8", "r7\x00"),
)


@pytest.mark.parametrize("given", READ)
def test_a_well_formed_id_is_one_read_of_one_block(given: str) -> None:
    assert requests_of("recall", {"id": given}) == (f"GET /internal/v1/recall/block?seq={READ[given]}",)


@pytest.mark.parametrize("given", NOT_READ, ids=ascii)
def test_any_other_id_reads_nothing(given: str) -> None:
    assert requests_of("recall", {"id": given}) == ()


@pytest.mark.parametrize("args", [{}, {"id": None}, {"id": 7.0}, {"id": ["r7"]}, {"ID": "r7"}])
def test_an_id_that_is_no_text_reads_nothing(args: dict[str, object]) -> None:
    assert requests_of("recall", args) == ()


@pytest.mark.parametrize("query", ["ab", "à l'été", "÷÷", "İS", "\u212a\u212b", "x9", "ŸÀ", "a  bc"])
def test_a_query_with_a_keyword_reads_every_block_once(query: str) -> None:
    assert requests_of("recall_search", {"query": query}) == (READ_ALL,)


@pytest.mark.parametrize(
    "query", ["", "a b", "à l d'", "××", "ßß", "ΣΊΣΥΦΟΣ", "e\u0301", "a_b", "ſ1", 7.0, None, ["ab"]]
)
def test_a_query_without_one_reads_nothing(query: object) -> None:
    assert requests_of("recall_search", {"query": query}) == ()


def test_other_tools_read_no_archive() -> None:
    assert requests_of("mem_search", {"query": "ab", "id": "r7"}) == ()


def test_a_record_shows_what_it_holds_and_nothing_else() -> None:
    assert named.expected_fields(Expected(), None) == {}
    event = TrackerEvent("1", 5, "x", date_only=True)
    whole = Expected("r", "p", "l", (DiffLine("+", "d"),), {"a": b"\xff"}, {"k": Tracker("T", (event,))})
    assert named.expected_fields(whole, None) == {
        "result": "r",
        "panic": "p",
        "label": "l",
        "diff": ({"op": "+", "text": "d"},),
        "files": {"a": {"sealed": False, "content": b"\xff"}},
        "trackers": {"k": {"name": "T", "events": ({"id": "1", "ts": 5, "text": "x", "date_only": True},)}},
    }


def test_a_sealed_page_is_opened_where_that_can_be() -> None:
    sealed = seal.seal(b"secret", KEY, bytes(12))
    damaged = sealed[:-1]
    assert named.page_value(sealed, KEY) == {"sealed": True, "content": b"secret"}
    assert named.page_value(sealed, None) == {"sealed": True, "content": sealed}
    assert named.page_value(damaged, KEY) == {"sealed": True, "content": damaged}


def test_characters_are_runes_of_text_bytes_of_bytes_and_one_for_any_other_leaf() -> None:
    value: named.Value = {"a": "été", "b": (b"\xff\xfe", 7, None), "c": True, "d": {}}
    assert named.characters(value) == 3 + 2 + 1 + 1 + 1


def test_fields_that_are_judged() -> None:
    fields: dict[str, named.Value] = {"result": "r", "panic": "p", "label": "l"}
    assert named.chosen(fields, None) == fields
    assert named.chosen(fields, frozenset({"result"})) == {"result": "r", "panic": "p"}
    assert named.narrowed(Expected("r", None, "l"), None) == Expected("r", None, "l")
    assert named.narrowed(Expected("r", "p", "l"), frozenset({"label"})) == Expected(label="l")
