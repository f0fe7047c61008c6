"""The wire to Go, over real sockets: timeouts, bounds, reuse, and nothing from the environment (facade.md)."""

from __future__ import annotations

import gzip
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from wire_clients import ScriptedServer, descriptors, wait_for

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.facade.transport import HttpTransport, Reply
from parity.tools.interface import Block, GoUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wire_clients import Script

    Start = Callable[[Script], ScriptedServer]

ONE = "/internal/v1/recall/block?seq=1"
ALL = "/internal/v1/recall/blocks"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo()) as server:
        yield server


@pytest.fixture
def server(running: FakeGoServer) -> FakeGoServer:
    """One running server, as good as new."""
    running.fake.load(Block(f"r{n}", n, f"label {n}", "tool", f"content {n}\n", 1790000000 + n) for n in range(1, 36))
    return running


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], ScriptedServer]]:
    servers: list[ScriptedServer] = []

    def start(script: Script) -> ScriptedServer:
        servers.append(ScriptedServer(script))
        return servers[-1]

    yield start
    for one in servers:
        one.close()


@pytest.fixture
def transport(server: FakeGoServer) -> Iterator[HttpTransport]:
    """One with the timeouts it has by itself: no answer that comes is ever too late for it."""
    with HttpTransport(server.url) as made:
        yield made


def request_of(connection: socket.socket, end: bytes = b"\r\n\r\n") -> bytes:
    """One request, as it came, up to ``end``."""
    received = b""
    while not received.endswith(end):
        piece = connection.recv(65536)
        if not piece:
            break
        received += piece
    return received


def answering(*answers: bytes) -> Script:
    """One request and one answer after the other on a connection, which then ends."""

    def script(connection: socket.socket) -> None:
        for answer in answers:
            request_of(connection)
            connection.sendall(answer)

    return script


def reason(transport: HttpTransport, method: str = "GET", target: str = ONE, body: bytes | None = None) -> str:
    with pytest.raises(GoUnavailable) as caught:
        transport.request(method, target, body)
    return caught.value.reason


def test_an_answer_comes_with_status_type_and_body(transport: HttpTransport) -> None:
    answer = transport.request("GET", ONE)
    assert (answer.status, answer.content_type) == (200, "application/json")
    assert answer.body.startswith(b'{"id":"r1","seq":1,')


