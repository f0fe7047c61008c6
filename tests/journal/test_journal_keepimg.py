"""The cases of a keepimg journal: frozen trees, exact numbers, known operations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replay.journal import Journal, JournalError, loads

CASE = {"keep_turn_images": "on", "thread": "main", "conversation": "c1", "vision": True}


def journal(step: str, after: str = "{}", **case: Any) -> Journal:  # noqa: ANN401 - JSON values
    start = json.dumps(CASE | case)[:-1]
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


@pytest.mark.parametrize("op", ["sending", "observe", "rewritten", "publishable", "finish", "drop"])
def test_an_operation_without_a_message(op: str) -> None:
    [step] = journal(f'{{"op": "{op}", "note": "n"}}').cases[0].steps
    assert (step.index, step.op, step.step, step.after) == (1, op, {"op": op, "note": "n"}, {})


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
    after = '{"messages": null, "extra": null, "published": null, "active": null, "freed": null, "message": null}'
    [step] = journal('{"op": "observe", "complete": null, "prompt_tokens": 0}', after).cases[0].steps
    assert step.step == {"op": "observe", "prompt_tokens": 0}
    assert step.after == {"messages": (), "extra": (), "published": ()}


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
    [step] = journal(f'{{"op": "append", "message": {message}}}', f'{{"message": {message}}}').cases[0].steps
    one, two = step.step["message"], step.after["message"]
    assert one["a"] is one["b"][0] is two["a"]  # type: ignore[index,call-overload]


def test_keys_of_messages_are_never_read_as_others() -> None:
    message = '{"nom": 1, "étapes": 2, "Op": 3, "result": 4}'
    [step] = journal(f'{{"op": "append", "message": {message}}}').cases[0].steps
    assert step.step["message"] == {"nom": 1, "étapes": 2, "Op": 3, "result": 4}


def test_french_names_of_a_case() -> None:
    text = """{"cas": [{"nom": "n", "fenêtre": 7, "keep_turn_images": "", "fil": "main", "discussion": "c",
      "vision": true, "étapes": [{"étape": {"op": "drop"}, "après": {"budget": 0}}]}]}"""
    journal = loads(text.encode(), "a.json")
    [case] = journal.cases
    assert (journal.kind, case.name, case.ctx_window, case.thread, case.conversation) == (
        "keepimg",
        "n",
        7,
        "main",
        "c",
    )
    assert (case.steps[0].at.path, case.steps[0].after) == ("cas[0].étapes[0]", {"budget": 0})
