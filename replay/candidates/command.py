"""A program as a candidate: it reads calls and writes answers, a line of JSON each.

A call is ``{"id":7,"tool":"recall","args":{…}}``, with ``"now"`` for who can set the clock; its arguments are the
journal's own bytes. The answer is ``{"id":7,"result":…,"label":…,"diff":[…]}``, or ``"panic"``, or ``"error"``.
Calls whose tool begins with ``parity/`` are the judge's own, answered with an object under ``result``: ``hello``
(``{"go":URL}`` → ``{"can":["reset","read_state","set_clock","reads"]}``), ``reset``, ``restore``, ``state``. A program
that knows no hello can run calls and no more. The URL of the fake Go stands in the environment too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

from fake_go.app import FakeGo
from replay.candidates import answers
from replay.candidates.interface import CandidateCrashed, CandidateNotReadyError, Capabilities, Identity
from replay.candidates.outside import KINDS, OutsideSession, Patience, serving
from replay.candidates.program import Program
from replay.discretion import discreet
from replay.journal.model import RECALL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from replay.fields import Value
    from replay.journal.model import Journal

LINES: Final = "lines"
GO_VARIABLE: Final = "LOKI_PARITY_GO"
"""The environment variable that holds the URL of the fake Go."""


def words_of(command: str) -> list[str]:
    """The program and its arguments, as a shell would split them. Raises ValueError."""
    words = shlex.split(command)
    if not words:
        message = "no program is named"
        raise ValueError(message)
    return words


class CommandCandidate:
    """The program of a command line. ``go_port`` is the port of the fake Go that it is told, None: any free one."""

    def __init__(self, command: str, *, go_port: int | None = None, patience: Patience | None = None) -> None:
        self._words = words_of(command)
        self._go_port = go_port
        self._patience = patience or Patience()
        self._resources = contextlib.ExitStack()
        self._fake = FakeGo()
        self._go = ""
        self._idle: list[Program] = []
        self.identity = Identity(f"cmd:{discreet(command)}", LINES, _hashes(self._words))

    def __enter__(self) -> Self:
        """Start the fake Go and the program, and ask what it can. Raises CandidateNotReadyError."""
        try:
            self._go = self._resources.enter_context(serving(self._fake, self._go_port))
            program, can, reads = self._started()
        except (CandidateCrashed, answers.NonsenseError, OSError) as error:
            self._resources.close()
            what = error.strerror if isinstance(error, OSError) else error
            message = f"{self.identity.name} cannot be judged: {what}"
            raise CandidateNotReadyError(message) from None
        self.identity = replace(self.identity, can=can, reads_seen=reads)
        self._idle.append(program)
        return self

    def _started(self) -> tuple[Program, Capabilities, bool]:
        program = Program(self._words, {**os.environ, GO_VARIABLE: self._go}, self._patience)
        self._resources.callback(program.end)
        said: object = None
        try:
            said = program.ask("parity/hello", json.dumps({"protocol": 1, "go": self._go}).encode()).get("result")
        except CandidateCrashed:
            if not program.running:
                raise
        return program, *answers.capabilities(said, side_by_side=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every program and the fake Go."""
        self._resources.close()

    def offers(self, kind: str) -> bool:
        """Whether journals of a kind hold calls of tools."""
        return kind in KINDS

    def session(self, journal: Journal) -> OutsideSession:
        """A session; a program that cannot be reset is started anew where something is remembered."""
        line = _CommandLine(self, keeps=self.identity.can.reset or journal.kind == RECALL)
        return OutsideSession(journal, line, self._fake, self.identity, self._go)

    def take(self) -> Program:
        """A program that nobody uses. Raises CandidateCrashed."""
        self._patience.check()
        if self._idle:
            return self._idle.pop()
        try:
            return self._started()[0]
        except (OSError, answers.NonsenseError) as error:
            raise CandidateCrashed(str(error)) from None

    def give(self, program: Program) -> None:
        """Take a running program back."""
        self._idle.append(program)


def _hashes(words: list[str]) -> dict[str, str]:
    """The sha256 of every file that the command line names, by its last name."""
    files = [Path(word) for word in words if os.path.isfile(word)]  # noqa: PTH113 - any text at all may stand there
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


class _CommandLine:
    """The questions of one session. ``keeps``: the program may serve the next session too."""

    def __init__(self, candidate: CommandCandidate, *, keeps: bool) -> None:
        self._candidate = candidate
        self._keeps = keeps
        self._program: Program | None = None

    def begin(self) -> bool:
        """Start a program if none runs."""
        if self._program is not None and self._program.running:
            return False
        self._program = self._candidate.take()
        return True

    def tell(self, what: str, said: Mapping[str, object]) -> Mapping[str, object]:
        """A call of the judge's own."""
        result = self._running().ask(f"parity/{what}", json.dumps(said).encode()).get("result")
        return cast("Mapping[str, object]", result) if isinstance(result, dict) else {}

    def call(self, tool: str, raw_args: bytes, now: str | None) -> Mapping[str, Value]:
        """A call of a tool."""
        try:
            return answers.outcome(self._running().ask(tool, raw_args, now))
        except answers.NonsenseError as nonsense:
            raise CandidateCrashed(str(nonsense)) from None

    def _running(self) -> Program:
        assert self._program is not None  # noqa: S101 - a session begins before it asks
        return self._program

    def close(self) -> None:
        """Give the program back, or end it."""
        if self._program is not None and self._program.running:
            if self._keeps:
                self._candidate.give(self._program)
            else:
                self._program.end()
