"""The engine's client over real sockets: whole completions or a clear reason, in bounded time (facade.md, The turn)."""

from __future__ import annotations

import os
import socket
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from wire_clients import ScriptedServer, descriptors, wait_for

from fake_go import engine as scripts
from fake_go.engine import Answer, Call, FakeEngine, FakeEngineServer
from parity.facade import completions
from parity.facade.completions import STREAM_LIMIT, ChatCompletions, PromptTooLong, is_too_long
from parity.facade.deltas import Completion, EngineFailed, Usage
from parity.facade.sse import EventReader
from parity.facade.timeouts import COMPLETIONS, Timeouts
from parity.images.message import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUICK = Timeouts(connect=0.2, read=0.2, total=0.4)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


@pytest.fixture
def server() -> Iterator[FakeEngineServer]:
    with FakeEngineServer(FakeEngine()) as running:
        yield running


@pytest.fixture
def client(server: FakeEngineServer) -> Iterator[ChatCompletions]:
    with ChatCompletions(server.url) as made:
        yield made


def complete(
    server: FakeEngineServer, answer: Answer, timeouts: Timeouts = COMPLETIONS, limit: int = STREAM_LIMIT
) -> Completion:
    server.engine.play(answer)
    with ChatCompletions(server.url, timeouts, limit=limit) as client:
        return client.complete(b"{}")


def reason(
    server: FakeEngineServer, answer: Answer, timeouts: Timeouts = COMPLETIONS, limit: int = STREAM_LIMIT
) -> str:
    with pytest.raises(EngineFailed) as caught:
        complete(server, answer, timeouts, limit)
    return caught.value.reason


RICH = scripts.calls(
    Call("recall", '{"id":"r2 é"}', "a", pieces=5), Call("tracker", "", "b"), text="né 👍", tokens=(9, 8, 7)
)
WHOLE = Completion(
    "né 👍",
    (ToolCall("a", "function", "recall", '{"id":"r2 é"}'), ToolCall("b", "function", "tracker", "")),
    "tool_calls",
    Usage(9, 8, 7),
)


def test_a_completion_comes_whole(server: FakeEngineServer, client: ChatCompletions) -> None:
    server.engine.play(RICH)
    assert client.complete(b'{"model":"m"}') == WHOLE
    assert server.engine.take_bodies() == [b'{"model":"m"}']


def test_the_connection_serves_the_next_request(
    server: FakeEngineServer, client: ChatCompletions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completions, "_DRAIN_SECONDS", 10)
    for answer in (RICH, scripts.says("a"), scripts.refuses(500, b"no"), scripts.says("b").without_done()):
        server.engine.play(answer)
        try:
            client.complete(b"{}")
        except EngineFailed:
            continue
    assert server.connections() == 1


def test_a_stream_can_be_cut_into_pieces_at_every_single_byte(
    server: FakeEngineServer, client: ChatCompletions
) -> None:
    server.engine.play(RICH.bytewise())
    assert client.complete(b"{}") == WHOLE
    for place in range(1, len(RICH.body), 7):
        server.engine.play(RICH.split(place))
        assert client.complete(b"{}") == WHOLE


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_a_stream_can_have_other_line_ends(server: FakeEngineServer, line_end: bytes) -> None:
    assert complete(server, RICH.with_line_ends(line_end)) == WHOLE
    assert complete(server, RICH.with_line_ends(line_end).bytewise()) == WHOLE


def test_comments_and_other_fields_and_a_byte_order_mark_change_nothing(server: FakeEngineServer) -> None:
    noisy = b"\xef\xbb\xbf: OPENROUTER PROCESSING\n\nretry: 5\n" + RICH.body.replace(b"data: ", b"id: 1\ndata:")
    assert complete(server, scripts.streams(noisy)) == WHOLE


def test_one_chunk_can_stand_on_several_lines_of_data(server: FakeEngineServer) -> None:
    spread = RICH.body.replace(b'"choices": ', b'"choices":\ndata: ')
    assert complete(server, scripts.streams(spread)) == WHOLE


def test_done_can_be_missing(server: FakeEngineServer) -> None:
    assert complete(server, RICH.without_done()) == WHOLE


def test_usage_can_be_missing(server: FakeEngineServer) -> None:
    assert complete(server, scripts.says("a")) == Completion("a", (), "stop")


def test_what_follows_done_is_not_read(server: FakeEngineServer) -> None:
    more = scripts.chunk({"content": "more"}, "length")
    assert complete(server, Answer((*scripts.says("a").pieces, more))).text == "a"
    assert complete(server, scripts.streams(scripts.says("a").body + more)).text == "a"


def test_done_before_a_finish_reason_is_no_completion(server: FakeEngineServer) -> None:
    cut = scripts.streams(scripts.chunk({"content": "a"}), scripts.DONE)
    assert reason(server, cut) == "the engine's answer ended before its finish_reason"


