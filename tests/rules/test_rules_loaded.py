"""The journals that a verb works on, or the one sentence that says why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import small_journals
from real_command import LOGS

from replay.loaded import NoUsableJournalError, journal, journals
from replay.run import Exit

if TYPE_CHECKING:
    from pathlib import Path


def test_named_journals_are_read_in_the_order_named() -> None:
    found = journals([str(LOGS / "scelles.json"), str(LOGS / "recall.json")])
    assert [one.kind for one in found] == ["memory", "recall"]


def test_without_a_path_the_configured_journals_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    floors = "{ journals = 1, steps = 1 }"
    (tmp_path / "pyproject.toml").write_text(f'[tool.loki-parity]\njournals = ["journal.json"]\nfloors = {floors}\n')
    monkeypatch.chdir(tmp_path)
    assert [one.file for one in journals(())] == ["journal.json"]


def test_without_a_project_there_is_nothing_to_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoUsableJournalError, match="name the journals to judge") as refused:
        journals(())
    assert refused.value.exit is Exit.NOT_JUDGED


def test_a_bad_journal_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(NoUsableJournalError, match=r"missing\.json") as refused:
        journal(str(tmp_path / "missing.json"))
    assert refused.value.exit is Exit.BAD_INPUT


def test_a_go_that_is_not_offered_is_not_judged(tmp_path: Path) -> None:
    file = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), go={"version": "go1.99.0"}))
    with pytest.raises(NoUsableJournalError, match=r"1\.99\.0") as refused:
        journal(str(file))
    assert refused.value.exit is Exit.NOT_JUDGED


def test_a_folder_of_one_journal_is_that_journal_and_one_of_several_is_refused(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "a.json")
    assert journal(str(tmp_path)).kind == "recall"
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "b.json")
    with pytest.raises(NoUsableJournalError, match="holds 2 journals, and one is wanted") as refused:
        journal(str(tmp_path))
    assert refused.value.exit is Exit.BAD_INPUT
