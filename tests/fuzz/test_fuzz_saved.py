"""A finding as a file: a journal that the gate runs, or a question with Go's answer that the tests run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from honest_model import FAULTS, HonestModel

from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.compare import ALL as TOLERANCES
from replay.engine import Judging, replay
from replay.fuzz import regressions, rendered, saved
from replay.fuzz.campaign import Budget, Campaign, tried_with
from replay.fuzz.dice import RandomDice, RecordedDice
from replay.fuzz.library import FUNCTIONS
from replay.fuzz.regressions import VectorError
from replay.fuzz.smallest import smallest
from replay.fuzz.subjects import chosen
from replay.journal import loads
from replay.oracle.client import Answer
from replay.outcome import Diverged, Match, Mode
from replay.report.styles import Plain

if TYPE_CHECKING:
    from replay.fuzz.campaign import Finding
    from replay.fuzz.trial import Call

REGRESSIONS = Path(__file__).parents[1] / "regressions"

FOUND = {
    "absent": "recall",
    "creating": "mem_add",
    "crashing": "mem_edit",
    "counting": "keepimg",
    "quoting": "strconv.Quote",
}


def finding_of(fault: str) -> tuple[Finding, HonestModel]:
    model = HonestModel(fault=FAULTS[fault])
    campaign = Campaign(chosen([FOUND[fault]]), model.target, 1)
    campaign.run(model.oracle, Budget(inputs=2000))
    (finding,) = campaign.findings(model.oracle)
    return smallest(finding, model.oracle, model.target), model


def written(fault: str) -> tuple[Finding, bytes, str]:
    finding, model = finding_of(fault)
    raw, ending = saved.content(finding, list(model.ask(finding.trial.questions)), model.target)
    return finding, raw, ending


@pytest.mark.parametrize("fault", ["absent", "creating", "crashing", "counting"])
def test_a_tools_finding_is_a_journal_on_which_the_gate_fails_in_both_modes(fault: str) -> None:
    _, raw, ending = written(fault)
    assert ending == ".json"
    journal = loads(raw, "finding.json")
    assert journal.source == "model"
    assert journal.target.version == "go1.25.5"
    with PortCandidate(IN_MEMORY) as candidate:
        for mode in Mode:
            outcomes = list(replay(journal, candidate, Judging(mode, tolerances=TOLERANCES)))
            assert isinstance(outcomes[-1], Diverged)
            assert all(isinstance(outcome, Match) for outcome in outcomes[:-1])


@pytest.mark.parametrize("fault", FOUND)
def test_one_finding_is_one_file_whatever_the_day(fault: str, tmp_path: Path) -> None:
    files = set()
    for _ in range(2):
        finding, raw, ending = written(fault)
        files.add(saved.save(raw, ending, finding.subject.name, tmp_path / "new" / "folder"))
    (file,) = files
    assert file.name.startswith(FOUND[fault].casefold().replace(".", "-").replace("_", "-") + "-")
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o644


def test_every_sort_of_trial_makes_a_journal_that_matches_where_nothing_is_wrong() -> None:
    model = HonestModel()
    dice = RandomDice("journals")
    with PortCandidate(IN_MEMORY) as candidate:
        for name in ("recall", "recall_search", "memory", "tracker", "mem_edit", "keepimg"):
            (subject,) = chosen([name])
            for _ in range(12):
                trial = subject.trial(dice, model.target)
                answers = list(model.ask(trial.questions))
                call = trial.calls[-1]
                finding = _Finding(subject, trial, call)
                raw, _ = saved.content(finding, answers, model.target)  # type: ignore[arg-type]
                outcomes = list(replay(loads(raw, "x"), candidate, Judging(Mode.CHAINED, tolerances=TOLERANCES)))
                assert [outcome for outcome in outcomes if not isinstance(outcome, Match)] == []


class _Finding:
    """As much of a finding as is written."""

    def __init__(self, subject: object, trial: object, call: Call) -> None:
        self.subject = subject
        self.trial = trial
        self.call = call


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(saved.SaveError, match=r"^the finding cannot be saved in .*file: File exists$"):
        saved.save(b"", ".json", "x", tmp_path / "file")


# --- what the gate shows ---


def shown(fault: str) -> str:
    finding, raw, _ = written(fault)
    return "\n".join(rendered.lines(finding, raw, "tests/regressions/f.json", Plain()))


def test_a_finding_is_shown_as_the_gate_shows_it_with_who_judged() -> None:
    text = shown("absent")
    assert text.startswith("tests/regressions/f.json diverged\nstep 1 recall (isolated)\n")
    assert "result: differs" in text
    assert "judged by model: our own Go program's reading of the contract" in text
    assert "found with seed 1, batch 0, input " in text


def test_a_functions_finding_is_shown_in_the_same_way() -> None:
    text = shown("quoting")
    assert text.startswith("tests/regressions/f.json diverged\nstep 1 strconv.Quote (isolated)\n")
    assert "judged by stdlib: Go's own library" in text


def test_what_the_gate_does_not_see_is_shown_directly() -> None:
    finding, model = finding_of("absent")
    raw, _ = saved.content(finding, list(HonestModel().ask(finding.trial.questions)), model.target)
    text = "\n".join(rendered.lines(finding, raw, "f.json", Plain()))
    assert text.startswith("f.json: the gate does not see this difference; seen directly, it is:\nf.json diverged\n")


def test_a_crash_of_the_port_is_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, __: object) -> str:
        message = "boom"
        raise ZeroDivisionError(message)

    (quoting,) = [one for one in FUNCTIONS if one.name == "strconv.Quote"]
    model = HonestModel(fault=lambda *_: Answer("stdlib", "x"))
    monkeypatch.setattr(model, "_function", lambda *_: "x")
    finding = tried_with(replace(quoting, port=broken), RecordedDice(), model.oracle, model.target)
    assert finding is not None
    text = "\n".join(rendered.lines(finding, b"", "f.jsonl", Plain()))
    assert "f.jsonl crashed" in text
    assert "the candidate crashed: ZeroDivisionError: boom" in text


# --- regressions of functions ---


def test_every_saved_difference_of_a_function_is_gone() -> None:
    for file in regressions.files(REGRESSIONS):
        assert list(filter(None, regressions.judged(file))) == [], file.name


def test_a_saved_difference_is_there_until_the_port_is_right(tmp_path: Path) -> None:
    _, raw, ending = written("quoting")
    file = saved.save(raw, ending, "quote", tmp_path)
    assert regressions.files(tmp_path) == [file]
    ((difference,),) = regressions.judged(file)
    assert (difference.expected, difference.actual) == ('"\\u005a"', '"Z"')
    right = json.loads(raw)
    right["out"] = '"Z"'
    file.write_text(json.dumps(right))
    assert list(regressions.judged(file)) == [()]


def test_a_folder_that_is_not_there_holds_no_regression(tmp_path: Path) -> None:
    assert list(regressions.files(tmp_path / "nowhere")) == []


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b'{"format":"other"}',
        b'{"format":"loki-parity-vector/1"}',
        b'{"format":"loki-parity-vector/1","go":"go1.25.5","question":{"q":"none"},"out":1}',
        b'{"format":"loki-parity-vector/1","go":"1.99","question":{"q":"quote","s":"x"},"out":"x"}',
        b'{"format":"loki-parity-vector/1","go":"go1.25.5","question":{"q":"quote","s":7},"out":"x"}',
    ],
)
def test_a_file_that_holds_no_question_is_told_with_its_place(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(line)
    with pytest.raises(VectorError, match=r"^a\.jsonl:1: no question with Go's answer"):
        list(regressions.judged(file))
