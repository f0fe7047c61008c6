"""keepimg.md, A message, Text of a message, Tokens estimate. Numbers are worked out from the contract's formulas."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import pytest

from parity.images import message as messages
from parity.images.message import LOST, Message, MessageUnreadableError, read, text, tokens, without_image, written

PICTURE: Final = {"type": "image_url", "image_url": {"url": "loki-img:0123456789abcdef0123456789abcdef.png"}}


def caption(held: object) -> dict[str, object]:
    return {"type": "text", "text": held}


def test_the_lost_marker_is_the_contracts_with_its_leading_space() -> None:
    assert LOST == (
        " [image — not kept past this point in the conversation once summarized; call see_image on the same file "
        "again if you still need to see it]"
    )


@pytest.mark.parametrize(
    "tree",
    [
        {"role": "user", "content": "regarde img.png"},
        {"role": "user", "content": ""},
        {"role": "user", "content": ()},
        {"role": "user", "content": (caption("Image :"), PICTURE), "img_relay": True, "img_tokens": 300},
        {"role": "tool", "content": "r", "tool_call_id": "v1"},
        {
            "role": "assistant",
            "tool_calls": (
                {"id": "v1", "type": "function", "function": {"name": "see_image", "arguments": '{"file":"img.png"}'}},
            ),
        },
        {"role": "assistant", "content": "x", "img_tokens": -1, "reasoning_content": "hm", "name": None},
    ],
)
def test_a_message_is_written_as_it_was_read(tree: dict[str, object]) -> None:
    assert written(read(tree)) == tree
    assert written(read(MappingProxyType(tree))) == tree


@pytest.mark.parametrize(
    "empty",
    [
        {"content": None},
        {"tool_calls": None},
        {"tool_calls": []},
        {"tool_call_id": ""},
        {"tool_call_id": None},
        {"img_relay": False},
        {"img_relay": None},
        {"img_tokens": 0},
        {"img_tokens": None},
    ],
)
def test_what_is_empty_is_left_out(empty: dict[str, object]) -> None:
    assert written(read({"role": "user", **empty})) == {"role": "user"}


@pytest.mark.parametrize("tree", [None, {}, {"role": None}, {"role": ""}])
def test_a_role_is_always_written(tree: object) -> None:
    assert written(read(tree)) == {"role": ""}


@pytest.mark.parametrize("call", [None, {}, {"function": None}, {"id": None, "function": {"name": None}}])
def test_a_tool_call_has_all_its_members_empty_or_not(call: object) -> None:
    whole = {"id": "", "type": "", "function": {"name": "", "arguments": ""}}
    assert written(read({"role": "assistant", "tool_calls": [call]})) == {"role": "assistant", "tool_calls": (whole,)}


def test_what_the_contract_does_not_name_stays() -> None:
    call = {"id": "v1", "type": "function", "index": 3, "function": {"name": "f", "arguments": "{}", "strict": True}}
    tree = {"role": "assistant", "tool_calls": (call,), "refusal": {"a": [1]}}
    assert written(read(tree)) == tree


@pytest.mark.parametrize(
    "bad",
    [
        {"role": 1},
        {"role": ["user"]},
        {"tool_call_id": {}},
        {"img_relay": 1},
        {"img_relay": "true"},
        {"img_tokens": True},
        {"img_tokens": 1.0},
        {"img_tokens": "16"},
        {"img_tokens": 2**63},
        {"img_tokens": -(2**63) - 1},
        {"tool_calls": {}},
        {"tool_calls": "f"},
        {"tool_calls": ["f"]},
        {"tool_calls": [{"function": "f"}]},
        {"tool_calls": [{"function": {"name": 1}}]},
        {"tool_calls": [{"function": {"arguments": {}}}]},
        {"tool_calls": [{"id": 1}]},
    ],
)
def test_a_member_of_a_type_that_gos_struct_cannot_take_makes_a_message_unreadable(bad: dict[str, object]) -> None:
    with pytest.raises(MessageUnreadableError):
        read({"role": "user", **bad})


@pytest.mark.parametrize("tree", ["x", 1, 1.5, True, [], [{"role": "user"}]])
def test_a_message_is_an_object(tree: object) -> None:
    with pytest.raises(MessageUnreadableError, match="a message is no object"):
        read(tree)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        (5, ""),
        (True, ""),
        ({"type": "text", "text": "x"}, ""),
        ("é\n", "é\n"),
        ([], ""),
        ([caption("a"), caption("b")], "ab"),
        ([caption("a"), PICTURE, caption("b"), PICTURE], f"a{LOST}b{LOST}"),
        ([{"type": "image_url"}], LOST),
        ([{"type": "input_audio", "text": "x"}, caption("b")], "b"),
        ([{"text": "x"}, {"type": None, "text": "x"}, {}, None, "x", 7, ["x"]], ""),
        ([{"type": "text"}, caption(None), caption(3), caption("c")], "c"),
    ],
)
def test_the_text_of_parts_is_their_texts_and_the_lost_marker_for_each_image(content: object, expected: str) -> None:
    assert text(Message("user", content)) == expected


def called(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"function": {"name": name, "arguments": arguments}} for name, arguments in pairs]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({}, 4),
        ({"content": "abc"}, 4),
        ({"content": "abcd"}, 5),
        ({"content": "éé"}, 5),
        ({"content": "😀"}, 5),
        ({"content": "[ok] image chargée : img.png"}, 11),
        ({"content": [PICTURE]}, 4 + len(LOST.encode()) // 4),
        ({"content": [caption("ab"), PICTURE]}, 4 + (2 + len(LOST.encode())) // 4),
        ({"tool_calls": called(("see_image", '{"file":"img.png"}'))}, 4 + 27 // 4),
        ({"tool_calls": called(("abc", ""), ("", "é"), ("ab", "cd"))}, 4 + 0 + 0 + 1),
        ({"content": "abcd", "tool_calls": called(("abcd", "")), "img_tokens": 300}, 306),
        ({"tool_calls": [{"id": "a long identifier", "type": "function"}]}, 4),
        ({"img_tokens": -3}, 1),
        ({"img_tokens": 2**63 - 1}, -(2**63) + 3),
    ],
)
def test_tokens_are_four_and_a_quarter_of_the_bytes_and_the_measured_cost(tree: dict[str, Any], expected: int) -> None:
    assert tokens(read({"role": "user", **tree})) == expected


def test_a_lone_surrogate_counts_as_the_replacement_character_that_go_has_there() -> None:
    assert tokens(Message("user", "a\ud800")) == tokens(Message("user", "a\ufffd")) == 5


@pytest.mark.parametrize(("cost", "kept"), [(1, True), (3276, True), (0, False), (-5, False)])
@pytest.mark.parametrize("content", ["x", [PICTURE], [], None])
def test_kept_means_a_cost_above_zero_whatever_the_parts(cost: int, kept: bool, content: object) -> None:  # noqa: FBT001 - a table's column
    assert messages.is_kept(Message("user", content, cost=cost)) is kept


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([caption("Voici la capture demandée."), PICTURE], "Voici la capture demandée."),
        ([caption("a"), PICTURE, caption("b")], "a\nb"),
        ([caption(""), caption("a"), {"type": "input_audio"}], "\na"),
        ([PICTURE], ""),
        ("Voici.", "Voici."),
        (None, ""),
    ],
)
def test_a_dropped_image_is_its_captions_and_the_lost_marker(content: object, expected: str) -> None:
    kept = Message("user", content, relay=True, cost=300, others={"name": "x"})
    assert without_image(kept) == Message("user", expected + LOST, relay=True, others={"name": "x"})


def test_a_url_is_replaced_and_the_rest_of_its_part_stays() -> None:
    part = {"type": "image_url", "x": 1, "image_url": {"url": "old", "detail": "high"}}
    changed = {"type": "image_url", "x": 1, "image_url": {"url": "new", "detail": "high"}}
    assert messages.with_url(part, "new") == changed
    assert messages.with_url({"type": "image_url", "image_url": 1}, "new")["image_url"] == {"url": "new"}


@pytest.mark.parametrize("part", [None, "x", {}, {"image_url": None}, {"image_url": "u"}, {"image_url": {"url": 1}}])
def test_a_part_without_a_url_has_an_empty_one(part: object) -> None:
    assert messages.url(part) == ""
