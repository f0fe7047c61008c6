"""The rules by which inputs are made: what they promise, and that they reach what they are there for, without Go."""

from __future__ import annotations

import importlib
import json
import pkgutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_reader import TARGETS, sections

import parity
from parity import rules, zones
from parity.gostd import base64, strconv, strings, time, utf8
from parity.gostd import json as go_json
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from replay.fuzz import dates, ids, library_inputs, raw_json, texts
from replay.fuzz.campaign import Budget, Campaign
from replay.fuzz.dice import HypothesisDice, RandomDice, RecordedDice
from replay.fuzz.library import FUNCTIONS, Function, read_tree, tree_of
from replay.fuzz.subjects import ALL, UnknownSubjectError, chosen
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.fuzz.dice import Dice
    from replay.fuzz.trial import Subject

from honest_model import HonestModel

BY_NAME = {one.name: one for one in FUNCTIONS}


def drawn(make: Callable[[Dice], Any]) -> st.SearchStrategy[Any]:
    """A rule as a strategy of hypothesis: the same rule, its chance drawn by hypothesis."""

    @st.composite
    def strategy(draw: st.DrawFn) -> Any:  # noqa: ANN401 - whatever the rule makes
        return make(HypothesisDice(lambda count: draw(st.integers(0, count - 1))))

    return strategy()


def many(make: Callable[[Dice], Any], count: int = 2000) -> list[Any]:
    dice = RandomDice("many")
    return [make(dice) for _ in range(count)]


# --- what the rules promise ---


def test_text_never_holds_half_a_surrogate_pair() -> None:
    for make in (texts.any_text, texts.hostile, texts.word, texts.sentence, texts.blank, ids.digits):
        assert all(utf8.clean(text) == text for text in many(make, 500))
    assert not any(0xD800 <= ord(c) < 0xE000 for c in texts.table_edges() + texts.foreign_digits())


def test_arguments_are_json_by_their_syntax_whatever_they_hold() -> None:
    def arguments(dice: Dice) -> bytes:
        written = raw_json.Written(dice)
        written.text("id", texts.any_text(dice))
        written.number("limit", (1, 20))
        written.plain("a", texts.any_text(dice))
        return written.done()

    for raw in many(arguments):
        text = raw.decode("utf-8", "replace")
        json.loads(text, parse_int=str, parse_float=str)
    assert any(not utf8.valid(raw) for raw in many(arguments))


@pytest.mark.parametrize("target", TARGETS)
def test_arguments_are_an_object_to_the_port_too(target: GoTarget) -> None:
    def arguments(dice: Dice) -> bytes:
        written = raw_json.Written(dice)
        written.plain("id", "x")
        return written.done()

    assert all("id" in go_json.unmarshal_args(raw, target) for raw in many(arguments, 500))


def test_moments_are_within_the_years_of_four_digits_and_clocks_within_64_bits() -> None:
    for zone in dates.ZONES:
        dice = RandomDice(zone)
        for _ in range(200):
            assert dates.FIRST_SECOND <= dates.second(dice, zone) < dates.END + 86_400
            assert -(1 << 63) <= dates.nanoseconds(dice, zone) < 1 << 63


def test_the_turns_of_a_zone_are_where_its_offset_changes() -> None:
    zone = zones.zone("Europe/Paris")
    found = [one for one in dates.turns("Europe/Paris") if one > 1_000_000_000]
    assert 1_711_846_800 in found  # 2024-03-31 01:00 UTC
    assert sum(zone.lookup(one).offset != zone.lookup(one - 1).offset for one in found) > len(found) // 2
    assert dates.turns("UTC") == [0]


def test_a_block_is_neighbours_from_anywhere_in_unicode_without_surrogates() -> None:
    points = {c for first in range(0, 0x110000, 64) for c in library_inputs.block(RecordedDice([63, first])).decode()}
    assert len(points) == 0x110000 - 0x800
    assert library_inputs.block(RecordedDice([0, 126])) == b"~"
    assert library_inputs.block(RecordedDice([63, 0x10FFFF])).decode() == "\U0010ffff"


# --- what is known of the boundaries ---


def test_the_rules_of_the_tools_boundaries_are_the_contracts_own() -> None:
    for module in pkgutil.walk_packages(parity.__path__, "parity."):
        importlib.import_module(module.name)
    known = rules.registered()
    for subject in ALL:
        for bucket in subject.buckets:
            assert bucket.rule in known or bucket.rule in BY_NAME, bucket.rule


