"""A completion out of its pieces, however an engine cuts it up (facade.md, The turn)."""

from __future__ import annotations

import json
from typing import TypeAlias

import pytest

from parity.facade.deltas import MOST_CALLS, Assembly, Completion, EngineFailed, Usage, error_words
from parity.gostd.target import GO_1_25
from parity.images.message import ToolCall

Json: TypeAlias = "dict[str, object]"


def assembled(*chunks: Json) -> Completion:
    assembly = Assembly(GO_1_25)
    for chunk in chunks:
        assembly.add(json.dumps(chunk).encode())
    return assembly.whole()


def delta(members: Json, finish: object = None) -> Json:
    return {"choices": [{"index": 0, "delta": members, "finish_reason": finish}]}


def piece(**members: object) -> Json:
    """One piece of a call: ``name`` and ``arguments`` go into its function."""
    function = {key: members.pop(key) for key in ("name", "arguments") if key in members}
    return delta({"tool_calls": [{**members, "function": function}]})


END = delta({}, "tool_calls")


def calls(*chunks: Json) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in assembled(*chunks, END).calls]


def reason(*chunks: bytes) -> str:
    assembly = Assembly(GO_1_25)
    with pytest.raises(EngineFailed) as caught:
        [assembly.add(chunk) for chunk in chunks]
    return caught.value.reason


def test_text_is_joined_in_order() -> None:
    pieces = [delta({"role": "assistant"}), delta({"content": "a"}), delta({"content": None}), delta({"content": "é"})]
    assert assembled(*pieces, delta({}, "stop")) == Completion("aé", (), "stop")


def test_arguments_come_in_pieces() -> None:
    given = [
        piece(index=0, id="a", type="function", name="recall", arguments=""),
        piece(index=0, arguments='{"i'),
        piece(index=0, arguments='d":"r2"}'),
    ]
    assert assembled(*given, END).calls == (ToolCall("a", "function", "recall", '{"id":"r2"}'),)


def test_a_name_in_pieces_is_joined_and_one_that_is_repeated_whole_is_not() -> None:
    assert calls(piece(index=0, id="a", name="rec"), piece(index=0, name="all")) == [("a", "recall", "")]
    assert calls(piece(index=0, id="a", name="recall"), piece(index=0, name="recall")) == [("a", "recall", "")]


def test_several_calls_are_told_apart_by_their_index() -> None:
    assert calls(
        piece(index=0, id="a", name="x", arguments="1"),
        piece(index=1, id="b", name="y", arguments="2"),
        piece(index=0, arguments="3"),
        piece(index=1, arguments="4"),
    ) == [("a", "x", "13"), ("b", "y", "24")]


def test_calls_stand_in_the_order_of_their_indices() -> None:
    assert [call[0] for call in calls(piece(index=7, id="c"), piece(index=2, id="b"), piece(index=0, id="a"))] == [
        "a",
        "b",
        "c",
    ]


def test_without_an_index_the_last_call_goes_on() -> None:
    assert calls(piece(id="a", name="x", arguments="1"), piece(arguments="2"), piece(arguments="3")) == [
        ("a", "x", "123")
    ]


def test_without_an_index_another_id_begins_a_call_and_the_same_one_goes_on() -> None:
    assert calls(
        piece(id="a", name="x", arguments="1"),
        piece(id="a", arguments="2"),
        piece(id="b", name="x", arguments="3"),
    ) == [("a", "x", "12"), ("b", "x", "3")]


def test_without_index_and_id_a_second_name_begins_a_call() -> None:
    assert calls(piece(name="x", arguments="1"), piece(arguments="2"), piece(name="y", arguments="3")) == [
        ("call_0", "x", "12"),
        ("call_1", "y", "3"),
    ]


def test_an_id_and_a_name_that_come_late_belong_to_the_call_that_waits_for_them() -> None:
    assert calls(piece(arguments="1"), piece(name="x"), piece(id="a")) == [("a", "x", "1")]


