"""The other end of a connection, byte by byte: a client for the servers, and a server for the clients."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

Script: TypeAlias = "Callable[[socket.socket], object]"


def descriptors() -> int:
    """How many files and sockets this process holds open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - only their number


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until ``condition`` holds. Raises AssertionError after 10 seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen within 10 s"
        time.sleep(0.005)


class RawClient:
    """One connection; requests leave as the bytes they are, answers are read one by one."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").rpartition(":")
        self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout=10)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(self, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
        """Status, headers by lower-case name, body. Raises http.client.HTTPException or OSError if none comes."""
        response = http.client.HTTPResponse(self.socket, method=method)
        response.begin()
        body = response.read()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, body

    def ask(self, target: bytes, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
        self.send(method.encode() + b" " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        return self.answer(method)

    def ended(self) -> bool:
        """Whether the server has ended the connection (waits for it)."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self.socket.close()


class ScriptedServer:
    """Runs a script on each accepted connection, in a thread; the connection is closed after it."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.accepted = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                if self._ended.is_set():
                    connection.close()
                    return
                self.accepted += 1
                with connection, contextlib.suppress(OSError):
                    self._script(connection)

    def close(self) -> None:
        self._ended.set()
        with socket.create_connection(self._listener.getsockname()):
            self._thread.join(5)
        self._listener.close()
