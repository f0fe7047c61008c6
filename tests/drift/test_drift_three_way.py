"""An old journal, a new one and a candidate between them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

import outside_vices
import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, MATCH, NOT_JUDGED, loki_parity

from replay.cli import main
from replay.drift import three_way

if TYPE_CHECKING:
    from pathlib import Path

RIGHT, WRONG, UNREAD = small_journals.right(), small_journals.wrong(), small_journals.unread()
OTHER: Final = {**WRONG, "result": RIGHT["result"] + "?", "label": "r9"}
"""The same call as RIGHT and WRONG, with other answers: the port gives that of RIGHT."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    old = [{**step, "note": f"{at}"} for at, step in enumerate((RIGHT, WRONG, RIGHT, WRONG, UNREAD))]
    new = [{**step, "note": f"{at}"} for at, step in enumerate((RIGHT, RIGHT, WRONG, OTHER))]
    small_journals.write(tmp_path, small_journals.recall(*old), "old.json")
    small_journals.write(tmp_path, small_journals.recall(*new, small_journals.searched()), "new.json")
    return tmp_path


def test_each_step_is_told_by_the_records_that_the_port_agrees_with(folder: Path) -> None:
    ran = loki_parity("drift", "old.json", "new.json", "--candidate", "port", cwd=folder)
    assert (ran.status, ran.err) == (DIVERGED, "")
    table = ran.out.split("old journal × new journal × port\n")[1]
    assert table == (
        "  old  new  tool    answers        fields\n"
        "  2    2    recall  already right  result\n"
        "  3    3    recall  must follow    result\n"
        "  4    4    recall  neither        result, label\n"
        "       2 right          as both records, or as the new one of a step that came\n"
        "       1 already right  as the new record and not as the old: it was ahead of Go, or it was wrong and that "
        "would now be hidden\n"
        "       1 must follow    as the old record and not as the new: Go changed, and the candidate must follow\n"
        "       1 neither        as neither record: it was wrong and stays wrong\n"
        "       1 gone           the step is in the old journal only\n"
    )


def test_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drift", "old.json", "new.json", "--candidate", "port", "--json"]) == DIVERGED
    told = json.loads(capsys.readouterr().out)["three_way"]
    assert [(one["old"], one["new"], one["sort"], one["fields"]) for one in told] == [
        ("1", "1", "right", []),
        ("2", "2", "already right", ["result"]),
        ("3", "3", "must follow", ["result"]),
        ("4", "4", "neither", ["result", "label"]),
        ("5", None, "gone", []),
        (None, "5", "right", []),
    ]
    assert main(["drift", "old.json", "new.json", "--json"]) == DIVERGED
    assert "three_way" not in json.loads(capsys.readouterr().out)
    assert folder.is_dir()


def test_a_new_call_that_the_port_answers_otherwise_must_be_followed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(three_way, "_MOST", 1)
    small_journals.write(folder, small_journals.recall(UNREAD), "old.json")
    small_journals.write(folder, small_journals.recall(UNREAD, WRONG, OTHER), "new.json")
    assert main(["drift", "old.json", "new.json", "--candidate", "port"]) == DIVERGED
    out = capsys.readouterr().out
    assert "  -    2    recall  must follow  result\n  … and 1 more step\n       1 right " in out


def test_journals_alike_are_green_only_if_no_step_is_wrong_by_both(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_journals.write(folder, small_journals.recall(RIGHT), "old.json")
    assert main(["drift", "old.json", "old.json", "--candidate", "port"]) == MATCH
    assert "× port\n       1 right " in capsys.readouterr().out
    small_journals.write(folder, small_journals.recall(WRONG), "old.json")
    assert main(["drift", "old.json", "old.json", "--candidate", "port"]) == DIVERGED
    assert "1    1    recall  neither  result\n" in capsys.readouterr().out


def test_what_a_candidate_dies_of_stands_in_the_place_of_fields(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from parity.tools import registry  # noqa: PLC0415 - the port, with a fault

    def dies(*_: object) -> object:
        raise ValueError

    monkeypatch.setitem(registry.TOOLS, "recall", dies)
    assert main(["drift", "old.json", "old.json", "--candidate", "port"]) == DIVERGED
    assert "1    1    recall  neither  crashed\n" in capsys.readouterr().out
    assert folder.is_dir()


def test_who_cannot_stand_between_two_journals_is_refused_in_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["drift", "--go-version", "1.25.5", "--go-version", "1.27.3", "--candidate", "port"]) == BAD_INPUT
    assert "--candidate stands between two journals" in capsys.readouterr().err
    step = small_journals.step("mem_read", {"file": "a"}, "x")
    small_journals.write(folder, small_journals.memory(step), "old.json")
    program = f"cmd:{sys.executable} {outside_vices.__file__} says-nothing"
    assert main(["drift", "old.json", "old.json", "--candidate", program]) == NOT_JUDGED
    assert "cannot stand between two journals: isolated: the candidate cannot be put" in capsys.readouterr().err