def test_an_answer_without_a_content_type_has_an_empty_one(scripted: Start) -> None:
    server = scripted(answering(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ONE) == Reply(404, "", b"")


def test_the_target_and_the_headers_leave_exactly_as_given(scripted: Start) -> None:
    seen: list[bytes] = []

    def script(connection: socket.socket) -> None:
        seen.append(request_of(connection))
        connection.sendall(OK)

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        transport.request("GET", "/a%2Fb/../c?seq=%zz;#x")
    host = server.url.removeprefix("http://")
    assert seen[0].decode().split("\r\n") == [
        "GET /a%2Fb/../c?seq=%zz;#x HTTP/1.1",
        f"Host: {host}",
        "accept: application/json",
        "accept-encoding: identity",
        "",
        "",
    ]


def test_a_post_sends_its_body_with_its_length_and_type(scripted: Start) -> None:
    seen: list[bytes] = []

    def script(connection: socket.socket) -> None:
        seen.append(request_of(connection, b"}"))
        connection.sendall(OK)

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        transport.request("POST", "/x", b'{"a":1}')
    assert b"content-type: application/json\r\n" in seen[0]
    assert b"Content-Length: 7\r\n" in seen[0]


def test_a_large_body_arrives_whole(server: FakeGoServer, transport: HttpTransport) -> None:
    received: list[bytes] = []

    def store(body: bytes) -> bytes:
        received.append(body)
        return b'{"ok":false}'

    server.fake.serve_keepimg(lambda: b"{}", store)
    body = os.urandom(300_000)
    assert transport.request("POST", "/internal/v1/turn/keepimg/store", body).status == 200
    assert received == [body]


def test_proxies_of_the_environment_are_ignored(server: FakeGoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        proxy = f"http://127.0.0.1:{closed.getsockname()[1]}"
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ONE).status == 200
    assert server.fake.take_requests() == [f"GET {ONE}"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: FakeGoServer, transport: HttpTransport, status: int) -> None:
    server.fake.fault(faults.redirect(server.url + ALL, status))
    assert transport.request("GET", ONE).status == status
    assert server.fake.take_requests() == [f"GET {ONE}"]


def test_a_cookie_is_not_sent_back(scripted: Start) -> None:
    seen: list[bytes] = []

    def script(connection: socket.socket) -> None:
        for _ in range(2):
            seen.append(request_of(connection))
            connection.sendall(OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b\r\n\r\n"))

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        for _ in range(2):
            transport.request("GET", ONE)
    assert len(seen) == 2
    assert b"cookie" not in seen[1].lower()


def test_a_thousand_requests_use_one_connection(scripted: Start) -> None:
    server = scripted(answering(*[OK] * 1000))
    with HttpTransport(server.url) as transport:
        for _ in range(1000):
            transport.request("GET", ONE)
    assert server.accepted == 1


def test_refused_connections_are_no_answer_and_end_when_they_do(server: FakeGoServer, transport: HttpTransport) -> None:
    server.fake.fault(faults.REFUSE)
    assert reason(transport) == "no connection to Go (Connection refused)"
    server.fake.faults.clear()
    assert transport.request("GET", ONE).status == 200


def test_a_host_without_an_address_is_no_answer() -> None:
    with HttpTransport("http://name.invalid") as transport:
        assert reason(transport).startswith("no connection to Go (")


def test_a_connection_that_is_not_accepted_ends_with_the_connect_timeout() -> None:
    with socket.socket() as full, HttpTransport(url_of(full), connect=0.1) as transport:
        waiting = [socket.create_connection(full.getsockname())]
        try:
            assert reason(transport) == "no connection to Go within 0.1 s"
        finally:
            for one in waiting:
                one.close()


def url_of(full: socket.socket) -> str:
    """A listener whose queue holds one connection and is never emptied."""
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    return f"http://127.0.0.1:{full.getsockname()[1]}"


def test_a_server_that_hangs_ends_with_the_read_timeout(server: FakeGoServer) -> None:
    server.fake.fault(faults.hang())
    started = time.monotonic()
    with HttpTransport(server.url, read=0.2) as transport:
        assert reason(transport) == "nothing came from Go for 0.2 s"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("headers", [False, True], ids=["body", "headers"])
def test_a_slow_drip_ends_with_the_total_deadline(server: FakeGoServer, headers: bool) -> None:  # noqa: FBT001 - a case
    server.fake.fault(faults.drip(0.2, headers=headers))
    started = time.monotonic()
    with HttpTransport(server.url, total=0.5) as transport:
        assert reason(transport) == "Go's answer was not complete within 0.5 s"
    assert 0.5 <= time.monotonic() - started < 5, "the whole drip would have taken more than 18 s"


def test_an_endless_row_of_interim_answers_ends_with_the_total_deadline(scripted: Start) -> None:
    def script(connection: socket.socket) -> None:
        request_of(connection)
        while True:
            connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10)

    server = scripted(script)
    with HttpTransport(server.url, total=0.3) as transport:
        assert reason(transport) == "Go's answer was not complete within 0.3 s"


def test_a_server_that_does_not_read_ends_with_the_deadline(scripted: Start) -> None:
    ended = threading.Event()
    server = scripted(lambda _: ended.wait(5))
    with HttpTransport(server.url, read=10, total=0.3) as transport:
        assert reason(transport, "POST", "/x", b"x" * 30_000_000) == "Go's answer was not complete within 0.3 s"
    ended.set()


def test_a_drip_that_ends_in_time_is_an_answer(server: FakeGoServer, transport: HttpTransport) -> None:
    server.fake.fault(faults.drip(0.001, headers=True), times=1)
    slow = transport.request("GET", ONE)
    assert slow == transport.request("GET", ONE)


@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        (faults.close_half_way(), "Go's answer was cut off or is not HTTP"),
        (faults.close_half_way(reset=True), "the connection to Go broke (Connection reset by peer)"),
        (faults.close_at_once(), "Go closed the connection without an answer"),
        (faults.close_at_once(reset=True), "Go closed the connection without an answer"),
    ],
    ids=["half-way", "half-way reset", "at once", "at once reset"],
)
def test_a_connection_closed_before_the_end_is_no_answer(
    server: FakeGoServer, transport: HttpTransport, fault: faults.Fault, clause: str
) -> None:
    server.fake.fault(fault)
    # A reset may overtake what was sent before it; then there is no answer at all.
    assert reason(transport) in {clause, "Go closed the connection without an answer"}


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 1000, b"HTTP/1.1 200 OK\r\nA: " + b"x" * 200_000],
    ids=["another protocol", "no status", "zeros", "endless header"],
)
def test_what_is_not_http_is_no_answer(scripted: Start, answer: bytes) -> None:
    server = scripted(answering(answer))
    with HttpTransport(server.url) as transport:
        assert reason(transport) in {
            "Go's answer was cut off or is not HTTP",
            "the connection to Go broke (Connection reset by peer)",
        }


def test_a_body_without_a_length_ends_with_the_connection(scripted: Start) -> None:
    server = scripted(answering(b"HTTP/1.0 200 OK\r\n\r\n[]"))
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ALL).body == b"[]"


def test_a_body_in_chunks_is_put_together(scripted: Start) -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n"
    server = scripted(answering(chunks))
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ALL).body == b"[]"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "identity, gzip", "GZIP"])
def test_a_compressed_body_is_no_answer(scripted: Start, coding: str) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(bomb)}\r\n\r\n"
    server = scripted(answering(head.encode() + bomb))
    with HttpTransport(server.url) as transport:
        assert reason(transport) == "Go's answer is compressed, which was not asked for"


@pytest.mark.parametrize("coding", ["", " ", "identity", "Identity"])
def test_a_body_that_says_it_is_not_compressed_is_an_answer(scripted: Start, coding: str) -> None:
    server = scripted(answering(OK.replace(b"\r\n\r\n", f"\r\nContent-Encoding: {coding}\r\n\r\n".encode())))
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ONE).body == b"{}"