@pytest.fixture
def endless() -> Iterator[Callable[[bytes], ScriptedServer]]:
    """Starts servers that send a stream and then neither anything nor an end."""
    servers: list[ScriptedServer] = []
    over = threading.Event()

    def start(stream: bytes) -> ScriptedServer:
        def script(connection: socket.socket) -> None:
            connection.recv(65536)
            connection.sendall(HEAD + b"\r\n" + stream)
            over.wait(20)

        servers.append(ScriptedServer(script))
        return servers[-1]

    yield start
    over.set()
    for one in servers:
        one.close()


def test_a_stream_that_does_not_end_after_done_is_given_up_soon(
    endless: Callable[[bytes], ScriptedServer],
) -> None:
    began = time.monotonic()
    with ChatCompletions(endless(RICH.body).url) as client:
        assert client.complete(b"{}") == WHOLE
    assert time.monotonic() - began < 3


def test_done_before_a_finish_reason_is_told_at_once(
    endless: Callable[[bytes], ScriptedServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completions, "_DRAIN_SECONDS", 15)
    began = time.monotonic()
    with (
        ChatCompletions(endless(scripts.chunk({"content": "a"}) + scripts.DONE).url) as client,
        pytest.raises(EngineFailed, match=r"^the engine's answer ended before its finish_reason$"),
    ):
        client.complete(b"{}")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("reset", [False, True])
def test_a_stream_that_breaks_after_its_finish_reason_is_whole(server: FakeEngineServer, *, reset: bool) -> None:
    answer = scripts.calls(Call("x"), tokens=(1, 2))
    kept = replace(answer, pieces=answer.pieces[:-2], pause=0.02, cut=True, reset=reset)
    assert complete(server, kept) == Completion("", (ToolCall("call_1", "function", "x", "{}"),), "tool_calls")


def test_a_stream_cut_anywhere_before_its_finish_reason_gives_no_completion(server: FakeEngineServer) -> None:
    end = RICH.body.index(b"\n\n", RICH.body.index(b'"tool_calls"}')) + 1
    for place in (0, 1, end // 3, end // 2, end - 1, end):
        answer = RICH.cut_after(place)
        assert reason(server, answer) == "the engine's answer was cut off or is not HTTP"
        clean = replace(answer, cut=False)
        assert reason(server, clean) == "the engine's answer ended before its finish_reason"


def test_a_stream_cut_between_any_two_events_gives_no_half_of_it(server: FakeEngineServer) -> None:
    for length in range(len(RICH.pieces) - 3):
        cut = replace(RICH, pieces=RICH.pieces[:length], cut=True, reset=bool(length % 2), pause=0.002)
        assert reason(server, cut) == "the engine's answer was cut off or is not HTTP"


@pytest.mark.parametrize("kind", ["text/event-stream;charset=utf-8", "TEXT/EVENT-STREAM", ""])
def test_an_event_stream_may_be_typed_so(server: FakeEngineServer, kind: str) -> None:
    assert complete(server, replace(RICH, content_type=kind)) == WHOLE


@pytest.mark.parametrize("kind", ["application/json", "text/html", "text/event-streams"])
def test_anything_else_is_no_event_stream(server: FakeEngineServer, kind: str) -> None:
    assert reason(server, replace(RICH, content_type=kind)) == "the engine's answer is not an event stream"


def test_a_compressed_answer_is_not_taken(server: FakeEngineServer) -> None:
    packed = replace(RICH, headers=(("Content-Encoding", "gzip"),))
    assert reason(server, packed) == "the engine's answer is compressed, which was not asked for"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (500, b'{"error":{"message":"no \\u0007"}}', r"the engine answered with status 500: 'no \x07'"),
        (404, b"<html>", "the engine answered with status 404: '<html>'"),
        (503, b"\xff", r"the engine answered with status 503: '\ufffd'"),
        (204, b"", "the engine answered with status 204: ''"),
        (302, b"", "the engine answered with status 302: ''"),
    ],
)
def test_another_status_is_a_failure_with_the_engines_words(
    server: FakeEngineServer, status: int, body: bytes, said: str
) -> None:
    assert reason(server, scripts.refuses(status, body)) == said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"error":{"message":"no"}}', "the engine reports an error: 'no'"),
        (b'{"choices":[]}', "the engine reports an error: '{\"choices\":[]}'"),
    ],
)
def test_an_event_that_is_named_an_error_is_one(server: FakeEngineServer, data: bytes, said: str) -> None:
    assert reason(server, scripts.streams(b"event: error\ndata: " + data + b"\n\n")) == said


def test_a_redirect_is_not_followed(server: FakeEngineServer) -> None:
    moved = replace(scripts.refuses(307, b""), headers=(("Location", server.url + "/elsewhere"),))
    assert reason(server, moved).startswith("the engine answered with status 307")
    assert server.engine.take_unscripted() == []


def test_a_refusal_that_is_endless_or_never_comes_is_still_one(server: FakeEngineServer) -> None:
    endless = replace(scripts.refuses(500, b""), pieces=(b"x" * 65536,) * 3)
    assert len(reason(server, endless)) < 300
    assert (
        reason(server, replace(scripts.refuses(500, b"y"), pause=5), QUICK) == "the engine answered with status 500: ''"
    )


