"""The oracle at the other end of two pipes: questions and answers as JSON lines (model/PROTOCOL.md).

Questions are sent ahead, so that both sides work at once; how many is bounded. Neither side can block the other for
ever: one thread only writes, one only reads, and whoever asks waits for nothing but the next answer, for so long.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Self, TypeAlias, cast

from replay.counted import counted
from replay.journal.drawing import drawn
from replay.oracle.errors import (
    OracleDiedError,
    OracleHungError,
    OracleLiedError,
    QuestionRefusedError,
    WrongOracleError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from io import BufferedReader, BufferedWriter
    from types import TracebackType

    from parity.gostd.target import GoTarget

Question: TypeAlias = "Mapping[str, object]"
"""A question without its id: ``q`` and the fields that it has."""

PROTOCOL: Final = "1"
"""The version of the questions that this client knows: the oracle's ``model`` in ``hello``."""

PATIENCE: Final = 60.0
"""Seconds without a byte from the oracle after which it hangs."""

AHEAD: Final = 2048
"""How many questions may be unanswered."""

AHEAD_BYTES: Final = 16 << 20
"""How many bytes of questions may be unanswered; one question more than that is sent alone."""

CHUNK: Final = 128
"""How many questions are written at once."""

WAITING_BYTES: Final = 64 << 20
"""How many bytes of whole answers are held unread before the oracle has to wait."""

LONGEST: Final = 1 << 30
"""The longest answer in bytes."""

_READ: Final = 1 << 20
_LAST_WORDS: Final = 4096
CLOSING: Final = 5.0
"""Seconds that an oracle has to end by itself."""

_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: who judged (``stdlib`` or ``model``), the value, and the text of Go's crash if it crashed."""

    by: str
    out: object
    panic: str | None = None


@dataclass(frozen=True, slots=True)
class Hello:
    """What the oracle says of itself."""

    version: str
    unicode: str
    goarch: str
    model: str
    questions: Mapping[str, str] = field(default_factory=dict)
    """Question to who judges it."""


