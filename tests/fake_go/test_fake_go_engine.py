"""The fake engine on a real socket: it plays what it was told to, and keeps what it was asked (facade.md, The turn)."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import TYPE_CHECKING

import pytest
from wire_clients import RawClient, descriptors, wait_for

from fake_go import engine as scripts
from fake_go.engine import Answer, Call, FakeEngine, FakeEngineServer, UnscriptedRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH = b"/v1/chat/completions"


@pytest.fixture
def server() -> Iterator[FakeEngineServer]:
    with FakeEngineServer(FakeEngine()) as running:
        yield running


@pytest.fixture
def client(server: FakeEngineServer) -> Iterator[RawClient]:
    made = RawClient(server.url)
    yield made
    made.close()


def post(client: RawClient, body: bytes = b"{}", path: bytes = PATH) -> tuple[int, dict[str, str], bytes]:
    client.send(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    return client.answer("POST")


def chunks(body: bytes) -> list[dict[str, object]]:
    """The chunks of an event stream that ends with [DONE] or not."""
    data = [line.removeprefix(b"data: ") for line in body.split(b"\n\n") if line]
    return [json.loads(one) for one in data if one != b"[DONE]"]


def test_answers_come_in_the_order_they_were_handed_over_on_one_connection(
    server: FakeEngineServer, client: RawClient
) -> None:
    server.engine.play(scripts.says("un"), scripts.streams(b"data: x\n\n"))
    status, headers, body = post(client, b'{"n":1}')
    assert (status, headers["content-type"], body) == (200, "text/event-stream", scripts.says("un").body)
    assert post(client, b"\xff\n")[2] == b"data: x\n\n"
    assert server.connections() == 1
    assert server.engine.take_bodies() == [b'{"n":1}', b"\xff\n"]
    assert server.engine.take_bodies() == []
    assert server.engine.unused() == 0


def test_an_answer_can_be_made_from_the_request(server: FakeEngineServer, client: RawClient) -> None:
    server.engine.play(lambda body: scripts.streams(b"data: " + body + b"\n\n"))
    assert post(client, b"x")[2] == b"data: x\n\n"


def test_a_text_is_streamed_as_deltas_a_finish_reason_and_done() -> None:
    body = scripts.says("né", "length").body
    assert body.endswith(b"data: [DONE]\n\n")
    assert [choice for chunk in chunks(body) for choice in chunk["choices"]] == [  # type: ignore[attr-defined]
        {"index": 0, "delta": {"role": "assistant", "content": "n"}, "finish_reason": None},
        {"index": 0, "delta": {"content": "é"}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "length"},
    ]


def test_usage_comes_in_a_last_chunk_without_choices_if_it_is_told() -> None:
    last = chunks(scripts.says("a", tokens=(100, 7, 3)).body)[-1]
    assert last["choices"] == []
    assert last["usage"] == {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    assert all("usage" not in chunk for chunk in chunks(scripts.says("a").body))


def test_calls_are_streamed_name_first_and_arguments_in_pieces() -> None:
    body = scripts.calls(Call("recall", '{"id":"é2"}', pieces=3), Call("x", "", id=""), text="t").body
    deltas = [choice["delta"] for chunk in chunks(body) for choice in chunk["choices"]]  # type: ignore[attr-defined]
    named = {"name": "recall", "arguments": ""}
    assert deltas == [
        {"role": "assistant", "content": "t"},
        {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": named}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"id'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '":"é'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '2"}'}}]},
        {"tool_calls": [{"index": 1, "function": {"name": "x", "arguments": ""}}]},
        {"tool_calls": [{"index": 1, "function": {"arguments": ""}}]},
        {},
    ]


def test_raw_arguments_leave_as_the_bytes_they_are() -> None:
    body = scripts.calls(Call("t", b'{"a":"\xff\xe2\x82\\ud83d"}', pieces=13)).body
    assert body.count(b"\xff") == 1
    assert b"\xe2" in body
    assert "".join(Call("t", b"\xff\xe2\x82\xac", pieces=9).parts()) == "\udcff€"


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
def test_a_stream_can_have_other_line_ends(line_end: bytes) -> None:
    body = scripts.says("a").with_line_ends(line_end).body
    assert body.replace(line_end, b"\n") == scripts.says("a").body
    assert line_end * 2 in body


def test_done_can_be_missing() -> None:
    assert scripts.says("a").body == scripts.says("a").without_done().body + scripts.DONE


def test_a_stream_is_cut_into_pieces_where_it_is_told(server: FakeEngineServer) -> None:
    whole = scripts.says("é")
    place = whole.body.index("é".encode()) + 1
    server.engine.play(whole.split(place), whole.bytewise())
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    for answer in (whole.split(place), whole.bytewise()):
        connection.request("POST", PATH.decode(), b"{}")
        response = connection.getresponse()
        received: list[bytes] = []
        while piece := response.read1():
            received.append(piece)
        assert b"".join(received) == whole.body
        assert len(received) == len(answer.pieces)
    connection.close()


def test_a_pause_stands_before_every_piece(server: FakeEngineServer, client: RawClient) -> None:
    server.engine.play(Answer((b"a", b"b", b"c"), pause=0.02))
    began = time.monotonic()
    assert post(client)[2] == b"abc"
    assert time.monotonic() - began >= 0.06


def test_a_client_that_leaves_ends_a_pause(server: FakeEngineServer, client: RawClient) -> None:
    server.engine.play(Answer((b"a",) * 100, pause=60))
    client.send(b"POST " + PATH + b" HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    wait_for(lambda: server.engine.unused() == 0)
    client.close()
    wait_for(lambda: server.connections() == 0)


@pytest.mark.parametrize("reset", [False, True])
def test_a_cut_answer_ends_the_connection_without_the_end_of_the_body(
    server: FakeEngineServer, client: RawClient, *, reset: bool
) -> None:
    cut = scripts.says("a").cut_after(20)
    server.engine.play(Answer(cut.pieces, cut=True, reset=reset))
    with pytest.raises(ConnectionResetError if reset else http.client.IncompleteRead):
        post(client)
    wait_for(lambda: server.connections() == 0)


def test_a_refusal_has_its_status_body_and_type(server: FakeEngineServer, client: RawClient) -> None:
    server.engine.play(scripts.refuses(503, b"<p>", "text/html"), scripts.too_long(40_000, 32_768))
    status, headers, body = post(client)
    assert (status, headers["content-type"], body) == (503, "text/html", b"<p>")
    status, _, body = post(client)
    assert status == 400
    assert "exceeds the available context size (32768 tokens)" in json.loads(body)["error"]["message"]


def test_a_content_type_can_be_missing_and_headers_added(server: FakeEngineServer, client: RawClient) -> None:
    server.engine.play(Answer((b"x",), content_type="", headers=(("Content-Encoding", "gzip"),)))
    _, headers, _ = post(client)
    assert "content-type" not in headers
    assert headers["content-encoding"] == "gzip"


def test_a_request_that_no_script_answers_is_500_and_fails_the_test() -> None:
    server = FakeEngineServer(FakeEngine())
    server.__enter__()
    client = RawClient(server.url)
    assert post(client, b"kept")[0] == 500
    assert client.ask(b"/v1/models")[0] == 500
    assert server.engine.take_bodies() == [b"kept"]
    client.close()
    with pytest.raises(UnscriptedRequestError, match=r"^not scripted: POST /v1/chat/completions, GET /v1/models$"):
        server.__exit__(None, None, None)


def test_unscripted_requests_that_were_taken_fail_nothing(server: FakeEngineServer, client: RawClient) -> None:
    post(client, path=b"/v2")
    assert server.engine.take_unscripted() == ["POST /v2"]


def test_an_error_on_its_way_is_not_hidden_by_unscripted_requests() -> None:
    server = FakeEngineServer(FakeEngine())
    server.__enter__()
    client = RawClient(server.url)
    post(client)
    client.close()
    server.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert server.engine.take_unscripted() == ["POST /v1/chat/completions"]


def test_answers_that_nobody_asked_for_can_be_dropped() -> None:
    engine = FakeEngine(scripts.says("a"))
    assert engine.unused() == 1
    engine.forget()
    assert engine.unused() == 0


def test_without_a_wire_there_is_no_answer(server: FakeEngineServer) -> None:
    """The delivery says so where somebody asks it, as every delivery of the fake Go does."""
    delivery = scripts._Streamed(scripts.says("a"), b"")
    assert delivery.clause == "the fake engine speaks to HTTP clients only"
    assert server.url.startswith("http://127.0.0.1:")


def test_nothing_is_left_behind() -> None:
    threads, files = threading.active_count(), descriptors()
    for _ in range(3):
        with FakeEngineServer(FakeEngine(*[scripts.says("a")] * 50)) as server:
            client = RawClient(server.url)
            for _ in range(50):
                post(client)
            client.close()
    wait_for(lambda: threading.active_count() <= threads)
    assert descriptors() <= files
