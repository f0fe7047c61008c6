"""The diff; where a choice is made between two that are as short, the expected entries come from real Go."""

from __future__ import annotations

import pytest

from parity.tools.interface import DiffLine
from parity.tools.line_diff import line_diff, lines_of


def shown(old: str, new: str) -> list[str]:
    return [line.op + line.text for line in line_diff(old, new)]


def numbered(count: int, prefix: str = "") -> str:
    return "\n".join(f"{prefix}{number}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("\n", ["", ""]),
        ("a\nb\n", ["a", "b", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb\r", ["a\rb\r"]),
        ("\r\r\n", ["\r", ""]),
        ("a\x1cb\u2028c\vd", ["a\x1cb\u2028c\vd"]),
    ],
)
def test_lines_end_at_newlines_a_carriage_return_before_one_goes_and_empty_text_has_none(
    text: str, lines: list[str]
) -> None:
    assert lines_of(text) == lines


@pytest.mark.parametrize(
    ("old", "new", "entries"),
    [
        ("", "", []),
        ("a", "a", [" a"]),
        ("", "a\n", ["+a", "+"]),
        ("a\n", "", ["-a", "-"]),
        ("a", "b", ["-a", "+b"]),
        ("a\nb", "b\na", ["-a", " b", "+a"]),
        ("a\r\nb", "a\nb", [" a", " b"]),
        ("s", "q\ns\ns", ["+q", " s", "+s"]),
        ("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc", ["-a", "-b", " c", "-a", " b", "+a", " b", " a", "+c"]),
    ],
)
def test_the_longest_common_lines_are_kept_and_the_old_goes_before_the_new_comes(
    old: str, new: str, entries: list[str]
) -> None:
    assert shown(old, new) == entries


def test_400_lines_on_both_sides_are_compared() -> None:
    assert shown(numbered(400), numbered(400))[:2] == [" 0", " 1"]


@pytest.mark.parametrize(("old", "new"), [(401, 1), (1, 401)])
def test_over_400_lines_on_either_side_all_old_lines_go_and_all_new_ones_come(old: int, new: int) -> None:
    diff = shown(numbered(old), numbered(new))
    expected = [f"-{number}" for number in range(old)] + [f"+{number}" for number in range(new)]
    assert diff == [*expected[:120], " …(282 lignes de plus)"]


def test_120_entries_are_shown_whole_and_of_121_one_is_cut() -> None:
    assert shown("", numbered(120)) == [f"+{number}" for number in range(120)]
    assert line_diff("", numbered(121)) == (
        *(DiffLine("+", str(number)) for number in range(120)),
        DiffLine(" ", "…(1 lignes de plus)"),
    )
