"""The façade's own way into the memory, over real HTTP: one memory, one writer (facade.md, The host, 2)."""

from __future__ import annotations

import io
import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from wire_clients import RawClient

from fake_go.keepalive import LOOPBACK, KeepAliveServer, bound
from parity.facade.host import NATIVE, Host
from parity.facade.memory_routes import BODY_LIMIT, MemoryRoutes
from parity.facade.transport import MemoryTransport
from parity.stores.disk import DiskMemory
from parity.stores.ram import RamMemory
from parity.stores.state import Settings
from parity.tools.interface import WriteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from parity.stores.memory import StoredMemory
    from parity.tools.interface import Args

ENCRYPTED = Settings(config={"MEM_ENCRYPTED": "oui"}, dek=bytes(32))


class Nobody:
    """A Go and an archive that are never asked."""

    def respond(self, method: str, target: bytes, body: bytes) -> object:
        raise AssertionError(method, target, body)

    def block(self, seq: int) -> object:
        raise AssertionError(seq)


def host_of(memory: StoredMemory) -> Host:
    nobody = Nobody()
    return Host(MemoryTransport(nobody), nobody, memory=memory)  # type: ignore[arg-type]


@contextmanager
def served(memory: StoredMemory) -> Iterator[str]:
    """The routes on loopback; gives the URL."""
    with bound(LOOPBACK, 0) as listener:
        listener.listen(64)
        server = KeepAliveServer(LOOPBACK, MemoryRoutes(memory), listener)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.port}"
    finally:
        server.shutdown()
        thread.join(5)


@pytest.fixture
def memory(tmp_path: Path) -> DiskMemory:
    return DiskMemory(tmp_path / "root", Settings(), nonces=lambda: bytes(12))


@pytest.fixture
def client(memory: DiskMemory) -> Iterator[RawClient]:
    with served(memory) as url:
        made = RawClient(url)
        yield made
        made.close()


