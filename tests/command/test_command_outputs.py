"""Standard output that is closed, full or a pipe that nobody reads; an interrupt in the middle of a long run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, MATCH, environment, finish, loki_parity, start

from replay.counted import counted

if TYPE_CHECKING:
    from pathlib import Path

LONG: Final = 40_000


@pytest.mark.parametrize(
    ("step", "status"), [(small_journals.right(), MATCH), (small_journals.wrong(), DIVERGED)], ids=["match", "diverged"]
)
def test_a_pipe_that_nobody_reads_ends_the_output_and_not_the_verdict(
    step: dict[str, object], status: int, tmp_path: Path
) -> None:
    small_journals.write(tmp_path, small_journals.recall(step))
    reading, writing = os.pipe()
    os.close(reading)
    ran = finish(
        start(
            *("run", "--transport", "memory", "journal.json", "--report-json", "report.jsonl"),
            cwd=tmp_path,
            stdout=writing,
        )
    )
    os.close(writing)
    assert (ran.status, ran.err) == (status, "")
    assert json.loads((tmp_path / "report.jsonl").read_text().splitlines()[-1])["exit"] == status


def test_head_gets_its_line(tmp_path: Path) -> None:
    steps = [small_journals.wrong() for _ in range(300)]
    small_journals.write(tmp_path, small_journals.recall(*steps))
    command = f"{sys.executable} -m replay run --transport memory journal.json | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, check=False)  # noqa: S603, S607 - our own command, in the shell that people use
    assert (ran.returncode, ran.stdout, ran.stderr) == (DIVERGED, b"journal.json diverged\n", b"")


@pytest.mark.parametrize("help_of", [[], ["run"]], ids=str)
def test_help_into_a_pipe_that_nobody_reads_is_quiet(help_of: list[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = finish(start(*help_of, "--help", cwd=tmp_path, stdout=writing))
    os.close(writing)
    assert ran.err == ""


def test_a_full_disk_under_standard_output_is_said(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        ran = finish(start("run", "--transport", "memory", "journal.json", cwd=tmp_path, stdout=full.fileno()))
    assert (ran.status, ran.err) == (
        BAD_INPUT,
        "loki-parity: standard output cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2), (0, 1, 2)], ids=str)
def test_closed_outputs_leave_the_verdict(closed: tuple[int, ...], tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    shut = " ".join(f"{number}>&-" for number in closed)
    for arguments, status in (
        ("run --transport memory journal.json", MATCH),
        ("run --transport memory missing.json", BAD_INPUT),
        ("run --frob", BAD_INPUT),
        ("serve missing.json", BAD_INPUT),
    ):
        command = f"{sys.executable} -m replay {arguments} {shut}"
        ran = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, check=False)  # noqa: S603, S607 - as above
        assert ran.returncode == status
        assert b"Traceback" not in ran.stderr + ran.stdout


def long_run(folder: Path) -> subprocess.Popen[bytes]:
    """A run of some seconds whose first step diverges, so that its output says when it is at work."""
    steps = [small_journals.wrong(), *[small_journals.unread()] * LONG]
    small_journals.write(folder, small_journals.recall(*steps))
    small_journals.write(folder, small_journals.recall(small_journals.right()), "next.json")
    process = start(
        *("run", "--transport", "memory", "journal.json", "next.json", "--report-json", "report.jsonl"),
        cwd=folder,
        in_child=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a test run in the background may ignore it
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"journal.json diverged\n"
    return process


def test_an_interrupt_ends_a_long_run_with_a_whole_report_that_says_so(tmp_path: Path) -> None:
    process = long_run(tmp_path)
    process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert (ran.status, ran.err) == (INTERRUPTED, "")
    last = ran.out.splitlines()[-1]
    assert last.startswith("verdict    INTERRUPTED: interrupted after ")
    assert "next.json" not in ran.out
    header, *steps, footer = map(json.loads, (tmp_path / "report.jsonl").read_text().splitlines())
    assert header["journals"] == ["journal.json", "next.json"]
    assert 1 <= len(steps) < 2 * LONG
    assert (footer["exit"], footer["interrupted"]) == (INTERRUPTED, True)
    assert last == f"verdict    INTERRUPTED: interrupted after {counted(len(steps), 'outcome')}"
    assert sorted(os.listdir(tmp_path)) == ["journal.json", "next.json", "report.jsonl"]  # noqa: PTH208 - only names


def test_several_interrupts_are_one_sentence_at_most(tmp_path: Path) -> None:
    process = long_run(tmp_path)
    for _ in range(20):
        process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert ran.status in {INTERRUPTED, -signal.SIGINT}
    assert ran.err in {"", "loki-parity: interrupted\n"}


def test_an_interrupt_before_the_run_is_one_sentence(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import replay.cli as cli; cli.named = lambda *_: signal.raise_signal(signal.SIGINT);"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    ran = loki_parity("run", "journal.json", "--report-json", "report.jsonl", cwd=tmp_path, code=code)
    assert (ran.status, ran.out, ran.err) == (INTERRUPTED, "", "loki-parity: interrupted\n")
    assert sorted(os.listdir(tmp_path)) == ["journal.json"]  # noqa: PTH208 - only names
