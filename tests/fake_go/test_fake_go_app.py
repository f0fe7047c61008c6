"""What the routes answer, by calling the fake Go directly (facade.md, Go's routes; go-semantics.md, 2.11 and 2.12)."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from vectors_reader import vectors

from fake_go.app import FakeGo, drawn
from parity.gostd import utf8
from parity.gostd.target import GO_1_25, GO_1_27
from parity.tools.interface import Block, DiffLine, GoPanic, ToolAnswer

if TYPE_CHECKING:
    from fake_go.reply import Reply
    from parity.gostd.target import GoTarget

BLOCK = b"/internal/v1/recall/block"
BLOCKS = b"/internal/v1/recall/blocks"
ARCHIVE = b"/internal/v1/recall/archive"
EXEC = b"/internal/v1/tool/exec"
KEEPIMG = b"/internal/v1/turn/keepimg"
STORE = b"/internal/v1/turn/keepimg/store"
LAST = 2**64 - 1


@pytest.fixture
def fake() -> FakeGo:
    return FakeGo(Block(f"r{n}", n, "", "", "", n) for n in (1, 3, 7))


def get(fake: FakeGo, target: bytes) -> Reply:
    return fake.respond("GET", target, b"")


def status_of_seq(fake: FakeGo, query: bytes) -> int:
    return get(fake, BLOCK + b"?" + query).status


def assert_ours(reply: Reply, status: int) -> None:
    """A refusal: one line of JSON with the error, marked as ours."""
    assert reply.status == status
    assert ("X-Loki-Parity", "fake") in reply.headers
    assert b"\n" not in reply.body
    assert list(json.loads(reply.body)) == ["error"]


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=["1.25", "1.27"])
def test_a_block_is_written_as_go_marshals_its_struct(target: GoTarget) -> None:
    block = Block("r7", 7, "<b> & 'c'", "tool", 'é\u2028\u2029 "q" \\ \t\n\x01\x7f \ufffd', 1790000000)
    reply = get(FakeGo([block], target), BLOCK + b"?seq=7")
    assert reply.status == 200
    assert reply.headers == (("Content-Type", "application/json"),)
    assert reply.body.decode() == (
        r'{"id":"r7","seq":7,"label":"\u003cb\u003e \u0026 '
        r"""'c'","role":"tool","content":"é\u2028\u2029 \"q\" \\ \t\n\u0001"""
        '\x7f \ufffd","created":1790000000}'
    )


def test_the_blocks_are_an_array_in_ascending_seq() -> None:
    fake = FakeGo(Block(f"r{n}", n, "", "", "", n) for n in (10, LAST, 2, 0))
    assert [block["seq"] for block in json.loads(get(fake, BLOCKS).body)] == [0, 2, 10, LAST]
    assert get(fake, BLOCK + b"?seq=2").body in get(fake, BLOCKS).body


def test_no_block_is_an_empty_array() -> None:
    assert get(FakeGo(), BLOCKS).body == b"[]"


def test_two_blocks_with_one_seq_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^two blocks with the seq 3$"):
        FakeGo([Block("r3", 3, "", "", "", 0)] * 2)


def test_an_absent_block_is_404(fake: FakeGo) -> None:
    assert_ours(get(fake, BLOCK + b"?seq=2"), 404)
    assert_ours(get(fake, BLOCK + b"?seq=18446744073709551615"), 404)


@pytest.mark.parametrize(
    "query", [b"seq=7", b"seq=007", b"seq=%37", b"a=b&seq=7&seq=x", b"seq=%zz&seq=7", b"seq=7&a;b"]
)
def test_seq_is_the_first_value_that_go_reads(fake: FakeGo, query: bytes) -> None:
    assert status_of_seq(fake, query) == 200


@pytest.mark.parametrize(
    "query",
    [
        b"",
        b"seq",
        b"seq=",
        b"SEQ=7",
        b"seq=+7",
        b"seq=%207",
        b"seq=7+",
        b"seq=-7",
        b"seq=7.0",
        b"seq=7e0",
        b"seq=0x7",
        b"seq=1_0",
        b"seq=r7",
        b"seq=x&seq=7",
        b"seq=7;seq=7",
        b"seq=%zz",
        b"seq=7#frag",
        b"seq=18446744073709551616",
        b"seq=99999999999999999999999999",
        b"seq=%ff",
        b"seq=\xff",
        b"seq=\xd9\xa1",
        b"seq=%00",
        "seq=７".encode(),
    ],
)
def test_a_seq_that_is_not_an_unsigned_64_bit_decimal_is_400(fake: FakeGo, query: bytes) -> None:
    assert_ours(get(fake, BLOCK + b"?" + query), 400)
    assert fake.take_unexpected() == []


