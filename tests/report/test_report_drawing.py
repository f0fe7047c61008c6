"""Drawn text: everything is shown, nothing is obeyed."""

from __future__ import annotations

import time

import pytest
import unicodedata2
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.report.drawing import draw, width

OBEYED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("été 中 😀", "été 中 😀"),
        ("\x1b[31m", "␛[31m"),
        ("\x00\x07\x08\x7f", "␀␇␈␡"),
        ("a\tb", "a⇥b"),
        ("a\rb", "a␍b"),
        ("a\r\n", "a␍␤"),
        ("\x85\x9b", "\\x85\\x9b"),
        (b"caf\xe9 \xff", "caf\\xe9 \\xff"),
        ("\u00e9".encode(), "é"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        ("\ud800\udfff", "\\u{D800}\\u{DFFF}"),
        ("\udce9", "\\xe9"),
        ("a\u00a0b", "a⍽b"),
        ("a\u2003b\u3000c", "a\\u{2003}b\\u{3000}c"),
        ("\u202e\u2066\u200f", "\\u{202E}\\u{2066}\\u{200F}"),
        ("a\u200bb\ufeff", "a\\u{200B}b\\u{FEFF}"),
        ("\u2028\u2029", "\\u{2028}\\u{2029}"),
        ("\ue000\u0378\U0010ffff", "\\u{E000}\\u{378}\\u{10FFFF}"),
        ("\u3164\ufe0f\u034f", "\\u{3164}\\u{FE0F}\\u{34F}"),
        ("\ufffd", "\ufffd"),
    ],
)
def test_every_character_is_drawn_as_itself_or_as_a_mark(text: str | bytes, drawn: str) -> None:
    assert draw(text) == drawn


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("a  ", "a··"), ("a \nb \r\nc ", "a·␤b·␍␤c·"), ("  a", "  a"), ("   ", "···"), ("a b", "a b"), (" \t", " ⇥")],
)
def test_a_space_that_nothing_follows_is_a_dot(text: str, drawn: str) -> None:
    assert draw(text) == drawn


def test_a_piece_that_goes_on_has_no_last_spaces() -> None:
    assert draw("a  ", ends=False) == "a  "


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("e\u0301", "e\u0301"),
        ("\u0301a", "◌\u0301a"),
        ("\u0301\u0302", "◌\u0301\u0302"),
        ("\n\u0301", "␤◌\u0301"),
        ("\u200b\u0301", "\\u{200B}◌\u0301"),
        ("e" + "\u0301" * 6 + "f\u0301", "e" + "\u0301" * 4 + "\\u{301}" * 2 + "f\u0301"),
    ],
)
def test_an_accent_with_nothing_to_stand_on_stands_on_a_circle(text: str, drawn: str) -> None:
    assert draw(text) == drawn


@settings(derandomize=True, deadline=None, max_examples=500)
@given(st.one_of(st.text(), st.binary(), st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Mn", "Zs"]))))
def test_no_drawn_character_is_obeyed_by_a_terminal(text: str | bytes) -> None:
    for character in draw(text):
        assert unicodedata2.category(character) not in OBEYED
        assert character == " " or unicodedata2.category(character) != "Zs"


def test_no_character_is_lost() -> None:
    points = [*range(0x300), *range(0x2000, 0x2070), 0xFEFF, 0xD800, 0xDC80, 0xE0001, 0x10FFFF]
    assert [point for point in points if not draw(chr(point))] == []


@pytest.mark.parametrize(("drawn", "count"), [("abc", 3), ("e\u0301", 1), ("中😀", 4), ("", 0), ("␛", 1)])
def test_a_drawn_text_takes_so_many_cells(drawn: str, count: int) -> None:
    assert width(drawn) == count


def test_a_long_run_of_spaces_is_drawn_in_time_in_proportion_to_it() -> None:
    before = time.perf_counter()
    draw(" " * 500_000 + "x")
    assert time.perf_counter() - before < 5
