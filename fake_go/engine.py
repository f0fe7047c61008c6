"""A fake engine: an OpenAI-compatible chat-completions endpoint that plays scripted completions (facade.md, The turn).

A script is a list of answers, one per request, or of functions that make one from the request's body; each answer is a
list of pieces of an event stream, which leave one by one, so that a test decides where a stream is cut in two. Every
request body is kept as it came.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pytest_httpserver import URI_DEFAULT
from werkzeug.wrappers import Response

from fake_go.keepalive import DELIVERY, TARGET, KeepAliveHTTPServer
from fake_go.reply import error
from parity.gostd import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType
    from typing import Self, TypeAlias

    from werkzeug.wrappers import Request

    from fake_go.wire import Wire

    Json: TypeAlias = "dict[str, object]"
    Script: TypeAlias = "Answer | Callable[[bytes], Answer]"

COMPLETIONS: Final = "POST /v1/chat/completions"
DONE: Final = b"data: [DONE]\n\n"


class UnscriptedRequestError(AssertionError):
    """The fake engine got requests that no script answers; the message lists them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. Each of ``pieces`` leaves by itself, ``pause`` seconds after the one before.

    ``cut`` ends the connection where the body should end: the client cannot tell what would have followed. ``reset``
    makes that end a reset.
    """

    pieces: tuple[bytes, ...]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    cut: bool = False
    reset: bool = False

    @property
    def body(self) -> bytes:
        """All that is sent of the body."""
        return b"".join(self.pieces)

    def split(self, *places: int) -> Answer:
        """The same bytes, cut in two at each of these places and nowhere else."""
        ends = (*sorted(places), len(self.body))
        starts = (0, *sorted(places))
        return replace(self, pieces=tuple(self.body[a:b] for a, b in zip(starts, ends, strict=True)))

    def bytewise(self) -> Answer:
        """The same bytes, each one by itself."""
        return self.split(*range(1, len(self.body)))

    def with_line_ends(self, line_end: bytes) -> Answer:
        """The same events with other line ends: CR LF or CR."""
        return replace(self, pieces=tuple(piece.replace(b"\n", line_end) for piece in self.pieces))

    def without_done(self) -> Answer:
        """The same without ``[DONE]``."""
        return replace(self, pieces=tuple(piece for piece in self.pieces if piece != DONE))

    def cut_after(self, size: int) -> Answer:
        """The first ``size`` bytes, then the end of the connection."""
        return replace(self, pieces=(self.body[:size],), cut=True)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to be asked for; ``arguments`` is sent as it is, in so many ``pieces``; ``id`` empty sends none."""

    name: str
    arguments: str | bytes = "{}"
    id: str = "call_1"
    pieces: int = 1

    def parts(self) -> list[str]:
        """The arguments in pieces of characters; a byte that is not UTF-8 is a character here."""
        text = utf8.text(self.arguments) if isinstance(self.arguments, bytes) else self.arguments
        size = max(-(-len(text) // self.pieces), 1)
        return [text[start : start + size] for start in range(0, len(text), size)] or [""]


def event(data: Json) -> bytes:
    """One chunk of JSON as an event; text of :func:`parity.gostd.utf8.text` leaves as the bytes that it stands for."""
    return b"data: " + utf8.encode(json.dumps(data, ensure_ascii=False)) + b"\n\n"


def chunk(delta: Json, finish_reason: str | None = None, **members: object) -> bytes:
    """A chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice], **members})


def usage(prompt: int, generated: int, reasoning: int = 0) -> bytes:
    """The chunk that comes last when usage was asked for: no choice."""
    details = {"reasoning_tokens": reasoning}
    counts = {"prompt_tokens": prompt, "completion_tokens": generated, "completion_tokens_details": details}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": counts})


def says(text: str, finish_reason: str = "stop", tokens: tuple[int, ...] | None = None) -> Answer:
    """An answer with text, in two pieces; ``tokens`` are the arguments of :func:`usage`, None for an engine without."""
    half = len(text) // 2
    deltas = [chunk({"role": "assistant", "content": text[:half]}), chunk({"content": text[half:]})]
    return Answer((*deltas, chunk({}, finish_reason), *_end(tokens)))


def calls(*wanted: Call, text: str = "", tokens: tuple[int, ...] | None = None) -> Answer:
    """An answer that asks for tools, as OpenAI streams it: the name first, then the arguments in pieces."""
    deltas = [chunk({"role": "assistant", "content": text or None})]
    for index, call in enumerate(wanted):
        identity = {"id": call.id, "type": "function"} if call.id else {}
        first = {"index": index, **identity, "function": {"name": call.name, "arguments": ""}}
        deltas.append(chunk({"tool_calls": [first]}))
        more = [{"index": index, "function": {"arguments": part}} for part in call.parts()]
        deltas.extend(chunk({"tool_calls": [piece]}) for piece in more)
    return Answer((*deltas, chunk({}, "tool_calls"), *_end(tokens)))


def streams(*pieces: bytes) -> Answer:
    """An event stream with these bytes."""
    return Answer(pieces)


def refuses(status: int, body: bytes, content_type: str = "application/json") -> Answer:
    """An error."""
    return Answer((body,), status, content_type)


def too_long(prompt: int = 40_000, window: int = 32_768) -> Answer:
    """The refusal of a prompt that is larger than the window, in llama.cpp's words."""
    words = f"the request exceeds the available context size ({window} tokens), try increasing it"
    error = {"code": 400, "message": words, "type": "exceed_context_size_error", "n_prompt_tokens": prompt}
    return refuses(400, json.dumps({"error": error}).encode())


def _end(tokens: tuple[int, ...] | None) -> Iterable[bytes]:
    return (DONE,) if tokens is None else (usage(*tokens), DONE)


class FakeEngine:
    """Plays answers in the order they were handed over. Thread-safe."""

    def __init__(self, *answers: Script) -> None:
        self._waiting = deque(answers)
        self._bodies: list[bytes] = []
        self._unscripted: list[str] = []
        self._lock = threading.Lock()

    def play(self, *answers: Script) -> None:
        """Answer the next requests so."""
        with self._lock:
            self._waiting.extend(answers)

    def forget(self) -> None:
        """Drop the answers that nobody asked for."""
        with self._lock:
            self._waiting.clear()

    def unused(self) -> int:
        """How many answers nobody has asked for yet."""
        with self._lock:
            return len(self._waiting)

    def take_bodies(self) -> list[bytes]:
        """The bodies of the requests since the last time, as they came."""
        with self._lock:
            taken, self._bodies = self._bodies, []
        return taken

    def take_unscripted(self) -> list[str]:
        """The requests since the last time that no script answers, as ``METHOD target``."""
        with self._lock:
            taken, self._unscripted = self._unscripted, []
        return taken

    def respond(self, line: str, body: bytes) -> Answer | None:
        """The answer to one request, ``line`` being ``METHOD target``; None if there is none."""
        with self._lock:
            if line == COMPLETIONS:
                self._bodies.append(body)
            if line != COMPLETIONS or not self._waiting:
                self._unscripted.append(line)
                return None
            scripted = self._waiting.popleft()
        return scripted if isinstance(scripted, Answer) else scripted(body)


@dataclass(frozen=True, slots=True)
class _Streamed:
    """Puts an answer on the wire: a chunk of the HTTP body for each piece."""

    answer: Answer
    head: bytes
    clause: str = "the fake engine speaks to HTTP clients only"

    def play(self, wire: Wire, _head: bytes, _body: bytes) -> bool:
        """Send piece by piece."""
        answer = self.answer
        wire.send(self.head)
        for piece in filter(None, answer.pieces):
            if answer.pause and not wire.pause(answer.pause):
                return False
            wire.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        if answer.cut:
            if answer.reset:
                wire.reset()
            return False
        wire.send(b"0\r\n\r\n")
        return True


def _head(answer: Answer) -> bytes:
    headers: Sequence[tuple[str, str]] = (
        *((("Content-Type", answer.content_type),) if answer.content_type else ()),
        *answer.headers,
        ("Transfer-Encoding", "chunked"),
    )
    lines = [f"HTTP/1.1 {answer.status} scripted", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class FakeEngineServer:
    """Serves ``engine`` on loopback, on a free port, while the ``with`` block runs.

    Leaving the block raises :class:`UnscriptedRequestError` if requests came that no script answers and nobody took
    them, and whatever a handler raised.
    """

    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine
        self._http = KeepAliveHTTPServer()
        self._http.expect_request(URI_DEFAULT).respond_with_handler(self._handle)

    def __enter__(self) -> Self:
        """Listen."""
        self._http.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, end every connection, and raise what went wrong unless an error is on its way already."""
        self._http.stop()
        if error is None:
            unscripted = self.engine.take_unscripted()
            if unscripted:
                raise UnscriptedRequestError("not scripted: " + ", ".join(unscripted))
            self._http.check()

    @property
    def url(self) -> str:
        """Where it listens, such as ``http://127.0.0.1:41234``."""
        return self._http.url_for("").removesuffix("/")

    def connections(self) -> int:
        """How many connections are open."""
        return self._http.connections()

    def _handle(self, request: Request) -> Response:
        environ = request.environ
        line = f"{environ['REQUEST_METHOD']} {environ[TARGET]}"
        answer = self.engine.respond(line, environ["wsgi.input"].read())
        if answer is None:
            refusal = error(500, "no such scripted answer")
            return Response(refusal.body, refusal.status, refusal.headers)
        environ[DELIVERY] = _Streamed(answer, _head(answer))
        return Response(b"", answer.status)
