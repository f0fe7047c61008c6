"""How many requests a second the fake Go answers, beside a bare pytest-httpserver that sends the same bytes.

Not a test: run it as ``python tests/fake_go/benchmark_throughput.py``. Both servers keep their connections, so the
difference is what routing, recording and faults cost. The rounds alternate; the ratio is the median of the pairs.
"""

from __future__ import annotations

import http.client
import statistics
import sys
import time
from typing import TYPE_CHECKING

import httpx
from pytest_httpserver import URI_DEFAULT
from werkzeug.wrappers import Response

from fake_go.app import FakeGo
from fake_go.keepalive import KeepAliveHTTPServer
from fake_go.server import FakeGoServer
from parity.facade.transport import HttpTransport
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Callable

TARGET = "/internal/v1/recall/block?seq=7"
ROUNDS = 60
REQUESTS = 100


def rates(ask: Callable[[], object], clock: Callable[[], float]) -> float:
    """Requests a second over one round, by ``clock``."""
    started = clock()
    for _ in range(REQUESTS):
        ask()
    return REQUESTS / (clock() - started)


def line(name: str, fake: Callable[[], object], bare: Callable[[], object]) -> str:
    """One line of the table."""
    wall = [(rates(fake, time.perf_counter), rates(bare, time.perf_counter)) for _ in range(ROUNDS)]
    work = [rates(fake, time.process_time) / rates(bare, time.process_time) for _ in range(ROUNDS)]
    best = "{:6.0f} {:6.0f}".format(*(max(column) for column in zip(*wall, strict=True)))
    ratio = statistics.median(first / second for first, second in wall)
    return f"{name:14} {best} {ratio:7.1%} {statistics.median(work):7.1%}\n"


def ask_plainly(url: str) -> Callable[[], object]:
    """The standard library's client: the least that a client can cost."""
    connection = http.client.HTTPConnection(url.removeprefix("http://").removesuffix("/"))

    def ask() -> bytes:
        connection.request("GET", TARGET)
        return connection.getresponse().read()

    return ask


def main() -> None:
    """Measure and print."""
    fake = FakeGo(Block(f"r{n}", n, f"label {n}", "tool", "content " * 50, n) for n in range(1, 36))
    body = fake.respond("GET", TARGET.encode(), b"").body
    bare = KeepAliveHTTPServer()
    bare.expect_request(URI_DEFAULT).respond_with_handler(lambda _: Response(body, content_type="application/json"))
    sys.stdout.write("client           fake   bare    wall     cpu\n")
    with FakeGoServer(fake) as server, bare:
        urls = server.url, bare.url_for("").removesuffix("/")
        transports = [HttpTransport(url) for url in urls]
        clients = [httpx.Client(base_url=url, trust_env=False) for url in urls]
        ours = [lambda one=one: one.request("GET", TARGET) for one in transports]
        theirs = [lambda one=one: one.get(TARGET).content for one in clients]
        for name, pair in (("HttpTransport", ours), ("httpx.Client", theirs)):
            sys.stdout.write(line(name, *pair))
        sys.stdout.write(line("http.client", *map(ask_plainly, urls)))
        for transport in transports:
            transport.close()
        for client in clients:
            client.close()


if __name__ == "__main__":
    main()
