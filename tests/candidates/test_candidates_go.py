"""Real Go as a candidate, by a go command whose model is the port itself; real Go is in tests/oracle_go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import honest_model
import pytest
import real_command

from replay.candidates.go import GoCandidate, GoSession, shown
from replay.candidates.interface import CandidateCrashed
from replay.candidates.table import UnknownCandidateError, known
from replay.cli import main
from replay.journal import load
from replay.oracle.client import Answer
from replay.oracle.errors import OracleLiedError, QuestionRefusedError
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.oracle.client import Question

    Options = Callable[..., list[str]]


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> Options:
    """The options that judge a model with a fault."""
    folder = tmp_path_factory.mktemp("gos")

    def options(fault: str = "", dies_after: int = -1) -> list[str]:
        command = honest_model.go(folder, fault=fault, dies_after=dies_after)
        return ["--candidate", "go:1.25.5", "--go", str(command), "--cache", str(folder / f"{fault}{dies_after}")]

    return options


@pytest.mark.parametrize("name", ["recall", "scelles", "verrouille", "keepimg"])
def test_a_model_that_reads_the_contract_rightly_passes_the_recorded_journals(
    name: str, go: Options, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(real_command.LOGS / f"{name}.json"), *go()]) == Exit.MATCH
    told = capsys.readouterr().out
    assert "candidate  model go1.25.5" in told
    assert "a pipe; its reads of the archive were not judged" in told


def test_what_it_does_wrong_is_a_divergence_of_its_own(go: Options, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(real_command.LOGS / "recall.json"), *go("absent")]) == Exit.DIVERGED
    assert "verdict    DIVERGED" in capsys.readouterr().out


def test_a_question_that_it_refuses_costs_the_step_and_no_more() -> None:
    def refuses(question: Question, answer: Answer) -> Answer:
        if question["q"] in {"exec", "close"}:
            message = "the oracle refused a question: no"
            raise QuestionRefusedError(message)
        return answer

    journal = load(real_command.LOGS / "recall.json")
    session = GoSession(honest_model.HonestModel(fault=refuses).oracle, journal)
    with pytest.raises(CandidateCrashed, match=r"^the oracle refused a question: no$"):
        session.call(journal.steps[0])
    with pytest.raises(CandidateCrashed):
        session.call(replace(journal.steps[0], now_ns=None))
    session.close()


@pytest.mark.parametrize("name", ["recall", "keepimg"])
def test_what_is_no_answer_ends_the_run_in_one_sentence(
    name: str, go: Options, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(real_command.LOGS / f"{name}.json"), *go("misshapen")]) == Exit.NOT_JUDGED
    assert capsys.readouterr().err.startswith("loki-parity: the oracle lies: it answers ")


def test_a_model_that_dies_ends_the_run_in_one_sentence(go: Options, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(real_command.LOGS / "recall.json"), *go(dies_after=9)]) == Exit.NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: the oracle ended with status 7 after 9 answers\n"


def test_without_go_the_model_is_not_judged(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--candidate", "go:1.25.5", "--go", f"{tmp_path}/none"]
    assert main(["run", str(real_command.LOGS / "recall.json"), *options]) == Exit.NOT_JUDGED
    assert capsys.readouterr().err.startswith("loki-parity: no Go 1.25.5 here (")


def test_a_go_that_is_not_offered_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(real_command.LOGS / "recall.json"), "--candidate", "go:1.20.1"]) == Exit.NOT_JUDGED
    assert "Go 1.20 is not offered" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["go", "go:", "go:x", "go:1.25.5.5", "gopher:1.25.5", ""])
def test_a_name_that_is_no_candidate_is_bad_input(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownCandidateError):
        known(name)
    with pytest.raises(SystemExit) as end:
        main(["run", "--candidate", name])
    assert end.value.code == Exit.BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1


def test_a_candidate_that_was_not_started_has_no_session() -> None:
    with pytest.raises(LookupError):
        GoCandidate("1.25.5").session(load(real_command.LOGS / "recall.json"))


@pytest.mark.parametrize(
    "out",
    [None, 7, [], {}, {"result": "x"}, {"label": "", "diff": 7}, {"label": 7, "diff": []}, {"label": "", "diff": [7]}],
)
def test_an_answer_of_another_shape_is_a_lie(out: object) -> None:
    with pytest.raises(OracleLiedError, match=r"^the oracle lies: it answers .*, which is not what was asked for$"):
        shown(Answer("model", out), None)


def test_bytes_that_are_not_utf_8_are_shown_as_json_carries_them() -> None:
    out = {"result": {"b64": "4oI="}, "label": "", "diff": []}
    assert shown(Answer("model", out), None).fields["result"] == "\ufffd\ufffd"


def test_a_text_of_the_system_is_told_from_one_of_the_contract() -> None:
    def told(result: str) -> bool:
        return shown(Answer("model", {"result": result, "label": "", "diff": []}), None).system_error

    assert told("[erreur] open x: file name too long")
    assert not told("[erreur] nom vide")
    assert not told("[ok] page 'x' créée")
