"""A fake Go, and an HTTP client that sends its bytes exactly as given."""

from __future__ import annotations

import http.client
import socket
from typing import TYPE_CHECKING

import pytest

from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCKS = (
    Block("r1", 1, "one", "tool", "<first>", 1790000001),
    Block("r3", 3, "three", "user", "third", 1790000003),
    Block("r7", 7, "seven", "tool", "seventh", 1790000007),
)


@pytest.fixture
def fake() -> FakeGo:
    return FakeGo(BLOCKS)


@pytest.fixture
def server(fake: FakeGo) -> Iterator[FakeGoServer]:
    running = FakeGoServer(fake)
    running.start()
    yield running
    running.stop()


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


@pytest.fixture
def raw(server: FakeGoServer) -> Iterator[RawClient]:
    client = RawClient(server.url)
    yield client
    client.close()