def put(client: RawClient, file: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
    client.send(
        b"PUT /memory/page?file=%b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (quote(file).encode(), len(body), body)
    )
    return client.answer("PUT")


def get(client: RawClient, file: str) -> tuple[int, bytes]:
    status, _, body = client.ask(b"/memory/page?file=" + quote(file).encode())
    return status, body


def text(host: Host, name: str, args: Args) -> str:
    outcome = host.exec_tool(name, args)
    assert outcome.route == NATIVE
    return outcome.result


def test_a_page_is_read_back_to_the_byte(client: RawClient) -> None:
    for content in (b"", b"\xff\r\n\0", b"x" * 1_000_000):
        assert put(client, "notes", content)[0] == 204
        assert get(client, "notes.md") == (200, content)


def test_what_a_tool_writes_is_read_here_and_the_other_way_round(client: RawClient, memory: DiskMemory) -> None:
    host = host_of(memory)
    assert text(host, "mem_add", {"file": "a", "content": "# Un\n\n"}) == "[ok] page 'a' créée"
    assert get(client, "a") == (200, b"# Un\n")
    assert put(client, "a", b"# Deux\n")[0] == 204
    assert text(host, "mem_read", {"file": "a"}) == "1\t# Deux\n2\t"
    assert text(host, "mem_edit", {"file": "a", "old": "Deux", "new": "Trois"}) == "[ok] page 'a' modifiée"
    assert get(client, "a") == (200, b"# Trois\n")


def test_the_list_is_that_of_the_tools(client: RawClient, memory: DiskMemory) -> None:
    assert client.ask(b"/memory/pages")[2] == b"[]"
    text(host_of(memory), "mem_add", {"file": "b", "content": "## Titre <é>"})
    memory.pages.write("c.MD", b"\xff\xe2\x82 x")
    memory.pages.write(".x.md", b"hidden")
    status, headers, body = client.ask(b"/memory/pages")
    assert (status, headers["content-type"]) == (200, "application/json")
    assert json.loads(body) == [
        {"file": "MEMORY.md", "title": "Index mémoire — Générale"},
        {"file": "b.md", "title": "Titre <é>"},
        {"file": "c.MD", "title": "��� x"},
    ]


def test_the_version_before_is_kept_as_for_any_page(client: RawClient, memory: DiskMemory) -> None:
    put(client, "a", b"1")
    put(client, "a", b"2")
    assert memory.snapshot().files == {"a.md": b"2", "a.md.bak": b"1"}


@pytest.mark.parametrize("file", ["", " ", "../a", "é", "a/b", "a\0"])
def test_a_bad_name_is_400(client: RawClient, memory: DiskMemory, file: str) -> None:
    assert put(client, file, b"x")[0] == 400
    assert get(client, file)[0] == 400
    assert memory.snapshot().files == {}


def test_an_error_is_a_line_of_json(client: RawClient) -> None:
    status, headers, body = put(client, "a b", b"x")
    assert (status, headers["content-type"]) == (400, "application/json")
    assert json.loads(body) == {"error": "nom invalide (alphanum, ._-)"}


def test_a_page_that_is_not_there_is_404_and_so_is_another_route(client: RawClient) -> None:
    assert get(client, "a")[0] == 404
    assert client.ask(b"/memory")[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [("POST", b"/memory/pages", "GET"), ("DELETE", b"/memory/page?file=a", "GET, PUT")],
)
def test_another_method_is_405(client: RawClient, method: str, path: bytes, allow: str) -> None:
    status, headers, _ = client.ask(path, method)
    assert (status, headers["allow"]) == (405, allow)


def test_a_locked_memory_reads_and_writes_nothing_sealed(tmp_path: Path) -> None:
    open_memory = DiskMemory(tmp_path, ENCRYPTED, nonces=lambda: bytes(12))
    open_memory.pages.write("a.md", b"secret")
    locked = DiskMemory(tmp_path, Settings(config=ENCRYPTED.config, locked=True), nonces=lambda: bytes(12))
    with served(locked) as url:
        client = RawClient(url)
        assert get(client, "a")[0] == 423
        status, _, body = put(client, "b", b"x")
        client.close()
    assert (status, json.loads(body)) == (423, {"error": "page chiffrée, mémoire verrouillée"})
    assert list(locked.snapshot().files) == ["a.md"]


def test_a_refusal_of_the_system_is_507(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = RamMemory(Settings(), nonces=lambda: bytes(12))

    def full(_name: str, _content: bytes) -> None:
        text = "erreur du système (ENOSPC)"
        raise WriteRefused(text, system=True)

    monkeypatch.setattr(memory.pages, "write", full)
    with served(memory) as url:
        client = RawClient(url)
        status, _, body = put(client, "a", b"x")
        client.close()
    assert (status, json.loads(body)) == (507, {"error": "erreur du système (ENOSPC)"})


@pytest.mark.parametrize(
    ("length", "status"),
    [("x", 400), ("-1", 400), ("9" * 19, 400), ("5", 400), (str(BODY_LIMIT + 1), 413), ("", 204), (None, 204)],
)
def test_the_length_of_a_body_is_checked_before_it_is_read(length: str | None, status: int) -> None:
    memory = RamMemory(Settings(), nonces=lambda: bytes(12))
    environ = {
        "PATH_INFO": "/memory/page",
        "REQUEST_METHOD": "PUT",
        "QUERY_STRING": "file=a",
        "wsgi.input": io.BytesIO(b"abc"),
    }
    if length is not None:
        environ["CONTENT_LENGTH"] = length
    started: list[str] = []
    MemoryRoutes(memory)(environ, lambda line, _headers, _error=None: started.append(line))  # type: ignore[arg-type]
    assert started[0].startswith(str(status))


def test_tools_and_routes_write_one_after_the_other_and_nothing_is_lost(memory: DiskMemory) -> None:
    """Threads add pages by tool, others write and read one page by HTTP: all index lines are there, all pages whole."""
    host = host_of(memory)
    wrong: list[object] = []
    contents = {bytes([65 + n]) * 200_000 for n in range(3)}

    def add(thread: int) -> None:
        for n in range(5):
            outcome = host.exec_tool("mem_add", {"file": f"p{thread}-{n}", "content": f"# P {thread} {n}"})
            if not outcome.result.startswith("[ok]"):
                wrong.append(outcome)

    def exchange(url: str, content: bytes) -> None:
        client = RawClient(url)
        for _ in range(5):
            status = put(client, "shared", content)[0]
            seen = get(client, "shared")
            if status != 204 or seen[0] != 200 or seen[1] not in contents:
                wrong.append((status, seen[0], seen[1][:10]))
        client.close()

    with served(memory) as url:
        threads = [threading.Thread(target=add, args=(n,)) for n in range(3)]
        threads += [threading.Thread(target=exchange, args=(url, content)) for content in contents]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert wrong == []
    index = memory.pages.read("MEMORY.md").decode()
    assert sorted(line for line in index.split("\n") if line.startswith("- ")) == sorted(
        f"- [P {thread} {n}](p{thread}-{n}.md)" for thread in range(3) for n in range(5)
    )