def test_a_body_of_exactly_the_limit_is_an_answer_and_one_byte_more_is_none(scripted: Start) -> None:
    body = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    server = scripted(answering(body % 1000 + b"x" * 1000, body % 1001 + b"x" * 1001))
    with HttpTransport(server.url, limit=1000) as transport:
        assert len(transport.request("GET", ONE).body) == 1000
        assert reason(transport) == "Go's answer is larger than 1000 bytes"


def test_a_body_over_the_limit_is_not_read_to_its_end(scripted: Start) -> None:
    sent = [0]

    def script(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            sent[0] += connection.send(b"x" * 65536)

    server = scripted(script)
    with HttpTransport(server.url, limit=1_000_000) as transport:
        assert reason(transport) == "Go's answer is larger than 1000000 bytes"
    assert sent[0] < 50_000_000


def test_a_stale_connection_costs_a_get_one_more_try(scripted: Start) -> None:
    # The end of the connection comes after the second request was read: no look beforehand could have told.
    def script(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(OK)
        request_of(connection)

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        assert transport.request("GET", ONE).body == b"{}"
        assert transport.request("GET", ONE).body == b"{}"
    assert server.accepted == 2


def test_a_get_is_tried_again_only_once(scripted: Start) -> None:
    turns = iter(range(10))

    def script(connection: socket.socket) -> None:
        request_of(connection)
        if next(turns) == 0:
            connection.sendall(OK)
            request_of(connection)

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        transport.request("GET", ONE)
        assert reason(transport) == "Go closed the connection without an answer"
    assert server.accepted == 2


def test_a_post_is_never_sent_twice(scripted: Start) -> None:
    def script(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(OK)
        request_of(connection)

    server = scripted(script)
    with HttpTransport(server.url) as transport:
        transport.request("POST", ONE)
        assert reason(transport, "POST") == "Go closed the connection without an answer"
    assert server.accepted == 1


def test_a_get_whose_answer_had_begun_is_not_sent_twice(scripted: Start) -> None:
    server = scripted(answering(OK, OK[:-1]))
    with HttpTransport(server.url) as transport:
        transport.request("GET", ONE)
        assert reason(transport) == "Go's answer was cut off or is not HTTP"
    assert server.accepted == 1


def test_what_is_left_over_from_one_answer_is_not_taken_for_the_next(scripted: Start) -> None:
    server = scripted(answering(OK + OK.replace(b"{}", b"[]"), b""))
    with HttpTransport(server.url) as transport:
        first, second = transport.request("GET", ONE), transport.request("GET", ONE)
    assert (first.body, second.body) == (b"{}", b"{}")


@pytest.mark.parametrize("target", ["/a b", "/\r\nX: y", "/é"])
def test_a_target_that_cannot_be_written_is_no_answer(transport: HttpTransport, target: str) -> None:
    assert reason(transport, target=target) == "the request cannot be written as HTTP"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "https://127.0.0.1",
        "ftp://127.0.0.1",
        "http://",
        "http://:80",
        "http://user@host",
        "http://user:secret@host",
        "http://host/path",
        "http://host?query",
        "http://host#fragment",
        "http://host:99999",
        "http://host:0",
        "http://host:x",
        "http://[::1",
        "http://a b",
        "http://\x00",
    ],
)
def test_a_url_that_is_not_a_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not the URL of a server"):
        HttpTransport(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1", "http://localhost:1/", "http://[::1]:8080", "HTTP://Host"])
def test_the_url_of_a_server_is_taken(url: str) -> None:
    HttpTransport(url).close()


def test_thousands_of_calls_leave_no_thread_descriptor_or_connection_behind(server: FakeGoServer) -> None:
    with HttpTransport(server.url) as transport:
        transport.request("GET", ONE)
    wait_for(lambda: server.connections() == 0)
    threads, files = threading.active_count(), descriptors()
    for fault in (faults.hang(), faults.close_half_way(), faults.close_at_once(reset=True), faults.drip(0.05)):
        server.fake.fault(fault, times=5)
        with HttpTransport(server.url, read=0.05, total=0.1) as transport:
            for _ in range(5):
                with pytest.raises(GoUnavailable):
                    transport.request("GET", ALL)
        with HttpTransport(server.url) as transport:
            for _ in range(500):
                transport.request("GET", ONE)
    wait_for(lambda: server.connections() == 0 and threading.active_count() <= threads)
    left = (server.connections(), threading.active_count() - threads, descriptors() - files)
    assert left == (0, 0, 0), "connections {}, threads {:+}, descriptors {:+} after 2,020 calls".format(*left)


def test_threads_share_one_transport(server: FakeGoServer) -> None:
    wrong: list[Reply] = []

    def ask(seq: int) -> None:
        answers = [shared.request("GET", f"/internal/v1/recall/block?seq={seq}") for _ in range(50)]
        wrong.extend(answer for answer in answers if f'"seq":{seq},'.encode() not in answer.body)

    with HttpTransport(server.url) as shared:
        threads = [threading.Thread(target=ask, args=(seq,)) for seq in range(1, 9)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert wrong == []
