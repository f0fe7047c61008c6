"""``--jobs``: what comes of several processes is what comes of one, byte for byte; whoever dies is told of."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from journal_lines import golden, lines, write
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, MATCH, NOT_JUDGED, finish, loki_parity, start

import replay.run
from parity.tools import registry
from replay import workers
from replay.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY: Final = ("--transport", "memory")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out whatever there is, in pieces of a few steps."""
    monkeypatch.setattr(replay.run, "WORTH_SHARING", 1)
    monkeypatch.setattr(workers, "_LEAST", 7)


def broken(name: str, *numbers: int) -> dict[str, Any]:
    """A golden journal in which Go answered otherwise to some steps."""
    journal = golden(name)
    for number in numbers:
        journal["steps"][number - 1]["result"] += "?"
    return journal


def wrong_cases(name: str) -> dict[str, Any]:
    journal = golden(name)
    del journal["cases"][24:]
    journal["cases"][2]["steps"][0]["after"]["budget"] = 1
    journal["cases"][20]["steps"][0]["after"]["messages"] = []
    return journal


def told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> tuple[str, bytes]:
    report = Path("run.jsonl")
    assert main(["run", "journal.jsonl", *MEMORY, "--report-json", str(report), *arguments]) == status
    return capsys.readouterr().out, report.read_bytes()


JOURNALS: Final[dict[str, tuple[Callable[[], dict[str, Any]], int]]] = {
    "recall": (lambda: golden("recall"), MATCH),
    "recall, some wrong": (lambda: broken("recall", 1, 8, 30, 41), DIVERGED),
    "memory, some wrong": (lambda: {**broken("outils", 1, 9), "steps": broken("outils", 1, 9)["steps"][:16]}, DIVERGED),
    "cases, some wrong": (lambda: wrong_cases("keepimg"), DIVERGED),
}


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", JOURNALS)
def test_what_comes_of_it_is_the_same_byte_for_byte(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, status = JOURNALS[name]
    write(tmp_path, lines(journal()))
    alone = told(capsys, status)
    assert told(capsys, status, "-j", "2") == alone
    assert told(capsys, status, "--jobs", "5", "--mode", "isolated", "--mode", "chained") == alone


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("mode", ["isolated", "chained"])
def test_it_stops_at_the_same_first_step(mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, lines(broken("recall", 20, 22, 40)))
    alone = told(capsys, DIVERGED, "-x", "--mode", mode)
    assert told(capsys, DIVERGED, "-x", "--mode", mode, "-j", "2") == alone


@pytest.mark.usefixtures("small_pieces")
def test_parts_and_processes_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, lines(golden("recall")))
    for shard in ("1/2", "2/2"):
        assert told(capsys, MATCH, "--shard", shard, "-j", "2") == told(capsys, MATCH, "--shard", shard)


def test_a_short_journal_is_judged_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, lines(golden("recall")))
    assert told(capsys, MATCH, "-j", "2") == told(capsys, MATCH)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-j", "0"], "'0' is no number of processes (1 to 256)"),
        (["-j", "257"], "'257' is no number of processes"),
        (["-j", "x"], "'x' is no number of processes"),
        (
            ["-j", "2", "--slowest", "3"],
            "--slowest times the calls of one process: it does not go together with --jobs",
        ),
        (["-j", "2", "--candidate", "port", "--candidate", "facade"], "--jobs judges one candidate"),
        (["-j", "2", "--candidate", "http://127.0.0.1:1"], "--jobs starts a candidate in each process, and this one"),
        (["-j", "2", "--candidate", "cmd:x", "--go-port", "8090"], "--jobs starts a candidate in each process"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, lines(golden("recall")))
    try:
        status: object = main(["run", "journal.jsonl", *arguments])
    except SystemExit as ended:
        status = ended.code
    assert status == BAD_INPUT
    assert sentence in capsys.readouterr().err


def enough(step: dict[str, Any]) -> list[str]:
    """A journal that is worth sharing out."""
    return lines(small_journals.recall(*[step] * 2500))


PROGRAM: Final = """
import json, os, signal, sys
for line in sys.stdin:
    call = json.loads(line)
    if call["tool"] == "parity/hello":
        answer = {"result": {"can": ["reset", "read_state", "set_clock"]}}
    elif call["tool"].startswith("parity/"):
        answer = {"result": None}
    else:
        ACT
        answer = {"result": "x", "label": "", "diff": []}
    sys.stdout.write(json.dumps({"id": call["id"], **answer}) + "\\n")
    sys.stdout.flush()
"""


def candidate(folder: Path, act: str) -> tuple[str, ...]:
    (folder / "candidate.py").write_text(PROGRAM.replace("ACT", act))
    return ("--candidate", f"cmd:{sys.executable} candidate.py")


def test_a_worker_that_dies_is_one_sentence(tmp_path: Path) -> None:
    write(tmp_path, enough(small_journals.step("recall", {}, "x")))
    kill = "os.kill(os.getppid(), signal.SIGKILL)"
    ran = loki_parity("run", "journal.jsonl", "-j", "2", *candidate(tmp_path, kill), cwd=tmp_path)
    assert ran.status == NOT_JUDGED, ran
    sentence = "a worker process was killed by signal 9 before its work was done"
    assert ran.out.count(sentence) == 1
    assert ran.err == ""


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("status", [0, 7])
def test_a_port_that_ends_its_process_is_no_green(
    status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, lines(small_journals.recall(*[small_journals.right()] * 20)))
    monkeypatch.setitem(registry.TOOLS, "recall", lambda *_: os._exit(status))
    assert main(["run", "journal.jsonl", *MEMORY, "-j", "2"]) == NOT_JUDGED
    told = capsys.readouterr().out
    assert told.count(f"a worker process ended with status {status} before its work was done") == 1


