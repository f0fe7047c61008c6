"""Who runs a tool, and that every call is answered in time whatever Go does (facade.md, The host)."""

from __future__ import annotations

import logging
import re
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from wire_clients import ScriptedServer

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.facade.host import (
    MAY_HAVE_RUN,
    NATIVE,
    NOT_RUN,
    THROUGH_GO,
    Host,
    Outcome,
    connected,
    holds_memory,
    log_line,
)
from parity.facade.timeouts import Timeouts
from parity.facade.tool_exec import EXEC_ROUTE, read_answer
from parity.gostd.target import GO_1_25, GO_1_27
from parity.stores.ram import RamMemory
from parity.stores.state import Settings
from parity.tools.interface import Block, DiffLine, GoPanic, GoUnavailable, ToolAnswer

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from fake_go.faults import Fault
    from parity.facade.archive import BlockList

    Start = Callable[[bytes], ScriptedServer]

QUICK = Timeouts(connect=0.3, read=0.3, total=0.6)
FOUND = "[r7 — libellé, rappelé verbatim]\ncontenu"
ONE = "GET /internal/v1/recall/block?seq=7"
ALL = "GET /internal/v1/recall/blocks"
EXEC = f"POST {EXEC_ROUTE}"


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo()) as server:
        yield server


@pytest.fixture
def fake(running: FakeGoServer) -> FakeGo:
    running.fake.load([Block("r7", 7, "libellé", "tool", "contenu", 1790000000)])
    return running.fake


@pytest.fixture
def host(running: FakeGoServer, fake: FakeGo) -> Iterator[Host]:
    """A host that does not hold the memory, and has all the time; ``fake`` is there first, as good as new."""
    assert fake is running.fake
    with connected(running.url) as made:
        yield made


@pytest.fixture
def impatient(running: FakeGoServer, fake: FakeGo) -> Iterator[Host]:
    """The same with little time for a read of the archive."""
    assert fake is running.fake
    with connected(running.url, reads=QUICK) as made:
        yield made


@pytest.fixture
def hasty(running: FakeGoServer, fake: FakeGo) -> Iterator[Host]:
    """The same with little time for anything."""
    assert fake is running.fake
    with connected(running.url, reads=QUICK, runs=QUICK) as made:
        yield made
    fake.take_unexpected()  # on a machine that is busy, a call may give up on a read and ask for what nobody recorded


def memory() -> RamMemory:
    return RamMemory(Settings(), nonces=lambda: bytes(12))


@pytest.fixture
def holding(running: FakeGoServer, fake: FakeGo) -> Iterator[Host]:
    """A host that holds a memory, at a fixed clock."""
    assert fake is running.fake
    with connected(running.url, memory=memory(), clock=lambda: 1792142999_000000007) as made:
        yield made


@pytest.fixture
def answering() -> Iterator[Start]:
    """Starts servers that answer every request, each on a connection of its own, with the same bytes."""
    servers: list[ScriptedServer] = []

    def start(answer: bytes) -> ScriptedServer:
        def script(connection: socket.socket) -> None:
            connection.recv(65536)
            connection.sendall(answer)

        servers.append(ScriptedServer(script))
        return servers[-1]

    yield start
    for one in servers:
        one.close()


def through_go(host: Host, why: str, name: str = "recall") -> Outcome:
    """The outcome of a call that must go through Go for this reason."""
    outcome = host.exec_tool(name, {"id": "r7"})
    assert (outcome.route, outcome.why) == (THROUGH_GO, why)
    return outcome


# The three ways.


def test_recall_is_native_with_its_block_from_go(host: Host, fake: FakeGo) -> None:
    assert host.exec_tool("recall", {"id": "r7"}) == Outcome(FOUND, "r7", (), NATIVE)
    assert fake.take_requests() == [ONE]


