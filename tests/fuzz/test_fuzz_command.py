"""``loki-parity fuzz`` as a person runs it, against a go command whose model is the port itself, right or faulty."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import honest_model
import pretended_go
import pytest
import real_command

from replay import cli
from replay.cli import main
from replay.fuzz import command, explore, parallel
from replay.fuzz.campaign import Budget, Campaign
from replay.fuzz.parallel import Done, Share, share_out, work
from replay.fuzz.subjects import ALL, chosen
from replay.oracle.errors import OracleDiedError
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def gos(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """The options that make the command use a go whose model has a fault."""
    folder = tmp_path_factory.mktemp("gos")

    def options(fault: str = "", *, version: str = "go1.25.5", dies_after: int = -1) -> list[str]:
        go = honest_model.go(folder, version=version, fault=fault, dies_after=dies_after)
        return ["--go", str(go), "--cache", str(folder / f"cache-{version}-{fault}{dies_after}")]

    return options


def descendants(process: int) -> int:
    """How many processes there are below one."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    return len(children) + sum(descendants(int(child)) for child in children)


def wait_until_busy(process: int, count: int, cache: str) -> None:
    """Until so many processes are there, and one of them has had questions."""
    end = time.monotonic() + 60
    while descendants(process) < count or not list(Path(cache).rglob("*" + honest_model.BUSY)):
        assert time.monotonic() < end, "they did not start"
        time.sleep(0.1)


def idle(options: list[str]) -> list[str]:
    """The same options, and no sign that anybody was busy with them."""
    for file in Path(options[-1]).rglob("*" + honest_model.BUSY):
        file.unlink()
    return options


def fuzz(*arguments: str) -> int:
    return main(["fuzz", *arguments])


def test_no_difference_is_a_match_and_the_report_names_everything(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz("--examples", "1500", "--explore", "2", *gos()) == Exit.MATCH
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert lines[0] == "go1.25.5, Unicode 15.0.0, amd64 · seed 1"
    assert [line.split()[0] for line in lines[1 : 1 + len(ALL)]] == [one.judge for one in ALL]
    assert re.search(r"^buckets    [0-9]+ of [0-9]+ reached \(rule × boundary\), never:$", told.out, re.MULTILINE)
    assert f"explored   2 examples of each of {len(ALL)} by hypothesis" in lines
    assert re.fullmatch(r"verdict    MATCH: no difference in 1,[0-9]{3} inputs", lines[-1])
    assert re.fullmatch(r"[0-9,]+ inputs, [0-9,]+ questions in .* a second\n", told.err)


def test_two_runs_on_the_same_seed_write_the_same_report(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    reports = []
    for _ in range(2):
        assert fuzz("--examples", "400", "--seed", "7", "--explore", "0", "--tool", "model", *gos()) == Exit.MATCH
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]
    assert "seed 7" in reports[0]


def test_a_difference_is_shown_saved_and_then_judged_by_the_gate(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.loki-parity]\njournals = ["a.json"]\nfloors = { journals = 1, steps = 1 }\nregressions = "found"\n'
    )
    (tmp_path / "a.json").write_bytes((real_command.LOGS / "verrouille.json").read_bytes())
    assert main(["run", "--transport", "memory"]) == Exit.MATCH
    assert fuzz("--tool", "recall", "--examples", "500", "--explore", "0", *gos("absent")) == Exit.DIVERGED
    told = capsys.readouterr().out
    assert "step 1 recall (isolated)" in told
    assert "judged by model" in told
    assert "verdict    DIVERGED: 1 of 1 differ" in told
    (saved,) = (tmp_path / "found").iterdir()
    assert f"found/{saved.name} diverged" in told
    assert main(["run", "--transport", "memory"]) == Exit.DIVERGED
    assert f"found/{saved.name}" in capsys.readouterr().out