@pytest.mark.parametrize(
    "words",
    [
        "the request exceeds the available context size (32768 tokens), try increasing it",
        "Prompt EXCEEDED\nthe context window",
        "context length exceeded",
        '{"error":{"message":"too much","code":"context_length_exceeded"}}',
        "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.",
    ],
)
def test_a_400_that_says_so_is_a_prompt_that_is_too_long(words: str) -> None:
    assert is_too_long(400, words)
    assert not is_too_long(500, words)


@pytest.mark.parametrize(
    "words", ["", "bad request", "context", "exceeds the rate limit", "exceeds" + " " * 99 + "context"]
)
def test_a_400_that_says_something_else_is_not(words: str) -> None:
    assert not is_too_long(400, words)


def test_a_prompt_that_is_too_long_is_told_apart(server: FakeEngineServer, client: ChatCompletions) -> None:
    server.engine.play(scripts.too_long(), scripts.refuses(400, b"the prompt exceeds the context size"))
    for _ in range(2):
        with pytest.raises(PromptTooLong, match=r"^the engine answered with status 400: "):
            client.complete(b"{}")


def test_nobody_listening_is_said_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with ChatCompletions(url, QUICK) as client, pytest.raises(EngineFailed, match=r"^no connection to the engine$"):
        client.complete(b"{}")


def test_a_connection_that_is_not_taken_ends_in_time() -> None:
    """A listener whose queue is full: the system answers no further connection."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    address = listener.getsockname()
    held = []
    for _ in range(4):
        one = socket.socket()
        one.setblocking(False)  # noqa: FBT003 - the socket's own way
        one.connect_ex(address)
        held.append(one)
    with (
        ChatCompletions(f"http://127.0.0.1:{address[1]}", QUICK) as client,
        pytest.raises(EngineFailed, match=r"^no connection to the engine within 0\.2 s$"),
    ):
        client.complete(b"{}")
    for one in (*held, listener):
        one.close()


def test_silence_ends_after_the_read_timeout(server: FakeEngineServer) -> None:
    assert reason(server, replace(RICH, pause=5), QUICK) == "nothing came from the engine for 0.2 s"


def test_a_trickle_ends_after_the_total_time(server: FakeEngineServer) -> None:
    began = time.monotonic()
    trickle = replace(RICH.bytewise(), pause=0.02)
    assert reason(server, trickle, QUICK) == "the engine's answer was not complete within 0.4 s"
    assert time.monotonic() - began < 3


def test_an_engine_that_closes_without_a_word(server: FakeEngineServer) -> None:
    scripted = ScriptedServer(lambda one: one.recv(65536))
    with (
        ChatCompletions(scripted.url) as client,
        pytest.raises(EngineFailed, match=r"^the engine closed the connection without an answer$"),
    ):
        client.complete(b"{}")
    scripted.close()
    assert server.engine.take_bodies() == []


def test_an_answer_that_was_there_before_its_request_is_not_taken() -> None:
    whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(RICH.body) + RICH.body
    asked = threading.Event()

    def script(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(whole + whole)
        asked.wait(5)

    scripted = ScriptedServer(script)
    with ChatCompletions(scripted.url) as client:
        assert client.complete(b"{}") == WHOLE
        with pytest.raises(EngineFailed):
            client.complete(b"{}")
        asked.set()
    scripted.close()


def test_an_answer_larger_than_the_limit_is_refused(server: FakeEngineServer) -> None:
    size = len(RICH.body)
    assert complete(server, RICH, limit=size) == WHOLE
    assert reason(server, RICH, limit=size - 1) == f"the engine's answer is larger than {size - 1} bytes"


def test_an_event_larger_than_the_limit_is_refused(server: FakeEngineServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions, "EventReader", lambda: EventReader(64))
    assert reason(server, RICH) == "an event of the engine's answer is too large"


def test_nothing_is_read_from_the_environment(server: FakeEngineServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setitem(os.environ, name, "http://127.0.0.1:9")
    assert complete(server, RICH) == WHOLE


def test_a_url_that_is_no_servers_is_refused() -> None:
    with pytest.raises(ValueError, match="is not the URL of a server"):
        ChatCompletions("http://127.0.0.1/v1")


def test_threads_share_one_client(server: FakeEngineServer, client: ChatCompletions) -> None:
    server.engine.play(*[RICH.split(100)] * 80)
    found: list[Completion] = []

    def ask() -> None:
        found.extend(client.complete(b"{}") for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [WHOLE] * 80


def test_failures_leave_no_connection_or_descriptor_behind(server: FakeEngineServer) -> None:
    complete(server, RICH)
    wait_for(lambda: server.connections() == 0)
    files = descriptors()
    for _ in range(20):
        for answer in (RICH.cut_after(50), scripts.streams(b"data: {\n\n"), scripts.refuses(500, b"no")):
            reason(server, answer)
    wait_for(lambda: server.connections() == 0)
    assert descriptors() <= files
