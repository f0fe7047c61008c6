"""Servers that the client is tried against: the fake Go, and scripts that write bytes on a socket."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Script = Callable[[socket.socket], object]

BLOCKS = tuple(Block(f"r{n}", n, f"label {n}", "tool", f"content {n}\n", 1790000000 + n) for n in range(1, 36))


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo(BLOCKS)) as server:
        yield server


@pytest.fixture
def server(running: FakeGoServer) -> FakeGoServer:
    """One running server, as good as new."""
    running.fake.load(BLOCKS)
    return running


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


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], ScriptedServer]]:
    servers: list[ScriptedServer] = []

    def start(script: Script) -> ScriptedServer:
        servers.append(ScriptedServer(script))
        return servers[-1]

    yield start
    for one in servers:
        one.close()
