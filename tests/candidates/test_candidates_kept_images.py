"""The port's kept images, driven as a journal drives them (journal.md, keepimg steps and Replay)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pytest

from parity.images import files
from parity.images.message import LOST, MessageUnreadableError
from parity.images.state import Trial
from parity.stores.state import Settings
from replay.candidates.interface import CandidateCrashed
from replay.candidates.kept_images import KeptImagesCase
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import Judging, replay
from replay.journal import load
from replay.journal.model import KEEPIMG, KeepimgCase, KeepimgStep, Place
from replay.outcome import Crashed, Diverged, Match, Mode

if TYPE_CHECKING:
    from pathlib import Path

    from replay.journal.model import Journal, Json

AT: Final = Place("a.json", "", 1)

QUESTION: Final = {"role": "user", "content": "regarde img.png"}
RESULT: Final = {"role": "tool", "content": "[ok] image chargée : img.png", "tool_call_id": "v1"}
CAPTION: Final = {"type": "text", "text": "Image demandée (a.webp) :"}
WEBP: Final = "data:image/webp;base64,UklGRjAwMDBXRUJQVlA4IA=="
REFERENCE: Final = "loki-img:d7cec322281d62558a1597bc2210ad9f.webp"


def shown(url: str, **marks: object) -> dict[str, Any]:
    return {"role": "user", "content": (CAPTION, {"type": "image_url", "image_url": {"url": url}}), **marks}


SHOWN: Final = shown(WEBP)
ON_TRIAL: Final = shown(REFERENCE, img_relay=True)
KEPT: Final = shown(REFERENCE, img_relay=True, img_tokens=300)


def frozen(tree: Any) -> Json:  # noqa: ANN401 - any JSON
    if isinstance(tree, dict):
        return MappingProxyType({name: frozen(value) for name, value in tree.items()})
    return tuple(map(frozen, tree)) if isinstance(tree, (list, tuple)) else tree


def step(op: str, **fields: object) -> MappingProxyType[str, Json]:
    made = frozen({"op": op, **fields})
    assert isinstance(made, MappingProxyType)
    return made


def case(*messages: object, on: bool = True) -> KeptImagesCase:
    setting = "on" if on else "off"
    recorded = KeepimgCase(1, "a", 32_768, setting, "main", "c1", True, tuple(map(frozen, messages)), (), AT)  # noqa: FBT003 - a record
    return KeptImagesCase(recorded, files.in_ram(Settings(), nonces=lambda: b""))


def measured(one: KeptImagesCase) -> None:
    """A request, its usage, a tool's result and an image on trial."""
    one.operate(step("sending"))
    one.operate(step("observe", prompt_tokens=1000, gen_tokens=20))
    one.operate(step("append", message=RESULT))
    one.operate(step("relay", message=SHOWN, **{"from": 1}))


def test_after_an_operation_everything_that_is_visible_is_shown() -> None:
    assert case(QUESTION).operate(step("sending")) == {
        "messages": (QUESTION,),
        "extra": (),
        "active": True,
        "budget": 3276,
        "kept_tokens": 0,
        "stopped": False,
        "on_trial": 0,
        "requests": 1,
    }


@pytest.mark.parametrize("op", ["sending", "observe", "rewritten", "finish"])
def test_without_a_state_nothing_is_shown_of_one(op: str) -> None:
    assert case(QUESTION, on=False).operate(step(op)) == {
        "messages": (QUESTION,),
        "extra": (),
        "active": False,
        "budget": 3276,
        "kept_tokens": 0,
    }


def test_a_message_is_appended_to_both_lists_with_a_state_or_without() -> None:
    for on in (True, False):
        after = case(QUESTION, on=on).operate(step("append", message=RESULT))
        assert (after["messages"], after["extra"]) == ((QUESTION, RESULT), (RESULT,))


def test_an_image_is_on_trial_then_kept_then_published_then_dropped() -> None:
    one = case(QUESTION)
    measured(one)
    assert one.operate(step("sending"))["messages"] == (QUESTION, RESULT, ON_TRIAL)
    after = one.operate(step("observe", prompt_tokens=1331, gen_tokens=5))
    assert (after["messages"], after["extra"]) == ((QUESTION, RESULT, KEPT), (RESULT, KEPT))
    assert (after["kept_tokens"], after["on_trial"], after["requests"]) == (300, 0, 2)
    assert one.operate(step("publishable"))["published"] == (QUESTION, RESULT, KEPT)
    after = one.operate(step("drop"))
    assert after["freed"] == 300
    assert after["messages"] == (
        QUESTION,
        RESULT,
        {"role": "user", "content": "Image demandée (a.webp) :" + LOST, "img_relay": True},
    )