def test_recall_search_is_native_with_the_blocks_from_go(host: Host, fake: FakeGo) -> None:
    outcome = host.exec_tool("recall_search", {"query": "libellé"})
    assert outcome.result == "Blocs trouvés (rappelle le bon avec recall(id)) :\n- r7 — libellé\n  contenu"
    assert (outcome.route, outcome.label) == (NATIVE, "libellé")
    assert fake.take_requests() == [ALL]


def test_a_call_that_needs_no_block_asks_go_for_none(host: Host, fake: FakeGo) -> None:
    assert host.exec_tool("recall", {}).result == "[erreur] id manquant"
    assert fake.take_requests() == []


@pytest.mark.parametrize("name", ["mem_search", "mem_read", "mem_add", "mem_edit", "tracker"])
def test_a_memory_tool_is_gos_where_the_facade_does_not_hold_the_memory(host: Host, fake: FakeGo, name: str) -> None:
    fake.expect_exec(name, b'{"id":"r7"}', ToolAnswer("<résultat>", "libellé", (DiffLine("+", "a"),)))
    outcome = through_go(host, "the memory is Go's", name)
    assert (outcome.result, outcome.label, outcome.diff) == ("<résultat>", "libellé", (DiffLine("+", "a"),))
    assert fake.take_requests() == [EXEC]


def test_a_memory_tool_is_native_where_the_facade_holds_the_memory(holding: Host, fake: FakeGo) -> None:
    created = holding.exec_tool("mem_add", {"file": "notes", "content": "# Notes\n"})
    assert created == Outcome("[ok] page 'notes' créée", "notes", (DiffLine("+", "# Notes"), DiffLine("+", "")), NATIVE)
    added = holding.exec_tool("tracker", {"action": "add", "name": "Poids", "text": "78"})
    assert added.result == "[ok] point ajouté à « Poids » (id 1792142999000000007)."
    assert holding.exec_tool("mem_read", {"file": "notes"}).result == "1\t# Notes\n2\t"
    assert fake.take_requests() == []


def test_any_other_tool_is_gos(holding: Host, fake: FakeGo) -> None:
    fake.expect_exec("bash", b'{"id":"r7"}', ToolAnswer("ok"))
    assert through_go(holding, "the tool is Go's", "bash").result == "ok"


@pytest.mark.parametrize(
    ("environment", "held"),
    [({}, False), ({"LOKI_MEM": "rust"}, True), ({"LOKI_MEM": "Rust"}, False), ({"LOKI_MEM": " rust"}, False)],
)
def test_the_memory_is_held_where_the_environment_says_rust(environment: dict[str, str], *, held: bool) -> None:
    assert holds_memory(environment) is held


def test_go_gets_the_arguments_as_its_own_decoder_would_have_left_them(host: Host, fake: FakeGo) -> None:
    args = {"n": 1.0, "z": -0.0, "big": 1e21, "t": "é<\ufffd", "l": [None, True, {"a": []}]}
    fake.expect_exec(
        "t", '{"n":1,"z":-0,"big":1e21,"t":"é<\ufffd","l":[null,true,{"a":[]}]}'.encode(), ToolAnswer("ok")
    )
    assert host.exec_tool("t", args).result == "ok"


# Go does not answer a read: the whole call goes to tool/exec.

MISSING = [
    (faults.server_error(), "Go answered with status 500"),
    (faults.html(), "Go's answer is HTML, not JSON"),
    (faults.html(404), "a 404 in HTML, which is not Go's"),
    (faults.redirect("http://127.0.0.1:1/"), "Go answered with status 301"),
    (faults.truncated(), "Go's answer is not readable as JSON"),
    (faults.wrong_shape(b'{"seq":7}'), "Go's answer is misshapen: a block has no id"),
    (faults.wrong_shape(b"[]"), "Go's answer is misshapen: a block is an array"),
    (
        faults.lie(lambda body: body.replace(b'"id":"r7","seq":7', b'"id":"r8","seq":8')),
        "Go's answer is misshapen: not the block that was asked for",
    ),
    (faults.hang(), "nothing came from Go for 0.3 s"),
    (faults.drip(0.02), "Go's answer was not complete within 0.6 s"),
    (faults.close_half_way(), "Go's answer was cut off or is not HTTP"),
    (faults.close_at_once(), "Go closed the connection without an answer"),
]


