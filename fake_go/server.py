"""The fake Go on a socket: pytest-httpserver with one catch-all handler, which routes by itself (facade.md)."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from fake_go.keepalive import DELIVERY, LOOPBACK, TARGET, KeepAliveHTTPServer, bound

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from fake_go.app import FakeGo

_LOOPBACKS = ("127.0.0.1", "::1", "localhost")

_STATUS_LINES: Final = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class UnexpectedRequestError(AssertionError):
    """The fake Go got requests that it was not told to expect; the message lists them."""


class FakeGoServer:
    """Serves ``fake`` on loopback, on ``port`` or a free one, while the ``with`` block runs.

    Leaving the block raises :class:`UnexpectedRequestError` if unexpected requests came and nobody took them, and
    whatever a handler raised. Starting raises OSError if the port is taken. Raises ValueError for a host that is not
    loopback.
    """

    def __init__(self, fake: FakeGo, host: str = LOOPBACK, port: int = 0) -> None:
        if host not in _LOOPBACKS:
            message = f"{host!r} is not loopback (expected one of {', '.join(_LOOPBACKS)})"
            raise ValueError(message)
        self.fake = fake
        self._http = _Server(fake, host, port)
        self._held: socket.socket | None = None
        self._switch = threading.Lock()

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, and raise what :meth:`check` raises unless an error is on its way already."""
        self.stop()
        if error is None:
            self.check()

    @property
    def url(self) -> str:
        """Where it listens, such as ``http://127.0.0.1:41234``."""
        return self._http.url_for("").removesuffix("/")

    def start(self) -> None:
        """Listen."""
        self._http.start()
        self.fake.faults.watch = self._refuse
        self._refuse(self.fake.faults.refusing)

    def stop(self) -> None:
        """Stop listening and end every connection; who hangs is let go."""
        self.fake.faults.watch = None
        with self._switch:
            if self._http.is_running():
                self._http.stop()
            if self._held is not None:
                self._held.close()
                self._held = None

    def check(self) -> None:
        """Raise for the unexpected requests that nobody took, and for what a handler raised."""
        unexpected = self.fake.take_unexpected()
        if unexpected:
            raise UnexpectedRequestError("not expected: " + ", ".join(unexpected))
        self._http.check()

    def connections(self) -> int:
        """How many connections are open."""
        return self._http.connections()

    def _refuse(self, refusing: bool) -> None:  # noqa: FBT001 - the one thing it is told
        """Close the listening socket, or listen again; the port stays ours in between."""
        with self._switch:
            if refusing and self._held is None:
                self._http.stop()
                self._held = bound(self._http.host, self._http.port)
            elif not refusing and self._held is not None:
                held, self._held = self._held, None
                self._http.start_on(held)


class _Server(KeepAliveHTTPServer):
    """pytest-httpserver with one application for every request: there is no handler to choose among.

    Without a choice, and without objects for a request and a response that nobody looks at, what a client measures is a
    tenth shorter.
    """

    def __init__(self, fake: FakeGo, host: str, port: int) -> None:
        super().__init__(host, port)
        self._fake = fake

    def wsgi_application(self) -> WSGIApplication:
        return self._answer

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        try:
            reply = self._fake.respond(method, environ[TARGET].encode("latin-1"), environ["wsgi.input"].read())
        except Exception as error:
            self.handler_errors.append(error)  # check() raises it
            raise
        environ[DELIVERY] = reply.delivery
        status = _STATUS_LINES.get(reply.status, f"{reply.status} ")
        start_response(status, [*reply.headers, ("Content-Length", str(len(reply.body)))])
        return () if method == "HEAD" else (reply.body,)
