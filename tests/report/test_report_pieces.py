"""A text in pieces: what is plain stays, what is not is drawn and has a name, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replay.report.pieces import NEAR, Names, pieces
from replay.report.run_values import Side


def made(
    text: str, place: int | None = None, start: int = 0, length: int | None = None
) -> tuple[list[str | tuple[str, str]], int]:
    names = Names()
    found = pieces(Side("text", text, start, len(text) if length is None else length), place, names)
    called = list(names)
    return [one if isinstance(one, str) else (str(one[0]), called[int(one[1])]) for one in found.pieces], found.mark


def test_plain_text_is_one_piece() -> None:
    assert made("caf\u00e9 au lait") == (["caf\u00e9 au lait"], -1)
    assert made("") == ([], -1)


def test_what_is_not_plain_is_drawn_and_called_by_its_name() -> None:
    assert made("a\u00a0b\x1b\t\u200b")[0] == [
        "a",
        ("\u237d", "U+00A0 NO-BREAK SPACE"),
        "b",
        ("ESC", "U+001B ESCAPE"),
        ("\u21e5", "U+0009 CHARACTER TABULATION"),
        ("\\u{200B}", "U+200B ZERO WIDTH SPACE"),
    ]


def test_a_line_feed_is_drawn_and_then_ends_the_line() -> None:
    assert made("a\nb")[0] == ["a", ("\u21b5", "U+000A LINE FEED"), "\n", "b"]


def test_a_byte_that_is_not_utf_8_is_called_by_its_byte() -> None:
    assert made("\udcff")[0] == [("\\xff", "byte 0xFF (not UTF-8)")]


def test_spaces_before_a_line_end_and_at_the_end_of_the_whole_are_drawn() -> None:
    blank = ("\u00b7", "U+0020 SPACE")
    assert made("a \r\n  ")[0] == [
        "a",
        blank,
        ("CR", "U+000D CARRIAGE RETURN"),
        ("\u21b5", "U+000A LINE FEED"),
        "\n",
        blank,
        blank,
    ]


def test_spaces_at_the_end_of_a_window_are_not() -> None:
    assert made("a ", length=9)[0] == ["a "]


def test_around_the_place_every_character_stands_alone() -> None:
    text = "-" * 30 + "X" + "+" * 30
    found, mark = made(text, place=30)
    assert found[mark] == ("X", "U+0058 LATIN CAPITAL LETTER X")
    assert (found[0], found[-1]) == ("-" * (30 - NEAR), "+" * (30 - NEAR))
    assert len(found) == 2 * NEAR + 3


def test_the_place_is_counted_in_the_whole_text() -> None:
    assert made("abc", place=101, start=100)[1] == 1
    assert made("abc", place=103, start=100)[1] == 3
    assert made("abc", place=99, start=100)[1] == -1


def test_a_mark_that_stands_alone_stands_on_a_circle() -> None:
    assert made("e\u0301", place=1)[0] == [
        ("e", "U+0065 LATIN SMALL LETTER E"),
        ("\u25cc\u0301", "U+0301 COMBINING ACUTE ACCENT"),
    ]
    assert made("e\u0301")[0] == ["e\u0301"]


@given(st.text(st.characters(exclude_categories=()), max_size=80), st.one_of(st.none(), st.integers(0, 90)))
def test_no_piece_holds_a_character_that_is_obeyed(text: str, place: int | None) -> None:
    for one in made(text, place)[0]:
        for shown in [one] if isinstance(one, str) else [*one]:
            assert shown == "\n" or not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2028" for c in shown)
            shown.encode()
