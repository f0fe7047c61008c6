"""The engine: an OpenAI-compatible chat-completions endpoint, streaming (facade.md, The turn).

The rules of the wire are those towards Go (:mod:`parity.facade.transport`): no proxy, no redirect, no cookie, a bound
on the connection, on each wait, on the whole and on what is read. A request is never sent twice.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import httpcore

from parity.facade.deadline import Call, DeadlineBackend
from parity.facade.deltas import DONE, Assembly, EngineFailed, drawn, error_words
from parity.facade.sse import EventReader, EventTooLargeError
from parity.facade.timeouts import COMPLETIONS
from parity.facade.transport import origin
from parity.gostd import json, utf8
from parity.gostd.target import GO_1_25
from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from parity.facade.deltas import Completion
    from parity.facade.timeouts import Timeouts
    from parity.gostd.target import GoTarget

PATH: Final = "/v1/chat/completions"
STREAM_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of one answer."""

_OK: Final = 200
_BAD_REQUEST: Final = 400
_REFUSAL_LIMIT: Final = 64 * 1024
_DRAIN_SECONDS: Final = 0.5
"""How long the end of the body may take after ``[DONE]``; the connection is given up otherwise."""

_CONNECTIONS: Final = 8
_KEPT_SECONDS: Final = 30.0
_EVENT_STREAM: Final = re.compile(rb"[ \t]*(?:text/event-stream[ \t]*(?:;.*)?)?", re.IGNORECASE)
_ERROR: Final = b"error"
"""The name of an event that is no chunk."""
_PLAIN: Final = re.compile(rb"[ \t]*(?:identity)?[ \t]*", re.IGNORECASE)
_TOO_LONG: Final = re.compile(
    r"exceed.{0,80}context|context.{0,80}exceed|maximum context length", re.IGNORECASE | re.ASCII | re.DOTALL
)
"""Words that stand close together in what the engines say; the last ones are vLLM's and OpenAI's."""
_NO_ANSWER: Final = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.RemoteProtocolError,
)


class PromptTooLong(EngineFailed):
    """The engine refused the prompt: it exceeds the context size."""


@rule("facade/turn/prompt-too-long")
def is_too_long(status: int, body: str) -> bool:
    """Whether a refusal says that the prompt does not fit: HTTP 400, and that it exceeds the context size."""
    return status == _BAD_REQUEST and _TOO_LONG.search(body) is not None


