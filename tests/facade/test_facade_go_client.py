"""Go's archive through every transport, against a fake Go that misbehaves in every way (facade.md, the host, 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.routes import BLOCK, BLOCKS
from fake_go.server import FakeGoServer
from parity.facade.go_client import GoClient
from parity.facade.transport import HttpTransport, MemoryTransport
from parity.tools.interface import Block, GoUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

LAST = 2**64 - 1
NASTY = (
    Block("r0", 0, "", "", "", 0),
    Block("r1", 1, "<a> & \u2028\u2029", "tool", 'quotes " and \\ and \x00\x1f\x7f', -1),
    Block("r2", 2, "tab\tnewline\n", "user", "é 😀 \ufffd \ufeff ÷ İ", 1790000000),
    Block(f"r{LAST}", LAST, "last", "tool", "x" * 100_000, 2**63 - 1),
)


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo()) as server:
        yield server


@pytest.fixture
def server(running: FakeGoServer) -> FakeGoServer:
    """One running server, as good as new."""
    running.fake.load(Block(f"r{n}", n, f"label {n}", "tool", f"content {n}\n", 1790000000 + n) for n in range(1, 36))
    return running


@pytest.fixture(params=["http", "memory"])
def client(request: pytest.FixtureRequest, server: FakeGoServer) -> Iterator[GoClient]:
    made = GoClient(MemoryTransport(server.fake) if request.param == "memory" else HttpTransport(server.url))
    yield made
    made.close()


EVERY_FAULT = [
    faults.server_error(500),
    faults.server_error(502),
    faults.server_error(503),
    faults.server_error(400),
    faults.server_error(403),
    faults.server_error(405),
    faults.redirect("/internal/v1/recall/blocks"),
    faults.html(200),
    faults.html(404),
    faults.html(404, "text/plain"),
    faults.html(502),
    faults.truncated(),
    faults.wrong_shape(),
    faults.wrong_shape(b"7"),
    faults.lie(lambda body: body + b"}"),
    faults.lie(lambda body: body.replace(b'"content"', b'"contents"')),
    faults.lie(lambda _: b"\xff"),
    faults.close_half_way(),
    faults.close_half_way(reset=True),
    faults.close_at_once(),
    faults.close_at_once(reset=True),
    faults.REFUSE,
]


@pytest.mark.parametrize("fault", EVERY_FAULT, ids=lambda fault: fault.name)
def test_go_is_unavailable_under_every_fault_and_answers_again_after_it(
    server: FakeGoServer, client: GoClient, fault: faults.Fault
) -> None:
    server.fake.fault(fault)
    for read in (lambda: client.block(7), client.blocks):
        with pytest.raises(GoUnavailable) as caught:
            read()
        assert caught.value.reason
        assert "\n" not in caught.value.reason
    server.fake.faults.clear()
    assert client.block(7) == Block("r7", 7, "label 7", "tool", "content 7\n", 1790000007)
    assert [block.seq for block in client.blocks().items] == list(range(1, 36))


@pytest.mark.parametrize("fault", [faults.hang(), faults.drip(0.2), faults.drip(0.2, headers=True)])
def test_go_is_unavailable_when_it_takes_too_long_and_answers_again_after_it(
    server: FakeGoServer, client: GoClient, fault: faults.Fault
) -> None:
    server.fake.fault(fault)
    impatient = client
    if isinstance(client.transport, HttpTransport):
        impatient = GoClient(HttpTransport(server.url, read=0.3, total=0.3))
    for read in (lambda: impatient.block(7), impatient.blocks):
        with pytest.raises(GoUnavailable):
            read()
    impatient.close()
    server.fake.faults.clear()
    assert client.block(7) is not None


def test_an_absent_block_is_none(client: GoClient) -> None:
    assert client.block(36) is None
    assert client.block(LAST) is None


def test_a_block_sealed_under_a_locked_memory_is_absent_from_both_reads(server: FakeGoServer, client: GoClient) -> None:
    server.fake.load(NASTY, sealed=[2], locked=True)
    assert client.block(2) is None
    assert client.blocks().items == (*NASTY[:2], NASTY[3])
    server.fake.locked = False
    assert client.block(2) == NASTY[2]
    assert client.blocks().items == NASTY


def test_blocks_with_every_awkward_text_arrive_as_they_are(server: FakeGoServer, client: GoClient) -> None:
    server.fake.load(NASTY)
    assert tuple(client.block(block.seq) for block in NASTY) == NASTY
    assert client.blocks().items == NASTY


def test_an_archive_without_a_block_is_an_empty_list(server: FakeGoServer, client: GoClient) -> None:
    server.fake.load(())
    assert client.blocks().items == ()


def test_every_read_is_a_request_even_when_its_answer_is_known(server: FakeGoServer, client: GoClient) -> None:
    first, second = client.blocks(), client.blocks()
    assert first is second
    assert client.block(1) is client.block(1)
    assert server.fake.take_requests() == [
        "GET /internal/v1/recall/blocks",
        "GET /internal/v1/recall/blocks",
        "GET /internal/v1/recall/block?seq=1",
        "GET /internal/v1/recall/block?seq=1",
    ]


def test_a_fault_on_one_route_leaves_the_other_alone(server: FakeGoServer, client: GoClient) -> None:
    server.fake.fault(faults.server_error(), route=BLOCKS)
    assert client.block(1) is not None
    with pytest.raises(GoUnavailable, match=r"^Go answered with status 500$"):
        client.blocks()


def test_a_lie_alters_one_answer_once(server: FakeGoServer, client: GoClient) -> None:
    planted = server.fake.fault(faults.lie(lambda body: body.replace(b"content 7", b"Content 7")), route=BLOCK, times=1)
    answers = [client.block(7), client.block(7)]
    assert [answer and answer.content for answer in answers] == ["Content 7\n", "content 7\n"]
    assert planted.played == 1


def test_the_memory_transport_sends_bodies_as_http_does() -> None:
    fake = FakeGo(NASTY[:1])
    transport = MemoryTransport(fake)
    answer = transport.request("POST", "/internal/v1/recall/archive", b'{"label":"l","role":"tool","content":"c"}')
    assert (answer.status, answer.content_type, answer.body) == (200, "application/json", b'{"id":"r1"}')
