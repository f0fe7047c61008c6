"""The fake Go on a socket: pytest-httpserver with one catch-all handler, which routes by itself (facade.md)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pytest_httpserver import URI_DEFAULT
from werkzeug.wrappers import Response

from fake_go.keepalive import DELIVERY, LOOPBACK, TARGET, KeepAliveHTTPServer, bound

if TYPE_CHECKING:
    import socket
    from types import TracebackType
    from typing import Self

    from werkzeug.wrappers import Request

    from fake_go.app import FakeGo

_LOOPBACKS = ("127.0.0.1", "::1", "localhost")


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
        self._http = KeepAliveHTTPServer(host, port)
        self._http.expect_request(URI_DEFAULT).respond_with_handler(self._handle)
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

    def _handle(self, request: Request) -> Response:
        environ = request.environ
        reply = self.fake.respond(
            environ["REQUEST_METHOD"], environ[TARGET].encode("latin-1"), environ["wsgi.input"].read()
        )
        environ[DELIVERY] = reply.delivery
        return Response(reply.body, reply.status, reply.headers)

    def _refuse(self, refusing: bool) -> None:  # noqa: FBT001 - the one thing it is told
        """Close the listening socket, or listen again; the port stays ours in between."""
        with self._switch:
            if refusing and self._held is None:
                self._http.stop()
                self._held = bound(self._http.host, self._http.port)
            elif not refusing and self._held is not None:
                held, self._held = self._held, None
                self._http.start_on(held)