class ChatCompletions:
    """Completions from ``base_url``, such as ``http://127.0.0.1:8080``; threads may share one.

    ``limit`` bounds the bytes of an answer; ``target`` says how its JSON is read. Raises ValueError for a URL that is
    not plain ``http://host[:port]``.
    """

    def __init__(
        self,
        base_url: str,
        timeouts: Timeouts = COMPLETIONS,
        *,
        limit: int = STREAM_LIMIT,
        target: GoTarget = GO_1_25,
    ) -> None:
        url = origin(base_url)
        self._url = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=PATH.encode())
        self._host = url.netloc
        self._timeouts = timeouts
        self._limit = limit
        self._target = target
        self._call = Call()
        self._pool = httpcore.ConnectionPool(
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=_KEPT_SECONDS,
            network_backend=DeadlineBackend(self._call),
        )

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        self.close()

    def close(self) -> None:
        """Close every connection; the client cannot be used afterwards."""
        self._pool.close()

    def complete(self, body: bytes) -> Completion:
        """The completion of one request, ``body`` being its JSON.

        Raises PromptTooLong where the engine says so, EngineFailed whenever no whole completion came.
        """
        assembly = Assembly(self._target)
        with self._failures(assembly), self._sent(body) as answer:
            self._check(answer)
            self._read_events(answer, assembly)
        return assembly.whole()

    @rule("facade/turn/engine-timeouts")
    @contextmanager
    def _failures(self, assembly: Assembly) -> Iterator[None]:
        """What goes wrong on the wire as EngineFailed; nothing once the message is whole."""
        self._call.begin(self._timeouts.total)
        try:
            yield
        except _NO_ANSWER as error:
            if not assembly.finished:
                raise EngineFailed(self._clause(error)) from error
        except EventTooLargeError as error:
            reason = "an event of the engine's answer is too large"
            raise EngineFailed(reason) from error

    @contextmanager
    def _sent(self, body: bytes) -> Iterator[httpcore.Response]:
        headers = {
            b"host": self._host,
            b"accept": b"text/event-stream",
            b"accept-encoding": b"identity",
            b"content-type": b"application/json",
            b"content-length": b"%d" % len(body),
        }
        waits = self._timeouts
        timeouts = {"connect": waits.connect, "read": waits.read, "write": waits.read, "pool": waits.total}
        request = httpcore.Request(
            "POST", self._url, headers=list(headers.items()), content=body, extensions={"timeout": timeouts}
        )
        answer = self._pool.handle_request(request)
        try:
            yield answer
        finally:
            answer.close()

    def _check(self, answer: httpcore.Response) -> None:
        """Raise EngineFailed for what is no event stream."""
        if not self._call.received:
            message = "an answer that was there before its request"
            raise httpcore.RemoteProtocolError(message)
        if answer.status != _OK:
            raise self._refusal(answer)
        if not _PLAIN.fullmatch(_header(answer, b"content-encoding")):
            reason = "the engine's answer is compressed, which was not asked for"
            raise EngineFailed(reason)
        if not _EVENT_STREAM.fullmatch(_header(answer, b"content-type")):
            reason = "the engine's answer is not an event stream"
            raise EngineFailed(reason)

    def _refusal(self, answer: httpcore.Response) -> EngineFailed:
        """What a status other than 200 means; the engine's own words are quoted."""
        body = b""
        with suppress(*_NO_ANSWER):  # the status says enough where the words don't arrive
            for piece in answer.iter_stream():
                body += piece
                if len(body) > _REFUSAL_LIMIT:
                    break
        reason = f"the engine answered with status {answer.status}: {drawn(self._words(body))}"
        return PromptTooLong(reason) if is_too_long(answer.status, utf8.decode(body)) else EngineFailed(reason)

    def _words(self, body: bytes) -> str:
        """The engine's own words in an error: those it marks as such, or all of it."""
        return error_words(json.unmarshal(body, self._target).value) or utf8.decode(body)

    @rule("facade/turn/bounded-stream")
    def _read_events(self, answer: httpcore.Response, assembly: Assembly) -> None:
        events = EventReader()
        size = 0
        done = False
        for piece in answer.iter_stream():
            size += len(piece)
            if size > self._limit:
                reason = f"the engine's answer is larger than {self._limit} bytes"
                raise EngineFailed(reason)
            if done:
                continue  # only the end of the body is waited for: it lets the connection serve the next request
            for event in events.feed(piece):
                if event.data == DONE:
                    assembly.whole()  # raises if it is not
                    done = True
                    self._call.begin(min(_DRAIN_SECONDS, self._call.left()))
                    break
                if event.name == _ERROR:
                    reason = f"the engine reports an error: {drawn(self._words(event.data))}"
                    raise EngineFailed(reason)
                assembly.add(event.data)

    def _clause(self, error: Exception) -> str:
        """Why no completion came: one clause, the same on every run."""
        if isinstance(error, httpcore.ConnectError):
            return "no connection to the engine"
        if isinstance(error, httpcore.TimeoutException):
            return self._timeout_clause(error)
        if not self._call.received:
            return "the engine closed the connection without an answer"
        return "the engine's answer was cut off or is not HTTP"

    def _timeout_clause(self, error: Exception) -> str:
        waits = self._timeouts
        if self._call.left() <= 0:
            return f"the engine's answer was not complete within {waits.total:g} s"
        if isinstance(error, httpcore.ConnectTimeout):
            return f"no connection to the engine within {waits.connect:g} s"
        return f"nothing came from the engine for {waits.read:g} s"


def _header(answer: httpcore.Response, name: bytes) -> bytes:
    return next((value for held, value in answer.headers if held.lower() == name), b"")