@pytest.mark.usefixtures("small_pieces")
def test_a_worker_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stubborn = small_journals.step("recall", {"id": "stubborn"}, "")
    write(tmp_path, lines(small_journals.recall(*[small_journals.wrong()] * 7, *[stubborn] * 7)))
    recall = registry.TOOLS["recall"]

    def blocking(args: Any, env: Any) -> Any:  # noqa: ANN401 - a tool's own
        if args["id"] != "stubborn":
            assert wait_for(Path("blocks").exists)
            return recall(args, env)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        Path("blocks").touch()
        while True:
            time.sleep(1)

    monkeypatch.setitem(registry.TOOLS, "recall", blocking)
    monkeypatch.setattr(workers, "_PATIENCE", 0.1)
    assert main(["run", "journal.jsonl", *MEMORY, "-j", "2", "-x", "--mode", "isolated"]) == DIVERGED


@pytest.mark.usefixtures("small_pieces")
def test_a_worker_whose_call_does_not_come_back_is_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, lines(small_journals.recall(*[small_journals.right()] * 20)))
    monkeypatch.setitem(registry.TOOLS, "recall", lambda *_: time.sleep(600))
    assert main(["run", "journal.jsonl", *MEMORY, "-j", "2", "--deadline", "0.3"]) == NOT_JUDGED
    told = capsys.readouterr().out
    sentence = "recall: the port did not come back within 0.3 s: the journal was not judged to its end"
    assert re.search(f"in journal.jsonl, step [0-9]+ {sentence}", told), told


@pytest.mark.usefixtures("small_pieces")
def test_a_copy_that_the_port_makes_of_a_worker_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, lines(small_journals.recall(*[small_journals.right()] * 20)))
    recall = registry.TOOLS["recall"]
    own = os.getpid()

    def copying(args: Any, env: Any) -> Any:  # noqa: ANN401 - a tool's own
        if os.getpid() != own and once() and not os.fork():
            Path(f"pid-{os.getpid()}").touch()
        return recall(args, env)

    def once() -> bool:
        """Whether nobody has made a copy: one that goes on copying itself would fill the machine."""
        try:
            Path("copied").open("x").close()
        except FileExistsError:
            return False
        return True

    monkeypatch.setitem(registry.TOOLS, "recall", copying)
    assert main(["run", "journal.jsonl", *MEMORY, "-j", "2"]) == MATCH
    assert "isolated  20 of 20 match" in capsys.readouterr().out
    assert gone(tmp_path)


SLOW: Final = "import time; open(f'pid-{os.getpid()}', 'w').close(); time.sleep(0.02)"


def test_an_interrupt_stops_all(tmp_path: Path) -> None:
    write(tmp_path, enough(small_journals.step("recall", {}, "x")))
    process = start("run", "journal.jsonl", "-j", "2", "--mode", "isolated", *candidate(tmp_path, SLOW), cwd=tmp_path)
    assert wait_for(lambda: len(list(tmp_path.glob("pid-*"))) == 2)
    process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert ran.status == INTERRUPTED
    assert "interrupted after" in ran.out
    assert gone(tmp_path)


def test_workers_end_when_their_parent_is_gone(tmp_path: Path) -> None:
    write(tmp_path, enough(small_journals.step("recall", {}, "x")))
    process = start("run", "journal.jsonl", "-j", "2", "--mode", "isolated", *candidate(tmp_path, SLOW), cwd=tmp_path)
    assert wait_for(lambda: len(list(tmp_path.glob("pid-*"))) == 2)
    process.kill()
    process.communicate()
    assert gone(tmp_path)


def gone(folder: Path) -> bool:
    """Whether the programs that told their numbers are gone, or go soon."""
    numbers = [int(re.sub("[^0-9]", "", file.name)) for file in folder.glob("pid-*")]
    return wait_for(lambda: not any(Path(f"/proc/{number}").exists() for number in numbers))


def wait_for(true: Callable[[], bool]) -> bool:
    """Wait, for half a minute at most, until something is true."""
    until = time.monotonic() + 30
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.usefixtures("small_pieces")
def test_a_journal_that_changes_meanwhile_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, lines(golden("recall")))
    numbers = workers.Shared.share_out

    def late(*rest: Any) -> bool:  # noqa: ANN401 - whatever it takes
        os.truncate(file, 9000)
        return numbers(*rest)

    monkeypatch.setattr(workers.Shared, "share_out", late)
    assert main(["run", str(file), *MEMORY, "-j", "2"]) == BAD_INPUT
    assert "found another line than when the journal was checked" in capsys.readouterr().out


@pytest.mark.usefixtures("small_pieces")
def test_a_candidate_that_cannot_be_started_anew_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, lines(golden("recall")))
    once = "try:\n    open('started', 'x').close()\nexcept FileExistsError:\n    sys.exit(3)\n"
    arguments = candidate(tmp_path, "pass")
    program = tmp_path / "candidate.py"
    program.write_text(program.read_text().replace("for line", f"{once}for line"))
    assert main(["run", "journal.jsonl", "-j", "2", *arguments]) == NOT_JUDGED
    assert "cannot be judged" in capsys.readouterr().out


def worker() -> workers._Crew:
    """A worker as it stands when its work is over."""
    one = object.__new__(workers._Crew)
    one._works = False
    return one


def test_a_worker_that_is_told_to_end_when_it_ends_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(SystemExit):
        worker()._ends(signal.SIGTERM, None)
