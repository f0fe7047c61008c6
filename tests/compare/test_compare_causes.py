"""Why two texts differ: every cause, and that none is claimed for more than it explains."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import Extent, locate_text

WHOLE, FIRST, TOGETHER, UNEXAMINED = Extent.WHOLE, Extent.FIRST, Extent.TOGETHER, Extent.UNEXAMINED


def causes(recorded: str, candidate: str) -> list[tuple[str, Extent]]:
    found = locate_text(recorded, candidate)
    assert found is not None
    return [(cause.name, cause.extent) for cause in found.causes]


def says(recorded: str, candidate: str) -> str:
    found = locate_text(recorded, candidate)
    assert found is not None
    (cause,) = found.causes
    return cause.says


@pytest.mark.parametrize(
    ("recorded", "candidate", "name"),
    [
        ("a\nb\nc", "a\r\nb\r\nc", "crlf"),
        ("a\r\nb\nc", "a\nb\nc", "crlf"),
        ("a\nb", "a\rb", "lone-cr"),
        ("a\r", "a\r\n", "lone-cr"),
        ("a\rb", "ab", "cr"),
        ("a\n", "a", "lost-last-newline"),
        ("a\n\n\n", "a", "lost-last-newline"),
        ("a", "a\n", "extra-last-newline"),
        ("a", "a\r\n", "extra-last-newline"),
        ("", "\n", "extra-last-newline"),
        ("a \nb", "a\nb", "trailing-space"),
        ("a", "a\t ", "trailing-space"),
        ("caf\u00e9 no\u00ebl", "cafe\u0301 noe\u0308l", "normal-form"),
        ("\u212b", "\u00c5", "normal-form"),
        ("a b", "a\u00a0b", "space-look-alike"),
        ("a\u202fb\u3000c", "a b c", "space-look-alike"),
        ("a  b", "a b", "white-space"),
        ("a\tb", "a    b", "white-space"),
        ("ab", "a\u200bb", "invisible"),
        ("\ufeffab", "ab", "invisible"),
        ("a\u202eb", "ab", "invisible"),
        ("\u2764\ufe0f", "\u2764", "invisible"),
        ("Mémoire ÉTÉ", "mémoire été", "letter-case"),
        ("ΣΩ Жя", "σω жЯ", "letter-case"),
        ("page", "p\u0430ge", "look-alike"),
        ("l'eau", "l\u2019eau", "look-alike"),
        ("a — b", "a - b", "look-alike"),
        ("fin…", "fin...", "look-alike"),
        ("１２３", "123", "look-alike"),
        ("\ufffd\ufffd\ufffd x", "\ufffd x", "replacements"),
        ("a\udce9\udcffb", "a\ufffdb", "bad-bytes"),
        ("l’été €, 😀", "lâ€™Ã©tÃ© â‚¬, ðŸ˜€", "double-encoded"),
        ("l’été", "lâ\x80\x99Ã©tÃ©", "double-encoded"),
        ("cafÃ© Ãa", "café Ãa", "double-encoded"),
        ("à\x80\x80 cafÃ©", "à\x80\x80 café", "double-encoded"),  # the bytes E0 80 80 are no UTF-8
        ("café, été \ufffd", "caf\ufffd\ufffd, \ufffd\ufffdt\ufffd\ufffd \ufffd", "bytes-lost"),
        ("\ufffd\ufffd", "é", "bytes-lost"),
        ("café, été", "caf\ufffd, \ufffdt\ufffd", "letters-lost"),
        ("a < b", "a \\u003c b", "go-escape"),
        ("a &lt; b <", "a &lt; b &lt;", "html-entity"),
        ("a & b", "a &amp; b", "html-entity"),
        ("l'eau", "l&#39;eau", "html-entity"),
        ("a\nb", "a\\nb", "json-escape"),
        ('a "b"', 'a \\"b\\"', "json-escape"),
        ("\u00e9\U0001f600", "\\u00e9\\ud83d\\ude00", "json-escape"),
        ("1000000 kg", "1e+06 kg", "number-form"),
        ("n 7", "n 007", "number-form"),
        ("x 1.50, 0.0", "x 1.5, 0", "number-form"),
        ("1\ta\n2\tb\n", "2\ta\n3\tb\n", "line-numbers"),
        ("\ufb01n", "fin", "compatibility"),
        ("été", "ete", "accents"),
        ("a\nb\nc\n", "b\na\nc\n", "order"),
        ("abc", "ab", "truncated"),
        ("abc", "", "truncated"),
        ("ab", "abc", "goes-on"),
        ("one two three", "one three", "missing-piece"),
        ("one three", "one two three", "extra-piece"),
    ],
)
def test_a_cause_that_explains_everything_is_the_only_one(recorded: str, candidate: str, name: str) -> None:
    assert causes(recorded, candidate) == [(name, WHOLE)]


@pytest.mark.parametrize(
    ("recorded", "candidate"),
    [("abc", "xbc"), ("1", "2"), ("a\nb", "a\nc"), ("a", "\u00a0"), ("7,5", "7.5"), ("12", "9e+02"), ("<", "&gt;")],
)
def test_a_difference_of_another_sort_has_no_cause(recorded: str, candidate: str) -> None:
    assert causes(recorded, candidate) == []


@pytest.mark.parametrize(
    ("recorded", "candidate", "names"),
    [
        ("a b, and then some more c", "a\u00a0b, and then some more d", ["space-look-alike", "compatibility"]),
        ("caf\u00e9 au lait\nfin", "cafe\u0301 au lait\nFINI", ["normal-form", "compatibility", "accents"]),
        ("a\nlonger line one\nx", "a\r\nlonger line one\ny", ["crlf", "lone-cr", "cr"]),
        ("a < b, and some more c", "a \\u003c b, and some more d", ["go-escape", "json-escape"]),
    ],
)
def test_what_explains_the_first_difference_only_says_so(recorded: str, candidate: str, names: list[str]) -> None:
    assert causes(recorded, candidate) == [(name, FIRST) for name in names]


def test_causes_that_explain_everything_only_together_are_given_together() -> None:
    assert causes("a b\nc\u00e9\n", "a\u00a0b\nce\u0301") == [
        ("normal-form", TOGETHER),
        ("space-look-alike", TOGETHER),
        ("last-newline", TOGETHER),
    ]


def test_a_space_in_a_line_is_no_trailing_space() -> None:
    assert causes("x y and so on, z", "xy and so on, Z") == []


def test_the_first_line_of_another_order_is_named() -> None:
    assert says("t\na\nb\nc\n", "t\nb\nc\na\n") == (
        "the same lines in another order: line 2 of the recording is line 4 of the candidate"
    )


def test_a_truncation_names_its_byte() -> None:
    assert says("\u00e9t\u00e9", "\u00e9t") == "the candidate ends at byte 3; one character more were recorded"


def test_a_text_that_goes_on_names_the_byte() -> None:
    assert says("ab", "abcd") == "the recording ends at byte 2; the candidate goes on for 2 characters"


def test_a_missing_piece_counts_its_lines() -> None:
    assert says("a\nb\nc\n", "a\nc\n") == (
        "2 characters (one newline) at byte 2 missing from the candidate, in one piece"
    )
    assert says("a\nd\n", "a\nb\nc\nd\n").startswith("4 characters (2 newlines) at byte 2 that were not recorded")


@pytest.mark.parametrize(
    ("recorded", "candidate", "end"),
    [
        ("1\ta\n2\tb\n", "2\ta\n3\tb\n", ": +1 each"),
        ("9\ta\n10\tb\n", "8\ta\n9\tb\n", ": -1 each"),
        ("1\ta\n2\tb\n", "1\ta\n5\tb\n", ": +3 each"),
        ("1\ta\n2\tb\n", "2\ta\n5\tb\n", "lines"),
        ("1\ta\n", "\ta\n", "lines"),
        (f"{'9' * 30}\ta\n", "5\ta\n", ": +5 each"),
    ],
)
def test_line_numbers_that_are_off_by_the_same_say_by_how_much(recorded: str, candidate: str, end: str) -> None:
    assert says(recorded, candidate).endswith(end)


FILLER = "some text of a line that is alike on both sides, ends included\n" * 100


@pytest.mark.parametrize(("start", "end"), [(FILLER, ""), ("", FILLER), (FILLER, FILLER)])
def test_what_is_alike_around_a_difference_does_not_hide_its_cause(start: str, end: str) -> None:
    assert causes(f"{start}a b\n{end}", f"{start}a\u00a0b\n{end}") == [("space-look-alike", WHOLE)]


def test_a_small_difference_in_a_very_long_line_is_examined_whole() -> None:
    long = "x" * 400_000
    assert causes(f"{long}\u00e9{long}", f"{long}e\u0301{long}") == [("normal-form", WHOLE)]
    assert causes(f"{long} {long}", f"{long}  {long}") == [("white-space", WHOLE)]


@pytest.mark.parametrize(
    ("recorded", "candidate", "name"),
    [
        ("a line of text\n" * 500, "a\u00a0line of text\n" * 500, "space-look-alike"),
        ("\u00e9" * 5000, "e\u0301" * 5000, "normal-form"),
        ("a < b\n" * 900, "a \\u003c b\n" * 900, "go-escape"),
    ],
)
def test_a_long_difference_is_examined_whole_after_its_beginning(recorded: str, candidate: str, name: str) -> None:
    assert causes(recorded, candidate) == [(name, WHOLE)]


def test_a_long_difference_whose_end_has_another_cause_is_explained_at_its_beginning_only() -> None:
    found = causes("a line of text\n" * 500 + "x", "a\u00a0line of text\n" * 500 + "y")
    assert found == [("space-look-alike", FIRST), ("compatibility", FIRST)]


def test_a_difference_that_is_too_long_to_examine_says_so() -> None:
    assert causes("a line of text\n" * 30_000, "A line of text\n" * 30_000) == [("letter-case", UNEXAMINED)]


def test_line_ends_are_examined_whole_at_any_length() -> None:
    assert causes("a line of text\n" * 30_000, "a line of text\r\n" * 30_000) == [("crlf", WHOLE)]


def test_another_order_is_not_looked_for_in_texts_that_are_too_long() -> None:
    lines = [f"line {number}\n" for number in range(40_000)]
    assert causes("".join(lines), "".join(reversed(lines))) == []


def test_lines_too_long_to_compare_whole_are_explained_near_the_place() -> None:
    found = causes(f"a b and so on{'y' * 6000}", f"a\u00a0b and so on{'z' * 6000}")
    assert found == [("space-look-alike", FIRST), ("compatibility", FIRST)]


TEXTS = st.text(st.sampled_from("aA\u00e9e\u0301 \u00a0\n\r\t<&;lt\\u0031.\ufffd\u0430"), max_size=30)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(TEXTS, TEXTS)
def test_any_two_texts_have_honest_causes(recorded: str, candidate: str) -> None:
    if recorded == candidate:
        return
    extents = {extent for _, extent in causes(recorded, candidate)}
    assert len(extents) <= 1, "all of one sort"
    assert extents <= {WHOLE, FIRST, TOGETHER}, "short texts are examined to their end"
