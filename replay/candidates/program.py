"""A program at the other end of three pipes: a line in, a line out, never waited for longer than the deadline.

One thread does all of it: input is written, output and complaints are read, each as far as the other side goes along.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING, Final, cast

from replay.candidates import answers
from replay.candidates.interface import CandidateCrashed
from replay.journal.drawing import drawn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.candidates.outside import Patience

_READ: Final = 1 << 16
_LAST_WORDS: Final = 4096
_LOOK: Final = 0.1
"""Seconds after which it is looked whether a program still runs: a child of it may hold the pipe."""

_GOING: Final = 1.0
"""Seconds in which a program may end by itself when its input ends."""


class Program:
    """A running program. A method that raises CandidateCrashed has ended it, unless it only refused the call."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], patience: Patience) -> None:
        """Start it, in a process group of its own. Raises OSError."""
        self._process = subprocess.Popen(  # noqa: S603 - the program that a person named
            words,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
        self._patience = patience
        self._asked = 0
        self._out = b""
        self._in = bytearray()
        self._words = b""
        self._complains = True
        self.running = True
        for stream in self._streams():
            os.set_blocking(stream.fileno(), False)

    def _streams(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        return cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout), cast("IO[bytes]", process.stderr)

    def ask(self, tool: str, raw_args: bytes, now: str | None = None) -> Mapping[str, object]:
        """Write a call and read its answer. A line break in ``raw_args`` can only be layout: it becomes a space."""
        number = self._asked
        self._asked += 1
        if self._in:
            message = "it wrote more than one line for a call"
            raise self._broken(message)
        head = b'{"id":%d,"tool":%b,"args":%b' % (number, _json(tool), raw_args.translate(_ONE_LINE))
        self._out += head + (b"" if now is None else b',"now":%b' % _json(now)) + b"}\n"
        line = self._line()
        try:
            said = answers.read(line)
        except answers.NonsenseError as nonsense:
            raise self._broken(str(nonsense)) from None
        if said.get("id") != number or type(said["id"]) is not int:
            message = f"its answer to call {number} has another id: {answers.shown(line)}"
            raise self._broken(message)
        if "error" in said:
            message = f"it refused the call: {drawn(str(said['error']), answers.SHOWN)}"
            raise CandidateCrashed(message)
        return said

    def _line(self) -> bytes:
        end = time.monotonic() + self._patience.deadline
        seen = 0
        while (at := self._in.find(b"\n", seen)) < 0:
            seen = len(self._in)
            if seen > answers.LONGEST:
                message = f"it writes a line of more than {answers.LONGEST:,} bytes"
                raise self._broken(message)
            left = end - time.monotonic()
            if left <= 0:
                self.kill()
                raise self._patience.hung()
            self._exchange(min(left, _LOOK))
        line = bytes(self._in[:at])
        del self._in[: at + 1]
        return line

    def _exchange(self, seconds: float) -> None:
        """Wait for one of the pipes and serve it. Raises CandidateCrashed when the program has ended."""
        given, output, complaints = (stream.fileno() for stream in self._streams())
        poll = select.poll()
        poll.register(output, select.POLLIN)
        if self._complains:
            poll.register(complaints, select.POLLIN)
        if self._out:
            poll.register(given, select.POLLOUT)
        ready = {descriptor for descriptor, _ in poll.poll(seconds * 1000)}
        if given in ready:
            self._write(given)
        if complaints in ready:
            self._listen(complaints)
        if output in ready:
            piece = os.read(output, _READ)
            if not piece:
                raise self._ended(complaints)
            self._in += piece
        elif self._process.poll() is not None:
            raise self._ended(complaints)

    def _write(self, given: int) -> None:
        try:
            self._out = self._out[os.write(given, self._out) :]
        except BrokenPipeError:
            self._out = b""  # it reads no more: whether it answers is what counts

    def _listen(self, complaints: int) -> None:
        piece = os.read(complaints, _READ)
        self._words = (self._words + piece)[-_LAST_WORDS:]
        self._complains = bool(piece)

    def _ended(self, complaints: int) -> CandidateCrashed:
        try:
            status = self._process.wait(_GOING)
        except subprocess.TimeoutExpired:
            return self._broken("it closed its output")
        with contextlib.suppress(BlockingIOError):  # a child of it may hold the pipe
            self._listen(complaints)
        words = drawn(self._words.decode("utf-8", "replace").rstrip("\r\n").rpartition("\n")[2], answers.SHOWN)
        how = f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"
        return self._broken(f"{how}: {words}" if words else how)

    def _broken(self, what: str) -> CandidateCrashed:
        self.kill()
        return CandidateCrashed(what)

    def end(self) -> None:
        """Close its input, and kill what is still there."""
        if self.running:
            self._streams()[0].close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GOING)
            self.kill()

    def kill(self) -> None:
        """Kill the program and every process that it started in its group."""
        self.running = False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in self._streams():
            stream.close()


_ONE_LINE: Final = bytes.maketrans(b"\r\n", b"  ")


def _json(text: str) -> bytes:
    return json.dumps(text).encode()
