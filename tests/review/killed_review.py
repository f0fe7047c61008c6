"""Kills a review before every line of what settles it, one after the other: ``killed_review.py FOLDER``.

After each kill the journal is the old one or what was accepted, what waits is whole, and a second review with the same
decisions comes to the same end as one that nobody killed. Prints how many kills there were for each decision.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from waiting_journals import found, journal, waiting, written

from replay.cli import main
from replay.review import command, settle  # noqa: F401 - loaded once, here, and not in every process

if TYPE_CHECKING:
    from types import FrameType


def steps(word: str, last: str) -> list[dict[str, object]]:
    return [*[found(f"q{at}", f"{word} {at}") for at in range(1, 4)], found("z", last)]


OLD: Final = journal(*steps("page", "rien"))
NEW: Final = journal(*steps("fiche", "rien du tout"), about="new")
ACCEPTED: Final = journal(*steps("fiche", "rien"))
LEFT: Final = {**NEW, "about": "old"}
SOME: Final = "--accept=2,--reject=1"
DECISIONS: Final = {"--accept-all": NEW, "--reject-all": OLD, SOME: ACCEPTED}


def reviewed(folder: Path, decision: str, kill_at: int) -> bool:
    """Whether a review in a process of its own ran to its end; it is killed at a line of the module that settles."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal lines
        if frame.f_code.co_filename != settle.__file__:
            return None
        if event == "line":
            lines += 1
            if lines == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.settrace(trace)  # type: ignore[arg-type]
    os._exit(main(["review", str(folder / "a.json"), *decision.replace(",-", " -").split()]))


def kills(folder: Path, decision: str) -> int:
    wanted = {"a.json": written(DECISIONS[decision])}
    if decision == SOME:
        wanted["a.json.pending"] = written(LEFT)
    number = 0
    while True:
        for one in folder.iterdir():
            one.unlink()
        waiting(folder, OLD, NEW)
        number += 1
        whole = reviewed(folder, decision, number)
        here = {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.startswith(".")}
        assert here["a.json"] in (written(OLD), wanted["a.json"]), (decision, number)
        assert here.get("a.json.pending", written(NEW)) in (written(NEW), written(LEFT)), (decision, number)
        if whole:
            assert here == wanted, (decision, here)
            return number - 1
        if number % 7 == 0 and here == {"a.json": written(OLD), "a.json.pending": written(NEW)}:
            assert reviewed(folder, decision, 0)
            assert {one.name: one.read_bytes() for one in folder.iterdir()} == wanted, (decision, number)


if __name__ == "__main__":
    for each in DECISIONS:
        print(each, kills(Path(sys.argv[1]), each))  # noqa: T201 - its report