def queries() -> list[tuple[GoTarget, bytes, str]]:
    """The query strings of the vectors that can stand in a request line, with what Go's Query().Get("seq") gives."""
    cases = []
    for target, entry in vectors("query"):
        query = utf8.encode(entry["in"])
        if not any(byte <= 0x20 or byte == 0x7F for byte in query):
            cases.append((target, query, entry["get_seq"]))
    assert len(cases) > 200
    return cases


@pytest.mark.parametrize(("target", "query", "seq"), queries())
def test_seq_is_read_as_gos_query_get_reads_it(target: GoTarget, query: bytes, seq: str) -> None:
    decimal = seq != "" and all(character in "0123456789" for character in seq) and int(seq) <= LAST
    wanted = [Block(f"r{int(seq)}", int(seq), "", "", "", 0)] if decimal else []
    assert status_of_seq(FakeGo(wanted, target), query) == (200 if decimal else 400)


@pytest.mark.parametrize("path", [BLOCK, BLOCKS, KEEPIMG])
@pytest.mark.parametrize("method", ["POST", "HEAD", "PUT", "DELETE", "OPTIONS", "get"])
def test_a_get_route_takes_no_other_method(fake: FakeGo, path: bytes, method: str) -> None:
    reply = fake.respond(method, path + b"?seq=7", b"")
    assert_ours(reply, 405)
    assert ("Allow", "GET") in reply.headers


@pytest.mark.parametrize("path", [ARCHIVE, EXEC, STORE])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT"])
def test_a_post_route_takes_no_other_method(fake: FakeGo, path: bytes, method: str) -> None:
    reply = fake.respond(method, path, b"{}")
    assert_ours(reply, 405)
    assert ("Allow", "POST") in reply.headers


@pytest.mark.parametrize(
    "target", [b"/", b"", b"*", b"/internal/v1/recall", BLOCK + b"/", b"/" + BLOCK, b"http://h" + BLOCK]
)
def test_an_unknown_route_is_404_and_was_not_expected(fake: FakeGo, target: bytes) -> None:
    assert_ours(get(fake, target), 404)
    assert fake.take_unexpected() == [f"GET {target.decode()}"]


@pytest.mark.parametrize("target", [b"/%zz", b"/%", b"/%1", BLOCK + b"?seq=7 ", b"/\x01", b"/a\x7f", b"/a\tb", b"/\n"])
def test_a_target_that_go_refuses_is_400_and_was_not_expected(fake: FakeGo, target: bytes) -> None:
    assert_ours(get(fake, target), 400)
    assert fake.take_unexpected() == [f"GET {drawn(target)}"]


def test_a_path_is_compared_after_its_escapes_are_read(fake: FakeGo) -> None:
    assert get(fake, b"/internal/v1/recall/%62lock?seq=7").status == 200
    assert get(fake, b"/internal/v1/recall%2Fblock?seq=7").status == 404


def test_a_target_is_drawn_as_printable_ascii() -> None:
    assert drawn(b"/a?b=\xff\x00 \x1b[31m\\\xc3\xa9~") == r"/a?b=\xff\x00\x20\x1b[31m\\\xc3\xa9~"


def test_sealed_blocks_are_absent_from_both_reads_while_locked() -> None:
    fake = FakeGo([Block(f"r{n}", n, "", "", "", 0) for n in (1, 2, 3)], sealed=[2], locked=True)
    assert fake.locked
    assert status_of_seq(fake, b"seq=2") == 404
    assert [block["seq"] for block in json.loads(get(fake, BLOCKS).body)] == [1, 3]
    fake.locked = False
    assert status_of_seq(fake, b"seq=2") == 200
    assert [block["seq"] for block in json.loads(get(fake, BLOCKS).body)] == [1, 2, 3]


def test_what_is_archived_gets_the_next_seq_and_is_read_back() -> None:
    fake = FakeGo([Block("r41", 41, "", "", "", 0)], now=lambda: 1790000042)
    reply = fake.respond("POST", ARCHIVE, b'{"label":"l\\ud800","role":"tool","content":"\xff<"}')
    assert (reply.status, reply.body) == (200, b'{"id":"r42"}')
    assert json.loads(get(fake, BLOCK + b"?seq=42").body) == {
        "id": "r42",
        "seq": 42,
        "label": "l�",
        "role": "tool",
        "content": "�<",
        "created": 1790000042,
    }
    assert [block["seq"] for block in json.loads(get(fake, BLOCKS).body)] == [41, 42]


