"""The parent's side: what it takes for a verdict, whom it ends, what it says and removes. The children are shells."""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from real_command import LOGS

from replay import cli, supervisor
from replay.lifeline import die_with
from replay.supervisor import Watch, command
from replay.whereabouts import HERE, SIZE, At, Whereabouts

if TYPE_CHECKING:
    from collections.abc import Callable


class Child:
    """A shell that tells what it likes through descriptor $T, and what it is told meanwhile."""

    def __init__(self, script: str) -> None:
        self.told, telling = os.pipe()
        self.where = Whereabouts()
        self.where.share(mmap.mmap(-1, SIZE))
        self.process = subprocess.Popen(  # noqa: S603 - our own script
            ["/bin/bash", "-c", script],
            pass_fds=[telling],
            env={"T": str(telling), "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
        )
        os.close(telling)

    def wait(self) -> None:
        """Until it has said the first line."""
        assert self.process.stdout is not None
        self.process.stdout.readline()

    def watched(self, signals: bytes = b"") -> int:
        """The status that the watch comes to; ``signals`` are numbers that come at once."""
        seen, seeing = os.pipe()
        os.write(seeing, signals)
        try:
            return Watch(self.process.pid, self.told, self.where, seen).to_the_end()
        finally:
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
            os.close(seen)
            os.close(seeing)


def tell(*said: str) -> str:
    return "".join(f"printf '{one}\\000' >&$T; " for one in said)


@pytest.mark.parametrize("status", [0, 1, 2, 3, 130])
def test_a_status_that_was_told_is_the_verdict(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert Child(tell(f"verdict {status}") + f"exit {status}").watched() == status
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("exit 0", "ended with status 0 before it was done"),
        (tell("verdict 1") + "exit 0", "ended with status 0 before it was done"),
        (tell("verdict 0", "verdict 0") + "exit 0", "ended with status 0 before it was done"),
        ("printf 'verdict 0' >&$T; exit 0", "ended with status 0 before it was done"),
        ("kill -9 $$", "was ended by signal 9 (SIGKILL)"),
        ("kill -40 $$", "was ended by signal 40 (unknown)"),
    ],
)
def test_whatever_else_is_none(script: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert Child(script).watched() == 3
    assert capsys.readouterr().err == f"loki-parity: the process that judges {how}, so there is no verdict\n"


def test_the_place_is_the_one_where_it_is_or_was(capsys: pytest.CaptureFixture[str]) -> None:
    child = Child("exit 0")
    child.where.enters("a\x1b.json, step 1")
    child.watched()
    assert capsys.readouterr().err.startswith("loki-parity: in a\ufffd.json, step 1: the process that judges ended")
    child = Child("exit 0")
    child.where.enters("b.json, step 2")
    child.where.leaves()
    child.watched()
    assert capsys.readouterr().err.startswith("loki-parity: after b.json, step 2: the process that judges ended")


def test_a_call_that_takes_too_long_ends_the_child(capsys: pytest.CaptureFixture[str]) -> None:
    child = Child("while :; do :; done")
    child.where.set_deadline(0.3)
    child.where.enters("a.json, step 1")
    assert child.watched() == 3
    said = "loki-parity: in a.json, step 1: the port did not come back within 0.3 s, so there is no verdict\n"
    assert capsys.readouterr().err == said


def test_no_time_counts_while_there_is_no_call() -> None:
    child = Child("sleep 1; " + tell("verdict 0"))
    child.where.set_deadline(0.3)
    assert child.watched() == 0


def test_a_machine_that_slept_has_not_called_the_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock finds an hour gone: as many seconds are counted as looks were taken."""
    hours = iter(range(0, 3600 * 100, 3600))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    child = Child("sleep 1; " + tell("verdict 0"))
    child.where.set_deadline(60)
    child.where.enters("a.json, step 1")
    assert child.watched() == 0


def test_a_child_that_cannot_tell_its_verdict_any_more_is_ended(capsys: pytest.CaptureFixture[str]) -> None:
    assert Child('eval "exec $T>&-"; while :; do :; done').watched() == 3
    assert capsys.readouterr().err == "loki-parity: its pipe to the judge was closed, so there is no verdict\n"


INTERRUPTS = bytes([signal.SIGINT, signal.SIGCHLD])


def test_an_interrupt_is_handed_on_and_the_child_says_what_it_comes_to(capsys: pytest.CaptureFixture[str]) -> None:
    child = Child(f'trap "{tell("verdict 130")} exit 130" USR1; echo; while :; do :; done')
    child.wait()
    assert child.watched(INTERRUPTS) == 130
    assert capsys.readouterr().err == ""


def test_an_interrupt_shortens_the_deadline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(supervisor, "GRACE", 0.3)
    child = Child("trap '' USR1; echo; while :; do :; done")
    child.wait()
    child.where.enters("a.json, step 1")
    assert child.watched(INTERRUPTS) == 130
    said = "loki-parity: in a.json, step 1: the port did not come back within 0.3 s, so there is no verdict\n"
    assert capsys.readouterr().err == said


def test_what_the_child_made_is_removed_only_when_it_gave_no_verdict(tmp_path: Path) -> None:
    def made() -> str:
        (tmp_path / "loki-parity-1" / "deep").mkdir(parents=True, exist_ok=True)
        (tmp_path / ".report.1").write_text("half")
        (tmp_path / "mine").write_text("whole")
        return tell(*(f"temporary {tmp_path}/{name}" for name in ("loki-parity-1", ".report.1", ".gone", "mine")))

    Child(made() + tell("verdict 0")).watched()
    assert len(os.listdir(tmp_path)) == 3  # noqa: PTH208 - only their number
    Child(made() + "exit 0").watched()
    assert os.listdir(tmp_path) == ["mine"]  # noqa: PTH208 - only names


def test_a_missing_standard_error_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert Child("exit 0").watched() == 3


def test_other_verbs_and_systems_without_a_fork_run_unwatched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["loki-parity", "show", "missing.json"])
    assert command() == 2
    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(sys, "argv", ["loki-parity", "run", "missing.json"])
    assert command() == 2
    said = capsys.readouterr()
    assert (said.out.count("missing.json"), said.err.count("missing.json")) == (1, 1)


def test_a_place_is_kept_while_it_lasts_and_cut_where_it_is_long() -> None:
    where = Whereabouts()
    assert (where.call, where.place, where.deadline) == (None, "", None)
    where.enters("x" * 9000)
    assert (where.call, where.place) == (1, "x" * (SIZE - 24))
    where.leaves()
    where.enters("short")
    assert (where.call, where.place) == (2, "short")
    where.leaves()
    assert (where.call, where.place) == (None, "short")


def test_a_block_is_left_also_by_what_is_raised() -> None:
    with pytest.raises(ZeroDivisionError), At("somewhere"):
        divmod(1, HERE.call is None)  # by 0, since there is one
    assert HERE.call is None
    HERE.makes("/nobody/is/told")


# --- the whole command, in this process and its child ---


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["run", str(LOGS / "verrouille.json"), "--transport", "memory"], 0, "verdict    MATCH"),
        (["run", "--help"], 0, "usage: loki-parity run"),
        (["run", "--unknown"], 2, ""),
    ],
)
def test_the_childs_status_and_report_are_the_commands(
    arguments: list[str], status: int, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["loki-parity", *arguments])
    assert command() == status
    assert said in capfd.readouterr().out


def raised(what: type[BaseException]) -> Callable[..., int]:
    def main(**_: object) -> int:
        raise what

    return main


def writes_into_a_closed_pipe(**_: object) -> int:
    assert HERE._pipe is not None
    os.close(HERE._pipe)
    return 0


@pytest.mark.parametrize(
    ("main", "status", "said"),
    [
        (raised(KeyboardInterrupt), 130, "loki-parity: interrupted\n"),
        (raised(ZeroDivisionError), 3, "ended with status 3 before it was done, so there is no verdict"),
        (writes_into_a_closed_pipe, 3, "the verdict cannot be told: Bad file descriptor"),
        (lambda **_: os.fork(), 3, "before it was done, so there is no verdict"),
    ],
)
def test_a_child_without_a_verdict_is_no_green(
    main: Callable[..., int],
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["loki-parity", "run"])
    monkeypatch.setattr(cli, "main", main)
    assert command() == status
    assert said in capfd.readouterr().err


def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["loki-parity", "run"])
    monkeypatch.setattr(cli, "main", lambda **_: int(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN))
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert command() == 1
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, former)


def test_a_standard_output_that_is_no_file_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["loki-parity", "run"])
    monkeypatch.setattr(cli, "main", lambda stream: int(stream is out))
    assert command() == 1


def test_a_closed_standard_stream_is_occupied_before_anything_gets_its_number() -> None:
    former = os.dup(0)
    os.close(0)
    try:
        supervisor._occupy_standard_streams()
        assert os.path.samestat(os.fstat(0), Path(os.devnull).stat())
    finally:
        os.dup2(former, 0)
        os.close(former)


def test_a_child_whose_parent_is_dead_before_it_looks_ends_without_a_verdict() -> None:
    lifeline, alive = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            die_with(-1, lifeline, 3)
        os._exit(0)
    os.close(lifeline)
    os.close(alive)
    _, how = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(how) == 3


@pytest.mark.parametrize("broken", [ImportError("no such module"), SystemExit(0)])
def test_a_port_that_cannot_be_loaded_gives_no_verdict(
    broken: BaseException, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Refusing:
        def __getattr__(self, _: str) -> None:
            raise broken

    monkeypatch.setattr(sys, "argv", ["loki-parity", "run"])
    monkeypatch.setitem(sys.modules, "replay.cli", cast("Any", Refusing()))
    assert command() == 3
    assert f"the port cannot be loaded: {type(broken).__name__}: {broken}" in capfd.readouterr().err
