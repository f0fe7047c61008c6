"""The command in this process: arguments to a plan, errors to one sentence, everything to an exit status."""

from __future__ import annotations

import argparse
import json
import signal
import socket
import sys
import threading
import urllib.request
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, LOGS, MATCH, NOT_JUDGED

import replay.serve
from fake_go import standalone
from parity.gostd.target import TargetNotOfferedError
from replay import cli
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.port import PortCandidate
from replay.configuration import ConfigurationError
from replay.journal import JournalError
from replay.journal.model import Place
from replay.oracle.errors import OracleError
from replay.outcome import Mode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replay.run import Plan


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says of arguments that it does not take."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    return err


WRONG: Final = {
    ("frob",): "loki-parity: argument VERB: invalid choice: 'frob'",
    ("run", "--\x1b[31m"): "loki-parity: unrecognized arguments: --\\x1b[31m",
    ("run", "--mode", "x"): "loki-parity run: argument --mode: invalid choice: 'x' (choose from 'isolated', 'chained')",
    ("run", "--step", "1-"): "loki-parity run: argument --step: '1-' is not a step (12), a range (10-20) or an",
    ("run", "--step", "2-1"): "loki-parity run: argument --step: '2-1' ends before it begins",
    ("run", "--step", "3.2-2"): "loki-parity run: argument --step: '3.2-2' ends before it begins",
    ("run", "--candidate", "x"): "loki-parity run: argument --candidate: 'x' is no candidate",
    (
        "run",
        "--field",
        "result,x",
    ): "loki-parity run: argument --field: 'x' is no field (expected some of result",
    ("run", "--http-path", "x"): "loki-parity run: argument --http-path: 'x' is not the path of a URL",
    ("run", "--http-fields", "x=y"): "loki-parity run: argument --http-fields: 'x=y' does not name fields",
    ("run", "--http-fields", "name="): "loki-parity run: argument --http-fields: 'name=' does not name fields",
    ("run", "--deadline", "0"): "loki-parity run: argument --deadline: '0' is not a number of seconds",
    ("run", "--deadline", "1e9"): "loki-parity run: argument --deadline: '1e9' is not a number of seconds",
    ("serve", "x", "--port", "65536"): "loki-parity serve: argument --port: '65536' is not a port (0 to 65535)",
    ("serve", "x", "--port", "x"): "loki-parity serve: argument --port: 'x' is not a port (0 to 65535)",
}


