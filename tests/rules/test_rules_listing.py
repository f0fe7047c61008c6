"""The listing of rules, in words and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from real_command import LOGS

from replay.journal import load
from replay.journal.model import Place
from replay.outcome import Mode, StepRef
from replay.rules.book import PortRule
from replay.rules.listing import Coverage, as_json, lines, shown_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

JOURNAL = replace(load(LOGS / "recall.json"), file="logs/recall.json", sha256="12")


def steps(*numbers: str, file: str = "logs/recall.json") -> list[StepRef]:
    return [StepRef(file, number, "recall", "", Place(file, "", 0), Mode.ISOLATED) for number in numbers]


def rule(name: str, *tests: str) -> PortRule:
    return PortRule(name, "recall.md, 1", "parity.f", tests)


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        (["7"], "7"),
        (["1", "2", "3"], "1-3"),
        (["1", "3", "4", "9"], "1, 3-4, 9"),
        (["1.1", "1.2", "3.1"], "1.1, 1.2, 3.1"),
        ([str(number) for number in range(1, 40, 2)], "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, and 8 more"),
    ],
)
def test_steps_that_follow_each_other_are_a_range(numbers: Sequence[str], shown: str) -> None:
    assert list(shown_steps(steps(*numbers))) == [f"logs/recall.json {shown}"]


def test_each_journal_has_a_line_and_its_name_is_drawn() -> None:
    found = [*steps("1"), *steps("2", file="a\x1b.json")]
    assert list(shown_steps(found)) == ["logs/recall.json 1", "a␛.json 2"]


def test_no_step_has_no_line() -> None:
    assert list(shown_steps([])) == []


def test_each_rule_has_its_section_its_steps_and_its_tests() -> None:
    coverage = Coverage([JOURNAL], [rule("a/b", "t1", "t2"), rule("a/c", "t3")], {"a/b": steps("1", "2")})
    assert list(lines(coverage)) == [
        "a/b  recall.md, 1",
        "    2 steps, 2 tests",
        "    logs/recall.json 1-2",
        "a/c  recall.md, 1",
        "    0 steps, 1 test",
        "",
        "2 rules: 1 exercised by steps of 1 journal, 2 by tests",
        "rules that no step and no test exercises: none",
    ]
    assert coverage.holds


def test_a_rule_that_nothing_exercises_is_named_last() -> None:
    coverage = Coverage([JOURNAL], [rule("a/b"), rule("a/c"), rule("a/d")], {"a/c": steps("1")})
    assert list(lines(coverage))[-1] == "rules that no step and no test exercises: a/b, a/d"
    assert not coverage.holds


def test_a_disagreement_of_book_and_code_is_told_and_does_not_hold() -> None:
    coverage = Coverage([], [], {}, ["a/b is marked in the code and not in PORT.toml"])
    assert "a/b is marked in the code and not in PORT.toml" in list(lines(coverage))
    assert not coverage.holds


def test_as_json_every_step_is_there() -> None:
    numbers = [str(number) for number in range(1, 40, 2)]
    coverage = Coverage([JOURNAL], [rule("a/b", "t1"), rule("a/c")], {"a/b": steps(*numbers)}, ["x"])
    assert json.loads(as_json(coverage)) == {
        "journals": [{"file": "logs/recall.json", "sha256": "12"}],
        "rules": [
            {
                "id": "a/b",
                "section": "recall.md, 1",
                "function": "parity.f",
                "tests": ["t1"],
                "steps": {"logs/recall.json": numbers},
            },
            {"id": "a/c", "section": "recall.md, 1", "function": "parity.f", "tests": [], "steps": {}},
        ],
        "disagreements": ["x"],
        "unexercised": ["a/c"],
    }