def test_the_first_block_of_an_empty_archive_is_r1() -> None:
    assert FakeGo().respond("POST", ARCHIVE, b"{}").body == b'{"id":"r1"}'


def test_an_archived_field_that_is_absent_or_null_is_empty_and_keys_match_without_case(fake: FakeGo) -> None:
    assert fake.respond("POST", ARCHIVE, '{"LABEL":"l","Content":null,"é":1}'.encode()).status == 200
    block = json.loads(get(fake, BLOCK + b"?seq=8").body)
    assert (block["label"], block["role"], block["content"]) == ("l", "", "")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"null", b"[]", b'"x"', b'{"label":1}', b'{"content":{}}', b'{"role":[]}', b"{}{}"]
)
def test_an_archive_body_that_is_no_object_of_texts_is_400(fake: FakeGo, body: bytes) -> None:
    assert_ours(fake.respond("POST", ARCHIVE, body), 400)
    assert len(json.loads(get(fake, BLOCKS).body)) == 3


def test_an_archive_whose_seqs_are_used_up_is_500() -> None:
    fake = FakeGo([Block(f"r{LAST}", LAST, "", "", "", 0)])
    assert_ours(fake.respond("POST", ARCHIVE, b"{}"), 500)


def execute(fake: FakeGo, body: bytes) -> Reply:
    return fake.respond("POST", EXEC, body)


def test_exec_answers_a_recorded_step_once() -> None:
    fake = FakeGo()
    answer = ToolAnswer("<résultat>", "libellé", (DiffLine("+", "a"), DiffLine("-", "b")))
    fake.expect_exec("recall", b'{"id":"r7","n":1}', answer)
    assert fake.unused_steps() == 1
    reply = execute(fake, b'{"name":"recall","args":{"n":1.0,"id":"r7"}}')
    assert reply.status == 200
    assert reply.body.decode() == (
        r'{"result":"\u003crésultat\u003e","label":"libellé",'
        r'"diff":[{"op":"+","text":"a"},{"op":"-","text":"b"}]}'
    )
    assert fake.unused_steps() == 0
    assert_ours(execute(fake, b'{"name":"recall","args":{"id":"r7","n":1}}'), 500)
    assert fake.take_unexpected() == ["POST /internal/v1/tool/exec"]


def test_exec_without_a_diff_answers_an_empty_one() -> None:
    fake = FakeGo()
    fake.expect_exec("t", b"{}", ToolAnswer("r"))
    assert execute(fake, b'{"name":"t","args":{}}').body == b'{"result":"r","label":"","diff":[]}'


@pytest.mark.parametrize("recorded", [b"{}", b"null", b"[]", b'"x"', b"not json", b""])
@pytest.mark.parametrize("sent", [b'"args":{}', b'"args":null', b'"args":[]', b'"other":1'])
def test_arguments_that_are_no_object_are_an_empty_map(recorded: bytes, sent: bytes) -> None:
    fake = FakeGo()
    fake.expect_exec("t", recorded, ToolAnswer("r"))
    assert execute(fake, b'{"name":"t",' + sent + b"}").status == 200


@pytest.mark.parametrize(
    "sent", [b'{"n":true}', b'{"n":"1"}', b'{"n":[1]}', b'{"n":1,"m":null}', b'{"n":1.5}', b"{}", b'{"N":1}']
)
def test_other_arguments_are_not_the_recorded_step(sent: bytes) -> None:
    fake = FakeGo()
    fake.expect_exec("t", b'{"n":1}', ToolAnswer("r"))
    assert_ours(execute(fake, b'{"name":"t","args":' + sent + b"}"), 500)
    assert fake.unused_steps() == 1


def test_another_tool_is_not_the_recorded_step_and_order_does_not_count() -> None:
    fake = FakeGo()
    fake.expect_exec("a", b"{}", ToolAnswer("of a"))
    fake.expect_exec("b", b"{}", ToolAnswer("of b"))
    assert b"of b" in execute(fake, b'{"Name":"b"}').body
    assert execute(fake, b'{"name":"b"}').status == 500
    assert b"of a" in execute(fake, b'{"name":"a"}').body


def test_equal_steps_are_answered_in_the_order_they_were_handed_over() -> None:
    fake = FakeGo()
    for text in ("first", "second"):
        fake.expect_exec("a", b"{}", ToolAnswer(text))
    assert [b"first" in execute(fake, b'{"name":"a"}').body for _ in range(2)] == [True, False]