@pytest.mark.parametrize("arguments", WRONG, ids=lambda arguments: ascii(" ".join(arguments)))
def test_wrong_arguments_are_one_sentence(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(list(arguments), capsys).startswith(WRONG[arguments])


def test_several_candidates_must_be_different(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    assert cli.main(["run", str(journal), "--candidate", "port", "--candidate", "port"]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: --candidate takes different candidates, at most 26\n"


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """The plans that were made instead of being run."""
    plans: list[Plan] = []

    class Done:
        exit = MATCH

    def run(plan: Plan, *_: object) -> Done:
        plans.append(plan)
        return Done()

    monkeypatch.setattr("replay.run.run", run)
    return plans


def test_arguments_become_a_plan(planned: list[Plan]) -> None:
    options = ["--mode", "chained", "--tool", "recall", "--step", "2-3", "--step", "7", "-x", "--field", "result,label"]
    options += ["--http-path", "/run", "--http-fields", "name=tool", "--deadline", "0.5", "--go-port", "1"]
    assert cli.main(["run", str(LOGS / "recall.json"), "--transport", "memory", *options]) == MATCH
    assert cli.main(["run", str(LOGS / "recall.json"), "--transport", "memory"]) == MATCH
    chosen, everything = planned
    assert (chosen.modes, chosen.stop_at_first) == ((Mode.CHAINED,), True)
    assert chosen.selection.tools == frozenset({"recall"})
    assert chosen.selection.steps == (("2", "3"), ("7", "7"))
    assert chosen.selection.fields == frozenset({"result", "label"})
    assert everything.modes == (Mode.ISOLATED, Mode.CHAINED)
    assert everything.selection.everything


def test_the_floors_are_those_of_the_configuration_unless_something_was_chosen(
    planned: list[Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floors = "{ journals = 3, steps = 9 }"
    (tmp_path / "pyproject.toml").write_text(f'[tool.loki-parity]\njournals = ["a.json"]\nfloors = {floors}\n')
    monkeypatch.chdir(tmp_path)
    cli.main(["run", "--transport", "memory"])
    cli.main(["run", "--transport", "memory", "--step", "1"])
    assert [(plan.floors.journals, plan.floors.steps) for plan in planned] == [(3, 9), (1, 1)]
    assert [source.name for source in planned[0].sources] == ["a.json"]


def test_nothing_to_judge_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run"]) == NOT_JUDGED
    assert cli.main(["run", "."]) == NOT_JUDGED
    assert capsys.readouterr() == (
        "",
        (
            "loki-parity: no pyproject.toml with [tool.loki-parity] here or above: name the journals to judge\n"
            "loki-parity: .: this folder holds no journal (no .json or .jsonl file)\n"
        ),
    )


@pytest.mark.parametrize(
    ("step", "status"), [(small_journals.right(), MATCH), (small_journals.wrong(), DIVERGED)], ids=["right", "wrong"]
)
def test_a_run_ends_with_its_verdict(
    step: dict[str, Any], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(step))
    assert cli.main(["run", str(journal), "--report-json", str(tmp_path / "report.jsonl")]) == status
    assert f"verdict    {'MATCH' if status == MATCH else 'DIVERGED'}: " in capsys.readouterr().out
    assert json.loads((tmp_path / "report.jsonl").read_text().splitlines()[-1])["exit"] == status


def test_two_candidates_are_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "made", lambda *_: PortCandidate("memory"))
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    assert cli.main(["run", str(journal), "--candidate", "port", "--candidate", "go:1.25.5"]) == MATCH
    assert capsys.readouterr().out.count("port") >= 2


@pytest.mark.parametrize(
    "error",
    [
        CandidateNotReadyError("it does not start"),
        OracleError("no go"),
        TargetNotOfferedError("Go 1.20 is not offered"),
    ],
)
def test_a_candidate_that_cannot_be_judged_is_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(cli, "made", failing)
    assert cli.main(["run", str(LOGS / "recall.json")]) == NOT_JUDGED
    assert capsys.readouterr() == ("", f"loki-parity: {error}\n")


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(LOGS / "recall.json"), "--report-json", str(tmp_path)]) == BAD_INPUT
    assert capsys.readouterr() == ("", f"loki-parity: the report {tmp_path} cannot be written: Is a directory\n")


def test_an_interrupt_is_one_word(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "named", interrupted)
    assert cli.main(["run", "x"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "loki-parity: interrupted\n")


def test_standard_output_on_a_full_disk_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        monkeypatch.setattr("sys.stdout", full)
        assert cli.main(["run", str(LOGS / "recall.json"), "--transport", "memory"]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: standard output cannot be written: No space left on device\n"


COMMANDS: Final = {
    "rules": "replay.rules.command.rules",
    "drift": "replay.drift.command.drift",
    "fuzz": "replay.fuzz.command.fuzz",
    "explain": "replay.explain.command.explain",
    "report": "replay.report_command.report",
    "show": "replay.show.show",
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_each_verb_is_a_command_that_is_given_its_options_and_the_outputs(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(options: argparse.Namespace, out: object, complain: Callable[[str], None]) -> int:
        assert options.verb == verb
        assert hasattr(out, "write")
        complain("a sentence\x1b")
        return 7

    monkeypatch.setattr(COMMANDS[verb], command)
    assert cli._VERBS[verb](argparse.Namespace(verb=verb), sys.stdout) == 7
    assert capsys.readouterr().err == "loki-parity: a sentence\\x1b\n"


def test_every_verb_can_be_asked_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in cli._VERBS:
        with pytest.raises(SystemExit) as ended:
            cli.main([verb, "--help"])
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: loki-parity {verb}")


def test_serving_says_where_and_logs_and_ends_with_a_signal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    for number, status in ((signal.SIGTERM, MATCH), (signal.SIGINT, INTERRUPTED)):
        real = standalone.serve

        def serving(fake: object, number: int = number, real: Any = real, **rest: Any) -> int | None:  # noqa: ANN401 - passed on
            announce = rest.pop("announce")

            def announced(url: str) -> None:
                announce(url)

                def client() -> None:
                    urllib.request.urlopen(f"{url}/internal/v1/recall/blocks").close()  # noqa: S310 - our own server
                    signal.raise_signal(number)

                threading.Thread(target=client).start()

            found: int | None = real(fake, announce=announced, **rest)
            return found

        with monkeypatch.context() as patched:
            patched.setattr(replay.serve, "serve_until_interrupted", serving)
            assert cli.main(["serve", str(journal)]) == status
        out, err = capsys.readouterr()
        first, second = out.splitlines()
        assert first.startswith(f"serving 2 blocks of {journal} on http://127.0.0.1:")
        assert second == "GET /internal/v1/recall/blocks"
        assert err == ""


def test_what_cannot_be_served_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    arm = small_journals.write(tmp_path, {"kind": "recall", "go": {"goarch": "arm64"}}, "arm.json")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["serve", str(journal), "--port", str(port)]) == BAD_INPUT
    assert cli.main(["serve", str(tmp_path / "missing")]) == BAD_INPUT
    assert cli.main(["serve", str(arm)]) == NOT_JUDGED
    assert cli.main(["serve", str(LOGS / "outils.json")]) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.rpartition(": ")[2].partition(" (")[0] for line in err.splitlines()][0::3] == [
        "Address already in use",
        "a journal of the kind memory holds no blocks to serve",
    ]
    assert err.count("\n") == 4


def test_a_report_never_replaces_a_journal_that_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    before = journal.read_bytes()
    assert cli.main(["run", str(journal), "--report-json", str(tmp_path / "." / journal.name)]) == BAD_INPUT
    assert capsys.readouterr().err == (
        "loki-parity: --report-json names a journal that is to be judged: a report never replaces one\n"
    )
    assert journal.read_bytes() == before
    other = tmp_path / "other.jsonl"
    assert cli.main(["run", str(journal), "--transport", "memory", "--report-json", str(other)]) == MATCH
    assert cli.main(["run", str(journal), "--transport", "memory", "--report-json", str(other)]) == MATCH


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (SystemExit(0), 3, "the port ended the run, with status 0"),
        (JournalError("changed", Place("a.jsonl", "", 3), "it", "the same"), 2, "a.jsonl:3: "),
        (CandidateNotReadyError("it cannot be started"), 3, "it cannot be started"),
    ],
)
def test_whatever_ends_a_verb_early_is_a_sentence_and_no_verdict(
    raised: BaseException, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ends(*_: object) -> int:
        raise raised

    monkeypatch.setitem(cli._VERBS, "doctor", ends)
    assert cli.main(["doctor"]) == status
    assert f"loki-parity: {said}" in capsys.readouterr().err


def test_without_a_configuration_and_without_a_path_nothing_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError):
        cli._waivers([])
    assert cli.main(["run"]) == NOT_JUDGED
    assert capsys.readouterr().err.startswith("loki-parity: ")


def test_a_report_among_the_journals_of_a_folder_is_passed_over_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "journals"
    folder.mkdir()
    small_journals.write(folder, small_journals.recall(small_journals.right()))
    journal = str(folder / "journal.json")
    assert cli.main(["run", journal, "--transport", "memory", "--report-json", str(folder / "run.jsonl")]) == MATCH
    capsys.readouterr()
    assert cli.main(["rules", str(folder), "--step", "1"]) == MATCH
    assert "run.jsonl is the report of a run, not a journal: passed over" in capsys.readouterr().err