def test_from_is_the_length_of_the_messages_where_the_step_has_none() -> None:
    one = case(QUESTION, RESULT)
    one.operate(step("relay", message=SHOWN))
    assert one.turn.state is not None
    assert one.turn.state.noted.first_result == 2


def test_reasoning_and_an_incomplete_answer_are_read_from_the_step() -> None:
    one = case(QUESTION)
    assert one.turn.state is not None
    for fields, context in (
        ({"prompt_tokens": 1000, "gen_tokens": 20, "reasoning_tokens": 15}, 1005),
        ({"prompt_tokens": 1000, "gen_tokens": 20, "reasoning_tokens": 15, "reasoning_echoed": True}, 1020),
        ({"prompt_tokens": 1000, "complete": False}, 0),
    ):
        one.operate(step("observe", **fields))
        assert one.turn.state.context == context


def test_a_store_that_fails_refuses_the_relay() -> None:
    after = case(QUESTION).operate(step("relay", message=SHOWN, store_fails=True))
    assert after["messages"] == (QUESTION, shown(WEBP, img_relay=True))
    assert (after["extra"], after["stopped"]) == ((), True)


def test_the_operation_store_shows_what_was_stored_and_changes_nothing_else() -> None:
    one = case(QUESTION)
    before = one.operate(step("finish"))
    after = one.operate(step("store", message=SHOWN))
    assert after == {**before, "stored": True, "weight": 16, "message": shown(REFERENCE)}
    for refused in (step("store", message=QUESTION), step("store", message=SHOWN, store_fails=True)):
        after = one.operate(refused)
        assert (after["stored"], after["weight"], "message" in after) == (False, 0, False)


def test_a_message_that_gos_struct_cannot_take_is_refused() -> None:
    with pytest.raises(MessageUnreadableError):
        case({"role": 1})
    with pytest.raises(MessageUnreadableError):
        case().operate(step("append", message={"role": 1}))


def test_what_is_visible_is_restored_and_what_is_not_stays_the_cases_own() -> None:
    one = case(QUESTION)
    measured(one)
    state = one.turn.state
    assert state is not None
    trials = list(state.trials)
    other = {"role": "user", "content": "autre"}
    one.restore_visible(
        {
            "messages": (other, RESULT, ON_TRIAL),
            "extra": (RESULT, ON_TRIAL),
            "stopped": False,
            "on_trial": 1,
            "requests": 1,
        }
    )
    assert (state.trials, state.noted.base, state.sent, state.context) == (trials, 1020, 1, 1020)
    one.operate(step("sending"))
    after = one.operate(step("observe", prompt_tokens=1331, gen_tokens=5))
    assert (after["messages"], after["kept_tokens"]) == ((other, RESULT, KEPT), 300)


def test_the_number_of_requests_and_stopped_are_restored() -> None:
    one = case()
    one.restore_visible({"messages": (), "extra": (), "stopped": True, "on_trial": 0, "requests": 7})
    after = one.operate(step("sending"))
    assert (after["stopped"], after["requests"]) == (True, 8)


def test_what_a_record_does_not_hold_stays_as_it_is() -> None:
    one = case(QUESTION)
    measured(one)
    before = one.operate(step("publishable"))
    one.restore_visible({})
    assert one.operate(step("publishable")) == before


def test_without_a_state_the_lists_are_restored() -> None:
    one = case(QUESTION, on=False)
    one.restore_visible({"messages": (RESULT,), "extra": (RESULT,)})
    after = one.operate(step("finish"))
    assert (after["messages"], after["extra"], after["active"]) == ((RESULT,), (RESULT,), False)


def restored(one: KeptImagesCase, on_trial: int, *messages: Any) -> list[Trial]:  # noqa: ANN401 - any JSON
    extra = tuple(message for message in messages if message != QUESTION)
    one.restore_visible({"messages": messages, "extra": extra, "stopped": False, "on_trial": on_trial, "requests": 1})
    assert one.turn.state is not None
    return one.turn.state.trials


def test_where_the_port_has_none_on_trial_the_last_that_can_be_are() -> None:
    one = case(QUESTION)
    one.operate(step("store", message=SHOWN))
    unknown = shown("loki-img:0123456789abcdef0123456789abcdef.png", img_relay=True)
    assert restored(one, 2, QUESTION, ON_TRIAL, KEPT, RESULT, ON_TRIAL, unknown) == [Trial(4, 3, 16), Trial(5, 4, 1)]


