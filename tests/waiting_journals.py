"""Journals with a re-recorded one waiting beside each, written by hand; and a person at a real terminal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest
from real_command import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUESTION: Final = "a accept, r reject, s skip, q quit? "
_SECONDS: Final = 30


def journal(*steps: dict[str, Any], **head: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A recall journal of a few blocks."""
    blocks = [{"id": f"r{seq}", "seq": seq, "label": f"l{seq}", "content": f"c{seq}"} for seq in (1, 2, 3)]
    return {"kind": "recall", "about": "old", **head, "blocks": blocks, "steps": list(steps)}


def found(query: str, result: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"tool": "recall_search", "args": {"query": query}, "note": query, "result": result, **more}


def written(value: object) -> bytes:
    """As Go writes it: indented, with a line end at the end."""
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def waiting(folder: Path, old: object, new: object, name: str = "a.json") -> Path:
    """Write both; the old one's path."""
    file = folder / name
    file.write_bytes(written(old))
    (folder / f"{name}.pending").write_bytes(written(new))
    return file


class Person:
    """Somebody at a terminal of their own, where the command runs."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._terminal, inside = pty.openpty()
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "replay", *arguments],
            cwd=cwd,
            env=environment(TERM="dumb"),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - the child has one thread
        )
        os.close(inside)
        self.seen = ""

    def waits_for(self, text: str, times: int = 1) -> None:
        """Read until a text was seen so many times."""
        end = time.monotonic() + _SECONDS
        while self.seen.count(text) < times:
            if time.monotonic() > end or not self._more(end):
                self.process.kill()
                self.process.wait()
                pytest.fail(f"never seen: {text!r} in {self.seen!r}")

    def types(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def hangs_up(self) -> None:
        os.close(self._terminal)

    def status(self) -> int:
        """The exit status, when everything was read."""
        end = time.monotonic() + _SECONDS
        while self._more(end):
            pass
        os.close(self._terminal)
        return self.process.wait(_SECONDS)

    def _more(self, end: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._terminal, 1 << 16)
        except OSError:  # the other end is closed
            return False
        self.seen += data.decode().replace("\r\n", "\n")
        return bool(data)


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGHUP):  # a test run in the background may ignore them
        signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def terminal_inside(keys: str) -> Iterator[Callable[[], str]]:
    """A terminal for a command in this process: a key for each question, then it is gone. Gives what was shown."""
    person, inside = pty.openpty()
    shown = bytearray()

    def answer() -> None:
        pending = list(keys)
        asked = 0
        while True:
            try:
                data = os.read(person, 1 << 16)
            except OSError:
                return
            shown.extend(data)
            while shown.count(QUESTION.encode()) > asked:
                asked += 1
                typed = pending.pop(0) if pending else "\x04"
                if not typed.isalpha():  # it answers nothing, and the next key is for the same question
                    typed += pending.pop(0) if pending else ""
                os.write(person, typed.encode())

    def seen() -> str:
        out.flush()
        termios.tcdrain(out.fileno())
        time.sleep(0.05)
        return shown.decode().replace("\r\n", "\n")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    with (
        open(inside, "w", encoding="utf-8", closefd=False) as out,
        open(inside, encoding="utf-8") as read,  # noqa: PTH123 - as above
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setattr(sys, "stdin", read)
        patched.setattr(sys, "stdout", out)
        yield seen
    thread.join(_SECONDS)
    os.close(person)