def test_another_id_under_the_same_index_begins_a_call() -> None:
    assert calls(
        piece(index=0, id="a", name="x", arguments="1"),
        piece(index=0, id="b", name="y", arguments="2"),
        piece(index=0, arguments="3"),
    ) == [("a", "x", "1"), ("b", "y", "23")]


def test_several_calls_can_come_in_one_delta() -> None:
    both = [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "y"}}]
    assert calls(delta({"tool_calls": both})) == [("a", "x", "{}"), ("b", "y", "")]


def test_calls_without_an_index_follow_those_with_one() -> None:
    assert [call[0] for call in calls(piece(index=4, id="a", name="x"), piece(id="b", name="y"))] == ["a", "b"]


def test_a_call_may_lack_everything() -> None:
    assert calls(delta({"tool_calls": [{}]})) == [("call_0", "", "")]
    assert calls(delta({"tool_calls": [None]})) == [("call_0", "", "")]


def test_more_calls_than_anybody_asks_for_are_refused() -> None:
    many = [{"id": str(number), "function": {"name": "x"}} for number in range(MOST_CALLS + 1)]
    assert len(assembled(delta({"tool_calls": many[:-1]}), END).calls) == MOST_CALLS
    chunk = json.dumps(delta({"tool_calls": many})).encode()
    assert reason(chunk) == "the engine asks for more than 128 tool calls at once"


def test_surrogates_and_bad_bytes_in_a_chunk_are_read_as_go_reads_them() -> None:
    assembly = Assembly(GO_1_25)
    assembly.add(b'{"choices":[{"delta":{"content":"\\ud83d|\xff\xe2\x82|\\ud83d\\ude00"},"finish_reason":"stop"}]}')
    assert assembly.whole().text == "�|���|😀"


def test_escapes_in_arguments_survive_as_the_model_wrote_them() -> None:
    raw = r'{"id":"\ud83d","n":1e400,"n":1}'
    assert calls(piece(index=0, id="a", name="x", arguments=raw)) == [("a", "x", raw)]


def test_only_the_first_choice_counts() -> None:
    other: Json = {"choices": [{"index": 1, "delta": {"content": "b"}, "finish_reason": "length"}]}
    assert assembled(delta({"content": "a"}), other, delta({}, "stop")) == Completion("a", (), "stop")


def test_a_choice_without_index_is_the_first() -> None:
    assert assembled({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}).text == "a"


@pytest.mark.parametrize("empty", [{}, {"choices": None}, {"choices": []}, {"choices": [{}]}, {"choices": [None]}])
def test_a_chunk_may_say_nothing(empty: Json) -> None:
    assert assembled(empty, delta({"content": "a"}), {"error": None}, delta({}, "stop")).text == "a"


def test_null_is_a_chunk_that_says_nothing() -> None:
    assembly = Assembly(GO_1_25)
    assembly.add(b"null")
    assert not assembly.finished


def test_text_may_follow_the_finish_reason_and_the_last_one_counts() -> None:
    assert assembled(delta({"content": "a"}, "stop"), delta({"content": "b"}, ""), delta({}, "length")) == Completion(
        "ab", (), "length"
    )


@pytest.mark.parametrize("given", [[], [delta({"content": "a"})], [piece(index=0, name="x")], [delta({}, "")]])
def test_without_a_finish_reason_there_is_no_completion(given: list[Json]) -> None:
    with pytest.raises(EngineFailed, match=r"^the engine's answer ended before its finish_reason$"):
        assembled(*given)


def test_usage_is_read_where_it_comes_and_the_last_one_counts() -> None:
    first: Json = {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    second: Json = {
        "choices": [],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "completion_tokens_details": {"reasoning_tokens": 5},
        },
    }
    assert assembled(first, delta({}, "stop"), {"usage": None}).usage == Usage(1, 2)
    assert assembled(first, delta({}, "stop"), second).usage == Usage(100, 20, 5)
    assert assembled(delta({}, "stop")).usage is None


