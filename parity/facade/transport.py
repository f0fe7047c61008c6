"""How a request reaches Go: over HTTP, or straight into a fake Go in the same process (facade.md, Go's routes).

The client goes through no proxy, follows no redirect, keeps no cookie, has connect, read and total timeouts, bounds
what it reads, takes no compressed body, and reuses connections.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

import httpcore
import httpx

from parity.facade.deadline import Call, DeadlineBackend
from parity.rules import rule
from parity.tools.interface import GoUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

CONNECT_SECONDS: Final = 2.0
READ_SECONDS: Final = 10.0
TOTAL_SECONDS: Final = 30.0
BODY_LIMIT: Final = 512 * 1024 * 1024
"""Bytes of one answer: as large as a journal may be."""

_CONNECTIONS: Final = 32
_KEPT_SECONDS: Final = 30.0
_READ_HEADERS: Final = re.compile(rb"content-(?:type|encoding|length)|server", re.IGNORECASE)
_HOST: Final = re.compile(r"[A-Za-z0-9._:-]+", re.ASCII)
_PLAIN: Final = re.compile(r"[ \t]*(?:identity)?[ \t]*", re.IGNORECASE | re.ASCII)
_BROKEN: Final = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)
_NO_ANSWER: Final = (*_BROKEN, httpcore.TimeoutException, httpcore.ConnectError, httpcore.LocalProtocolError)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: ``content_type`` as the server wrote it, empty if it wrote none; the body undecoded.

    ``server`` is what the server calls itself, in its Server header.
    """

    status: int
    content_type: str
    body: bytes
    server: str = field(default="", compare=False)


class Transport(Protocol):
    """One way to Go."""

    def request(self, method: str, target: str, body: bytes | None = None) -> Reply:
        """Send one request for ``target`` (path and query, ASCII). Raises GoUnavailable when no answer came."""
        ...

    def close(self) -> None:
        """Give every connection back."""
        ...


