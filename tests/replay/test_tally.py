"""A tally knows every step by a byte: which were due, which came, which matched, and with a tolerance or without."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest
from real_command import LOGS

from replay.compare import Tolerated
from replay.engine import references
from replay.journal import load
from replay.journal.window import window
from replay.numbering import Numbering
from replay.outcome import Compared, Match, Mode, WentThroughGo
from replay.tally import Tally

RECALL: Final = load(LOGS / "recall.json")
KEPT: Final = load(LOGS / "keepimg.json")
FIRST, SECOND, THIRD = list(references(RECALL, Mode.ISOLATED))[:3]
EXACT: Final = Compared({"result": 1})
TOLERATED: Final = Compared({"result": 1}, tolerated=(Tolerated("order", "result", 3),))


def test_a_part_of_a_journal_keeps_its_numbers() -> None:
    numbering = Numbering(window(RECALL, 10, 13))
    assert [numbering.number(at) for at in range(len(numbering))] == ["11", "12", "13"]
    assert [numbering.position(number) for number in ("10", "11", "13", "14")] == [None, 0, 2, None]
    cases = Numbering(replace(KEPT, cases=KEPT.cases[2:4]))
    assert (cases.number(0), cases.position("3.1")) == ("3.1", 0)
    assert cases.position(f"4.{len(KEPT.cases[3].steps)}") == len(cases) - 1


@pytest.mark.parametrize("number", ["0", "42", "1.1", "1000000"])
def test_a_number_that_no_step_has_has_no_position(number: str) -> None:
    assert Numbering(RECALL).position(number) is None


@pytest.mark.parametrize("number", ["1", "0.1", "33.1", "1.0", f"1.{len(KEPT.cases[0].steps) + 1}"])
def test_a_number_that_no_operation_has_has_no_position(number: str) -> None:
    assert Numbering(KEPT).position(number) is None


def test_a_journal_without_steps_has_no_numbers() -> None:
    assert len(Numbering(replace(RECALL, steps=()))) == 0


def test_what_matched_with_a_tolerance_is_not_exact() -> None:
    tally = Tally(RECALL, Mode.ISOLATED)
    tally.add(Match(FIRST, EXACT))
    tally.add(Match(SECOND, TOLERATED))
    tally.add(WentThroughGo(THIRD, "why"))
    assert (list(tally.matched), list(tally.exact)) == (["1", "2"], ["1"])
    assert (len(tally.matched), len(tally.exact)) == (2, 1)
    assert "2" in tally.matched
    assert "2" not in tally.exact
    assert "3" not in tally.matched
    assert "3.1" not in tally.matched


def test_an_outcome_of_a_step_that_the_journal_lacks_belongs_to_none() -> None:
    tally = Tally(RECALL, Mode.ISOLATED, lambda step: step.number == "1")
    tally.add(Match(FIRST, EXACT))
    tally.add(Match(replace(FIRST, number="99"), EXACT))
    assert tally.problems() == ("1 outcome belongs to no step of the journal in isolated",)
