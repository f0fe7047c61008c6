"""The shapes of Go's answers that are taken, and those that are not (facade.md, the host, 1)."""

from __future__ import annotations

import json

import pytest

from parity.facade.archive import BlockAnswers, ListAnswers
from parity.facade.go_client import GoClient
from parity.facade.transport import Reply
from parity.tools.interface import Block, GoUnavailable

SEVEN = {"id": "r7", "seq": 7, "label": "l", "role": "tool", "content": "c", "created": 1790000000}
SEVEN_BLOCK = Block("r7", 7, "l", "tool", "c", 1790000000)


def reply(value: object, *, status: int = 200, content_type: str = "application/json") -> Reply:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Reply(status, content_type, body)


def without(*names: str) -> dict[str, object]:
    return {name: value for name, value in SEVEN.items() if name not in names}


def block(value: object, seq: int = 7, **extra: object) -> Block | None:
    return BlockAnswers().read(reply(value, **extra), seq)  # type: ignore[arg-type]  # status and content_type


def seqs(value: object) -> list[int]:
    return [one.seq for one in ListAnswers().read(reply(value)).items]


def reason_of_block(value: object, **extra: object) -> str:
    with pytest.raises(GoUnavailable) as caught:
        block(value, **extra)  # type: ignore[arg-type]  # status and content_type
    return caught.value.reason


def reason_of_list(value: object) -> str:
    with pytest.raises(GoUnavailable) as caught:
        ListAnswers().read(reply(value))
    return caught.value.reason


def numbered(*numbers: int) -> list[dict[str, object]]:
    return [{**SEVEN, "id": f"r{n}", "seq": n} for n in numbers]


def test_a_block_is_read_with_every_field() -> None:
    assert block(SEVEN) == SEVEN_BLOCK


def test_role_and_created_which_no_tool_prints_may_be_missing() -> None:
    assert block(without("role", "created")) == Block("r7", 7, "l", "", "c", 0)


def test_unknown_fields_are_ignored_as_go_ignores_them() -> None:
    assert block({**SEVEN, "sealed": True, "tags": [1, {}]}) == SEVEN_BLOCK


def test_seq_is_exact_up_to_the_last_unsigned_64_bit_integer() -> None:
    last = 2**64 - 1
    found = block({**SEVEN, "id": f"r{last}", "seq": last}, last)
    assert found is not None
    assert found.seq == 18446744073709551615


@pytest.mark.parametrize(
    ("value", "clause"),
    [
        ([], "a block is an array"),
        (None, "a block is null"),
        ("r7", "a block is a string"),
        (7, "a block is a number"),
        (True, "a block is true or false"),
        ({}, "a block has no id"),
        ({"error": "x"}, "a block has no id"),
        (without("seq"), "a block has no seq"),
        ({**SEVEN, "seq": None}, "a block's seq is null"),
        (without("id"), "a block has no id"),
        (without("label"), "a block has no label"),
        (without("content"), "a block has no content"),
        ({**SEVEN, "content": None}, "a block's content is null"),
        ({**SEVEN, "content": 1}, "a block's content is a number"),
        ({**SEVEN, "role": ["tool"]}, "a block's role is an array"),
        ({**SEVEN, "label": {}}, "a block's label is an object"),
        ({**SEVEN, "id": 7}, "a block's id is a number"),
        ({**SEVEN, "id": "r8"}, "a block's id is not r and its seq"),
        ({**SEVEN, "id": "r07"}, "a block's id is not r and its seq"),
        ({**SEVEN, "seq": "7"}, "a block's seq is a string"),
        ({**SEVEN, "seq": True}, "a block's seq is true or false"),
        (b'{"id":"r7","seq":7.0,"label":"","content":""}', "a block's seq is a number with a fraction or an exponent"),
        (b'{"id":"r7","seq":7e0,"label":"","content":""}', "a block's seq is a number with a fraction or an exponent"),
        ({**SEVEN, "seq": -1}, "a block's seq is out of range"),
        ({**SEVEN, "seq": 2**64}, "a block's seq is out of range"),
        ({**SEVEN, "created": 2**63}, "a block's created is out of range"),
        ({**SEVEN, "created": "now"}, "a block's created is a string"),
        ({**SEVEN, "id": "r8", "seq": 8}, "not the block that was asked for"),
    ],
)
def test_a_misshapen_block_is_no_answer(value: object, clause: str) -> None:
    assert reason_of_block(value) == f"Go's answer is misshapen: {clause}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"id":"r7",',
        b"null null",
        b"\xff",
        b'{"id":"\xe2\x82"}',
        b"\xef\xbb\xbf{}",
        b"NaN",
        b'{"created":Infinity}',
        b'{"a":-Infinity}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 5000,
        b'"\x01"',
        b"{}\x00",
    ],
    ids=lambda body: body[:12].decode("latin-1"),
)
def test_a_body_that_is_not_json_is_no_answer(body: bytes) -> None:
    assert reason_of_block(body) == "Go's answer is not readable as JSON"


