"""The cases of a keepimg journal: frozen trees, exact numbers, known operations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from replay.journal import Journal, JournalError, loads

CASE = {"keep_turn_images": "on", "thread": "main", "conversation": "c1", "vision": True}


AFTER: dict[str, Any] = {"messages": [], "extra": [], "active": False, "budget": 0, "kept_tokens": 0}
WITH_A_STATE: dict[str, Any] = AFTER | {"active": True, "stopped": False, "on_trial": 0, "requests": 0}
ADDED: dict[str, dict[str, Any]] = {
    "publishable": {"published": []},
    "drop": {"freed": 0},
    "store": {"stored": True, "weight": 67, "message": {"role": "user"}},
}


def after_of(op: str, **more: Any) -> str:  # noqa: ANN401 - JSON values
    """What the contract says must stand after an operation, no more."""
    return json.dumps(AFTER | ADDED.get(op, {}) | more)


def journal(step: str, after: str | None = None, **case: Any) -> Journal:  # noqa: ANN401 - JSON values
    start = json.dumps(CASE | case)[:-1]
    after = after_of(json.loads(step)["op"]) if after is None else after
    return loads(f'{{"cases": [{start}, "steps": [{{"step": {step}, "after": {after}}}]}}]}}'.encode(), "a.json")


def test_a_case_has_the_defaults_of_the_contract() -> None:
    [case] = journal('{"op": "drop"}').cases
    assert (case.index, case.name, case.ctx_window, case.messages) == (1, "", 32768, ())
    assert (case.keep_turn_images, case.thread, case.conversation, case.vision) == ("on", "main", "c1", True)
    assert (case.at.path, case.steps[0].at.path) == ("cases[0]", "cases[0].steps[0]")


def test_a_case_holds_what_it_names() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "é"}], "img_tokens": 3}]
    [case] = journal('{"op": "drop"}', name="n", ctx_window=2000, messages=messages, vision=False).cases
    assert (case.name, case.ctx_window, case.vision) == ("n", 2000, False)
    assert case.messages == ({"role": "user", "content": ({"type": "text", "text": "é"},), "img_tokens": 3},)
    assert journal('{"op": "drop"}', messages=None).cases[0].messages == ()


@pytest.mark.parametrize("missing", sorted(CASE))
def test_a_case_lacks_nothing_that_decides_whether_there_is_a_state(missing: str) -> None:
    case = {name: value for name, value in CASE.items() if name != missing} | {"steps": []}
    with pytest.raises(JournalError) as caught:
        loads(json.dumps({"cases": [case]}).encode(), "a.json")
    assert (caught.value.kind, caught.value.found) == ("missing-key", f'a case without "{missing}"')


REQUIRED = [
    *(("sending", AFTER, name) for name in AFTER),
    *(("sending", WITH_A_STATE, name) for name in ("stopped", "on_trial", "requests")),
    *((op, AFTER | added, name) for op, added in ADDED.items() for name in added),
]


@pytest.mark.parametrize("written", ["absent", "null"])
@pytest.mark.parametrize(("op", "after", "missing"), REQUIRED)
def test_after_lacks_nothing_that_stands_there_after_its_operation(
    op: str, after: dict[str, Any], missing: str, written: str
) -> None:
    step = json.dumps({"op": op, "message": {"role": "user"}})
    lacking = {name: value for name, value in after.items() if name != missing}
    if written == "null":
        lacking[missing] = None
    if written == "null" and missing in {"messages", "extra", "published"}:  # as Go writes a list that is nil
        assert journal(step, json.dumps(lacking)).cases[0].steps[0].after[missing] == ()
        return
    with pytest.raises(JournalError) as caught:
        journal(step, json.dumps(lacking))
    assert (caught.value.kind, caught.value.found) == ("missing-key", f'after without "{missing}"')
    assert caught.value.place.path == "cases[0].steps[0].after"


def test_the_place_of_an_after_that_lacks_a_key_is_where_it_stands() -> None:
    with pytest.raises(JournalError) as caught:
        journal('{"op": "sending"}', "\n  {}")
    assert str(caught.value) == 'a.json:2:3 at cases[0].steps[0].after: found after without "messages", expected it'


def test_what_was_refused_is_not_stored_and_no_message_stands_there() -> None:
    after = json.dumps(AFTER | {"stored": False, "weight": 0})
    [step] = journal('{"op": "store", "message": {}}', after).cases[0].steps
    assert step.after["stored"] is False


MEMBERS: list[tuple[str, str, str]] = [
    ('{"role": 0}', "role", "a string"),
    ('{"tool_call_id": []}', "tool_call_id", "a string"),
    ('{"img_relay": 0}', "img_relay", "true or false"),
    ('{"img_tokens": 1.0}', "img_tokens", "an integer"),
    ('{"img_tokens": 9223372036854775808}', "img_tokens", "an integer from"),
    ('{"content": 0}', "content", "a string, or an array of parts"),
    ('{"content": {}}', "content", "a string, or an array of parts"),
    ('{"content": ["a"]}', "content[0]", "an object"),
    ('{"content": [{}, {"type": 1}]}', "content[1].type", "a string"),
    ('{"content": [{"text": false}]}', "content[0].text", "a string"),
    ('{"content": [{"image_url": "a"}]}', "content[0].image_url", "an object"),
    ('{"content": [{"image_url": {"url": 1}}]}', "content[0].image_url.url", "a string"),
    ('{"tool_calls": {}}', "tool_calls", "an array"),
    ('{"tool_calls": [1]}', "tool_calls[0]", "an object"),
    ('{"tool_calls": [{"id": 1}]}', "tool_calls[0].id", "a string"),
    ('{"tool_calls": [{"type": 1}]}', "tool_calls[0].type", "a string"),
    ('{"tool_calls": [{"function": ""}]}', "tool_calls[0].function", "an object"),
    ('{"tool_calls": [{"function": {"name": 1}}]}', "tool_calls[0].function.name", "a string"),
    ('{"tool_calls": [{"function": {"arguments": {}}}]}', "tool_calls[0].function.arguments", "a string"),
]


@pytest.mark.parametrize(("message", "path", "expected"), MEMBERS, ids=[message for message, _, _ in MEMBERS])
def test_a_member_of_a_message_has_the_type_of_the_contract_wherever_the_message_stands(
    message: str, path: str, expected: str
) -> None:
    written = json.loads(message)
    journals = {
        "messages[0]": ('{"op": "drop"}', None, {"messages": [written]}),
        "steps[0].step.message": (json.dumps({"op": "append", "message": written}), None, {}),
        "steps[0].after.extra[0]": ('{"op": "drop"}', after_of("drop", extra=[written]), {}),
        "steps[0].after.published[0]": ('{"op": "publishable"}', after_of("publishable", published=[written]), {}),
        "steps[0].after.message": ('{"op": "store", "message": {}}', after_of("store", message=written), {}),
    }
    for where, (step, after, case) in journals.items():
        with pytest.raises(JournalError) as caught:
            journal(step, after, **case)
        assert caught.value.place.path == f"cases[0].{where}.{path}"
        assert caught.value.expected.startswith(expected)


def test_null_members_of_a_message_are_as_if_absent_and_unknown_ones_stay() -> None:
    nothing = dict.fromkeys(("role", "content", "tool_calls", "tool_call_id", "img_relay", "img_tokens"))
    function = {"function": {"name": None, "arguments": None}}
    part = {"type": None, "text": None, "image_url": {"url": None}, "cache": [1]}
    held = [nothing, {"tool_calls": [None, {"function": None}, function], "content": [part], "name": 7}]
    read = journal('{"op": "drop"}', messages=held).cases[0].messages
    assert read[0] == nothing
    assert isinstance(read[1], Mapping)
    assert (read[1]["name"], read[1]["content"]) == (7, (part | {"cache": (1,)},))


@pytest.mark.parametrize("op", ["sending", "observe", "rewritten", "publishable", "finish", "drop"])
def test_an_operation_without_a_message(op: str) -> None:
    [step] = journal(f'{{"op": "{op}", "note": "n"}}').cases[0].steps
    assert (step.index, step.op, step.step) == (1, op, {"op": op, "note": "n"})
    lists = [name for name in ("messages", "extra", "published") if name in step.after]
    assert step.after == AFTER | ADDED.get(op, {}) | dict.fromkeys(lists, ())


@pytest.mark.parametrize("op", ["append", "relay", "store"])
def test_an_operation_with_a_message(op: str) -> None:
    [step] = journal(f'{{"op": "{op}", "message": {{"role": "user"}}, "store_fails": true, "from": 2}}').cases[0].steps
    assert step.step == {"op": op, "message": {"role": "user"}, "store_fails": True, "from": 2}


def test_numbers_stay_exact_and_other_numbers_are_floats() -> None:
    numbers = '{"a": 9007199254740993, "b": 1.5, "c": 1e2, "d": -0, "e": -7, "f": [123456789012345678901234567890]}'
    [step] = journal(f'{{"op": "append", "message": {numbers}}}').cases[0].steps
    message = step.step["message"]
    assert message == {"a": 2**53 + 1, "b": 1.5, "c": 100.0, "d": 0, "e": -7, "f": (123456789012345678901234567890,)}
    assert isinstance(message, dict) is False
    assert [type(value).__name__ for value in message.values()] == ["int", "float", "float", "float", "int", "tuple"]
    assert str(message["d"]) == "-0.0"


def test_a_tree_cannot_be_changed() -> None:
    [step] = journal('{"op": "append", "message": {"a": {}}}').cases[0].steps
    with pytest.raises(TypeError):
        step.step["message"]["a"]["b"] = 1  # type: ignore[index,call-overload]


def test_null_is_an_empty_list_or_as_if_absent() -> None:
    after = after_of("publishable", messages=None, extra=None, published=None, freed=None, message=None)
    [step] = journal('{"op": "publishable", "complete": null, "prompt_tokens": 0}', after).cases[0].steps
    assert step.step == {"op": "publishable", "prompt_tokens": 0}
    assert step.after == AFTER | {"messages": (), "extra": (), "published": ()}


def test_every_member_of_after_is_known() -> None:
    after = {
        "messages": [{}],
        "extra": [],
        "active": True,
        "budget": 3276,
        "kept_tokens": 1,
        "stopped": False,
        "on_trial": 1,
        "requests": 2,
        "published": [],
        "freed": 5,
        "stored": True,
        "weight": 67,
        "message": {},
    }
    [step] = journal('{"op": "drop"}', json.dumps(after)).cases[0].steps
    assert step.after == after | {"messages": ({},), "extra": (), "published": ()}


def test_equal_texts_are_held_once() -> None:
    url = "data:image/png;base64," + "A" * 1000
    message = json.dumps({"a": url, "b": [url]})
    [step] = (
        journal(f'{{"op": "store", "message": {message}}}', after_of("store", message=json.loads(message)))
        .cases[0]
        .steps
    )
    one, two = step.step["message"], step.after["message"]
    assert one["a"] is one["b"][0] is two["a"]  # type: ignore[index,call-overload]


def test_keys_of_messages_are_never_read_as_others() -> None:
    message = '{"nom": 1, "étapes": 2, "Op": 3, "result": 4}'
    [step] = journal(f'{{"op": "append", "message": {message}}}').cases[0].steps
    assert step.step["message"] == {"nom": 1, "étapes": 2, "Op": 3, "result": 4}


def test_french_names_of_a_case() -> None:
    text = """{"cas": [{"nom": "n", "fenêtre": 7, "keep_turn_images": "", "fil": "main", "discussion": "c",
      "vision": true, "étapes": [{"étape": {"op": "drop"}, "après": AFTER}]}]}""".replace("AFTER", after_of("drop"))
    journal = loads(text.encode(), "a.json")
    [case] = journal.cases
    assert (journal.kind, case.name, case.ctx_window, case.thread, case.conversation) == (
        "keepimg",
        "n",
        7,
        "main",
        "c",
    )
    assert (case.steps[0].at.path, case.steps[0].after) == (
        "cas[0].étapes[0]",
        AFTER | {"messages": (), "extra": (), "freed": 0},
    )
