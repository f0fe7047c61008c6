"""Journals of lines through the command: judged as others are, refused with their line, never held whole."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from fake_candidates import Truthful
from journal_lines import golden, lines, write
from real_command import BAD_INPUT, DIVERGED, LOGS, MATCH, finish, loki_parity, start

from replay.cli import main
from replay.journal import load
from replay.run import Exit, Plan, run
from replay.sources import Source

if TYPE_CHECKING:
    from pathlib import Path

    from replay.candidates.interface import Identity
    from replay.journal.model import Journal
    from replay.outcome import Outcome
    from replay.run import Receipt

HASH: Final = re.compile("sha256 [0-9a-f]+…")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def receipt(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    assert main(["run", *map(str, arguments), "--transport", "memory"]) == MATCH
    return HASH.sub("", capsys.readouterr().out).split("\n")[1:]


@pytest.mark.parametrize("name", ["recall", "outils", "keepimg"])
def test_lines_are_judged_as_the_same_journal_in_one_object(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, lines(golden(name)))
    assert receipt(capsys, file) == receipt(capsys, LOGS / f"{name}.json")


def test_a_wrong_step_is_shown_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, lines(small_journals.recall(small_journals.right(), small_journals.wrong())))
    assert main(["run", str(file), "--mode", "isolated", "--transport", "memory"]) == DIVERGED
    assert "  at journal.jsonl:3 at steps[1]\n" in capsys.readouterr().out


def test_only_chosen_steps_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, lines(golden("recall")))
    found = receipt(capsys, file, "--step", "30-31", "--tool", "recall_search", "--mode", "isolated")
    assert any("isolated  2 of 2 match" in line for line in found), found


def test_a_journal_that_was_cut_off_is_not_replayed(tmp_path: Path) -> None:
    write(tmp_path, lines(golden("recall"))[:-1])
    ran = loki_parity("run", "journal.jsonl", cwd=tmp_path)
    assert ran.status == BAD_INPUT
    assert 'journal.jsonl:42:1: found the end of the file, expected the last line, {"end":{"steps":41}}' in ran.out
    assert "judged     0 journals" in ran.out


def test_a_folder_may_hold_reports_beside_journals(tmp_path: Path) -> None:
    write(tmp_path, lines(small_journals.recall(small_journals.right(), small_journals.unread())))
    for status in (MATCH, MATCH):
        ran = loki_parity("run", ".", "--transport", "memory", "--report-json", "run.jsonl", cwd=tmp_path)
        assert (ran.status, "judged     1 journal (" in ran.out) == (status, True)
    assert ran.err == "loki-parity: ./run.jsonl is the report of a run, not a journal: passed over\n"
    named = loki_parity("run", "run.jsonl", cwd=tmp_path)
    assert named.status == BAD_INPUT
    assert "run.jsonl:1:1: found the report of a run, expected a journal" in named.out
    listed = loki_parity("rules", ".", cwd=tmp_path)
    assert listed.err.startswith("loki-parity: ./run.jsonl is the report of a run, not a journal: passed over\n")


class Changing:
    """A reporter that changes the journal when the first step was judged."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def begin(self, plan: Plan, identity: Identity) -> None:
        """Nothing."""

    def journal(self, journal: Journal, steps: int) -> None:
        """Nothing."""

    def outcome(self, outcome: Outcome) -> None:
        if outcome.step.number == "1":
            with self._file.open("r+b") as stream:
                stream.write(self._file.read_bytes().replace(b"automne", b"AUTOMNE"))

    def end(self, receipt: Receipt) -> None:
        """Nothing."""


def test_a_journal_that_changes_during_the_run_is_bad_input(tmp_path: Path) -> None:
    journal = small_journals.recall(*[small_journals.right()] * 32, small_journals.searched())
    file = write(tmp_path, lines(journal))
    found = run(Plan([Source(file, "j.jsonl")]), Truthful(load(file)), [Changing(file)])
    assert found.exit is Exit.BAD_INPUT
    (refusal,) = found.refusals
    assert refusal.sentence.startswith("j.jsonl:34: found another line than when the journal was checked, expected a ")
    assert found.count("match") == 32


def test_a_journal_that_changes_while_it_is_shown_is_one_sentence(tmp_path: Path) -> None:
    many = [small_journals.step("recall", {"id": "r1"}, "x" * 200, note="n" * 80) for _ in range(5000)]
    file = write(tmp_path, lines(small_journals.recall(*many)))
    process = start("show", "journal.jsonl", cwd=tmp_path)
    assert process.stdout is not None
    first = os.read(process.stdout.fileno(), 10)
    time.sleep(0.5)  # it fills the pipe, which nobody reads, and waits
    os.truncate(file, 1000)
    ran = finish(process)
    assert first
    assert ran.status == BAD_INPUT
    assert "found another line than when the journal was checked" in ran.err


def test_steps_of_lines_can_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, lines(golden("keepimg")))
    assert main(["show", str(file), "--step", "3.1"]) == MATCH
    assert capsys.readouterr().out.startswith("step 3.1 ")
    assert main(["show", str(file), "--step", "3"]) == BAD_INPUT
    assert "no step 3: " in capsys.readouterr().err
    assert main(["show", str(write(tmp_path, lines(golden("outils")))), "--step", "57"]) == MATCH
    assert capsys.readouterr().out.startswith("step 57 ")


def test_what_moved_between_lines_and_one_object_is_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, lines(golden("outils")))
    assert main(["drift", str(LOGS / "outils.json"), str(file)]) == MATCH


def test_a_reduced_journal_may_be_of_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = golden("outils")
    journal["steps"][11]["result"] += "?"
    whole = small_journals.write(tmp_path, journal, "wrong.json")
    assert main(["reduce", str(whole), "--transport", "memory"]) == MATCH
    reduced = next(tmp_path.glob("*reduced*"))
    capsys.readouterr()
    assert main(["show", str(reduced), "--as-lines"]) == MATCH
    (tmp_path / "reduced.jsonl").write_text(capsys.readouterr().out, encoding="utf-8")
    told = []
    for file in (reduced, tmp_path / "reduced.jsonl"):
        assert main(["run", str(file), "--transport", "memory"]) == DIVERGED
        told.append([line for line in capsys.readouterr().out.split("\n") if " of " in line and " match" in line])
    assert told[0] == told[1]
    assert load(tmp_path / "reduced.jsonl").reduced_from == load(reduced).reduced_from