class Oracle:
    """A running oracle. Every method that asks raises an OracleError when it is broken; it stays broken then."""

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None = None, patience: float = PATIENCE
    ) -> None:
        """Start it. ``command`` is the program and its arguments, ``patience`` the seconds before it hangs."""
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program that was built here, or a test's fake
                command,
                env=None if environment is None else dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # an interrupt is for us: we end it
            )
        except OSError as error:
            message = f"the oracle cannot be started: {error.strerror}"
            raise OracleDiedError(message) from None
        self._patience = patience
        self._asked = 0
        self._answered = 0
        self._stale = 0
        self._lines: deque[bytes] = deque()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._pipe = _Pipe(cast("BufferedReader", self._process.stdout))
        self._last_words = b""
        self._threads = [
            threading.Thread(target=target, daemon=True, name=f"oracle-{target.__name__}")
            for target in (self._pipe.drain, self._write, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        """It runs already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self.close()

    @property
    def process_id(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the process is over."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it, whatever it does."""
        self._outgoing.put(None)
        self._pipe.give_up()
        try:
            self._process.wait(CLOSING if not self._asked > self._answered else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(CLOSING)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                cast("BufferedReader", stream).close()

    def hello(self) -> Hello:
        """What the oracle says of itself."""
        out = self.ask_one({"q": "hello"}).out
        try:
            said = cast("dict[str, str]", out)
            questions = cast("dict[str, dict[str, list[str]]]", out)["questions"]
            by = {name: judge for judge, names in questions.items() for name in names}
            return Hello(said["version"], said["unicode"], said["goarch"], said["model"], by)
        except (TypeError, KeyError, AttributeError):
            what = f"it answers {_drawn(repr(out))} when asked who it is"
            raise self._liar(what) from None

    def check(self, version: str, target: GoTarget) -> Hello:
        """Make sure that it is the Go that was asked for: ``version`` exactly, and as the target says the rest.

        Raises :class:`WrongOracleError`.
        """
        hello = self.hello()
        wanted = {
            "Go": (hello.version, version),
            "Unicode": (hello.unicode, target.unicode),
            "processor": (hello.goarch, target.goarch),
            "protocol": (hello.model, PROTOCOL),
        }
        for what, (found, asked) in wanted.items():
            if found != asked:
                self.close()
                message = f"the oracle is of the {what} {_drawn(str(found))}, and {asked} was asked for"
                raise WrongOracleError(message)
        return hello

    def ask_one(self, question: Question) -> Answer:
        """One question, one answer."""
        return next(self.ask((question,)))

    def ask(self, questions: Iterable[Question]) -> Iterator[Answer]:
        """The answers, in the order of the questions, which are taken as they are needed."""
        waiting: deque[tuple[int, int]] = deque()
        supply = iter(questions)
        unanswered = size = 0
        try:
            while True:
                while unanswered < AHEAD and size < AHEAD_BYTES and (chunk := list(islice(supply, CHUNK))):
                    length = self._send(chunk)
                    waiting.append((len(chunk), length))
                    unanswered += len(chunk)
                    size += length
                if not waiting:
                    return
                count, length = waiting.popleft()
                size -= length
                for _ in range(count):
                    unanswered -= 1
                    yield self._answer()
        finally:
            self._stale += unanswered

    def _send(self, chunk: Sequence[Question]) -> int:
        first = self._asked
        raw = b"".join(_written(first + at, question) for at, question in enumerate(chunk))
        self._asked += len(chunk)
        self._pipe.expect(self._asked)
        self._outgoing.put(raw)
        return len(raw)

    def _answer(self) -> Answer:
        while self._stale:
            self._stale -= 1
            self._next_line()
        number = self._answered
        line = self._next_line()
        try:
            said = json.loads(line.decode())  # decoded here: json would first guess in which encoding it is
        except (ValueError, RecursionError):
            what = f"it answers {_drawn_line(line)}, which is no JSON"
            raise self._liar(what) from None
        if not isinstance(said, dict) or said.get("id", ABSENT) != number or type(said["id"]) is not int:
            what = f"it answers {_drawn_line(line)} to question {number}"
            raise self._liar(what)
        if "error" in said:
            message = f"the oracle refused a question: {_drawn(str(said['error']))}"
            raise QuestionRefusedError(message)
        panic = said.get("panic")
        if said.get("by") not in _JUDGES or ("out" not in said and panic is None) or not isinstance(panic, _TEXT):
            what = f"it answers {_drawn_line(line)}, which holds no verdict"
            raise self._liar(what)
        return Answer(said["by"], said.get("out"), panic)

    def _next_line(self) -> bytes:
        if not self._lines:
            self._lines = self._arrived()
        self._answered += 1
        return self._lines.popleft()

    def _arrived(self) -> deque[bytes]:
        lines = self._pipe.take(self._patience)
        if lines:
            return lines
        problem = self._pipe.problem
        if problem:
            raise self._liar(problem)
        if self._pipe.ended:
            self.close()
            words = _drawn(self._last_words.decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2])
            status = self._process.returncode
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            message = f"the oracle {how} after {counted(self._answered, 'answer')}" + (f": {words}" if words else "")
            raise OracleDiedError(message)
        self._kill()
        message = f"the oracle hangs: no answer to question {self._answered} within {self._patience:g} seconds"
        raise OracleHungError(message)

    def _liar(self, what: str) -> OracleLiedError:
        self._kill()
        return OracleLiedError(f"the oracle lies: {what}")

    def _kill(self) -> None:
        self._process.kill()
        self.close()

    def _write(self) -> None:
        stdin = cast("BufferedWriter", self._process.stdin)
        # A pipe that breaks is noticed by whoever waits for the answer.
        with contextlib.suppress(OSError, ValueError):
            while (raw := self._outgoing.get()) is not None:
                stdin.write(raw)
                if self._outgoing.empty():
                    stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            stdin.close()

    def _listen(self) -> None:
        """Keep the oracle's last words; read on, so that it never waits for us to."""
        stderr = cast("BufferedReader", self._process.stderr)
        with contextlib.suppress(OSError, ValueError):
            while piece := stderr.read1(_READ):
                self._last_words = (self._last_words + piece)[-_LAST_WORDS:]


class _Pipe:
    """What comes out of the oracle, cut into lines, held until somebody takes it."""

    def __init__(self, stream: BufferedReader) -> None:
        self.problem = ""
        self.ended = False
        self._stream = stream
        self._changed = threading.Condition()
        self._lines: deque[bytes] = deque()
        self._held = 0
        self._seen = 0
        self._expected = 0
        self._progress = 0
        self._given_up = False

    def expect(self, count: int) -> None:
        """So many lines have been asked for, all in all; one more is a lie."""
        with self._changed:
            self._expected = count

    def take(self, patience: float) -> deque[bytes]:
        """The whole lines that have come; waits for one. None: it ended, lied, or sent nothing for so many seconds."""
        with self._changed:
            seen = self._progress
            end = time.monotonic() + patience
            while not self._lines and not self.ended and not self.problem:
                if not self._changed.wait(end - time.monotonic()) and self._progress == seen:
                    break
                if self._progress != seen:
                    seen = self._progress
                    end = time.monotonic() + patience
            lines, self._lines = self._lines, deque()
            self._held = 0
            self._changed.notify_all()
            return lines

    def give_up(self) -> None:
        """Nobody will take anything any more."""
        with self._changed:
            self._given_up = True
            self._changed.notify_all()

    def drain(self) -> None:
        """Read to the end, or to the first lie; the body of the reading thread."""
        pieces: list[bytes] = []
        length = 0
        with contextlib.suppress(OSError, ValueError):
            while piece := self._stream.read1(_READ):
                *whole, rest = piece.split(b"\n")
                if whole:
                    whole[0] = b"".join((*pieces, whole[0]))
                    pieces, length = [], 0
                pieces.append(rest)
                length += len(rest)
                if not self._accept(whole, length):
                    break
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _accept(self, whole: list[bytes], unfinished: int) -> bool:
        with self._changed:
            self._progress += 1
            self._seen += len(whole)
            if self._seen > self._expected:
                self.problem = "it writes more lines than it was asked for"
            elif unfinished > LONGEST:
                self.problem = f"it writes a line of more than {LONGEST:,} bytes"
            else:
                self._lines.extend(whole)
                self._held += sum(map(len, whole))
            self._changed.notify_all()
            while self._held > WAITING_BYTES and not self._given_up:
                self._changed.wait()
            return not self.problem and not self._given_up


ABSENT: Final = object()
_JUDGES: Final = ("stdlib", "model")
_TEXT: Final = (str, type(None))
_ENCODER: Final = json.JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":"))


def _written(number: int, question: Question) -> bytes:
    return _ENCODER.encode({"id": number, **question}).encode() + b"\n"


def _drawn(text: str) -> str:
    return drawn(text, _SHOWN)


def _drawn_line(line: bytes) -> str:
    return _drawn(line[: 4 * _SHOWN].decode("utf-8", "replace"))
