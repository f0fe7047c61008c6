"""A server under pytest-httpserver that keeps its connections and stops at once.

werkzeug closes every connection after one answer, and its server looks only twice a second whether it should stop.
Here a connection serves request after request, an answer leaves in one send without Nagle's delay, and stopping wakes
the server, ends every connection and waits for its threads: nothing is left behind.
"""

from __future__ import annotations

import contextlib
import io
import selectors
import socket
import socketserver
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import unquote_to_bytes

from pytest_httpserver import HTTPServer, HTTPServerError
from werkzeug.serving import BaseWSGIServer
from werkzeug.wrappers import Request, Response

from fake_go import incoming
from fake_go.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import WSGIApplication, WSGIEnvironment

    from werkzeug.serving import WSGIRequestHandler

    from fake_go.incoming import Incoming
    from fake_go.reply import Delivery

DELIVERY: Final = "fake_go.delivery"
"""In the WSGI environment: where an application leaves the Delivery that is to put its answer on the wire."""

TARGET: Final = "RAW_URI"
"""In the WSGI environment: the request target as it stands in the request line, one latin-1 character per byte."""

LOOPBACK: Final = "127.0.0.1"

SERVER: Final = "Server: loki-parity"
"""On every answer: nothing that this project serves passes for Go where a journal is recorded."""

_JOIN_SECONDS: Final = 2.0
_DRAIN_SECONDS: Final = 0.2
_DRAIN_READS: Final = 64
_QUEUE: Final = 128
_CRASHED: Final = b'{"error":"the handler of this request raised"}'


class KeepAliveHandler(socketserver.StreamRequestHandler):
    """One connection: requests one after the other, until one side ends it."""

    disable_nagle_algorithm = True
    server: KeepAliveServer

    def handle(self) -> None:
        """Serve until the end of the connection."""
        with contextlib.suppress(OSError):
            while self._serve_one():
                pass

    def _serve_one(self) -> bool:
        """Whether the connection can serve another request."""
        try:
            request = incoming.read(cast("io.BufferedReader", self.rfile), self.connection.sendall)
        except incoming.BadRequestError as refusal:
            self.connection.sendall(_head(refusal.status, [("Content-Length", "0")], keep=False))
            self._drain()
            return False
        return request is not None and self._answer(request)

    def _drain(self) -> None:
        """Read what still comes: closing on unread bytes would be a reset, and could overtake the refusal."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_DRAIN_SECONDS)
        for _ in range(_DRAIN_READS):
            if not self.connection.recv(65536):
                return

    def _answer(self, request: Incoming) -> bool:
        environ = self._environ(request)
        started: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: object = None) -> Any:  # noqa: ANN401 - write() of WSGI
            started[:] = status, headers

        try:
            pieces = self.server.app(environ, start_response)
        except Exception:  # noqa: BLE001 - pytest-httpserver has kept it for its check(); the client gets a 500
            head = _head("500 Internal Server Error", [("Content-Length", str(len(_CRASHED)))], keep=request.keep)
            return self._send_whole(request, None, head, _CRASHED)
        status, headers = started
        try:
            if any(name.lower() == "content-length" for name, _ in headers):
                head = _head(status, headers, keep=request.keep)
                return self._send_whole(request, environ.get(DELIVERY), head, b"".join(pieces))
            return self._send_pieces(request, status, headers, pieces)
        finally:
            close = getattr(pieces, "close", None)
            if close is not None:
                close()

    def _send_whole(self, request: Incoming, delivery: Delivery | None, head: bytes, body: bytes) -> bool:
        if delivery is not None:
            return delivery.play(Wire(self.connection, self.server.closing), head, body) and request.keep
        self.connection.sendall(head + body)
        return request.keep

    def _send_pieces(
        self, request: Incoming, status: str, headers: list[tuple[str, str]], pieces: Iterable[bytes]
    ) -> bool:
        """A body that comes bit by bit, as an event stream does: in chunks, or to the end of the connection."""
        framing = [("Transfer-Encoding", "chunked")] if request.modern else []
        self.connection.sendall(_head(status, [*headers, *framing], keep=request.keep))
        if request.method == "HEAD":
            return request.keep
        for piece in pieces:
            if piece:
                self.connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if request.modern else piece)
        if request.modern:
            self.connection.sendall(b"0\r\n\r\n")
        return request.keep

    def _environ(self, request: Incoming) -> WSGIEnvironment:
        path, _, query = request.target.partition(b"?")
        target = request.target.decode("latin-1")
        environ: WSGIEnvironment = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query.decode("latin-1"),
            TARGET: target,
            "REQUEST_URI": target,
            "SERVER_PROTOCOL": "HTTP/1.1" if request.modern else "HTTP/1.0",
            "SERVER_NAME": self.server.host,
            "SERVER_PORT": str(self.server.port),
            "REMOTE_ADDR": self.client_address[0],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(request.body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in request.headers.items():
            environ["HTTP_" + name.upper().replace("-", "_")] = value
        if "content-type" in request.headers:
            environ["CONTENT_TYPE"] = request.headers["content-type"]
        environ["CONTENT_LENGTH"] = str(len(request.body))
        return environ


def _head(status: str, headers: Iterable[tuple[str, str]], *, keep: bool) -> bytes:
    lines = [f"HTTP/1.1 {status}", SERVER, *(f"{name}: {value}" for name, value in headers)]
    if not keep:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class KeepAliveServer(BaseWSGIServer):
    """Accepts connections until :meth:`shutdown`; each is served by a daemon thread that the stop waits for."""

    multithread = True

    def __init__(self, host: str, app: WSGIApplication, listener: socket.socket) -> None:
        port = listener.getsockname()[1]
        handler = cast("type[WSGIRequestHandler]", KeepAliveHandler)
        super().__init__(host, port, app, handler=handler, fd=listener.fileno())
        self.socket.setblocking(False)  # noqa: FBT003 - a connection that is gone again must not hold the server
        self.closing = threading.Event()
        self._woken, self._wake = socket.socketpair()
        self._connections: dict[threading.Thread, socket.socket] = {}
        """Only the thread that serves changes it, by putting another in its place."""

    def serve_forever(self, poll_interval: float = 0.5) -> None:  # noqa: ARG002 - nothing is polled here
        """Accept until told to shut down, then end every connection."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.socket, selectors.EVENT_READ)
                selector.register(self._woken, selectors.EVENT_READ)
                while not self.closing.is_set():
                    selector.select()
                    if not self.closing.is_set():
                        self._accept()
        finally:
            self.server_close()
            self._end_connections()
            self._woken.close()
            self._wake.close()

    def shutdown(self) -> None:
        """Tell the server to stop; the thread that serves ends when everything is closed."""
        self.closing.set()
        with contextlib.suppress(OSError):  # it may have seen the event already, and closed this
            self._wake.send(b"!")

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, address = self.get_request()
            connection.setblocking(True)  # noqa: FBT003 - some systems hand on the listener's own way
            thread = threading.Thread(target=self._serve, args=(connection, address), daemon=True)
            thread.start()
            alive = {thread: held for thread, held in self._connections.items() if thread.is_alive()}
            self._connections = {**alive, thread: connection}

    def _serve(self, connection: socket.socket, address: tuple[str, int]) -> None:
        # Without the shutdown that socketserver does at the end: it would be a clean one where a reset is played.
        with connection, contextlib.suppress(OSError):
            self.finish_request(connection, address)

    def _end_connections(self) -> None:
        for connection in self._connections.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._connections:
            thread.join(_JOIN_SECONDS)

    def connections(self) -> int:
        """How many connections are served, each by a thread that lives as long as it."""
        return sum(thread.is_alive() for thread in self._connections)


