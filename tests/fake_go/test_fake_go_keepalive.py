"""Requests as bytes on a kept connection: what is taken, what is refused, what is left behind."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from pytest_httpserver import URI_DEFAULT, HTTPServerError
from werkzeug.wrappers import Request, Response
from wire_clients import RawClient, descriptors

from fake_go import incoming
from fake_go.app import FakeGo
from fake_go.keepalive import KeepAliveHTTPServer, bound
from fake_go.server import FakeGoServer, UnexpectedRequestError
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Handler = Callable[[Request], Response]
    Serve = Callable[[Handler], RawClient]

ONE = b"/internal/v1/recall/block?seq=1"


@pytest.fixture
def fake() -> FakeGo:
    return FakeGo([Block("r1", 1, "one", "tool", "first", 1790000001)])


@pytest.fixture
def server(fake: FakeGo) -> Iterator[FakeGoServer]:
    running = FakeGoServer(fake)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def raw(server: FakeGoServer) -> Iterator[RawClient]:
    client = RawClient(server.url)
    yield client
    client.close()


@pytest.fixture
def served() -> Iterator[Serve]:
    """Serves a handler and gives a client of it."""
    servers: list[KeepAliveHTTPServer] = []
    clients: list[RawClient] = []

    def start(handler: Handler) -> RawClient:
        http = KeepAliveHTTPServer()
        http.expect_request(URI_DEFAULT).respond_with_handler(handler)
        http.start()
        servers.append(http)
        clients.append(RawClient(http.url_for("").removesuffix("/")))
        return clients[-1]

    yield start
    for client in clients:
        client.close()
    for http in servers:
        http.stop()


def echo(request: Request) -> Response:
    return Response(request.get_data(), headers={"X-Target": request.environ["RAW_URI"]})


def test_a_connection_serves_request_after_request(raw: RawClient, server: FakeGoServer) -> None:
    assert {raw.ask(ONE)[0] for _ in range(1000)} == {200}
    assert server.connections() == 1


def test_requests_sent_together_are_answered_one_after_the_other(raw: RawClient) -> None:
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n" + b"GET /x HTTP/1.1\r\n\r\n")
    raw.socket.settimeout(10)
    received = b""
    while not received.endswith(b'"}'):
        received += raw.socket.recv(65536)
    assert [line for line in received.split(b"\r\n") if line.startswith(b"HTTP")] == [b"HTTP/1.1 200 OK"]
    assert b"HTTP/1.1 404 Not Found\r\n" in received


@pytest.mark.parametrize(
    "head",
    [
        b"GET " + ONE + b" HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET " + ONE + b" HTTP/1.1\r\nconnection: Close\r\n\r\n",
        b"GET " + ONE + b" HTTP/1.0\r\n\r\n",
        b"GET " + ONE + b" HTTP/1.0\n\n",
    ],
)
def test_a_connection_ends_after_the_answer_when_the_client_wants_it(raw: RawClient, head: bytes) -> None:
    raw.send(head)
    status, headers, _ = raw.answer()
    assert (status, headers["connection"]) == (200, "close")
    assert raw.ended()


@pytest.mark.parametrize("target", [b"/\xff\xa0\x85?a=\xc3\xa9", b"/a%2Fb//c?x=%zz;#y", b"//x", b"*", b"http://h/p?q"])
def test_the_application_sees_the_targets_own_bytes(served: Serve, target: bytes) -> None:
    status, headers, _ = served(echo).ask(target)
    assert (status, headers["x-target"].encode("latin-1")) == (200, target)


def test_the_query_strings_of_a_kept_connection_reach_the_routes_untouched(raw: RawClient) -> None:
    targets = [b"seq=%zz&seq=1", b"seq=1;seq=2", b"seq=\xff", b"seq=1#frag", b"seq=%31", b"SEQ=1"]
    statuses = [raw.ask(b"/internal/v1/recall/block?" + target)[0] for target in targets]
    assert statuses == [200, 400, 400, 400, 200, 400]


def test_a_body_comes_whole_by_its_length_or_in_chunks(
    served: Serve,
) -> None:
    client = served(echo)
    body = os.urandom(200_000)
    client.send(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert client.answer()[2] == body
    client.send(
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA \r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
    )
    assert client.answer()[2] == b"abc0123456789"


def test_a_client_that_asks_before_it_sends_is_told_to_go_on(
    served: Serve,
) -> None:
    client = served(echo)
    client.send(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert client.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(b"ok")
    assert client.answer()[2] == b"ok"


def test_headers_reach_the_application(served: Serve) -> None:
    def handler(request: Request) -> Response:
        return Response(f"{request.headers['X-A']}|{request.content_type}|{request.remote_addr}")

    client = served(handler)
    client.send(b"GET / HTTP/1.1\r\nX-A: 1 \r\nx-a:\t2\r\nContent-Type: text/x\r\n\r\n")
    assert client.answer()[2] == b"1,2|text/x|127.0.0.1"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET / \r\n\r\n", 400),
        (b"GET /a b HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 400),
        (b"G(T / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n folded: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n", 413),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 101 + b"\r\n", 431),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_is_not_http_is_refused_and_ends_the_connection(raw: RawClient, request_bytes: bytes, status: int) -> None:
    raw.send(request_bytes)
    got, headers, body = raw.answer()
    assert (got, headers["connection"], body) == (status, "close", b"")
    raw.socket.shutdown(socket.SHUT_WR)
    assert raw.ended()


@pytest.mark.parametrize("part", [b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", b"GET /"])
def test_a_request_that_stops_in_the_middle_ends_the_connection(raw: RawClient, part: bytes) -> None:
    raw.send(part)
    raw.socket.shutdown(socket.SHUT_WR)
    assert raw.answer()[0] == 400
    assert raw.ended()


def test_a_refused_client_that_goes_on_sending_still_reads_why(raw: RawClient) -> None:
    raw.send(b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n" + b"x" * 1_000_000)
    assert raw.answer()[0] == 413


def test_a_refused_client_that_never_stops_sending_is_cut_off(raw: RawClient) -> None:
    raw.send(b"nonsense\r\n")
    with pytest.raises(OSError, match=r"reset|Broken pipe"):
        send_for_ever(raw)


def send_for_ever(raw: RawClient) -> None:
    while True:
        raw.send(b"x" * 65536)


def test_a_reader_at_its_end_gives_no_request() -> None:
    assert incoming.read(io.BytesIO(b""), lambda _: None) is None


def test_a_handler_that_raises_is_a_500_that_is_kept_for_the_check(fake: FakeGo) -> None:
    def broken() -> bytes:
        message = "no state"
        raise RuntimeError(message)

    fake.serve_keepimg(broken, lambda _: None)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(FakeGoServer(fake))
        client = RawClient(server.url)
        assert client.ask(b"/internal/v1/turn/keepimg")[0] == 500
        assert client.ask(ONE)[0] == 200
        client.close()
        with pytest.raises(RuntimeError, match="no state"):
            stack.close()


def test_an_answer_to_head_has_no_body(raw: RawClient) -> None:
    status, headers, body = raw.ask(ONE, "HEAD")
    assert (status, body) == (405, b"")
    assert int(headers["content-length"]) > 0
    assert raw.ask(ONE)[0] == 200


def pieces(_request: Request) -> Response:
    return Response((piece for piece in (b"data: 1\n\n", b"", b"data: 2\n\n")), content_type="text/event-stream")


def test_a_body_that_comes_bit_by_bit_is_sent_in_chunks(
    served: Serve,
) -> None:
    client = served(pieces)
    for _ in range(2):
        status, headers, body = client.ask(b"/")
        assert (status, headers["transfer-encoding"], body) == (200, "chunked", b"data: 1\n\ndata: 2\n\n")
    assert client.ask(b"/", "HEAD")[2] == b""
    client.send(b"GET / HTTP/1.0\r\n\r\n")
    status, headers, body = client.answer()
    assert (status, "transfer-encoding" in headers, body) == (200, False, b"data: 1\n\ndata: 2\n\n")


def test_pytest_httpserver_keeps_no_log() -> None:
    http = KeepAliveHTTPServer()
    assert http.connections() == 0
    http.expect_request(URI_DEFAULT).respond_with_handler(echo)
    with http:
        client = RawClient(http.url_for("").removesuffix("/"))
        for _ in range(10):
            client.ask(b"/")
        assert http.connections() == 1
        client.close()
    assert http.log == []


def test_a_server_that_runs_is_not_started_again(fake: FakeGo) -> None:
    with FakeGoServer(fake) as server, pytest.raises(HTTPServerError, match="already running"):
        server.start()


def test_a_port_that_is_taken_is_an_error_of_the_system(server: FakeGoServer) -> None:
    with pytest.raises(OSError, match="in use"):
        FakeGoServer(FakeGo(), port=int(server.url.rpartition(":")[2])).start()


def test_an_address_that_is_not_ours_cannot_be_bound() -> None:
    with pytest.raises(OSError, match="assign"):
        bound("192.0.2.1", 0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])  # noqa: S104 - what must be refused
def test_a_host_that_is_not_loopback_is_refused(fake: FakeGo, host: str) -> None:
    with pytest.raises(ValueError, match="is not loopback"):
        FakeGoServer(fake, host)


@pytest.mark.parametrize("host", ["localhost", "::1"])
def test_the_other_names_of_loopback_are_served(fake: FakeGo, host: str) -> None:
    with FakeGoServer(fake, host) as server:
        client = RawClient(server.url)
        assert client.ask(ONE)[0] == 200
        client.close()


def test_leaving_the_block_fails_on_requests_that_were_not_expected(fake: FakeGo) -> None:
    with contextlib.ExitStack() as stack:
        client = RawClient(stack.enter_context(FakeGoServer(fake)).url)
        client.ask(b"/x")
        client.ask(b"/y\x01")
        client.close()
        with pytest.raises(UnexpectedRequestError, match=r"^not expected: GET /x, GET /y\\x01$"):
            stack.close()


def test_an_error_in_the_block_is_not_hidden_by_unexpected_requests(fake: FakeGo) -> None:
    server = FakeGoServer(fake)
    server.start()
    fake.respond("GET", b"/x", b"")
    server.__exit__(KeyError, KeyError(), None)
    assert fake.take_unexpected() == ["GET /x"]


def test_stopping_takes_less_than_20_milliseconds_and_leaves_nothing_behind(fake: FakeGo) -> None:
    with FakeGoServer(fake) as server:
        client = RawClient(server.url)
        client.ask(ONE)
        client.close()
    threads, files = threading.active_count(), descriptors()
    times = []
    for _ in range(50):
        server = FakeGoServer(fake)
        server.start()
        clients = [RawClient(server.url) for _ in range(3)]
        for client in clients:
            client.ask(ONE)
        started = time.monotonic()
        server.stop()
        times.append(time.monotonic() - started)
        for client in clients:
            client.close()
    left = threading.active_count() - threads, descriptors() - files
    assert left == (0, 0), "threads {:+}, descriptors {:+} after 50 servers".format(*left)
    assert sorted(times)[25] < 0.02, f"the median stop took {sorted(times)[25] * 1000:.1f} ms"


def test_stopping_a_server_that_does_not_run_is_fine(fake: FakeGo) -> None:
    FakeGoServer(fake).stop()