@pytest.mark.parametrize("content_type", ["text/html", "Text/HTML; charset=utf-8", " application/xhtml+xml "])
def test_html_by_its_type_is_no_answer_whatever_the_status(content_type: str) -> None:
    assert reason_of_block(SEVEN, content_type=content_type) == "Go's answer is HTML, not JSON"
    assert reason_of_block(b"", status=404, content_type=content_type) == "a 404 in HTML, which is not Go's"


@pytest.mark.parametrize("body", [b"<html>", b" \r\n\t<!DOCTYPE html>", b"\xef\xbb\xbf<p>"])
def test_html_by_its_first_character_is_no_answer_whatever_the_type(body: bytes) -> None:
    assert reason_of_block(body) == "Go's answer is HTML, not JSON"
    assert reason_of_block(body, status=404) == "a 404 in HTML, which is not Go's"


@pytest.mark.parametrize("body", [b"", b'{"error":"no block 7"}', b"404 page not found\n", b"\xff\xfe"])
@pytest.mark.parametrize("content_type", ["", "application/json", "text/plain; charset=utf-8", "text/htmlx"])
def test_a_404_that_is_not_html_is_the_answer_that_there_is_no_such_block(body: bytes, content_type: str) -> None:
    assert block(body, status=404, content_type=content_type) is None


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 400, 401, 403, 405, 408, 429, 500, 502, 503, 504, 599])
def test_a_status_other_than_200_and_404_is_no_answer(status: int) -> None:
    assert reason_of_block(SEVEN, status=status) == f"Go answered with status {status}"


@pytest.mark.parametrize("status", [301, 400, 404, 405, 500])
def test_for_all_blocks_404_is_no_answer_either(status: int) -> None:
    with pytest.raises(GoUnavailable, match=f"^Go answered with status {status}$"):
        ListAnswers().read(reply([], status=status))


@pytest.mark.parametrize("wrap", [lambda a: a, lambda a: {"blocks": a}, lambda a: {"blocs": a, "total": 2}])
def test_all_blocks_are_an_array_or_the_only_array_of_an_object(wrap: object) -> None:
    assert callable(wrap)
    assert seqs(wrap(numbered(1, 2))) == [1, 2]


@pytest.mark.parametrize("value", [None, [], {"blocks": None}, {"blocs": []}, {"blocks": None, "blocs": None}])
def test_null_and_an_empty_array_are_an_archive_without_a_block(value: object) -> None:
    assert seqs(value) == []


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"items": []},
        {"blocks": {}},
        {"blocks": "x"},
        {"blocks": [], "blocs": []},
        {"blocks": [], "others": []},
        {"blocks": None, "others": []},
        {"bloc": 1},
    ],
)
def test_an_object_without_its_one_array_is_no_answer(value: object) -> None:
    assert reason_of_list(value) == "Go's answer is misshapen: an object without its one array under blocks or blocs"