@pytest.mark.parametrize(("fault", "why"), MISSING, ids=[fault.name for fault, _ in MISSING])
def test_a_read_that_go_does_not_answer_passes_the_whole_call_to_exec(
    impatient: Host, fake: FakeGo, fault: Fault, why: str
) -> None:
    fake.fault(fault, route="block")
    fake.expect_exec("recall", b'{"id":"r7"}', ToolAnswer("de Go", "l"))
    began = time.monotonic()
    assert through_go(impatient, why) == Outcome("de Go", "l", (), THROUGH_GO, why)
    assert time.monotonic() - began < 3
    assert fake.take_requests()[-1] == EXEC
    assert fake.unused_steps() == 0


def test_recall_search_goes_to_exec_as_well(host: Host, fake: FakeGo) -> None:
    fake.fault(faults.server_error(), route="blocks")
    fake.expect_exec("recall_search", b'{"query":"ab"}', ToolAnswer("de Go"))
    assert host.exec_tool("recall_search", {"query": "ab"}).result == "de Go"
    assert fake.take_requests() == [ALL, EXEC]


def test_a_404_for_a_block_is_an_answer(host: Host, fake: FakeGo) -> None:
    outcome = host.exec_tool("recall", {"id": "r8"})
    assert outcome.result.startswith('[erreur] bloc "r8" introuvable')
    assert outcome.route == NATIVE
    assert len(fake.take_requests()) == 1


def test_a_404_whose_body_is_html_is_no_answer(host: Host, fake: FakeGo) -> None:
    fake.fault(faults.html(404), times=1)
    fake.expect_exec("recall", b'{"id":"r7"}', ToolAnswer("de Go"))
    assert through_go(host, "a 404 in HTML, which is not Go's").result == "de Go"


# tool/exec fails as well.


def test_nobody_listening_means_that_the_tool_was_not_run(host: Host, fake: FakeGo) -> None:
    fake.fault(faults.REFUSE)
    outcome = host.exec_tool("recall", {"id": "r7"})
    assert (outcome.result, outcome.label, outcome.answered) == (NOT_RUN, "r7", False)
    refused = "no connection to Go (Connection refused)"
    assert (outcome.route, outcome.why) == (THROUGH_GO, f"{refused}; then tool/exec: {refused}")
    assert host.exec_tool("bash", {}).result == NOT_RUN
    fake.faults.clear()
    assert host.exec_tool("recall", {"id": "r7"}).result == FOUND


@pytest.mark.parametrize(
    "fault",
    [
        faults.server_error(),
        faults.server_error(404),
        faults.html(),
        faults.truncated(),
        faults.redirect("http://127.0.0.1:1/"),
        faults.hang(),
        faults.drip(0.02, headers=True),
        faults.close_half_way(reset=True),
        faults.close_at_once(),
        faults.close_at_once(reset=True),
    ],
    ids=lambda fault: fault.name,
)
def test_an_answer_that_is_none_leaves_open_whether_the_tool_was_run(hasty: Host, fake: FakeGo, fault: Fault) -> None:
    hasty.exec_tool("recall", {"id": "r7"})
    fake.take_requests()
    fake.fault(fault)
    fake.expect_exec("bash", b"{}", ToolAnswer("ran"))
    began = time.monotonic()
    outcome = hasty.exec_tool("bash", {})
    assert time.monotonic() - began < 3
    assert (outcome.result, outcome.answered) == (MAY_HAVE_RUN, False)
    assert outcome.why.startswith("the tool is Go's; then tool/exec: ")
    assert fake.take_requests() == [EXEC]


