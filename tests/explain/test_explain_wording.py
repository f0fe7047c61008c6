"""Arguments and quoted texts, told step by step (contract: go-semantics.md, 2.5, 2.8, 2.10; memory.md, Labels)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from stand_in_oracle import StandIn
from vectors_reader import vectors

from parity.gostd.target import GO_1_25, GO_1_27
from replay.explain.explanation import ExplainError
from replay.explain.wording import checked_json, explain_label, explain_limit, explain_quote

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from replay.explain.explanation import Explanation


def values(explanation: Explanation) -> list[object]:
    return [part.value for part in explanation.parts]


@pytest.mark.parametrize(
    ("text", "target", "decoded", "integer", "recalled", "searched", "lines", "offset"),
    [
        ("3.99", GO_1_25, "map[limit:3.99]", [3], 3, 3, 3, 3),
        ("21", GO_1_25, "map[limit:21]", [21], 20, 21, 21, 21),
        ("31", GO_1_25, "map[limit:31]", [31], 20, 8, 31, 31),
        ("501", GO_1_25, "map[limit:501]", [501], 20, 8, 500, 501),
        ("-5", GO_1_25, "map[limit:-5]", [-5], 5, 8, 500, 1),
        ("1e19", GO_1_25, "map[limit:1e+19]", [-(2**63)], 5, 8, 500, 1),
        ("1e400", GO_1_25, "map[limit:<nil>]", [], 5, 8, 500, 1),
        ("1e400", GO_1_27, "map[limit:0]", [0], 5, 8, 500, 1),
        ('"5"', GO_1_25, "map[limit:5]", [], 5, 8, 500, 1),
        ("null", GO_1_25, "map[limit:<nil>]", [], 5, 8, 500, 1),
        ("[1,2]", GO_1_25, "map[limit:[1 2]]", [], 5, 8, 500, 1),
    ],
)
def test_a_limit_is_what_each_tool_makes_of_it(  # noqa: PLR0917 - the columns of the table
    text: str,
    target: GoTarget,
    decoded: str,
    integer: list[int],
    recalled: int,
    searched: int,
    lines: int,
    offset: int,
) -> None:
    told = explain_limit(text, target)
    number = integer[0] if integer else 0
    assert values(told) == [decoded, *integer, number, recalled, searched, lines, offset]
    assert told.result == f"recall_search {recalled} hits, mem_search {searched} hits, mem_read {lines} lines"


def test_real_go_is_asked_for_the_decoded_value_and_its_integer() -> None:
    told = explain_limit("-1e19", GO_1_25)
    answers = {"fmt_v": "map[limit:-1e+19]", "int_of_float": "-9223372036854775808"}
    stand_in = StandIn(lambda question: answers[str(question["q"])])
    assert all(ask(stand_in.oracle).same for ask in told.asks)
    assert stand_in.asked == [
        {"q": "fmt_v", "json": '{"limit":-1e19}'},
        {"q": "int_of_float", "bits": "c3e158e460913d00"},
    ]


@pytest.mark.parametrize("text", ["", "x", "1,2", '1},"limit":{', "1],[2", "nul", "5 6", "\udcff"])
def test_what_is_not_one_json_value_is_refused(text: str) -> None:
    with pytest.raises(ExplainError, match="is not a JSON value"):
        checked_json(text, GO_1_25)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(ExplainError, match="half of a surrogate pair"):
        checked_json('"\ud800"', GO_1_25)


def test_what_is_one_json_value_is_left_as_written() -> None:
    assert checked_json(' "\\ud800" ', GO_1_25) == b' "\\ud800" '


def test_every_text_of_the_vectors_is_quoted_as_real_go_does() -> None:
    checked = 0
    for target, entry in vectors("quote"):
        told = explain_quote(entry["in"], target)
        assert told.result == entry["out"]
        checked += 1
    assert checked > 2000


def test_a_quoted_text_says_of_each_character_why_it_is_not_written_as_itself() -> None:
    told = explain_quote('a\u200b\u1c89"\t\udcff\u200bé', GO_1_25)
    assert told.parts[1].lines == (
        "U+200B ZERO WIDTH SPACE: not printable in Unicode 15.0.0: \\u200b",
        "U+1C89 CYRILLIC CAPITAL LETTER TJE: not printable in Unicode 15.0.0: \\u1c89",
        'U+0022 QUOTATION MARK: printable, and has a meaning between quotes: \\"',
        "U+0009 CHARACTER TABULATION: not printable in Unicode 15.0.0: \\t",
        "byte 0xFF (not UTF-8): \\xff",
    )
    assert len(explain_quote("\u1c89", GO_1_27).parts) == 1


def test_real_go_quotes_the_very_bytes() -> None:
    (ask,) = explain_quote("a\udcff", GO_1_25).asks
    stand_in = StandIn(lambda _: '"a\\xff"')
    assert ask(stand_in.oracle).same
    assert stand_in.asked == [{"q": "quote", "s": {"b64": "Yf8="}}]


def test_an_answer_in_base64_is_read_as_its_bytes() -> None:
    (ask,) = explain_quote("a", GO_1_25).asks
    verdict = ask(StandIn.saying({"b64": "Yf8="}).oracle)
    assert (verdict.go, verdict.same) == ("a\udcff", False)


@pytest.mark.parametrize(
    ("tool", "args", "label"),
    [
        ("recall", {"id": " r7 "}, " r7 "),
        ("recall", {"id": 7}, ""),
        ("mem_read", {"file": "a"}, "a"),
        ("tracker", {"action": 1000000, "name": "Poids "}, "1000000 Poids"),
        ("see_image", {"file": "a"}, ""),
        ("recall", [1], ""),
    ],
)
def test_a_label_is_what_the_contract_says(tool: str, args: object, label: str) -> None:
    told = explain_label(tool, json.dumps(args), GO_1_25)
    assert told.result == label
    assert told.rules == ["labels/tracker" if tool == "tracker" else "labels/argument"]
    assert told.asks[1](StandIn.saying(label).oracle).same
