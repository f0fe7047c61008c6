"""The judge outlives the port, whatever the port does to the process that both are in."""

from __future__ import annotations

import json
import os
import resource
import signal
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from faulty_ports import changed, faulty
from real_command import DIVERGED, INTERRUPTED, LOGS, MATCH, NOT_JUDGED, RAM, loki_parity

from parity.tools import registry
from replay.journal import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faulty_ports import FaultyPort

STEP: Final = "in journal.json, step 1 recall"
ENDED: Final = "loki-parity: {where}: the process that judges {how}, so there is no verdict\n"

AT_WORK: Final = "import sys; sys.stderr.write('at work\\n'); sys.stderr.flush()\n"
OLDER: Final = '{"type":"header","schema":"loki-parity-run/1"}\n'
LOOP: Final = AT_WORK + "while True: pass"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a copy of the port, in RAM if that can be: it is a hundred files."""
    if RAM is None:
        yield tmp_path
        return
    import tempfile  # noqa: PLC0415 - only here

    with tempfile.TemporaryDirectory(prefix="faulty-port-", dir=RAM) as name:
        yield type(tmp_path)(name)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os; os._exit(0)", "ended with status 0 before it was done"),
        ("import os; os.execv('/bin/true', ['true'])", "ended with status 0 before it was done"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9 (SIGKILL)"),
        (
            "import os, threading\nthreading.Thread(target=os._exit, args=(0,)).start()\nthreading.Event().wait()",
            "ended with status 0 before it was done",
        ),
    ],
    ids=["exit", "exec", "kill", "thread"],
)
def test_a_port_that_ends_the_process_gives_no_verdict(code: str, how: str, folder: Path) -> None:
    port = faulty(folder, code)
    (port.work / "report.jsonl").write_text(OLDER)
    ran = port.run("--report-json", "report.jsonl")
    assert (ran.status, ran.out, ran.err) == (NOT_JUDGED, "", ENDED.format(where=STEP, how=how))
    assert port.left() == ["report.jsonl"]
    assert (port.work / "report.jsonl").read_text() == OLDER


def test_a_facade_that_ends_the_process_gives_no_verdict(folder: Path) -> None:
    ran = faulty(folder, "import os; os._exit(0)").run("--candidate", "facade")
    how = "ended with status 0 before it was done"
    assert (ran.status, ran.err) == (NOT_JUDGED, ENDED.format(where=STEP, how=how))


ENDED_WITH_0: Final = "the process that judges ended with status 0 before it was done, so there is no verdict"
SOONER: Final = ("gostd/json.py", "from parity.gostd._tree import Struct\n")
LATER: Final = ("tools/recall.py", 'MISSING_ID: Final = "[erreur] id manquant"\n')
"""Where code stands that runs while the port is loaded: with the command itself, or when a candidate is made."""


def loading(folder: Path, where: tuple[str, str], code: str) -> FaultyPort:
    """A port that runs code while it is loaded."""
    file, line = where
    return changed(folder, file, line, line + code, small_journals.recall(small_journals.right()))


@pytest.mark.parametrize(
    ("where", "code", "said"),
    [
        (SOONER, "raise KeyError('x')", "the port cannot be loaded: KeyError: 'x'"),
        (LATER, "raise KeyError('x')", "the port cannot be loaded: KeyError: 'x'"),
        (SOONER, "raise SystemExit(0)", "the port cannot be loaded: SystemExit: 0"),
        (LATER, "raise SystemExit(0)", "the port ended the run, with status 0"),
        (SOONER, "import os; os._exit(0)", f"in the port's loading: {ENDED_WITH_0}"),
    ],
    ids=["error-sooner", "error-later", "exit-sooner", "exit-later", "end"],
)
def test_a_port_that_cannot_be_loaded_gives_no_verdict(
    where: tuple[str, str], code: str, said: str, folder: Path
) -> None:
    ran = loading(folder, where, f"{code}\n").run()
    assert (ran.status, ran.out, ran.err) == (NOT_JUDGED, "", f"loki-parity: {said}\n")


def test_whatever_else_ends_the_run_is_no_verdict(folder: Path) -> None:
    process = loading(folder, LATER, "class Odd(BaseException): pass\nraise Odd\n").started()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (NOT_JUDGED, b"")
    assert err.endswith(b"before it was done, so there is no verdict\n")


def test_an_interrupt_while_the_port_is_loaded_is_one_sentence(folder: Path) -> None:
    code = "import os, signal, time\nos.kill(os.getppid(), signal.SIGTERM)\ntime.sleep(50)\n"
    ran = loading(folder, SOONER, code).run()
    assert (ran.status, ran.out, ran.err) == (INTERRUPTED, "", "loki-parity: interrupted\n")


def test_a_copy_that_the_port_makes_of_the_process_has_no_say(folder: Path) -> None:
    code = "import os\nif not os.environ.get('COPIED'): os.environ['COPIED'] = 'yes'; os.fork()"
    assert faulty(folder, code).run("--mode", "isolated").status == MATCH


def test_signals_that_are_ignored_stay_so(folder: Path) -> None:
    code = "import os, signal\nfor one in (os.getpid(), os.getppid()): os.kill(one, signal.SIGHUP)"
    ran = faulty(folder, code).run("--mode", "isolated", in_child=_without_hangups)
    assert (ran.status, ran.err) == (MATCH, "")


def _without_hangups() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_what_the_port_leaves_for_the_end_does_not_change_the_verdict(folder: Path) -> None:
    code = (
        "import atexit, os, sys, threading\n"
        "atexit.register(os._exit, 5)\n"
        "threading.Thread(target=sys.exit, args=(0,)).start()\n"
        "threading.Thread(target=threading.Event().wait).start()"
    )
    port = faulty(folder, code)
    ran = port.run()
    assert (ran.status, ran.err) == (MATCH, "")
    assert port.left() == []


def test_a_call_that_does_not_come_back_ends_the_run(folder: Path) -> None:
    port = faulty(folder, "import re; re.match('(a*)*b', 'a' * 99)")  # in C: no signal's handler gets its turn
    ran = port.run("--deadline", "2", "--report-json", "report.jsonl")
    assert (ran.status, ran.out, ran.err) == (
        NOT_JUDGED,
        "",
        f"loki-parity: {STEP}: the port did not come back within 2 s, so there is no verdict\n",
    )
    assert port.left() == []


def test_what_the_port_prints_is_no_part_of_the_report(folder: Path) -> None:
    code = (
        "import os, sys\n"
        "print('printed')\n"
        "os.write(1, b'written\\n')\n"
        "sys.__stdout__.write('kept\\n'); sys.__stdout__.flush()\n"
        "os.system('echo echoed')"
    )
    ran = faulty(folder, code).run("--mode", "isolated", "--report-json", "/dev/stdout")
    said = {"printed", "written", "kept", "echoed"}
    assert ran.status == MATCH, ran.err
    assert not any(word in ran.out for word in said)
    assert "\nverdict    MATCH: " in ran.out
    assert json.loads(ran.out.splitlines()[-1])["exit"] == MATCH
    assert said <= set(ran.err.splitlines())


def test_a_port_that_closes_every_file_gives_no_verdict_and_does_not_hang(folder: Path) -> None:
    port = faulty(folder, "import os; os.closerange(3, 256)")
    process = port.started("--transport", "http")
    _, err = process.communicate(timeout=60)
    assert process.returncode == NOT_JUDGED
    assert err.decode().splitlines()[-1].endswith("so there is no verdict")
    assert port.left() == []


def test_too_few_files_may_be_open(folder: Path) -> None:
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))  # noqa: E731 - one line in the other process
    ran = faulty(folder, "pass").run("--transport", "http", in_child=few)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert ran.err == "loki-parity: the port cannot be started: Too many open files\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_whoever_ends_the_run_gets_a_whole_report_and_nothing_is_left(number: signal.Signals, folder: Path) -> None:
    port = faulty(folder, LOOP)
    process = port.started("--report-json", "report.jsonl", in_child=_in_a_group_of_its_own)
    assert process.stderr is not None
    assert process.stderr.readline() == b"at work\n"
    os.killpg(process.pid, number)  # as a terminal does: to both processes
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (INTERRUPTED, b"")
    assert out.decode().splitlines()[-1] == "verdict    INTERRUPTED: interrupted after 0 outcomes"
    footer = json.loads((port.work / "report.jsonl").read_text().splitlines()[-1])
    assert (footer["exit"], footer["interrupted"]) == (INTERRUPTED, True)
    assert port.left() == ["report.jsonl"]


def test_the_judge_does_not_outlive_who_watches_over_it(folder: Path) -> None:
    process = faulty(folder, LOOP).started(in_child=_in_a_group_of_its_own)
    assert process.stderr is not None
    assert process.stderr.readline() == b"at work\n"
    process.kill()
    process.communicate(timeout=60)  # ends when nobody holds the outputs any more
    assert process.returncode == -signal.SIGKILL


def _in_a_group_of_its_own() -> None:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP):  # a test run in the background may ignore them
        signal.signal(number, signal.SIG_DFL)


def test_a_value_that_only_looks_plain_is_a_crash(folder: Path) -> None:
    code = (
        "class Odd(str):\n"
        "    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n"
        "    __hash__ = object.__hash__\n"
        "return ToolAnswer(Odd('x'))"
    )
    ran = faulty(folder, code).run("--mode", "isolated")
    assert (ran.status, ran.err) == (DIVERGED, "")
    what = "result: a <class 'parity.tools.recall.recall.<locals>.Odd'>, and only plain values can be compared"
    assert f"  the candidate crashed: {what}\n" in ran.out


def test_a_full_disk_is_no_divergence_of_kept_images() -> None:
    ran = loki_parity("run", "logs/keepimg.json", cwd=LOGS.parent, in_child=_a_small_disk)
    assert (ran.status, ran.err) == (NOT_JUDGED, "")
    assert "  problem   the judge's temporary folder cannot be written: File too large\n" in ran.out
    assert "diverged" not in ran.out.replace("nothing diverged", "")


def test_a_full_disk_is_no_divergence_of_a_memory(folder: Path) -> None:
    added = small_journals.step("mem_add", {"content": "x" * 9000}, "whatever Go said")
    port = faulty(folder, "pass", tool="mem_add", journal=small_journals.memory(added))
    assert port.run().status == DIVERGED
    ran = port.run(in_child=_a_small_disk)
    assert (ran.status, ran.err) == (NOT_JUDGED, "")
    assert "  problem   the judge's temporary folder cannot be written: File too large\n" in ran.out


def _a_small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def test_a_tool_that_is_not_ported_is_not_judged(folder: Path) -> None:
    journal = small_journals.recall(small_journals.right(), small_journals.searched())
    ran = changed(folder, "tools/registry.py", '    "recall_search": recall_search,\n', "", journal).run()
    assert (ran.status, ran.err) == (NOT_JUDGED, "")
    assert "  problem   not ported yet, so the journal was not judged: recall_search\n" in ran.out


def test_every_tool_of_a_journal_is_ported() -> None:
    assert set(kinds.KIND_OF) == set(registry.TOOLS)


def test_a_huge_result_is_told_in_short(folder: Path) -> None:
    port = faulty(folder, "return ToolAnswer('été\\n' * 5_000_000)")
    ran = port.run("--report-json", "report.jsonl")
    assert ran.status == DIVERGED
    assert "46 characters recorded, 20,000,000 given" in ran.out
    assert len(ran.out) < 10_000
    assert (port.work / "report.jsonl").stat().st_size < 50_000