@pytest.mark.parametrize(
    ("value", "clause"),
    [
        (7, "the blocks are a number"),
        ("[]", "the blocks are a string"),
        ([SEVEN, 7], "a block is a number"),
        ([SEVEN, without("content")], "a block has no content"),
        (numbered(3, 3), "two blocks with the same seq"),
        (numbered(3, 1, 3), "two blocks with the same seq"),
    ],
)
def test_a_misshapen_list_of_blocks_is_no_answer(value: object, clause: str) -> None:
    assert reason_of_list(value) == f"Go's answer is misshapen: {clause}"


def test_blocks_stand_in_ascending_seq_whatever_their_order_was() -> None:
    assert seqs(numbered(10, 2, 1)) == [1, 2, 10]


def test_a_lone_surrogate_is_one_replacement_character_as_go_reads_it() -> None:
    body = rb'{"id":"r7","seq":7,"label":"\ud83d\ud83d\ude00","role":"\udc00","content":"a\uDFFFb"}'
    assert block(body) == Block("r7", 7, "�😀", "�", "a�b", 0)


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert block({**SEVEN, "content": "😀"}) == Block("r7", 7, "l", "tool", "😀", 1790000000)


def test_equal_bytes_give_the_very_same_list_with_its_memo() -> None:
    answers = ListAnswers()
    first = answers.read(reply(numbered(1, 2)))
    first.memo["index"] = "kept"
    again = answers.read(reply(numbered(1, 2)))
    assert again is first
    assert again.memo == {"index": "kept"}


def test_the_last_two_lists_are_kept_and_the_one_before_is_not() -> None:
    answers = ListAnswers()
    one, two = answers.read(reply(numbered(1))), answers.read(reply(numbered(1, 2)))
    assert answers.read(reply(numbered(1))) is one
    answers.read(reply(numbered(1, 2, 3)))
    assert answers.read(reply(numbered(1))) is one
    assert answers.read(reply(numbered(1, 2))) is not two


def test_a_list_that_is_no_answer_is_not_kept() -> None:
    answers = ListAnswers()
    for _ in range(2):
        with pytest.raises(GoUnavailable):
            answers.read(reply([7]))


def test_equal_bytes_give_the_very_same_block() -> None:
    answers = BlockAnswers()
    assert answers.read(reply(SEVEN), 7) is answers.read(reply(SEVEN), 7)


def test_a_kept_block_is_still_refused_when_another_was_asked_for() -> None:
    answers = BlockAnswers()
    answers.read(reply(SEVEN), 7)
    with pytest.raises(GoUnavailable, match="not the block that was asked for"):
        answers.read(reply(SEVEN), 8)


def test_the_least_recently_used_block_leaves_first() -> None:
    answers = BlockAnswers(limit=2 * 1024 + 2 * len(json.dumps(SEVEN)))
    one, two, three = numbered(1, 2, 3)
    first, second = answers.read(reply(one), 1), answers.read(reply(two), 2)
    assert answers.read(reply(one), 1) is first
    answers.read(reply(three), 3)
    assert answers.read(reply(one), 1) is first
    assert answers.read(reply(two), 2) is not second


def test_a_block_larger_than_all_that_may_be_kept_is_read_and_not_kept() -> None:
    answers = BlockAnswers(limit=1100)
    assert answers.read(reply({**SEVEN, "content": "x" * 100}), 7) is not None
    assert answers.read(reply({**SEVEN, "content": "x" * 100}), 7) is not answers.read(
        reply({**SEVEN, "content": "x" * 100}), 7
    )


def test_the_client_asks_for_exactly_the_block_and_closes_its_transport() -> None:
    class Recorder:
        asked: list[object]

        def __init__(self) -> None:
            self.asked = []

        def request(self, method: str, target: str, body: bytes | None = None) -> Reply:
            self.asked.append((method, target, body))
            return reply([SEVEN] if target.endswith("s") else SEVEN)

        def close(self) -> None:
            self.asked.append("closed")

    transport = Recorder()
    client = GoClient(transport)
    assert client.block(7) == SEVEN_BLOCK
    assert client.blocks().items == (SEVEN_BLOCK,)
    client.close()
    assert transport.asked == [
        ("GET", "/internal/v1/recall/block?seq=7", None),
        ("GET", "/internal/v1/recall/blocks", None),
        "closed",
    ]