def test_a_call_is_bounded_by_the_two_timeouts_together(hasty: Host, fake: FakeGo) -> None:
    fake.fault(faults.hang())
    began = time.monotonic()
    assert hasty.exec_tool("recall", {"id": "r7"}).result == MAY_HAVE_RUN
    assert time.monotonic() - began < 2 * QUICK.total + 1


def test_both_texts_begin_as_every_error_of_a_tool_does() -> None:
    assert {text[:9] for text in (NOT_RUN, MAY_HAVE_RUN)} == {"[erreur] "}


def test_a_call_of_exec_is_sent_once_even_on_a_kept_connection_that_ends(answering: Start) -> None:
    server = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n" + b'{"result":"ok"}')
    with connected(server.url) as host:
        assert host.exec_tool("bash", {}).result == "ok"
        time.sleep(0.05)
        assert host.exec_tool("bash", {}).result == "ok"
    assert server.accepted == 2


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {},
        {"result": None},
        {"result": 1},
        {"result": "a", "label": 1},
        {"result": "a", "diff": {}},
        {"result": "a", "diff": [1]},
        {"result": "a", "diff": [{"op": "+"}]},
        {"result": "a", "diff": [{"op": "*", "text": "t"}]},
        {"result": "a", "diff": [{"op": [], "text": "t"}]},
    ],
)
def test_an_answer_of_exec_of_another_shape_is_none(value: object) -> None:
    with pytest.raises(GoUnavailable, match=r"^Go's answer is misshapen: "):
        read_answer(value)


def test_an_answer_of_exec_may_lack_label_and_diff_and_is_cleaned() -> None:
    assert read_answer({"result": "a\ud800", "label": None, "diff": None}) == ToolAnswer("a\ufffd")
    line = {"op": " ", "text": "\udfff"}
    assert read_answer({"result": "", "label": "\ud83d", "diff": [line]}) == ToolAnswer(
        "", "\ufffd", (DiffLine(" ", "\ufffd"),)
    )


def test_arguments_too_deep_to_be_written_are_not_sent(running: FakeGoServer, fake: FakeGo) -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]
    with connected(running.url, target=GO_1_27) as host:
        outcome = host.exec_tool("bash", {"a": deep})
    assert outcome.result == NOT_RUN
    assert outcome.why == "the tool is Go's; then tool/exec: the arguments are too deep to be written"
    assert fake.take_requests() == []


# What a tool itself can come to.


def test_where_go_would_crash_the_host_answers_and_says_so(holding: Host) -> None:
    content = "Ⱥ" * 300 + " fin"
    holding.exec_tool("mem_add", {"file": "a", "content": content})
    outcome = holding.exec_tool("mem_search", {"query": "fin"})
    assert outcome.panic is not None
    assert re.fullmatch(r"runtime error: slice bounds out of range \[[0-9]+:[0-9]+\]", outcome.panic)
    assert outcome.result == f"[erreur] l'outil s'est arrêté sur une erreur interne : {outcome.panic}"
    assert (outcome.label, outcome.diff, outcome.route, outcome.answered) == ("fin", (), NATIVE, True)


def test_a_text_of_the_system_is_told_from_one_of_the_contract(running: FakeGoServer) -> None:
    def refusing(_args: object, _env: object) -> ToolAnswer:
        return ToolAnswer("[erreur] ENOSPC", system_error=True)

    with connected(running.url) as host:
        own = Host(host._go, host._archive, memory=memory(), tools={"mem_add": refusing})
        assert own.exec_tool("mem_add", {}) == Outcome("[erreur] ENOSPC", "", (), NATIVE, system_error=True)


def test_a_fault_of_a_tools_own_code_is_not_hidden(running: FakeGoServer) -> None:
    def broken(_args: object, _env: object) -> ToolAnswer:
        raise ZeroDivisionError

    with connected(running.url) as host, pytest.raises(ZeroDivisionError):
        Host(host._go, host._archive, tools={"recall": broken}).exec_tool("recall", {})