NOT_ASKED = {
    "facade": "the host, its client and its turn: tests/facade asks them over real HTTP",
    "keepimg/reference": "what the model is sent: tests/images",
    "keepimg/sent": "as above",
    "keepimg/turn-start": "asked once, before a turn: tests/images, with vectors of the model",
    "keepimg/store/date": "no operation shows a file's date: tests/images, on a real disk",
    "keepimg/store/read-back": "as above",
    "keepimg/store/sealed": "turns are fuzzed with a store that seals nothing: tests/images",
    "memory/listing/folder-made": "memories are fuzzed in RAM: tests/stores, on a real disk",
    "memory/listing/not-folders": "as above",
    "memory/names/links": "as above",
    "memory/pages/reading": "as above",
    "memory/writing/read-back": "as above",
    "memory/writing/system-error-text": "as above",
    "memory/writing/whole": "as above",
    "memory/mem_add/index-refused": "as above",
}
"""Rules that fuzzing does not ask, by the beginning of their names, and who does."""


def test_every_rule_of_the_contract_has_a_boundary_or_is_asked_elsewhere() -> None:
    rows = tomllib.loads((Path(parity.__path__[0]) / "PORT.toml").read_text(encoding="utf-8"))["rule"]
    asked = {bucket.rule for subject in ALL for bucket in subject.buckets}
    elsewhere = {
        row["id"] for row in rows if any(row["id"] == one or row["id"].startswith(f"{one}/") for one in NOT_ASKED)
    }
    assert {row["id"] for row in rows} - asked - elsewhere == set()
    assert asked & elsewhere == set()


def test_no_boundary_of_a_subject_is_named_twice() -> None:
    for subject in ALL:
        counted = Counter(map(str, subject.buckets))
        assert [name for name, count in counted.items() if count > 1] == []
        assert subject.buckets


@pytest.mark.parametrize("subject", ALL, ids=lambda subject: subject.name)
def test_a_small_campaign_reaches_most_boundaries_of_each_subject(subject: Subject) -> None:
    campaign = Campaign([subject], GO_1_25, 1)
    campaign.run(HonestModel().oracle, Budget(inputs=1500 if subject.judge == "stdlib" else 400))
    (tally,) = campaign.tallies
    assert tally.place is None
    assert len(tally.left) <= 0.5 * len(subject.buckets)


def test_a_name_chooses_a_subject_and_a_judge_all_of_its_own() -> None:
    assert [one.name for one in chosen(["recall", "strconv.Quote"])] == ["strconv.Quote", "recall"]
    assert {one.judge for one in chosen(["model"])} == {"model"}
    assert len(chosen(["stdlib"])) == len(FUNCTIONS)
    assert chosen([]) == list(ALL)


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnknownSubjectError, match=r"nothing is called 'recal\\x1b' \(choose from strings\.ToLower, "):
        chosen(["recal\x1b"])


# --- the same rules against what Go said, and against what holds by itself ---


_SECTIONS: dict[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]], Callable[[dict[str, Any]], object]]] = {
    "strings.ToLower": ("to_lower", lambda entry: {"s": utf8.encode(entry["in"])}, lambda entry: entry["out"]),
    "strings.TrimSpace": ("trim_space", lambda entry: {"s": utf8.encode(entry["in"])}, lambda entry: entry["out"]),
    "strings.Fields": ("fields", lambda entry: {"s": utf8.encode(entry["in"])}, lambda entry: tuple(entry["out"])),
    "strconv.Quote": ("quote", lambda entry: {"s": utf8.encode(entry["in"])}, lambda entry: entry["out"]),
    "fmt %.0f": ("fmt_0f", lambda entry: {"bits": entry["in"]}, lambda entry: entry["out"]),
    "int(float64)": ("int_of_float", lambda entry: {"bits": entry["in"]}, lambda entry: entry["out"]),
    "math.Log": ("log", lambda entry: {"bits": entry["in"]}, lambda entry: entry["out"]),
    "tokens": ("tokens", lambda entry: {"s": utf8.encode(entry["in"])}, lambda entry: tuple(entry["out"])),
    "strings.EqualFold": (
        "equal_fold",
        lambda entry: {"a": utf8.encode(entry["a"]), "b": utf8.encode(entry["b"])},
        lambda entry: entry["out"],
    ),
}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)
@pytest.mark.parametrize("name", _SECTIONS)
def test_a_function_is_asked_as_the_recorded_vectors_were(name: str, target: GoTarget) -> None:
    section, fields, out = _SECTIONS[name]
    entries = sections(target)[section]
    assert len(entries) > 30
    for entry in entries:
        trial = BY_NAME[name].given(fields(entry), target)
        assert trial.calls[0].actual == {"out": out(entry)}


