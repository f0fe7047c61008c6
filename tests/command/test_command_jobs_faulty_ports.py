"""``--jobs`` with a port that ends, hangs or copies its process: the judge says so, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from faulty_ports import faulty
from real_command import INTERRUPTED, MATCH, NOT_JUDGED, RAM, finish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ISOLATED: Final = ("-j", "2", "--mode", "isolated")
SPECIAL: Final = 1201
WHERE: Final = f"in journal.json, step {SPECIAL} recall: "
NO_END: Final = "the journal was not judged to its end"
IN_C: Final = "import re; re.match('(a*)*b', 'a' * 99)"
"""It does not come back, and no signal's handler gets its turn."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a copy of the port, in RAM if that can be: it is a hundred files."""
    if RAM is None:
        yield tmp_path
        return
    import tempfile  # noqa: PLC0415 - only here

    with tempfile.TemporaryDirectory(prefix="faulty-port-", dir=RAM) as name:
        yield type(tmp_path)(name)


def long(special: dict[str, Any]) -> dict[str, Any]:
    """A journal that is worth sharing out, one step of which is special."""
    steps = [small_journals.right()] * 2400
    steps[SPECIAL - 1] = special
    return small_journals.recall(*steps)


def at_the_special(code: str) -> str:
    return f"if args['id'] == 'special':\n    open(f'pid-{{__import__(\"os\").getpid()}}', 'w').close()\n    {code}"


SPECIAL_STEP: Final = small_journals.step("recall", {"id": "special"}, "x")


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import os; os._exit(0)", f"a worker process ended with status 0 before its work was done: {NO_END}"),
        ("import os; os._exit(5)", f"{WHERE}a worker process ended with status 5 before its work was done: {NO_END}"),
        (IN_C, f"{WHERE}the port did not come back within 1 s: {NO_END}"),
    ],
    ids=["exit-0", "exit-5", "hang"],
)
def test_a_worker_that_is_ended_or_hangs_gives_no_verdict(code: str, sentence: str, folder: Path) -> None:
    port = faulty(folder, at_the_special(code), journal=long(SPECIAL_STEP))
    ran = port.run(*ISOLATED, "--deadline", "1", "--report-json", "report.jsonl")
    assert (ran.status, ran.err) == (NOT_JUDGED, "")
    assert ran.out.count(sentence) == 1
    assert "MATCH" not in ran.out
    assert [name for name in port.left() if not name.startswith("pid-")] == ["report.jsonl"]
    assert gone(port.work)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_a_worker_that_hangs(sent: signal.Signals, folder: Path) -> None:
    port = faulty(folder, at_the_special(IN_C), journal=long(SPECIAL_STEP))
    process = port.started(*ISOLATED)
    assert wait_for(lambda: any(port.work.glob("pid-*")))
    process.send_signal(sent)
    ran = finish(process)
    assert ran.status == INTERRUPTED
    assert "interrupted after" in ran.out
    assert gone(port.work)
    assert not [name for name in port.left() if not name.startswith("pid-")]


def test_workers_that_hang_end_with_the_process_that_watches_over_all(folder: Path) -> None:
    port = faulty(folder, at_the_special(IN_C), journal=long(SPECIAL_STEP))
    process = port.started(*ISOLATED)
    assert wait_for(lambda: any(port.work.glob("pid-*")))
    process.kill()
    process.communicate()
    assert gone(port.work)


def test_a_worker_that_ends_the_judge_gives_no_verdict_and_leaves_nothing(folder: Path) -> None:
    port = faulty(
        folder, at_the_special("import os; os.kill(os.getppid(), 9)\n    while True: pass"), journal=long(SPECIAL_STEP)
    )
    ran = port.run(*ISOLATED)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert "was ended by signal 9 (SIGKILL), so there is no verdict" in ran.err
    assert gone(port.work)
    assert wait_for(lambda: not any((folder / "temporary").iterdir()))


def test_a_copy_that_the_port_makes_of_a_worker_has_no_say(folder: Path) -> None:
    code = "import os\nif not os.environ.get('COPIED'): os.environ['COPIED'] = 'yes'; os.fork()"
    port = faulty(folder, code, journal=long(small_journals.right()))
    ran = port.run(*ISOLATED)
    assert ran.status == MATCH, ran
    assert "isolated  2,400 of 2,400 match" in ran.out


def gone(folder: Path) -> bool:
    """Whether the processes that told their numbers are gone, or go soon."""
    numbers = [int(file.name.removeprefix("pid-")) for file in folder.glob("pid-*")]
    assert numbers
    return wait_for(lambda: not any(_lives(number) for number in numbers))


def _lives(number: int) -> bool:
    """Whether a process is there, and not only its end, which nobody has asked for."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_for(true: Callable[[], bool]) -> bool:
    """Wait, for half a minute at most, until something is true."""
    until = time.monotonic() + 30
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
