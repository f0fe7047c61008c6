"""The archive as the port meets it: over real HTTP, through its own client and tools (facade.md, Go's routes)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from wire_clients import RawClient

from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.facade.host import NATIVE, Host, connected
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

LAST = 2**64 - 1
BLOCK = b"/internal/v1/recall/block"
BLOCKS = b"/internal/v1/recall/blocks"
ARCHIVE = b"/internal/v1/recall/archive"


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo(now=lambda: 1790000042)) as server:
        yield server


@pytest.fixture
def fake(running: FakeGoServer) -> FakeGo:
    """An archive of three blocks, the last one sealed."""
    running.fake.load((Block(f"r{n}", n, f"l{n}", "tool", f"c{n}", n) for n in (7, 2, 40)), sealed=[40])
    return running.fake


@pytest.fixture
def client(running: FakeGoServer, fake: FakeGo) -> Iterator[RawClient]:
    assert fake is running.fake
    made = RawClient(running.url)
    yield made
    made.close()


@pytest.fixture
def host(running: FakeGoServer, fake: FakeGo) -> Iterator[Host]:
    assert fake is running.fake
    with connected(running.url) as made:
        yield made


def archive(client: RawClient, **fields: str) -> bytes:
    body = json.dumps(fields).encode()
    client.send(b"POST " + ARCHIVE + b" HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    status, _, answer = client.answer("POST")
    assert status == 200
    return answer


def seqs(client: RawClient) -> list[int]:
    return [block["seq"] for block in json.loads(client.ask(BLOCKS)[2])]


def result(host: Host, name: str, **args: object) -> str:
    outcome = host.exec_tool(name, args)
    assert outcome.route == NATIVE
    return outcome.result


def test_what_is_archived_is_recalled_and_found(client: RawClient, host: Host) -> None:
    assert result(host, "recall_search", query="horaires") == "[aucun bloc archivé ne correspond]"
    assert archive(client, label="gare <é>\t", role="tool", content="HORAIRES\u2028\n") == b'{"id":"r41"}'
    assert result(host, "recall", id="r41") == "[r41 — gare <é>\t, rappelé verbatim]\nHORAIRES\u2028\n"
    found = result(host, "recall_search", query="horaires")
    assert found == "Blocs trouvés (rappelle le bon avec recall(id)) :\n- r41 — gare <é>\t\n  HORAIRES"


def test_seqs_go_up_one_by_one_and_the_order_is_theirs(client: RawClient) -> None:
    assert [archive(client, content=str(n)) for n in range(3)] == [b'{"id":"r41"}', b'{"id":"r42"}', b'{"id":"r43"}']
    assert seqs(client) == [2, 7, 40, 41, 42, 43]


def test_a_sealed_block_is_absent_from_both_reads_while_locked_and_its_seq_is_not_given_again(
    client: RawClient, host: Host, fake: FakeGo
) -> None:
    fake.locked = True
    assert client.ask(BLOCK + b"?seq=40")[0] == 404
    assert seqs(client) == [2, 7]
    assert result(host, "recall", id="r40").startswith('[erreur] bloc "r40" introuvable')
    assert archive(client, content="c") == b'{"id":"r41"}'
    fake.locked = False
    assert seqs(client) == [2, 7, 40, 41]
    assert result(host, "recall", id="r40") == "[r40 — l40, rappelé verbatim]\nc40"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        (b"?seq=7", 200),
        (b"?seq=0007", 200),
        (b"?seq=%37", 200),
        (b"?a;b&seq=7", 200),
        (b"?seq=%zz&seq=7", 200),
        (b"?seq=8", 404),
        (b"?seq=%d" % LAST, 404),
        (b"", 400),
        (b"?", 400),
        (b"?seq=", 400),
        (b"?seq=7;", 400),
        (b"?seq=7;seq=7", 400),
        (b"?seq=%zz", 400),
        (b"?seq=+7", 400),
        (b"?seq=-7", 400),
        (b"?seq=7#a", 400),
        (b"?seq=%d" % (LAST + 1), 400),
        (b"?seq=\xd9\xa1", 400),
        (b"?seq=\xff", 400),
    ],
)
def test_a_seq_is_what_gos_query_reads(client: RawClient, fake: FakeGo, query: bytes, status: int) -> None:
    assert client.ask(BLOCK + query)[0] == status
    assert fake.take_unexpected() == []


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("POST", BLOCK, "GET"),
        ("HEAD", BLOCKS, "GET"),
        ("DELETE", BLOCKS, "GET"),
        ("GET", ARCHIVE, "POST"),
        ("PUT", ARCHIVE, "POST"),
        ("GET", b"/internal/v1/tool/exec", "POST"),
        ("POST", b"/internal/v1/turn/keepimg", "GET"),
        ("GET", b"/internal/v1/turn/keepimg/store", "POST"),
    ],
)
def test_another_method_is_refused_and_the_connection_goes_on(
    client: RawClient, method: str, path: bytes, allow: str
) -> None:
    client.send(method.encode() + b" " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    status, headers, _ = client.answer(method)
    assert (status, headers["allow"], headers["x-loki-parity"]) == (405, allow, "fake")
    assert client.ask(BLOCK + b"?seq=7")[0] == 200
