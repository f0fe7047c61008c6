"""Every way to misbehave, as bytes on a real socket (facade.md, Go's routes)."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from wire_clients import RawClient, wait_for

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.faults import REFUSE, Faults
from fake_go.reply import Reply
from fake_go.routes import BLOCK, BLOCKS
from fake_go.server import FakeGoServer
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = Block("r1", 1, "one", "tool", "<first>", 1790000001)
ONE = b"/internal/v1/recall/block?seq=1"
ALL = b"/internal/v1/recall/blocks"
BODY = b'{"id":"r1","seq":1,"label":"one","role":"tool","content":"\\u003cfirst\\u003e","created":1790000001}'


@pytest.fixture
def fake() -> FakeGo:
    return FakeGo([FIRST])


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


def test_without_a_fault_the_answer_is_gos(raw: RawClient) -> None:
    status, headers, body = raw.ask(ONE)
    assert (status, headers["content-type"], body) == (200, "application/json", BODY)


@pytest.mark.parametrize("status", [500, 503, 403])
def test_an_error_status_comes_with_a_marked_line_of_json(fake: FakeGo, raw: RawClient, status: int) -> None:
    fake.fault(faults.server_error(status))
    got, headers, body = raw.ask(ONE)
    assert (got, headers["x-loki-parity"]) == (status, "fake")
    assert list(json.loads(body)) == ["error"]


@pytest.mark.parametrize("status", [200, 404, 502])
def test_html_comes_with_its_type_and_a_page(fake: FakeGo, raw: RawClient, status: int) -> None:
    fake.fault(faults.html(status))
    got, headers, body = raw.ask(ONE)
    assert (got, headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert body.startswith(b"<!DOCTYPE html>")


def test_a_redirect_says_where_to(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.redirect("/x", 307))
    status, headers, _ = raw.ask(ONE)
    assert (status, headers["location"]) == (307, "/x")


def test_truncated_json_is_a_whole_answer_with_half_a_body(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.truncated())
    assert raw.ask(ONE)[2] == BODY[: len(BODY) // 2]


def test_a_wrong_shape_is_readable_json(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.wrong_shape())
    assert json.loads(raw.ask(ONE)[2]) == {"bloc": 1}


def test_a_lie_alters_the_answer_as_told(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.lie(lambda body: body.replace(b"one", b"two")), times=1)
    assert [raw.ask(ONE)[2] for _ in range(2)] == [BODY.replace(b"one", b"two"), BODY]


@pytest.mark.parametrize("reset", [False, True], ids=["clean", "reset"])
def test_closing_half_way_sends_half_of_the_body(fake: FakeGo, raw: RawClient, reset: bool) -> None:  # noqa: FBT001 - a case
    fake.fault(faults.close_half_way(reset=reset))
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    received, broken = b"", False
    try:
        while piece := raw.socket.recv(65536):
            received += piece
    except ConnectionResetError:
        broken = True
    assert broken is reset
    if not reset:
        head, _, body = received.partition(b"\r\n\r\n")
        assert b"Content-Length: %d" % len(BODY) in head
        assert body == BODY[: len(BODY) // 2]


@pytest.mark.parametrize("reset", [False, True], ids=["clean", "reset"])
def test_closing_at_once_sends_nothing(fake: FakeGo, raw: RawClient, reset: bool) -> None:  # noqa: FBT001 - a case
    fake.fault(faults.close_at_once(reset=reset))
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    try:
        assert raw.socket.recv(1) == b""
        assert not reset
    except ConnectionResetError:
        assert reset


def test_a_hang_sends_nothing_until_it_is_cleared_and_then_the_answer(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.hang())
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    raw.socket.settimeout(0.1)
    with pytest.raises(TimeoutError):
        raw.socket.recv(1)
    fake.faults.clear()
    raw.socket.settimeout(10)
    assert raw.answer()[2] == BODY


def test_a_hang_ends_by_itself_after_its_time(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.hang(0.05), times=1)
    started = time.monotonic()
    assert raw.ask(ONE)[2] == BODY
    assert time.monotonic() - started >= 0.05


def test_a_hang_ends_when_its_client_leaves(fake: FakeGo, server: FakeGoServer, raw: RawClient) -> None:
    fake.fault(faults.hang())
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    wait_for(lambda: bool(fake.take_requests()))
    raw.close()
    wait_for(lambda: server.connections() == 0)


def test_a_hang_ends_when_its_client_resets(fake: FakeGo, server: FakeGoServer, raw: RawClient) -> None:
    fake.fault(faults.hang())
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    wait_for(lambda: bool(fake.take_requests()))
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    raw.close()
    wait_for(lambda: server.connections() == 0)


def test_a_hang_and_a_drip_end_when_the_server_stops(fake: FakeGo, server: FakeGoServer, raw: RawClient) -> None:
    fake.fault(faults.hang(), route=BLOCK)
    fake.fault(faults.drip(60), route=BLOCKS)
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    other = socket.create_connection(raw.socket.getpeername())
    other.sendall(b"GET " + ALL + b" HTTP/1.1\r\n\r\n")
    wait_for(lambda: len(fake.take_requests()) == 2 or server.connections() == 2)
    started = time.monotonic()
    server.stop()
    assert time.monotonic() - started < 1
    other.close()


@pytest.mark.parametrize("headers", [False, True], ids=["body", "headers"])
def test_a_drip_sends_the_very_answer_byte_by_byte(fake: FakeGo, raw: RawClient, headers: bool) -> None:  # noqa: FBT001 - a case
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    whole = raw.socket.recv(65536)
    fake.fault(faults.drip(0.001, headers=headers))
    raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
    pieces: list[bytes] = []
    while len(b"".join(pieces)) < len(whole):
        pieces.append(raw.socket.recv(65536))
    assert b"".join(pieces) == whole
    assert len(pieces) > 20


def test_a_dripped_connection_serves_the_next_request(fake: FakeGo, raw: RawClient) -> None:
    fake.fault(faults.drip(0.0001), times=1)
    assert [raw.ask(ONE)[2] for _ in range(2)] == [BODY, BODY]


def test_refusing_closes_the_listener_and_every_connection_and_keeps_the_port(
    fake: FakeGo, server: FakeGoServer, raw: RawClient
) -> None:
    raw.ask(ONE)
    address = raw.socket.getpeername()
    fake.fault(REFUSE)
    assert fake.faults.refusing
    assert raw.ended()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(address)
    fake.faults.clear()
    with socket.create_connection(address) as again:
        again.sendall(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
        assert again.recv(15) == b"HTTP/1.1 200 OK"
    assert server.url.endswith(f":{address[1]}")


def test_refusing_twice_is_refusing(fake: FakeGo, raw: RawClient) -> None:
    address = raw.socket.getpeername()
    fake.fault(REFUSE)
    fake.fault(REFUSE)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    fake.faults.clear()
    fake.faults.clear()
    socket.create_connection(address).close()


def test_a_server_that_starts_while_refusing_refuses(fake: FakeGo, server: FakeGoServer) -> None:
    port = int(server.url.rpartition(":")[2])
    server.stop()
    fake.fault(REFUSE)
    server.start()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


@pytest.mark.parametrize(("route", "times"), [(BLOCK, None), (None, 1), (BLOCKS, 2)])
def test_a_refusal_has_no_route_and_cannot_be_counted(fake: FakeGo, route: str | None, times: int | None) -> None:
    with pytest.raises(ValueError, match="a refused connection has no route and cannot be counted"):
        fake.fault(REFUSE, route=route, times=times)


def test_a_fault_without_a_server_says_why_nothing_would_arrive(fake: FakeGo) -> None:
    def undelivered(fault: faults.Fault) -> str | None:
        fake.fault(fault, times=None)
        reply = fake.respond("GET", ONE, b"")
        fake.faults.clear()
        return reply.undelivered

    assert [
        undelivered(fault)
        for fault in (
            faults.hang(),
            faults.drip(),
            faults.close_half_way(),
            faults.close_at_once(),
            REFUSE,
            faults.truncated(),
        )
    ] == [
        "the fake Go hangs",
        "the fake Go answers byte by byte",
        "the fake Go closes the connection",
        "the fake Go closes the connection",
        "no connection to the fake Go (refused)",
        None,
    ]


def test_a_request_that_is_being_read_when_refusing_begins_gets_nothing(fake: FakeGo) -> None:
    fake.fault(REFUSE)
    delivery = fake.respond("GET", ONE, b"").delivery
    assert delivery is not None
    assert not delivery.play(None, b"", b"")  # type: ignore[arg-type]  # it must not touch the wire


def test_a_fault_is_played_as_often_as_it_was_planted_for(fake: FakeGo) -> None:
    planted = fake.fault(faults.server_error(), times=2)
    assert [fake.respond("GET", ONE, b"").status for _ in range(3)] == [500, 500, 200]
    assert (planted.played, planted.left) == (2, 0)


def test_a_fault_on_one_route_leaves_the_others_alone(fake: FakeGo) -> None:
    planted = fake.fault(faults.server_error(), route=BLOCKS)
    assert [fake.respond("GET", target, b"").status for target in (ONE, ALL)] == [200, 500]
    assert planted.played == 1


def test_a_lasting_fault_is_played_until_it_is_cleared(fake: FakeGo) -> None:
    planted = fake.fault(faults.server_error())
    assert [fake.respond("GET", ONE, b"").status for _ in range(3)] == [500, 500, 500]
    fake.faults.clear()
    assert fake.respond("GET", ONE, b"").status == 200
    assert planted.played == 3


def test_faults_are_played_one_per_request_in_the_order_they_were_planted(fake: FakeGo) -> None:
    fake.fault(faults.server_error(501), route=BLOCKS, times=1)
    fake.fault(faults.server_error(502), times=1)
    fake.fault(faults.server_error(503))
    assert [fake.respond("GET", target, b"").status for target in (ONE, ALL, ONE)] == [502, 501, 503]


def test_one_fault_can_be_planted_again_after_it_was_cleared(fake: FakeGo, raw: RawClient) -> None:
    fault = faults.hang()
    for _ in range(2):
        fake.fault(fault)
        raw.send(b"GET " + ONE + b" HTTP/1.1\r\n\r\n")
        raw.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            raw.socket.recv(1)
        raw.socket.settimeout(10)
        fake.faults.clear()
        assert raw.answer()[2] == BODY


def test_a_request_that_was_not_expected_gets_its_error_without_a_fault(fake: FakeGo) -> None:
    fake.fault(faults.html())
    assert fake.respond("GET", b"/nowhere", b"").status == 404


@pytest.mark.parametrize("times", [0, -1])
def test_a_fault_that_would_never_be_played_is_refused(fake: FakeGo, times: int) -> None:
    with pytest.raises(ValueError, match=rf"^a fault for {times} requests would never be played"):
        fake.fault(faults.hang(), times=times)


def test_a_fault_on_a_route_that_does_not_exist_is_refused(fake: FakeGo) -> None:
    with pytest.raises(ValueError, match=r"^no route is called 'bloc' "):
        fake.fault(faults.hang(), route="bloc")


def test_faults_without_a_watcher_are_planted_and_cleared() -> None:
    alone = Faults()
    states = [alone.refusing]
    for switch in (lambda: alone.plant(REFUSE), alone.clear):
        switch()
        states.append(alone.refusing)
    assert states == [False, True, False]
    reply = Reply(200, (), b"")
    assert alone.apply(BLOCK, reply) is reply
    assert reply.content_type == ""


def test_a_fault_can_be_switched_while_requests_come(fake: FakeGo, server: FakeGoServer) -> None:
    statuses: set[int] = set()
    ended = threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        while not ended.is_set():
            connection.request("GET", ONE.decode())
            response = connection.getresponse()
            response.read()
            statuses.add(response.status)
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(20):
        fake.fault(faults.server_error())
        time.sleep(0.005)
        fake.faults.clear()
        time.sleep(0.005)
    ended.set()
    thread.join()
    assert statuses == {200, 500}
