"""When steps are called and when they are judged: together where no call leaves a state behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from fake_candidates import Truthful
from real_command import LOGS

from replay.engine import Judging, references, replay
from replay.journal import load
from replay.numbering import Numbering
from replay.outcome import Match, Mode

if TYPE_CHECKING:
    from replay.journal.model import Journal

RECALL: Final = load(LOGS / "recall.json", file_name="recall.json")
MEMORY: Final = load(LOGS / "outils.json", file_name="outils.json")
KEPT: Final = load(LOGS / "keepimg.json", file_name="keepimg.json")
TOGETHER: Final = 32


def calls(candidate: Truthful) -> int:
    return sum(entry.isdecimal() for entry in candidate.log)


@pytest.mark.parametrize("mode", Mode)
def test_reading_steps_are_called_a_few_at_a_time_before_they_are_judged(mode: Mode) -> None:
    candidate = Truthful(RECALL)
    called = []
    for outcome in replay(RECALL, candidate, Judging(mode)):
        assert isinstance(outcome, Match)
        called.append(calls(candidate))
    assert called == [TOGETHER] * TOGETHER + [41] * 9


@pytest.mark.parametrize("mode", Mode)
def test_a_step_that_may_leave_a_state_behind_is_judged_before_the_next_is_called(mode: Mode) -> None:
    candidate = Truthful(MEMORY)
    called = [calls(candidate) for _ in replay(MEMORY, candidate, Judging(mode))]
    assert called == list(range(1, len(MEMORY.steps) + 1))


def test_steps_that_are_not_chosen_are_not_called_among_those_that_come_together() -> None:
    candidate = Truthful(RECALL)
    judging = Judging(Mode.ISOLATED, lambda step: step.number in {"2", "30"})
    assert [outcome.step.number for outcome in replay(RECALL, candidate, judging)] == ["2", "30"]
    assert [entry for entry in candidate.log if entry.isdecimal()] == ["2", "30"]


@pytest.mark.parametrize("journal", [RECALL, MEMORY, KEPT], ids=lambda journal: journal.file)
def test_the_numbers_of_the_steps_are_those_that_reports_name_them_by(journal: Journal) -> None:
    numbering = Numbering(journal)
    named = [one.number for one in references(journal, Mode.CHAINED)]
    assert [numbering.number(at) for at in range(len(numbering))] == named
    assert [numbering.position(number) for number in named] == list(range(len(named)))