def bound(host: str, port: int) -> socket.socket:
    """A socket on ``host`` and ``port`` (0: a free one) that does not listen yet. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    held = socket.socket(family, kind, protocol)
    try:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(address)
    except OSError:
        held.close()
        raise
    return held


class KeepAliveHTTPServer(HTTPServer):
    """pytest-httpserver with kept connections and a quick stop; it keeps no log of its own.

    ``port`` 0 is a free one, known after the start. Starting raises OSError if the address cannot be had.
    """

    def __init__(self, host: str = LOOPBACK, port: int = 0) -> None:
        super().__init__(host, port, threaded=True)

    def start(self) -> None:
        """Listen and serve, in a thread."""
        if self.is_running():
            message = "the server is already running"
            raise HTTPServerError(message)
        self.start_on(bound(self.host, self.port))

    def start_on(self, listener: socket.socket) -> None:
        """Listen on a bound socket, which the server takes over, and serve in a thread."""
        with listener:
            listener.listen(_QUEUE)
            server = KeepAliveServer(self.host, self.wsgi_application(), listener)
        self.server = server
        self.port = server.port
        self.server_thread = threading.Thread(target=self.thread_target, daemon=True)
        self.server_thread.start()

    def wsgi_application(self) -> WSGIApplication:
        """What answers the requests: pytest-httpserver's handlers."""
        return Request.application(self.application)

    def application(self, request: Request) -> Response:
        """What pytest-httpserver's handlers answer; unlike there, nothing is appended to a log that only grows."""
        return self.dispatch(request)

    def connections(self) -> int:
        """How many connections are open."""
        return self.server.connections() if isinstance(self.server, KeepAliveServer) else 0
