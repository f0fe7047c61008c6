"""``run --slowest N``: the slowest calls are told on standard error, and nothing else changes."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, LOGS, MATCH, loki_parity

from parity.tools import registry
from replay import cli
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.run import Plan, run
from replay.slowest import Slowest
from replay.sources import named

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from parity.tools.interface import Env, ToolAnswer


def test_the_slowest_steps_are_told_and_everything_else_is_the_same(tmp_path: Path) -> None:
    journal = str(LOGS / "verrouille.json")
    plain = loki_parity("run", journal, "--report-json", "a.jsonl", cwd=tmp_path)
    timed = loki_parity("run", journal, "--report-json", "b.jsonl", "--slowest", "3", cwd=tmp_path)
    assert (timed.status, timed.out) == (plain.status, plain.out) == (MATCH, plain.out)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    head, *lines = timed.err.splitlines()
    assert head == "slowest 3 of 18 steps, the candidate's time alone:"
    assert len(lines) == 3
    times = [float(line.split()[0].replace(",", "")) for line in lines]
    assert times == sorted(times, reverse=True)
    assert all(re.search(r" ms  \S+\.json step \d+ \w+ \((isolated|chained)\)$", line) for line in lines)


def test_each_call_has_its_own_time_although_many_run_before_the_first_is_told() -> None:
    ticks = itertools.count()
    slowest = Slowest(500, clock=lambda: next(ticks) ** 2)  # every call takes longer than the one before
    with PortCandidate(IN_MEMORY) as candidate:
        receipt = run(Plan(named([str(LOGS / "recall.json")])), slowest.timed(candidate), [slowest])
    assert receipt.exit == MATCH
    told = [line.split("step ")[1] for line in list(slowest.lines())[1:]]
    assert [line.split()[0] for line in told] == [*map(str, range(41, 0, -1))] * 2
    assert [line.split()[2] for line in told] == ["(chained)"] * 41 + ["(isolated)"] * 41


def test_operations_of_cases_are_timed_too() -> None:
    slowest = Slowest(2)
    with PortCandidate(IN_MEMORY) as candidate:
        run(Plan(named([str(LOGS / "keepimg.json")])), slowest.timed(candidate), [slowest])
    head, *lines = slowest.lines()
    assert head.startswith("slowest 2 of 302 steps")
    assert all(re.search(r"[0-9]\.[0-9]{2} ms  .* step [0-9]+\.[0-9]+ ", line) for line in lines)
    assert not any(" 0.00 ms" in line for line in lines)


def test_a_step_that_crashes_has_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_: Mapping[str, object], __: Env) -> ToolAnswer:
        raise RuntimeError

    monkeypatch.setattr(registry, "TOOLS", {**registry.TOOLS, "recall": crash})
    file = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    assert cli.main(["run", str(file), "--slowest", "9", "--transport", "memory"]) == DIVERGED
    assert "slowest 2 of 2 steps" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0", "x", "-1", "1000000"])
def test_a_number_of_steps_is_wanted(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", f"--slowest={text}"])
    assert ended.value.code == BAD_INPUT
    assert f"argument --slowest: {text!r} is not a number of steps (1 to 999999)" in capsys.readouterr().err


def test_several_candidates_are_not_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    several = ["--candidate", "port", "--candidate", "facade", "--slowest", "3"]
    assert cli.main(["run", str(file), *several]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: --slowest takes one candidate\n"