def test_where_the_port_has_some_on_trial_and_the_record_none_none_is() -> None:
    one = case(QUESTION)
    measured(one)
    assert restored(one, 0, QUESTION, RESULT, ON_TRIAL) == []


def test_a_record_with_more_on_trial_than_can_be_leaves_those_that_can() -> None:
    one = case()
    assert restored(one, 3, QUESTION, RESULT, shown(WEBP, img_relay=True), ON_TRIAL) == [Trial(3, 2, 1)]
    two = shown(REFERENCE, img_relay=True)
    two["content"] = (*two["content"], two["content"][1])
    assert restored(one, 1, QUESTION, two) == []


_HEAD: Final = '{"format":"loki-parity-journal/1","kind":"keepimg","about":"a","cases":[{"name":"a","ctx_window":32768,'
_CASE: Final = (
    '"keep_turn_images":"on","thread":"main","conversation":"c1","vision":true,"messages":[],'
    '"steps":[{"step":{"op":"sending"},"after":{"messages":[],"extra":[],"active":true,"budget":3276,"kept_tokens":0,'
    '"stopped":false,"on_trial":0,"requests":1}}]}]}'
)


@pytest.fixture
def written(tmp_path: Path) -> Journal:
    path = tmp_path / "a.json"
    path.write_text(_HEAD + _CASE, encoding="utf-8")
    return load(path)


def operation(index: int, op: str, after: dict[str, Json], **fields: object) -> KeepimgStep:
    return KeepimgStep(index, op, step(op, **fields), after, AT)


@pytest.mark.parametrize("mode", Mode)
def test_the_port_is_judged_on_a_journal_of_kept_images(written: Journal, mode: Mode) -> None:
    with PortCandidate(IN_MEMORY) as port:
        assert port.offers(KEEPIMG)
        outcomes = list(replay(written, port, Judging(mode)))
    assert [type(outcome) for outcome in outcomes] == [Match]


def test_the_port_stores_images_on_disk_each_case_apart(written: Journal) -> None:
    beside = {**written.cases[0].steps[0].after, "requests": 0}
    stored: dict[str, Json] = {**beside, "stored": True, "weight": 16, "message": frozen(shown(REFERENCE))}
    first = replace(written.cases[0], steps=(operation(1, "store", stored, message=SHOWN),))
    with PortCandidate(IN_MEMORY) as port:
        both = replace(written, cases=(first, replace(first, index=2)))
        assert [type(outcome) for outcome in replay(both, port, Judging(Mode.ISOLATED))] == [Match, Match]


def test_a_message_that_cannot_be_read_is_a_crash_of_the_port_and_no_traceback(written: Journal) -> None:
    bad = operation(1, "append", {}, message={"role": 1})
    good = operation(2, "sending", dict(written.cases[0].steps[0].after))
    unreadable = replace(written.cases[0], index=2, messages=(frozen({"role": 1}),), steps=(good, good))
    with PortCandidate(IN_MEMORY) as port:
        cases = (replace(written.cases[0], steps=(bad, good)), unreadable)
        outcomes = list(replay(replace(written, cases=cases), port, Judging(Mode.CHAINED)))
    assert [type(outcome) for outcome in outcomes] == [Crashed, Match, Crashed, Crashed]
    assert isinstance(outcomes[0], Crashed)
    assert outcomes[0].what == "MessageUnreadableError: role is a int, not a str"
    assert outcomes[0].where.startswith("parity/images/message.py:")


def test_what_the_port_shows_and_the_record_does_not_is_a_difference(written: Journal) -> None:
    short = operation(1, "sending", {"active": True})
    with PortCandidate(IN_MEMORY) as port:
        [found] = replay(
            replace(written, cases=(replace(written.cases[0], steps=(short,)),)), port, Judging(Mode.ISOLATED)
        )
    assert isinstance(found, Diverged)
    shown = ["messages", "extra", "budget", "kept_tokens", "stopped", "on_trial", "requests"]
    assert [(one.field, one.kind) for one in found.differences] == [(field, "extra") for field in shown]


def test_an_operation_before_its_case_is_a_crash(written: Journal) -> None:
    with PortCandidate(IN_MEMORY) as port:
        session = port.session(written)
        with pytest.raises(CandidateCrashed, match="no case of kept images was begun"):
            session.operate(written.cases[0].steps[0])
        with pytest.raises(CandidateCrashed, match="no case of kept images was begun"):
            session.visible({})
