"""A server that gives one side of a scene: answers by path, or as an MCP server does. Only the standard library."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from habits import send_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Speaks = Callable[[dict[str, Any], dict[str, Any], str], tuple[int | None, str | None]]

HANG: Final = 130
"""Seconds: longer than every deadline that a peer has by default."""


def ended(handler: BaseHTTPRequestHandler, scene: dict[str, Any], side: str, at: int) -> bool:
    """Whether the candidate ends in the place of this answer; then it has."""
    if side != "actual" or not scene["ends"] or at != len(scene["actual"]) - 1:
        return False
    if scene["ends"] == "hangs":
        time.sleep(HANG)
    handler.close_connection = True
    handler.connection.close()
    return True


@contextmanager
def serving(scene: dict[str, Any], side: str, rpc: Speaks | None = None) -> Iterator[str]:
    """The URL of a server. With ``rpc`` (message, scene, side) → (step, body), it speaks JSON-RPC at /mcp."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0" if side == "actual" and scene["habit"] == "http-1.0" else "HTTP/1.1"

        def do_POST(self) -> None:
            said = self.rfile.read(int(self.headers["content-length"]))
            at: int | None
            body: str | None
            if rpc is None:
                at = int(self.path.strip("/"))
                body = scene[side][at]["body"]
            else:
                at, body = rpc(json.loads(said), scene, side)
            if body is None:
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif at is None or not ended(self, scene, side, at):
                send_body(self, body.encode("utf-8", "surrogatepass"), scene["habit"] if side == "actual" else "")

        def do_DELETE(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request: object, client_address: object) -> None:
            """A connection that was closed on purpose."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
