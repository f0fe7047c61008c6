"""What an error shows of a journal stays on one line, is short, and is nothing that a terminal obeys."""

from __future__ import annotations

import pytest

from replay.journal import drawing
from replay.journal.model import Place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é œ 漢字 👍🏽 �", "é œ 漢字 👍🏽 �"),
        ("\x00\x07\t\n\r\x1b[2J\x7f", "\\x00\\x07\\x09\\x0a\\x0d\\x1b[2J\\x7f"),
        ("\x85\x9b\xad", "\\x85\\x9b\\xad"),
        ("\u202e\u2066\u200f\u061c", "\\u202e\\u2066\\u200f\\u061c"),
        ("\u2028\u2029\u200b\ufeff", "\\u2028\\u2029\\u200b\\ufeff"),
        ("\ud800\udcff", "\\ud800\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_a_character_that_hides_or_commands_is_drawn(text: str, shown: str) -> None:
    assert drawing.visible(text) == shown
    assert drawing.drawn(text) == shown


def test_a_long_text_is_cut_but_never_inside_an_escape() -> None:
    assert drawing.drawn("x" * 80) == "x" * 80
    assert drawing.drawn("x" * 81) == "x" * 80 + "…"
    assert drawing.drawn("x" * 78 + "\x1b" * 9) == "x" * 78 + "…"
    assert drawing.drawn("\x1b" * 10, longest=8) == "\\x1b\\x1b…"


def test_quotes_and_backslashes_of_a_quoted_text_are_told_from_its_own() -> None:
    assert drawing.quoted('a"b\\x1b\x1b') == '"a\\"b\\\\x1b\\x1b"'


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ([], ""),
        (["steps", 3, "result"], "steps[3].result"),
        (["étapes", 0, "résultat"], "étapes[0].résultat"),
        (["files", "a.md"], 'files["a.md"]'),
        (["files", ""], 'files[""]'),
        (["a b", 'q"', "2x"], '["a b"]["q\\""]["2x"]'),
        (["x" * 81], f'["{"x" * 80}…"]'),
    ],
)
def test_a_path_can_be_read_and_odd_keys_are_quoted(names: list[str | int], path: str) -> None:
    assert drawing.path(names) == path


def test_a_very_long_path_keeps_its_ends() -> None:
    path = drawing.path(["steps", *range(1000)])
    assert len(path) < 240
    assert path.startswith("steps[0][1]")
    assert path.endswith("[998][999]")


def test_a_place_shows_what_is_known_of_it() -> None:
    assert str(Place("a.json", "", 0)) == "a.json"
    assert str(Place("a.json", "", 7)) == "a.json:7"
    assert str(Place("a.json", "steps[0]", 7, 5)) == "a.json:7:5 at steps[0]"
    assert str(Place("\x1b.json", "", 1)) == "\\x1b.json:1"