class Answered(Protocol):
    """What a server in the same process answers; ``undelivered`` says why the bytes would not arrive, or is None."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def content_type(self) -> str:
        """The Content-Type header."""
        ...

    @property
    def body(self) -> bytes:
        """The body."""
        ...

    @property
    def undelivered(self) -> str | None:
        """Why no client would get this answer, as a clause."""
        ...


class Responder(Protocol):
    """A server that answers by a function call."""

    def respond(self, method: str, target: bytes, body: bytes) -> Answered:
        """The answer to one request; ``target`` as it stands in the request line."""
        ...


class MemoryTransport:
    """Calls a server in the same process directly: no HTTP, no socket. What it shows says nothing about HTTP."""

    def __init__(self, server: Responder) -> None:
        self._server = server

    def request(self, method: str, target: str, body: bytes | None = None) -> Reply:
        """As :class:`Transport`."""
        answer = self._server.respond(method, target.encode(), body or b"")
        if answer.undelivered is not None:
            raise GoUnavailable(answer.undelivered)
        return Reply(answer.status, answer.content_type, answer.body)

    def close(self) -> None:
        """Nothing to give back."""


class HttpTransport:
    """HTTP/1.1 to ``base_url``, such as ``http://127.0.0.1:8080``. Timeouts are in seconds; threads may share one.

    ``connect`` bounds the connection, ``read`` each wait for bytes, ``total`` the whole call, ``limit`` the bytes of a
    body. Raises ValueError for a URL that is not plain ``http://host[:port]``.
    """

    def __init__(
        self,
        base_url: str,
        *,
        connect: float = CONNECT_SECONDS,
        read: float = READ_SECONDS,
        total: float = TOTAL_SECONDS,
        limit: int = BODY_LIMIT,
    ) -> None:
        self.headers: dict[str, str] = {}
        """Sent with every request, besides those that it needs."""
        self._url = origin(base_url)
        self._total = total
        self._read = read
        self._connect = connect
        self._limit = limit
        self._call = Call()
        self._timeouts = {"connect": connect, "read": read, "write": read, "pool": total}
        self._client = _client(self._call)

    def __enter__(self) -> Self:
        """The transport itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection."""
        self.close()

    def close(self) -> None:
        """Close every connection; the transport cannot be used afterwards."""
        self._client.close()

    @rule("facade/client/timeouts")
    def request(self, method: str, target: str, body: bytes | None = None) -> Reply:
        """As :class:`Transport`; a GET whose kept connection turns out to be closed is sent once more."""
        self._call.begin(self._total)
        try:
            try:
                return self._exchange(method, target, body)
            except _BROKEN:
                if method != "GET" or self._call.connected or self._call.received:
                    raise
                self._call.again()
                return self._exchange(method, target, body)
        except _NO_ANSWER as error:
            raise GoUnavailable(self._clause(error)) from error

    def _exchange(self, method: str, target: str, body: bytes | None) -> Reply:
        headers = {"accept": "application/json", "accept-encoding": "identity", **self.headers}
        if body is not None:
            headers["content-type"] = "application/json"
        extensions = {"timeout": self._timeouts, "target": target.encode()}
        request = httpx.Request(method, self._url, headers=headers, content=body, extensions=extensions)
        response = self._client.send(request, stream=True)
        try:
            if not self._call.received:
                message = "an answer that was there before its request"
                raise httpcore.RemoteProtocolError(message)
            said = response.headers
            body = self._body(response)
            return Reply(response.status_code, said.get("content-type", ""), body, said.get("server", ""))
        finally:
            response.close()

    @rule("facade/client/bounded-body")
    def _body(self, response: httpx.Response) -> bytes:
        """The whole body. Raises GoUnavailable if it is compressed or larger than the limit."""
        if not _PLAIN.fullmatch(response.headers.get("content-encoding", "")):
            reason = "Go's answer is compressed, which was not asked for"
            raise GoUnavailable(reason)
        pieces = []
        size = 0
        for piece in response.iter_raw():
            size += len(piece)
            if size > self._limit:
                reason = f"Go's answer is larger than {self._limit} bytes"
                raise GoUnavailable(reason)
            pieces.append(piece)
        return b"".join(pieces)

    def _clause(self, error: Exception) -> str:
        """Why no answer came: one clause, the same on every run."""
        if isinstance(error, httpcore.LocalProtocolError):
            return "the request cannot be written as HTTP"
        if isinstance(error, httpcore.ConnectError):
            return f"no connection to Go ({_system_text(error)})"
        if isinstance(error, httpcore.TimeoutException):
            return self._timeout_clause(error)
        if not self._call.received:
            return "Go closed the connection without an answer"
        if isinstance(error, httpcore.RemoteProtocolError):
            return "Go's answer was cut off or is not HTTP"
        return f"the connection to Go broke ({_system_text(error)})"

    def _timeout_clause(self, error: Exception) -> str:
        if self._call.left() <= 0:
            return f"Go's answer was not complete within {self._total:g} s"
        if isinstance(error, httpcore.ConnectTimeout):
            return f"no connection to Go within {self._connect:g} s"
        return f"nothing came from Go for {self._read:g} s"


@rule("facade/client/no-proxy-no-redirect-reuse")
def _client(call: Call) -> httpx.Client:
    """An httpx client that reads nothing from the environment, follows nothing and reuses its connections."""
    pool = httpcore.ConnectionPool(
        max_connections=_CONNECTIONS,
        max_keepalive_connections=_CONNECTIONS,
        keepalive_expiry=_KEPT_SECONDS,
        network_backend=DeadlineBackend(call),
    )
    return httpx.Client(transport=_PoolTransport(pool), trust_env=False, follow_redirects=False)


class _PoolTransport(httpx.BaseTransport):
    """httpx over a connection pool of our own; only the headers that the client reads pass, so no cookie is kept."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        headers = [header for header in answer.headers if _READ_HEADERS.fullmatch(header[0])]
        return httpx.Response(answer.status, headers=headers, stream=_PoolStream(answer))

    def close(self) -> None:
        self._pool.close()


class _PoolStream(httpx.SyncByteStream):
    """The body of an answer, as it comes from the pool."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


def origin(base_url: str) -> httpx.URL:
    """The URL of the server itself. Raises ValueError if anything but scheme, host and port stands there."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname or ""
        rest = parts.username, parts.password, parts.path.removeprefix("/"), parts.query, parts.fragment
        if parts.scheme == "http" and _HOST.fullmatch(host) and parts.port != 0 and not any(rest):
            return httpx.URL(scheme="http", host=host, port=parts.port, path="/")
    except (ValueError, httpx.InvalidURL):
        pass
    message = f"{base_url!r} is not the URL of a server (expected such as http://127.0.0.1:8080)"
    raise ValueError(message)


def _system_text(error: Exception) -> str:
    """What the operating system said."""
    cause = error.args[0]
    return cause.strerror or "no reason given" if isinstance(cause, OSError) else "no reason given"
