"""A server that gives one side of a scene: plain answers by path, or the answers of an MCP server. Standard library only."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from habits import send_body

HANG = 130
"""Seconds: longer than every deadline that a peer has by default."""


def ended(handler: BaseHTTPRequestHandler, scene: dict, side: str, at: int) -> bool:
    """Whether the candidate ends in the place of this answer; then it has."""
    if side != "actual" or not scene["ends"] or at != len(scene["actual"]) - 1:
        return False
    if scene["ends"] == "hangs":
        time.sleep(HANG)
    handler.close_connection = True
    handler.connection.close()
    return True


@contextmanager
def serving(scene: dict, side: str, rpc=None):
    """The URL of a server. With ``rpc`` (message, scene, side) → (step, body), it speaks JSON-RPC at /mcp."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0" if side == "actual" and scene["habit"] == "http-1.0" else "HTTP/1.1"

        def do_POST(self):
            said = self.rfile.read(int(self.headers["content-length"]))
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

        def do_DELETE(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request, address):
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