def test_a_functions_difference_is_saved_too_and_hypothesis_finds_what_the_campaign_missed(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--tool", "strconv.Quote", "--examples", "1", "--explore", "600", "--save", str(tmp_path)]
    assert fuzz(*options, *gos("quoting")) == Exit.DIVERGED
    told = capsys.readouterr().out
    assert "judged by stdlib: Go's own library" in told
    assert "found with hypothesis" in told
    (saved,) = tmp_path.iterdir()
    assert json.loads(saved.read_bytes())["question"] == {"q": "quote", "s": "Z"}


def test_a_folder_that_cannot_be_written_costs_the_file_and_not_the_verdict(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    options = ["--tool", "recall", "--examples", "300", "--explore", "0", "--save", str(tmp_path / "file")]
    assert fuzz(*options, *gos("absent")) == Exit.DIVERGED
    told = capsys.readouterr()
    assert "(not saved) diverged" in told.out
    assert re.search(r"^loki-parity: the finding cannot be saved in .*file: File exists$", told.err, re.MULTILINE)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_first_difference_ends_it_where_that_is_asked_for(
    jobs: str, gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["-x", "--time", "50", "--explore", "1", "--jobs", jobs, "--save", str(tmp_path)]
    start = time.monotonic()
    assert fuzz(*options, "--tool", "recall", "--tool", "math.Log", *gos("absent")) == Exit.DIVERGED
    assert time.monotonic() - start < 45
    told = capsys.readouterr().out
    assert "verdict    DIVERGED: 1 of 2 differ" in told
    assert "explored   not after a difference" in told
    assert len(list(tmp_path.iterdir())) == 1


def test_of_several_differences_found_at_once_the_first_is_shown_alone(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["--tool", "recall", "--tool", "mem_read", "--examples", "160", "--save", str(tmp_path)]
    assert fuzz(*both, "-x", "--explore", "0", *gos("absent")) == Exit.DIVERGED
    told = capsys.readouterr().out
    assert told.count("found with seed 1") == 1
    assert "verdict    DIVERGED: 1 of 2 differ" in told


def test_what_hypothesis_finds_ends_it_too(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--tool", "strconv.Quote", "--tool", "math.Log", "--examples", "2", "--explore", "600", "-x"]
    assert fuzz(*options, "--save", str(tmp_path), *gos("quoting")) == Exit.DIVERGED
    assert "explored   600 examples of each of 1 by hypothesis, which found a difference" in capsys.readouterr().out


def test_how_rare_a_boundary_is_can_be_asked_for(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--tool", "strings.Fields", "--examples", "900", "--explore", "0", "--rarity", "-x"]
    counted = []
    for jobs in ("1", "2"):
        assert fuzz(*options, "--jobs", jobs, *gos()) == Exit.MATCH
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "rarity     how many inputs reached each boundary, of those of its tool"
        found = [re.fullmatch(r" +([0-9,]+) of +([0-9,]+)  strings.Fields: (.*)", line) for line in lines[1:5]]
        assert all(found)
        counts = [int(one[1]) for one in found if one is not None]
        assert counts == sorted(counts)
        assert 1 < counts[-1] <= 900
        counted.append([one[0] for one in found if one is not None])
    # Two processes share the batches, and each ends with its half: other inputs, about as many of each sort.
    assert len(counted[0]) == len(counted[1])


def test_a_boundary_that_is_never_reached_can_be_a_failure(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--tool", "url.ParseQuery", "--explore", "0", "--every-boundary", "--save", str(tmp_path)]
    assert fuzz(*options, "--examples", "1", *gos()) == Exit.NOT_JUDGED
    assert re.search(r"^loki-parity: no input reached [0-9]+ of the boundaries$", capsys.readouterr().err, re.MULTILINE)
    assert fuzz(*options, "--examples", "600", *gos()) == Exit.MATCH
    assert fuzz("--tool", "recall", "--examples", "300", *options[2:], *gos("absent")) == Exit.DIVERGED


def test_several_versions_are_several_campaigns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("go1.25.5", "go1.27.3"):
        go = honest_model.go(tmp_path, version=version)
        go.rename(tmp_path / version)
    monkeypatch.setenv("PATH", str(tmp_path))
    options = ["--go-version", "1.25.5", "--go-version", "1.27.3", "--examples", "50", "--tool", "math.Log"]
    assert fuzz(*options, "--explore", "0", "--cache", str(tmp_path / "cache")) == Exit.MATCH
    told = capsys.readouterr().out
    assert "go1.25.5, Unicode 15.0.0" in told
    assert "go1.27.3, Unicode 17.0.0" in told


def test_time_is_a_budget_too(gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    start = time.monotonic()
    assert fuzz("--time", "1", "--tool", "recall", "--explore", "0", *gos()) == Exit.MATCH
    assert time.monotonic() - start < 20
    assert "verdict    MATCH" in capsys.readouterr().out


def test_without_hypothesis_the_report_says_what_was_not_done(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "available", lambda: False)
    assert fuzz("--examples", "20", "--tool", "math.Log", *gos()) == Exit.MATCH
    assert "explored   hypothesis is not installed, so nothing was explored" in capsys.readouterr().out
    assert fuzz("--examples", "20", "--tool", "math.Log", "--explore", "0", *gos()) == Exit.MATCH
    assert "explored   not asked for" in capsys.readouterr().out


def test_the_list_needs_no_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--list", "--tool", "recall") == Exit.MATCH
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "recall (model)"
    assert "  recall/id/prefix × rR" in lines


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--tool", "recal"], "nothing is called 'recal' (choose from strings.ToLower, "),
        (["--go-version", "abc"], "'abc' is not a Go version (expected such as go1.25.5)"),
    ],
)
def test_a_name_or_a_version_that_is_none_is_bad_input(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz(*arguments) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"loki-parity: {why}")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--examples", "0"], "argument --examples: there must be at least one"),
        (["--examples", "x"], "argument --examples: 'x' is not a whole number"),
        (["--time", "0"], "argument --time: '0' is not a time (expected such as 60, 90s, 5m or 1h)"),
        (["--time", "-5"], "argument --time: '-5' is not a time (expected such as 60, 90s, 5m or 1h)"),
        (["--jobs", "0"], "argument --jobs: there must be at least one"),
        (["--seed", "1.5"], "argument --seed: '1.5' is not a whole number"),
    ],
)
def test_an_argument_that_cannot_be_used_is_one_sentence(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        fuzz(*arguments)
    assert end.value.code == Exit.BAD_INPUT
    assert capsys.readouterr().err == f"loki-parity fuzz: {why} (try loki-parity fuzz --help)\n"


@pytest.mark.parametrize(("text", "seconds"), [("60", 60), ("90s", 90), ("5m", 300), ("1h", 3600)])
def test_a_time_has_a_unit(text: str, seconds: float) -> None:
    assert cli.parser().parse_args(["fuzz", "--time", text]).time == seconds


@pytest.mark.parametrize("version", ["1.20.1", "1.99"])
def test_a_go_that_is_not_offered_is_not_judged(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--go-version", version) == Exit.NOT_JUDGED
    assert "is not offered" in capsys.readouterr().err


def test_without_go_nothing_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--go", str(tmp_path / "none")) == Exit.NOT_JUDGED
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("loki-parity: no Go 1.25.5 here (")


def test_an_oracle_that_dies_is_one_sentence(
    gos: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fuzz("--examples", "500", *gos(dies_after=40)) == Exit.NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: the oracle ended with status 7 after 40 answers\n"
    go = pretended_go.go(tmp_path, '    return {"x": 1}')
    assert fuzz("--examples", "5", "--tool", "math.Log", "--go", str(go), "--cache", str(tmp_path)) == Exit.NOT_JUDGED
    assert "the oracle lies" in capsys.readouterr().err


def test_colour_is_where_it_was_asked_for(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzz("--examples", "5", "--tool", "math.Log", "--explore", "0", "--color", "always", *gos())
    assert "\x1b[32mno difference" in capsys.readouterr().out
    fuzz("--examples", "5", "--tool", "math.Log", "--explore", "0", *gos())
    assert "\x1b" not in capsys.readouterr().out

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    watched = Terminal()
    monkeypatch.setattr(sys, "stderr", watched)
    monkeypatch.setattr(command, "EVERY", 1)
    fuzz("--examples", "300", "--tool", "math.Log", "--explore", "0", *gos())
    assert "\r" in watched.getvalue()


def test_an_interrupt_reports_what_was_judged(gos: Callable[..., list[str]], tmp_path: Path) -> None:
    options = idle(gos())
    running = real_command.start("fuzz", "--time", "1h", "--tool", "recall", *options, cwd=tmp_path)
    wait_until_busy(running.pid, 2, options[-1])
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == Exit.INTERRUPTED
    assert re.search(r"verdict    INTERRUPTED after [0-9,]+ inputs", out.decode())
    assert err.decode().endswith("loki-parity: interrupted\n")


def test_the_help_of_the_verb_says_its_exits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fuzz("--help")
    assert "exit status: 0 no difference; 1 at least one; 2 bad input; 3 no Go" in capsys.readouterr().out


# --- several processes ---


def share(gos: Callable[..., list[str]], fault: str = "", dies_after: int = -1) -> Share:
    _, go, _, cache = gos(fault, dies_after=dies_after)
    return Share("1.25.5", ("recall", "math.Log"), 1, Budget(300), 0, 2, Path(go), Path(cache))


def test_a_share_is_done_in_any_process(gos: Callable[..., list[str]]) -> None:
    done = work(share(gos))
    assert isinstance(done, Done)
    assert [counted.inputs >= 150 for counted in done.counted] == [True, True]
    assert [counted.found for counted in done.counted] == [None, None]
    assert not done.interrupted
    found = work(share(gos, fault="absent"))
    assert isinstance(found, Done)
    assert [counted.found is None for counted in found.counted] == [True, False]
    assert work(share(gos, dies_after=30)) == "the oracle ended with status 7 after 30 answers"


def test_processes_share_the_work_and_are_counted_together(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    options = ["--tool", "recall", "--tool", "math.Log", "--examples", "800", "--explore", "0", "--jobs", "2"]
    assert fuzz(*options, *gos()) == Exit.MATCH
    assert re.search(r"verdict    MATCH: no difference in (8|9)[0-9]{2} inputs", capsys.readouterr().out)
    assert fuzz(*options, "--save", str(tmp_path), *gos("absent")) == Exit.DIVERGED
    assert "step 1 recall (isolated)" in capsys.readouterr().out
    assert fuzz(*options, *gos(dies_after=60)) == Exit.NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: the oracle ended with status 7 after 60 answers\n"


def test_an_interrupt_ends_all_processes_with_what_they_did(gos: Callable[..., list[str]], tmp_path: Path) -> None:
    options = ["fuzz", "--time", "1h", "--tool", "recall", "--jobs", "2", *idle(gos())]
    running = real_command.start(*options, cwd=tmp_path)
    wait_until_busy(running.pid, 6, options[-1])
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == Exit.INTERRUPTED
    assert re.search(r"verdict    INTERRUPTED after [0-9,]+ inputs", out.decode())


def _ends(_: Share, __: object) -> None:
    os._exit(3)


def _sleeps(_: Share, __: object) -> None:
    time.sleep(60)


def _campaign() -> Campaign:
    return Campaign(chosen(["recall", "math.Log"]), honest_model.HonestModel().target, 1)


def test_a_process_that_ends_before_its_time_is_told(
    gos: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "REPORT", _ends)
    with pytest.raises(OracleDiedError, match=r"^a process that was fuzzing ended before its time$"):
        share_out(_campaign(), [share(gos)])


class _Interrupted(parallel._Process):
    """A process for which nobody waits to the end."""

    def said(self) -> parallel.Said:
        if self.waited:
            return super().said()
        self.waited = True
        raise KeyboardInterrupt

    waited = False


@pytest.mark.parametrize(("report", "patience"), [(parallel.REPORT, 20), (_ends, 2), (_sleeps, 2)])
def test_an_interrupt_counts_what_was_done_and_waits_for_nobody(
    report: object, patience: int, gos: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "REPORT", report)
    monkeypatch.setattr(parallel, "_Process", _Interrupted)
    monkeypatch.setattr(parallel, "PATIENCE", patience)
    assert share_out(_campaign(), [replace(share(gos), budget=Budget(seconds=3600))])


def test_a_share_that_is_interrupted_says_what_it_did(
    gos: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(campaign: Campaign, *_: object) -> None:
        campaign.questions = 7
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(Campaign, "run", interrupted)
    mine, theirs = multiprocessing.Pipe(duplex=False)
    try:
        parallel.REPORT(share(gos), theirs)
    finally:
        signal.signal(signal.SIGINT, before)
    done = mine.recv()
    assert done.interrupted
    assert done.questions == 7
    mine.close()


def test_an_interrupt_of_the_command_is_reported_in_this_process_too(
    gos: Callable[..., list[str]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> bool:
        return True

    monkeypatch.setattr(command, "share_out", interrupted)
    assert fuzz("--jobs", "2", "--tool", "recall", *gos()) == Exit.INTERRUPTED
    told = capsys.readouterr()
    assert "verdict    INTERRUPTED after 0 inputs" in told.out
    assert told.err == "loki-parity: interrupted\n"


def test_outside_of_a_project_differences_are_saved_below_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.default_folder() == Path("tests/regressions")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.loki-parity]\njournals = ["a"]\nfloors = { journals = 1, steps = 1 }\n'
    )
    assert command.default_folder() == tmp_path / "tests" / "regressions"


def test_the_command_can_be_started_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "replay", "fuzz", "--list", "--tool", "recall"], capture_output=True, check=True
    )
    assert done.stdout.startswith(b"recall (model)\n")