@pytest.mark.parametrize("wrong", [None, "5", True, [], {}, -1, -1e400])
def test_a_usage_without_numbers_is_none_of_tokens(wrong: object) -> None:
    usage = {"prompt_tokens": wrong, "completion_tokens": wrong, "completion_tokens_details": wrong}
    assembly = Assembly(GO_1_25)
    assembly.add(json.dumps({**delta({}, "stop"), "usage": usage}).replace("-Infinity", "-1e400").encode())
    assert assembly.whole().usage == Usage(0, 0, 0)


@pytest.mark.parametrize(
    ("chunk", "said"),
    [
        (b"", "the engine's answer is not readable as JSON"),
        (b"{", "the engine's answer is not readable as JSON"),
        (b"<html>", "the engine's answer is not readable as JSON"),
        (b"{}{}", "the engine's answer is not readable as JSON"),
        (b"[" * 20_000, "the engine's answer is not readable as JSON"),
        (b"[]", "the engine's answer is misshapen: a chunk is an array"),
        (b"7", "the engine's answer is misshapen: a chunk is a number"),
        (b'"x"', "the engine's answer is misshapen: a chunk is a string"),
        (b"true", "the engine's answer is misshapen: a chunk is true or false"),
        (b'{"choices":{}}', "the engine's answer is misshapen: a list of choices is an object"),
        (b'{"choices":[1]}', "the engine's answer is misshapen: a choice is a number"),
        (b'{"choices":[{"delta":"x"}]}', "the engine's answer is misshapen: a delta is a string"),
        (b'{"choices":[{"delta":{"content":[]}}]}', "the engine's answer is misshapen: a content is an array"),
        (
            b'{"choices":[{"delta":{"tool_calls":{}}}]}',
            "the engine's answer is misshapen: a list of calls is an object",
        ),
        (b'{"choices":[{"delta":{"tool_calls":[1]}}]}', "the engine's answer is misshapen: a tool call is a number"),
        (
            b'{"choices":[{"delta":{"tool_calls":[{"index":"0"}]}}]}',
            "the engine's answer is misshapen: an index is a string",
        ),
        (b'{"choices":[{"delta":{"tool_calls":[{"id":1}]}}]}', "the engine's answer is misshapen: an id is a number"),
        (
            b'{"choices":[{"delta":{"tool_calls":[{"function":1}]}}]}',
            "the engine's answer is misshapen: a function is a number",
        ),
        (
            b'{"choices":[{"delta":{"tool_calls":[{"function":{"name":1}}]}}]}',
            "the engine's answer is misshapen: a name is a number",
        ),
        (
            b'{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"id":"r2"}}}]}}]}',
            "the engine's answer is misshapen: a piece of arguments is an object",
        ),
        (b'{"choices":[{"finish_reason":1}]}', "the engine's answer is misshapen: a finish_reason is a number"),
        (b'{"usage":1}', "the engine's answer is misshapen: a usage is a number"),
        (b'{"error":{"message":"no \\u001b[31m \xc3\xa9"}}', r"the engine reports an error: 'no \x1b[31m \xe9'"),
        (b'{"error":"plain"}', "the engine reports an error: 'plain'"),
        (b'{"error":{"code":7}}', "the engine reports an error: ''"),
    ],
)
def test_what_is_no_chunk_is_a_failure_with_its_reason(chunk: bytes, said: str) -> None:
    assert reason(chunk) == said


def test_an_engines_words_are_cut() -> None:
    assert len(reason(json.dumps({"error": "é" * 10_000}).encode())) < 900


def test_error_words_are_read_off_anything() -> None:
    answers: list[object] = [None, [], {}, {"error": 1}, {"error": {"message": 1}}]
    assert [error_words(one) for one in answers] == [""] * 5