def _text(dice: Dice) -> str:
    return utf8.text(texts.maybe_raw(dice, texts.any_text(dice)))


TARGET = st.sampled_from([GO_1_25, GO_1_27])
HELD = settings(max_examples=60, deadline=None, database=None)


@HELD
@given(drawn(_text), TARGET)
def test_lower_case_is_its_own_lower_case_and_has_as_many_characters(text: str, target: GoTarget) -> None:
    lower = strings.to_lower(text, target)
    assert strings.to_lower(lower, target) == lower
    assert len(lower) == len(text)


@HELD
@given(drawn(_text))
def test_trimming_twice_is_trimming_once_and_fields_hold_no_space(text: str) -> None:
    trimmed = strings.trim_space(text)
    assert strings.trim_space(trimmed) == trimmed
    assert all(field and strings.trim_space(field) == field for field in strings.fields(text))


@HELD
@given(drawn(_text), drawn(_text), TARGET)
def test_folding_is_the_same_both_ways_and_holds_for_a_text_and_itself(one: str, other: str, target: GoTarget) -> None:
    assert strings.equal_fold(one, one, target)
    assert strings.equal_fold(one, other, target) == strings.equal_fold(other, one, target)


@HELD
@given(drawn(_text), TARGET)
def test_a_quoted_text_is_printable_and_says_which_text_it_was(text: str, target: GoTarget) -> None:
    quoted = strconv.quote(text, target)
    assert quoted[0] == quoted[-1] == '"'
    assert not any(c in quoted for c in "\n\r\x00\x7f\u202e")


@HELD
@given(st.integers(0, (1 << 64) - 1))
def test_a_number_written_is_the_number_read(number: int) -> None:
    assert strconv.parse_uint(str(number)) == number
    assert strconv.parse_uint("000" + str(number)) == number


@HELD
@given(drawn(library_inputs.value), TARGET)
def test_what_is_written_as_json_is_read_back(fields: dict[str, object], target: GoTarget) -> None:
    value = library_inputs.plain(fields["value"])
    try:
        raw = go_json.marshal(value, target)
    except go_json.UnsupportedValueError:
        return
    decoded = go_json.unmarshal(raw, target)
    assert decoded.error is None
    again = go_json.marshal(decoded.value, target)
    assert go_json.unmarshal(again, target).value == decoded.value


@HELD
@given(drawn(library_inputs.document), TARGET)
def test_no_document_makes_the_reader_raise(fields: dict[str, bytes], target: GoTarget) -> None:
    decoded = go_json.unmarshal(fields["json"], target)
    assert decoded.error is None or isinstance(decoded.error, str)


@HELD
@given(st.binary())
def test_base64_written_is_base64_read(raw: bytes) -> None:
    assert base64.decode_std(base64.encode_std(raw), strict=True) == raw


@HELD
@given(drawn(lambda dice: dates.second(dice, "Europe/Paris")))
def test_a_moment_printed_in_utc_is_the_moment_read(second: int) -> None:
    printed = time.Time(second).format("2006-01-02 15:04:05")
    assert time.parse_in_location("2006-01-02 15:04:05", printed, time.UTC).seconds == second


# --- trees ---


def test_a_tree_that_go_answers_reads_as_the_ports_own() -> None:
    answered = [None, True, {"f": "8000000000000000"}, {"s": "é"}, {"sb": "/w=="}, {"m": [[{"s": "a"}, [{"s": "b"}]]]}]
    own = [None, True, -0.0, "é", "\udcff", {"a": ["b"]}]
    assert read_tree(answered) == tree_of(own)


def test_a_crash_of_the_port_is_an_answer_of_its_own() -> None:
    def broken(_: dict[str, object], __: GoTarget) -> str:
        raise ZeroDivisionError

    function = Function("broken", "quote", library_inputs.any_text, broken, cast("Any", str))
    trial = function.given({"s": b"x"}, GO_1_25)
    assert trial.calls[0].actual == {"crash": "ZeroDivisionError:  (in test_fuzz_inputs.py)"}
    assert wire.text(b"x") == trial.questions[0]["s"]
