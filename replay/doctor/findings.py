"""What a look at the machine comes to, and looking without ever hanging."""

from __future__ import annotations

import queue
import subprocess
import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from replay.oracle.toolchain import bare_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SECONDS: Final = 10.0
"""So long a look may take."""

_PROGRAM: Final = 4.0
"""So long a program may take to tell its version."""

_LONGEST: Final = 200


class State(StrEnum):
    """``missing``: the gate runs all the same. ``broken``: it does not."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One look: what is there or is not; where it is not ok, what cannot run for it and how to mend it."""

    name: str
    state: State
    says: str
    without: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """A look at one thing: its name, and the function that looks. ``needed``: the gate does not run without it."""

    name: str
    at: Callable[[], Finding]
    needed: bool


def looked(look: Look, seconds: float = SECONDS) -> Finding:
    """What a look finds, whatever happens in it, and however long that would take."""
    found: queue.SimpleQueue[Finding] = queue.SimpleQueue()

    def run() -> None:
        try:
            found.put(look.at())
        except Exception as error:  # noqa: BLE001 - a look at a strange machine may meet anything
            found.put(_failed(look, f"it cannot be told: {type(error).__name__}: {str(error)[:_LONGEST]}"))

    # A thread that hangs in the system cannot be ended; one that is a daemon is left behind when the command ends.
    threading.Thread(target=run, daemon=True).start()
    try:
        return found.get(timeout=seconds)
    except queue.Empty:
        return _failed(look, f"no answer within {seconds:g} s")


def _failed(look: Look, says: str) -> Finding:
    state = State.BROKEN if look.needed else State.MISSING
    return Finding(look.name, state, says, remedy="look at this machine's folders and mounts")


def said(program: Path, arguments: Sequence[str], **environment: str) -> str | None:
    """The first line that a program writes; None where it fails, hangs or writes none."""
    try:
        done = subprocess.run(  # noqa: S603 - a program on the person's own PATH is asked for its version
            [str(program), *arguments],
            env=bare_environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROGRAM,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines[0][:_LONGEST] if lines else None