def test_a_recorded_crash_of_go_in_exec_is_no_answer(host: Host, fake: FakeGo) -> None:
    fake.expect_exec("bash", b"{}", GoPanic("boom"))
    assert host.exec_tool("bash", {}).result == MAY_HAVE_RUN


# The log.


def test_every_call_leaves_one_line_in_the_log(host: Host, fake: FakeGo, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parity.facade.host")
    host.exec_tool("recall", {"id": "r7"})
    fake.expect_exec("bash", b"{}", ToolAnswer("ok", "ls"))
    host.exec_tool("bash", {})
    host.exec_tool("bash", {})
    fake.take_unexpected()
    lines = [(record.levelname, record.getMessage()) for record in caplog.records]
    failed = "the tool is Go's; then tool/exec: Go answered with status 500"
    assert lines == [
        ("INFO", f"tool 'recall' native: {len(FOUND)} characters"),
        ("INFO", "tool 'bash' go (the tool is Go's): 2 characters"),
        ("WARNING", f"tool 'bash' go ({failed}): {len(MAY_HAVE_RUN)} characters"),
    ]


def test_a_crash_of_go_stands_in_the_log(holding: Host, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parity.facade.host")
    holding.exec_tool("mem_add", {"file": "a", "content": "Ⱥ" * 300 + " fin"})
    holding.exec_tool("mem_search", {"query": "fin"})
    assert "tool 'mem_search' native: panicked: 'runtime error: slice bounds" in caplog.text


def test_what_a_memory_seals_does_not_lie_open_in_the_log(holding: Host, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parity.facade.host")
    holding.exec_tool("tracker", {"action": "add", "name": "intime", "text": "secret"})
    holding.exec_tool("mem_search", {"query": "secret"})
    assert len(caplog.records) == 2
    assert "intime" not in caplog.text
    assert "secret" not in caplog.text


def test_nothing_in_a_log_line_is_obeyed_by_a_terminal(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parity.facade.host")
    host.exec_tool("recall", {"id": "\x1b[31m\r\n\u202e\u2028" + "x" * 10_000})
    host.exec_tool("\x1b]0;\a\n'" + "y" * 10_000, {})
    for record in caplog.records:
        line = record.getMessage()
        assert line.isascii()
        assert line.isprintable()
        assert len(line) < 600


def test_a_reason_is_drawn_as_well(fake: FakeGo, host: Host) -> None:
    class Speaking:
        def block(self, _seq: int) -> Block:
            reason = "\x1b[31m\nrouge \u202e"
            raise GoUnavailable(reason)

        def blocks(self) -> BlockList:
            raise AssertionError

    fake.expect_exec("recall", b'{"id":"r7"}', ToolAnswer("de Go"))
    outcome = Host(host._go, Speaking()).exec_tool("recall", {"id": "r7"})
    assert log_line("recall", outcome) == r"tool 'recall' go (\x1b[31m\nrouge \u202e): 5 characters"


# One host for many threads.


def test_threads_share_one_host(host: Host, fake: FakeGo) -> None:
    outcomes: list[Outcome] = []

    def ask() -> None:
        outcomes.extend(host.exec_tool("recall", {"id": "r7"}) for _ in range(25))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert outcomes == [Outcome(FOUND, "r7", (), NATIVE)] * 100
    assert len(fake.take_requests()) == 100


def test_a_host_answers_for_the_go_it_was_made_for(running: FakeGoServer) -> None:
    running.fake.load([], GO_1_27)
    texts = {}
    for target in (GO_1_25, GO_1_27):
        with connected(running.url, target=target) as host:
            texts[target.version] = host.exec_tool("recall", {"id": "\u1c89"}).result
    assert texts["go1.25.5"].startswith('[erreur] bloc "\\u1c89" introuvable')
    assert texts["go1.27.3"].startswith('[erreur] bloc "\u1c89" introuvable')


def test_an_outcome_compares_by_value() -> None:
    one = Outcome("a", "b", (), NATIVE)
    assert replace(one, why="") == one
