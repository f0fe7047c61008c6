"""Two journals side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import LOGS

from replay.drift.change import ADDED, CHANGED, REMOVED, touched
from replay.drift.journals import journal_drift
from replay.journal import load

if TYPE_CHECKING:
    from pathlib import Path

    from replay.drift.journals import JournalDrift

RIGHT, UNREAD, SEARCHED = small_journals.right(), small_journals.unread(), small_journals.searched()


def drift(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> JournalDrift:
    """What moved between two journals."""
    files = [small_journals.write(folder, one, name) for one, name in ((old, "old.json"), (new, "new.json"))]
    return journal_drift(*(load(file) for file in files))


def shown(found: JournalDrift) -> list[tuple[str, str | None, str | None, list[str]]]:
    return [(one.kind, one.old, one.new, [each.field for each in one.differences]) for one in found.changes]


@pytest.mark.parametrize("name", ["recall", "outils", "scelles", "verrouille", "keepimg"])
def test_a_journal_and_itself_are_the_same(name: str) -> None:
    found = journal_drift(load(LOGS / f"{name}.json"), load(LOGS / f"{name}.json"))
    assert not found.moved
    assert found.same == {"recall": 41, "outils": 57, "scelles": 9, "verrouille": 9, "keepimg": 151}[name]


def test_a_step_that_was_added_is_one_change_wherever_it_stands(tmp_path: Path) -> None:
    old = small_journals.recall(RIGHT, SEARCHED)
    for at in range(3):
        steps = [RIGHT, SEARCHED]
        steps.insert(at, UNREAD)
        found = drift(tmp_path, old, small_journals.recall(*steps))
        assert shown(found) == [(ADDED, None, str(at + 1), [])]
        assert found.same == 2


def test_a_step_that_was_removed_is_one_change(tmp_path: Path) -> None:
    found = drift(tmp_path, small_journals.recall(UNREAD, RIGHT), small_journals.recall(RIGHT))
    assert shown(found) == [(REMOVED, "1", None, [])]
    assert found.changes[0].rules == ("labels/argument", "recall/id/missing")


def test_a_changed_result_is_found_in_its_field_with_its_rules(tmp_path: Path) -> None:
    changed = {**SEARCHED, "result": "[aucun bloc archivé]"}
    found = drift(tmp_path, small_journals.recall(RIGHT, SEARCHED), small_journals.recall(RIGHT, changed))
    assert shown(found) == [(CHANGED, "2", "2", ["result"])]
    assert found.changes[0].rules == (
        "recall_search/keywords",
        "recall_search/limit",
        "recall_search/order",
        "recall_search/query/missing",
        "recall_search/reads",
        "recall_search/result/none",
        "recall_search/score",
    )


def test_changed_arguments_of_a_step_with_the_same_note_are_a_change_of_that_step(tmp_path: Path) -> None:
    other = {**RIGHT, "args": {"id": "r01"}}
    found = drift(tmp_path, small_journals.recall(RIGHT, UNREAD), small_journals.recall(UNREAD, other))
    assert len(found.changes) == 2
    found = drift(tmp_path, small_journals.recall(RIGHT, UNREAD), small_journals.recall(other, UNREAD))
    assert shown(found) == [(CHANGED, "1", "1", ["args"])]


def test_a_changed_note_touches_no_rule(tmp_path: Path) -> None:
    found = drift(tmp_path, small_journals.recall(RIGHT), small_journals.recall({**RIGHT, "note": "autre"}))
    assert shown(found) == [(CHANGED, "1", "1", ["note"])]
    assert found.changes[0].rules == ()


def test_a_step_of_another_tool_is_one_that_went_and_one_that_came(tmp_path: Path) -> None:
    found = drift(tmp_path, small_journals.recall(RIGHT), small_journals.recall(SEARCHED))
    assert shown(found) == [(REMOVED, "1", None, []), (ADDED, None, "1", [])]


def test_blanks_between_the_arguments_do_not_count_and_those_inside_a_text_do(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    new = tmp_path / "new.json"
    text = '{"kind":"recall","blocks":[],"steps":[{"tool":"recall","args":%s,"result":"x"}]}'
    old.write_text(text % '{"id":"r \\" 1","x":[1e400]}', encoding="utf-8")
    new.write_text(text % '{ "id" :\n\t"r \\" 1", "x": [ 1e400 ] }', encoding="utf-8")
    assert not journal_drift(load(old), load(new)).moved
    new.write_text(text % '{"id":"r \\"  1","x":[1e400]}', encoding="utf-8")
    assert shown(journal_drift(load(old), load(new))) == [(CHANGED, "1", "1", ["args"])]


def test_a_field_that_only_one_side_recorded_is_a_change(tmp_path: Path) -> None:
    labelled = {**RIGHT, "label": "r1"}
    assert shown(drift(tmp_path, small_journals.recall(RIGHT), small_journals.recall(labelled))) == [
        (CHANGED, "1", "1", ["label"])
    ]
    found = drift(tmp_path, small_journals.recall(labelled), small_journals.recall(RIGHT))
    assert shown(found) == [(CHANGED, "1", "1", ["label"])]
    assert found.changes[0].rules == ("labels/argument",)


def test_blocks_and_heads_are_compared_before_the_steps(tmp_path: Path) -> None:
    old = small_journals.recall(RIGHT, about="a")
    new = {**small_journals.recall(RIGHT, about="b", go={"version": "go1.26.6"}), "blocks": small_journals.BLOCKS[:1]}
    found = drift(tmp_path, old, new)
    assert [one.field for one in found.head] == ["about", "go.version", "blocks.r2"]
    assert found.moved
    assert found.changes == ()


def test_the_head_of_a_memory_is_its_project_its_clock_its_key_and_its_state(tmp_path: Path) -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "x")
    old = small_journals.memory(step)
    new = small_journals.memory(
        step,
        project={"slug": "autre", "name": "Autre"},
        clock={"tz": "Europe/Paris"},
        config={"MEM_ENCRYPTED": "oui"},
        dek="00" * 32,
        locked=True,
        initial={"files": {"a.md": "a"}, "trackers": {"autre/poids": {"name": "Poids", "events": []}}},
    )
    found = drift(tmp_path, old, new)
    assert sorted(one.field for one in found.head) == [
        "config.MEM_ENCRYPTED",
        "dek",
        "files['a.md']",
        "locked",
        "project.name",
        "project.slug",
        "trackers['autre/poids']",
        "zone",
    ]
    assert all("00" * 32 not in repr(one) for one in found.head)


def test_a_recorded_clock_is_asked_with_the_step_and_one_that_was_worked_out_is_not(tmp_path: Path) -> None:
    step = small_journals.step("tracker", {}, "x")
    early, late = ({**step, "now": f"2026-10-16T0{hour}:30:00Z"} for hour in (8, 9))
    assert shown(drift(tmp_path, small_journals.memory(early), small_journals.memory(late))) == [
        (CHANGED, "1", "1", ["now"])
    ]
    assert not drift(tmp_path, small_journals.memory(step), small_journals.memory(step)).moved


def test_changed_files_touch_the_rules_of_writing_and_the_index_that_the_step_exercises(tmp_path: Path) -> None:
    add = small_journals.step("mem_add", {"file": "a", "content": "x"}, "[ok] page 'a' créée", trackers={})
    old = small_journals.memory({**add, "files": {"a.md": "x\n"}})
    new = small_journals.memory({**add, "files": {"a.md": "x"}})
    (change,) = drift(tmp_path, old, new).changes
    assert [one.field for one in change.differences] == ["files['a.md'].content"]
    assert "memory/mem_add/body" in change.rules
    assert "memory/writing/whole" in change.rules
    assert "memory/diff/walk" not in change.rules


def test_a_sealed_memorys_changes_are_secret(tmp_path: Path) -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "x")
    old, new = (small_journals.memory({**step, "result": text}, dek="00" * 32) for text in ("x", "y"))
    assert [one.secret for one in drift(tmp_path, old, new).changes] == [True]


def test_a_case_that_starts_otherwise_changes_its_operations() -> None:
    old = load(LOGS / "keepimg.json")
    first = replace(old.cases[0], ctx_window=9999)
    found = journal_drift(old, replace(old, cases=(first, *old.cases[1:])))
    assert [(one.new, [each.field for each in one.differences]) for one in found.changes] == [
        (f"1.{operation.index}", ["case.ctx_window"]) for operation in first.steps
    ]
    assert "keepimg/constants/budget" in found.changes[0].rules


def test_rules_are_chosen_by_field_and_tool() -> None:
    exercised = ("labels/argument", "memory/diff/walk", "recall/id/prefix", "keepimg/kept", "facade/routes/block")
    assert touched(["label"], "recall", exercised) == ("labels/argument",)
    assert touched(["result", "label"], "recall", exercised) == ("labels/argument", "recall/id/prefix")
    assert touched(["kept_tokens"], "observe", exercised) == ("keepimg/kept",)
    assert touched(["note"], "recall", exercised) == ()
