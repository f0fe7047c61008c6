"""Which steps exercise which rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import small_journals
from real_command import LOGS

from parity.tools import registry
from replay.journal import load
from replay.rules.book import marked
from replay.rules.by_step import rules_of_steps, steps_of_rules

if TYPE_CHECKING:
    from pathlib import Path

    from replay.journal.model import Journal


def of(journal: Journal) -> dict[str, frozenset[str]]:
    return {one.step.number: one.rules for one in rules_of_steps([journal])}


@pytest.fixture(scope="module")
def recall() -> dict[str, frozenset[str]]:
    return of(load(LOGS / "recall.json"))


@pytest.fixture(scope="module")
def outils() -> dict[str, frozenset[str]]:
    return of(load(LOGS / "outils.json"))


def test_every_step_of_a_journal_has_its_rules(recall: dict[str, frozenset[str]]) -> None:
    assert list(recall) == [str(number) for number in range(1, 42)]
    assert all(recall.values())


def test_a_missing_id_exercises_that_it_is_missing_and_no_reading(recall: dict[str, frozenset[str]]) -> None:
    assert recall["1"] == {"recall/id/missing", "labels/argument"}


def test_a_rule_is_exercised_by_each_step_that_needs_it_though_the_port_remembers(
    recall: dict[str, frozenset[str]],
) -> None:
    # steps 26 and 27 search the very same archive, whose folded texts and snippets the port keeps
    for number in ("26", "27"):
        assert {"recall_search/score", "recall_search/snippet", "facade/routes/blocks"} <= recall[number]


def test_a_query_without_a_keyword_exercises_no_score(recall: dict[str, frozenset[str]]) -> None:
    assert "recall_search/keywords" in recall["25"]
    assert "recall_search/score" not in recall["25"]


def test_looking_at_the_memory_after_a_step_exercises_nothing(outils: dict[str, frozenset[str]]) -> None:
    # a memory is shown after every step; only the tracker's own steps open trackers
    assert "memory/trackers/opening" not in outils["1"]
    assert "memory/trackers/opening" in outils["41"]


def test_opening_a_memory_counts_with_its_first_step(outils: dict[str, frozenset[str]]) -> None:
    assert all("memory/encrypted/setting" in rules for rules in outils.values())


def test_a_case_of_kept_images_starts_with_its_first_operation() -> None:
    found = of(load(LOGS / "keepimg.json"))
    assert "keepimg/constants/budget" in found["13.1"]
    assert "keepimg/constants/budget" not in found["13.2"]
    assert "keepimg/observe" in found["13.2"]


def test_only_what_is_selected_is_told(tmp_path: Path) -> None:
    journal = load(
        small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.searched()))
    )
    found = list(rules_of_steps([journal], lambda step: step.tool == "recall_search"))
    assert [one.step.number for one in found] == ["2"]


def test_steps_that_record_no_state_keep_the_ports_own(tmp_path: Path) -> None:
    add = small_journals.step("mem_add", {"file": "a", "content": "x"}, "[ok] page 'a' créée")
    read = small_journals.step("mem_read", {"file": "a"}, "1\tx")
    journal = load(small_journals.write(tmp_path, small_journals.memory(add, read)))
    assert "memory/mem_read/lines" in of(journal)["2"]


def test_a_step_in_which_the_port_crashes_has_the_rules_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_args: object, _env: object) -> object:
        marked()["recall/id/missing"]({"id": "r1"})
        raise ZeroDivisionError

    monkeypatch.setitem(registry.TOOLS, "recall", crash)
    journal = load(small_journals.write(tmp_path, small_journals.recall(small_journals.right())))
    assert of(journal) == {"1": {"recall/id/missing"}}


def test_steps_are_listed_by_rule_in_order(tmp_path: Path) -> None:
    steps = [small_journals.right(), small_journals.unread(), small_journals.right()]
    journal = load(small_journals.write(tmp_path, small_journals.recall(*steps)))
    found = steps_of_rules(rules_of_steps([journal]))
    assert [step.number for step in found["recall/id/prefix"]] == ["1", "3"]
    assert [step.number for step in found["recall/id/missing"]] == ["1", "2", "3"]
    assert "recall_search/score" not in found