def test_a_recorded_panic_closes_the_connection() -> None:
    fake = FakeGo()
    fake.expect_exec("t", b"{}", GoPanic("boom"))
    assert execute(fake, b'{"name":"t"}').undelivered == "the fake Go closes the connection"


@pytest.mark.parametrize("body", [b"", b"{", b"null", b"[]", b"{}", b'{"name":1}', b'{"name":null}'])
def test_an_exec_body_without_a_name_is_400(fake: FakeGo, body: bytes) -> None:
    assert_ours(execute(fake, body), 400)


def test_the_routes_of_kept_images_are_not_there_until_served(fake: FakeGo) -> None:
    assert_ours(get(fake, KEEPIMG), 404)
    assert_ours(fake.respond("POST", STORE, b"{}"), 404)
    fake.serve_keepimg(lambda: b'{"vision":true,"budget":3276}', lambda body: body or None)
    assert get(fake, KEEPIMG).body == b'{"vision":true,"budget":3276}'
    assert fake.respond("POST", STORE, b'{"ok":false}').body == b'{"ok":false}'
    assert_ours(fake.respond("POST", STORE, b""), 400)


def test_every_request_is_recorded_until_it_is_taken(fake: FakeGo) -> None:
    seen: list[str] = []
    fake.on_request = seen.append
    get(fake, BLOCKS)
    fake.respond("POST", b"/nowhere?\xff", b"")
    wanted = ["GET /internal/v1/recall/blocks", r"POST /nowhere?\xff"]
    assert fake.take_requests() == wanted
    assert fake.take_requests() == []
    assert seen == wanted


def test_at_most_ten_thousand_requests_are_kept(fake: FakeGo) -> None:
    for n in range(10_001):
        get(fake, b"/%d" % n)
    taken = fake.take_requests()
    assert (len(taken), taken[0], taken[-1]) == (10_000, "GET /1", "GET /10000")
    assert len(fake.take_unexpected()) == 10_000


def test_once_something_is_expected_nothing_else_is(fake: FakeGo) -> None:
    one, every = f"GET {BLOCK.decode()}?seq=1", f"GET {BLOCKS.decode()}"
    fake.expect(one, every, one)
    assert [get(fake, BLOCK + b"?seq=1").status for _ in range(3)] == [200, 200, 500]
    assert_ours(get(fake, BLOCK + b"?seq=3"), 500)
    assert fake.take_unexpected() == [one, f"GET {BLOCK.decode()}?seq=3"]
    assert fake.missing() == [every]
    fake.expect(one)
    assert fake.missing() == [one, every]
    assert get(fake, BLOCK + b"?seq=1").status == 200
    fake.forget()
    assert fake.missing() == []
    assert get(fake, BLOCK + b"?seq=3").status == 200


def test_forgetting_drops_the_recorded_steps_too(fake: FakeGo) -> None:
    fake.expect_exec("t", b"{}", ToolAnswer("r"))
    fake.forget()
    assert fake.unused_steps() == 0


def test_a_loaded_archive_starts_as_if_new(fake: FakeGo) -> None:
    get(fake, b"/nowhere")
    fake.expect("GET /x")
    fake.expect_exec("t", b"{}", ToolAnswer("r"))
    fake.serve_keepimg(lambda: b"{}", lambda _: b"{}")
    fake.load([Block("r2", 2, "", "", "", 0)], GO_1_27)
    assert (fake.take_requests(), fake.take_unexpected(), fake.missing(), fake.unused_steps()) == ([], [], [], 0)
    assert json.loads(get(fake, BLOCKS).body)[0]["seq"] == 2
    assert get(fake, KEEPIMG).status == 404


def test_a_list_that_cannot_be_loaded_leaves_everything_as_it_was(fake: FakeGo) -> None:
    with pytest.raises(ValueError, match="two blocks"):
        fake.load([Block("r2", 2, "", "", "", 0)] * 2)
    assert len(json.loads(get(fake, BLOCKS).body)) == 3


def test_threads_may_call_it_at_the_same_time(fake: FakeGo) -> None:
    def archive() -> None:
        for _ in range(100):
            fake.respond("POST", ARCHIVE, b'{"label":"l"}')
            get(fake, BLOCKS)

    threads = [threading.Thread(target=archive) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [block["seq"] for block in json.loads(get(fake, BLOCKS).body)] == [1, 3, *range(7, 408)]
    assert len(fake.take_requests()) == 801
