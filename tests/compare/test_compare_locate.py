"""Where two texts part: every count against a plain reading of the text, and the sizes that people have."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from replay.compare import Difference, locate, locate_text
from replay.compare.texts import as_text, as_texts, common_prefix, common_suffix

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.compare import Location
    from replay.fields import Value

CALM = settings(derandomize=True, deadline=None, max_examples=300)
TEXTS = st.text(st.sampled_from("ab\n\r \t\u00e9e\u0301\u00a0\ufffd<&\u200b1\U0001f600\U00010348"), max_size=24)


def located(recorded: Value, candidate: Value) -> Location:
    found = locate(Difference("result", "changed", recorded, candidate))
    assert found is not None
    return found


@CALM
@given(TEXTS, TEXTS)
@example("", "a")
@example("a\n", "a\nb")
def test_every_count_agrees_with_a_plain_reading(recorded: str, candidate: str) -> None:
    found = locate_text(recorded, candidate)
    if recorded == candidate:
        assert found is None
        return
    assert found is not None
    at = 0
    line = column = 1
    while at < min(len(recorded), len(candidate)) and recorded[at] == candidate[at]:
        line, column = (line + 1, 1) if recorded[at] == "\n" else (line, column + 1)
        at += 1
    assert (found.rune, found.line, found.column) == (at, line, column)
    assert found.byte == len(recorded[:at].encode())
    assert found.utf16 == sum(1 + (character > "\uffff") for character in recorded[:at])
    for described, text in ((found.recorded, recorded), (found.candidate, candidate)):
        expected = f"U+{ord(text[at]):04X} " if at < len(text) else "end of text"
        assert described.startswith(expected)
    assert recorded.startswith(found.before + found.recorded_from, at - len(found.before))
    assert candidate.startswith(found.before + found.candidate_from, at - len(found.before))
    assert (found.recorded_length, found.candidate_length) == (len(recorded), len(candidate))


@CALM
@given(st.binary(max_size=12), st.binary(max_size=12), st.binary(max_size=12))
def test_bytes_part_at_a_whole_character_and_every_bad_byte_is_one(start: bytes, one: bytes, other: bytes) -> None:
    recorded, candidate = start + one, start + other
    found = locate(Difference("files['a'].content", "changed", recorded, candidate))
    if recorded == candidate:
        assert found is None
        return
    assert found is not None
    assert recorded[: found.byte] == candidate[: found.byte]
    runes = as_text(recorded[: found.byte])
    assert len(runes) == found.rune
    assert as_text(recorded).startswith(runes)
    assert as_text(candidate).startswith(runes)
    assert as_text(recorded)[found.rune : found.rune + 1] != as_text(candidate)[found.rune : found.rune + 1]


PIECES = st.lists(
    st.sampled_from(
        [b"a", b"\xc3", b"\xa9", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xed", b"\xa0", "\U0001f600".encode()]
    )
).map(b"".join)


@CALM
@given(PIECES, PIECES, PIECES)
def test_two_files_are_decoded_together_as_each_alone(start: bytes, one: bytes, other: bytes) -> None:
    one, other = start + one, start + other
    assert as_texts(one, other) == (as_text(one), as_text(other))


@CALM
@given(TEXTS, st.data())
def test_one_planted_character_is_found_where_it_was_planted(text: str, data: Any) -> None:  # noqa: ANN401 - data
    at = data.draw(st.integers(0, len(text)))
    found = located(text, text[:at] + "\u2603" + text[at:])
    assert found.rune == at
    assert found.candidate == "U+2603 SNOWMAN"


def test_a_place_inside_a_grapheme_is_the_mark_itself() -> None:
    found = located("ae\u0301x", "ae\u0300x")
    assert (found.rune, found.column, found.byte) == (2, 3, 2)
    assert found.recorded == "U+0301 COMBINING ACUTE ACCENT"
    assert found.candidate == "U+0300 COMBINING GRAVE ACCENT"


def test_a_place_inside_a_family_of_emoji_is_counted_in_every_unit() -> None:
    found = located("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f467")
    assert (found.rune, found.byte, found.utf16) == (2, 7, 3)


def test_a_place_at_the_end_is_the_end_of_the_shorter_text() -> None:
    found = located("ab\n", "ab")
    assert (found.rune, found.line, found.column) == (2, 1, 3)
    assert (found.recorded, found.candidate) == ("U+000A LINE FEED", "end of text")


def test_a_place_after_the_last_newline_is_in_a_line_of_its_own() -> None:
    found = located("ab\n", "ab\nc")
    assert (found.line, found.column) == (2, 1)


def test_bytes_that_part_inside_a_character_part_at_its_beginning() -> None:
    found = located("\u00e9".encode(), "\u00e8".encode())
    assert (found.byte, found.recorded) == (0, "U+00E9 LATIN SMALL LETTER E WITH ACUTE")
    cut = located("a\u00e9".encode(), b"a\xc3(")
    assert (cut.byte, cut.candidate) == (1, "byte 0xC3 (not UTF-8)")


def test_offsets_after_bad_bytes_count_each_as_one() -> None:
    found = located(b"\xe2\x82\xff\xed\xa0\x80a", b"\xe2\x82\xff\xed\xa0\x80b")
    assert (found.byte, found.rune, found.utf16, found.column) == (6, 6, 6, 7)


def test_a_surrogate_that_is_no_byte_counts_as_three() -> None:
    found = located("\ud800\udcffa", "\ud800\udcffb")
    assert (found.byte, found.rune, found.utf16) == (4, 2, 2)


@pytest.mark.parametrize(
    ("expected", "actual"), [(1, 2), ("a", b"a"), (b"a", "a"), (None, "a"), (("a",), ("b",)), ("a", "a"), (b"", b"")]
)
def test_only_two_texts_that_differ_have_a_place(expected: Value, actual: Value) -> None:
    assert locate(Difference("x", "changed", expected, actual)) is None


@CALM
@given(TEXTS, TEXTS, TEXTS)
def test_what_two_texts_begin_and_end_with_alike_is_the_longest_there_is(one: str, other: str, end: str) -> None:
    one, other = one + end, other + end
    prefix = common_prefix(one, other)
    assert one[:prefix] == other[:prefix]
    assert one[prefix : prefix + 1] != other[prefix : prefix + 1] or prefix == len(one) == len(other)
    limit = min(len(one), len(other)) - prefix
    suffix = common_suffix(one, other, limit)
    assert suffix <= limit
    assert one[len(one) - suffix :] == other[len(other) - suffix :]
    assert suffix == limit or one[len(one) - suffix - 1] != other[len(other) - suffix - 1]


@pytest.mark.parametrize("at", [0, 1, 65_535, 65_536, 65_537, 200_000, 399_999])
def test_the_place_is_exact_on_both_sides_of_a_chunk(at: int) -> None:
    text = "0123456789" * 40_000
    other = text[:at] + "x" + text[at + 1 :]
    assert common_prefix(text, other) == at
    assert common_suffix(text, other, len(text) - at) == len(text) - at - 1


MEGABYTES = 33_000_000
LINE = "une ligne comme une autre\n"


@pytest.mark.parametrize(
    ("make", "rune"),
    [
        (lambda: ("a" * MEGABYTES, "b" * MEGABYTES), 0),
        (lambda: ("a" * MEGABYTES, "a" * (MEGABYTES - 1) + "b"), MEGABYTES - 1),
        (lambda: (LINE * 1_270_000, LINE.replace("\n", "\r\n") * 1_270_000), 25),
        (lambda: (" " * MEGABYTES, " " * (MEGABYTES - 1) + "x"), MEGABYTES - 1),
        (lambda: ("a\nb\n" * 8_000_000, "a\nb\n" * 4_000_000 + "b\n" + "a\nb\n" * 4_000_000), 16_000_000),
        (lambda: (b"\xe9" * MEGABYTES, b"\xe9" * (MEGABYTES - 1) + b"e"), MEGABYTES - 1),
    ],
    ids=["nothing alike", "last character", "line ends", "spaces", "repetitive", "bad bytes"],
)
def test_texts_of_33_megabytes_are_read_in_less_than_a_second_or_two(
    make: Callable[[], tuple[Value, Value]], rune: int
) -> None:
    recorded, candidate = make()
    before = time.perf_counter()
    assert located(recorded, candidate).rune == rune
    assert time.perf_counter() - before < 10, "it takes less than half a second on an idle machine"
