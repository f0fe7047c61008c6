"""The command as a person runs it: in a process of its own, in a folder of its own, with an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PROJECT: Final = Path(__file__).parents[1]
LOGS: Final = PROJECT / "logs"

MATCH: Final = 0
DIVERGED: Final = 1
BAD_INPUT: Final = 2
NOT_JUDGED: Final = 3
INTERRUPTED: Final = 130

RAM: Final = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - private folders are made there
"""Where files cost least, if there is such a place: memories are written and synced a hundred times in every run."""

_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run came to: the exit status and both outputs, as text."""

    status: int
    out: str
    err: str


def environment(packages: Path = PROJECT, **others: str) -> dict[str, str]:
    """A small environment in which the packages come from the folder ``packages``, or else from the project."""
    folders = os.pathsep.join(dict.fromkeys((str(packages), str(PROJECT))))
    scratch = {} if RAM is None else {"TMPDIR": str(RAM)}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": folders, **scratch, **others}


def start(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    code: str | None = None,
    stdout: int = subprocess.PIPE,
    in_child: Callable[[], object] | None = None,
) -> subprocess.Popen[bytes]:
    """Start ``python -m replay``, or ``code`` that stands for it; ``in_child`` is called in the process before it."""
    program = ["-m", "replay"] if code is None else ["-c", code]
    return subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *program, *arguments],
        cwd=cwd,
        env=environment() if env is None else env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=in_child,  # noqa: PLW1509 - given only where the test has one thread
    )


def finish(process: subprocess.Popen[bytes]) -> Ran:
    """Wait for a process, whose output must be UTF-8 and hold no traceback."""
    try:
        out, err = process.communicate(timeout=_SECONDS)
    finally:
        process.kill()
    ran = Ran(process.returncode, (out or b"").decode(), err.decode())
    assert "Traceback" not in ran.out + ran.err, ran.err
    return ran


def loki_parity(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    code: str | None = None,
    in_child: Callable[[], object] | None = None,
) -> Ran:
    """Run the command to its end; the arguments are those of :func:`start`."""
    return finish(start(*arguments, cwd=cwd, env=env, code=code, in_child=in_child))
