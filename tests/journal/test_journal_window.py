"""A part of a journal starts from a state that was recorded: where there is none before it, it starts earlier."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import small_journals

from parity.stores.state import State
from replay.journal import loads
from replay.journal.window import window

if TYPE_CHECKING:
    from replay.journal.model import Journal

WHOLE: dict[str, Any] = {"files": {"a.md": "a\n"}, "trackers": {}}


def journal(*states: dict[str, Any]) -> Journal:
    steps = [small_journals.step("mem_read", {}, "x", **state) for state in states]
    return loads(json.dumps(small_journals.memory(*steps)).encode(), "a.json")


@pytest.mark.parametrize("lacking", [{}, {"files": {}}, {"trackers": {}}])
def test_a_part_begins_at_the_nearest_step_before_which_both_halves_of_the_state_are_known(
    lacking: dict[str, Any],
) -> None:
    whole = journal(WHOLE, lacking, lacking, WHOLE)
    part = window(whole, 3, 4)
    assert [step.index for step in part.steps] == [2, 3, 4]
    assert part.initial == State({"a.md": b"a\n"}, {})


def test_a_part_of_a_journal_without_any_state_is_all_that_comes_before_it_too() -> None:
    part = window(journal({}, {}, {}), 2, 3)
    assert [step.index for step in part.steps] == [1, 2, 3]
    assert part.initial == State()


def test_a_part_whose_start_is_known_is_no_longer_than_it_was_asked_for() -> None:
    assert [step.index for step in window(journal(WHOLE, {}, WHOLE), 1, 2).steps] == [2]
    recall = loads(json.dumps(small_journals.recall(*[small_journals.right()] * 3)).encode(), "a.json")
    assert [step.index for step in window(recall, 2, 3).steps] == [3]
