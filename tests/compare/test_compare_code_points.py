"""Names of characters, from the pinned Unicode data."""

from __future__ import annotations

import pytest
import unicodedata2

from replay.compare.code_points import CONTROL_NAMES, cells, describe, is_mark, is_plain, small_letter


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("\u00e9", "U+00E9 LATIN SMALL LETTER E WITH ACUTE"),
        ("\n", "U+000A LINE FEED"),
        ("\x00", "U+0000 NULL"),
        ("\x1b", "U+001B ESCAPE"),
        ("\x7f", "U+007F DELETE"),
        ("\x9b", "U+009B CONTROL SEQUENCE INTRODUCER"),
        ("\u4e00", "U+4E00 CJK UNIFIED IDEOGRAPH-4E00"),
        ("\U0001f600", "U+1F600 GRINNING FACE"),
        ("\ue000", "U+E000 <private use>"),
        ("\u0378", "U+0378 <unassigned>"),
        ("\ufdd0", "U+FDD0 <noncharacter>"),
        ("\U0010ffff", "U+10FFFF <noncharacter>"),
        ("\ud800", "U+D800 <lone surrogate>"),
        ("\udce9", "byte 0xE9 (not UTF-8)"),
        ("", "end of text"),
    ],
)
def test_a_character_is_described_by_its_number_and_name(text: str, described: str) -> None:
    assert describe(text, 0) == described


def test_a_character_that_python_3_11_does_not_know_has_its_name() -> None:
    assert describe("\u1c89", 0) == "U+1C89 CYRILLIC CAPITAL LETTER TJE"


def test_control_characters_have_the_names_that_unicode_lists_as_aliases() -> None:
    assert set(CONTROL_NAMES) == {chr(point) for point in (*range(0x20), *range(0x7F, 0xA0))}
    assert {character: unicodedata2.lookup(name) for character, name in CONTROL_NAMES.items()} == {
        character: character for character in CONTROL_NAMES
    }


@pytest.mark.parametrize(
    ("character", "small"),
    [("A", "a"), ("É", "é"), ("Ж", "ж"), ("Σ", "σ"), ("İ", "İ"), ("a", "a"), ("1", "1"), ("ẞ", "ß")],
)
def test_a_capital_has_the_small_letter_of_its_name(character: str, small: str) -> None:
    assert small_letter(character) == small


@pytest.mark.parametrize(
    "character", list("\x00\n\x7f\x85\u00a0\u00ad\u200b\u2028\u202e\u3000\ufeff\ue000\u0378\ufe0f\u3164\udcff")
)
def test_what_a_terminal_obeys_or_hides_is_not_plain(character: str) -> None:
    assert not is_plain(character)


@pytest.mark.parametrize("character", list(" aé中😀\u0301\ufffd␛"))
def test_what_a_terminal_shows_is_plain(character: str) -> None:
    assert is_plain(character)


@pytest.mark.parametrize(
    ("character", "count"), [("a", 1), ("中", 2), ("😀", 2), ("\u0301", 0), ("\u20dd", 0), ("é", 1)]
)
def test_a_character_takes_so_many_cells(character: str, count: int) -> None:
    assert cells(character) == count


def test_accents_and_vowel_signs_are_marks() -> None:
    assert all(map(is_mark, "\u0301\u20dd\u0903"))
    assert not is_mark("a")
