"""The boundaries of the rules of keepimg.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from replay.fuzz.reached import all_of, none_of, seen_is, shows
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from replay.fields import Fields, Value
    from replay.fuzz.reached import Reached, Seen
    from replay.journal.model import KeepimgCase


def _operation(seen: Seen) -> Mapping[str, object]:
    return cast("Mapping[str, object]", seen["op"])


def _is(name: str) -> Reached:
    """The operation is this one."""
    return lambda seen, _: _operation(seen)["op"] == name


def _given(name: str, test: Callable[[int], object]) -> Reached:
    """A number of the operation, 0 where there is none, is so."""
    return lambda seen, _: test(cast("int", _operation(seen).get(name, 0)))


def _flag(name: str, *, value: bool = True) -> Reached:
    return lambda seen, _: _operation(seen).get(name) is value


def _case(test: Callable[[KeepimgCase], object]) -> Reached:
    return seen_is("case", lambda value: test(cast("KeepimgCase", value)))


def _on_trial(test: Callable[[int], object]) -> Reached:
    """So many images were on trial before."""
    return seen_is("trials", lambda value: test(cast("int", value)))


def _number(name: str, test: Callable[[int], object]) -> Reached:
    return shows(name, lambda value: isinstance(value, int) and test(value))


def _length(name: str, test: Callable[[int], object]) -> Reached:
    return shows(name, lambda value: test(len(cast("Sequence[Value]", value))))


def _mentions(part: str, *, times: int = 1) -> Reached:
    """The operation's message, written out, holds something so often or more."""
    return lambda seen, _: str(_operation(seen).get("message")).count(part) >= times


_ACTIVE: Final = shows("active", bool)
_INACTIVE: Final = none_of(_ACTIVE)
_STOPPED: Final = shows("stopped", bool)
_RELAY: Final = _is("relay")
_OBSERVE: Final = _is("observe")
_MEASURED: Final = all_of(_OBSERVE, _on_trial(bool), none_of(_STOPPED))
_REJECTED: Final = all_of(_OBSERVE, _on_trial(bool), _STOPPED)
_NOT_STORED: Final = all_of(_is("store"), shows("stored", lambda value: value is False))
_STORED: Final = all_of(_is("store"), shows("stored", bool))
_FREED: Final = _number("freed", lambda freed: freed > 0)
_ONE_ON_TRIAL: Final = _number("on_trial", lambda count: count == 1)


def _several_messages(value: Value) -> bool:
    return len(cast("Sequence[Value]", value)) > 1


def _has_caption(value: Value) -> bool:
    return any("not kept past this point" in str(one)[60:] for one in cast("Sequence[Value]", value))


def _has_mark(value: Value) -> bool:
    return "'img_relay': True" in str(cast("Sequence[Value]", value)[-1])


def _has_reference(value: Value) -> bool:
    return "'loki-img:" in str(value)


def _least_cost(seen: Seen, actual: Fields) -> bool:
    """What is kept has grown by 16 tokens for each image that was on trial."""
    grown = cast("int", actual["kept_tokens"]) - cast("int", seen["kept"])
    return grown == 16 * cast("int", seen["trials"])


def _whole_budget(_: Seen, actual: Fields) -> bool:
    return actual["kept_tokens"] == actual["budget"]


def _full_before(seen: Seen, actual: Fields) -> bool:
    return cast("int", seen["kept"]) >= cast("int", actual["budget"]) > 0


def _from_beyond(seen: Seen, actual: Fields) -> bool:
    return cast("int", _operation(seen).get("from", 0)) >= len(cast("Sequence[Value]", actual["messages"]))


def _fewer_published(_: Seen, actual: Fields) -> bool:
    return len(cast("Sequence[Value]", actual["published"])) < len(cast("Sequence[Value]", actual["messages"]))


def _more_reasoning(seen: Seen, _: Fields) -> bool:
    operation = _operation(seen)
    return cast("int", operation.get("reasoning_tokens", 0)) > cast("int", operation.get("gen_tokens", 0))


def _unequal(seen: Seen, _: Fields) -> bool:
    return len(set(cast("Sequence[int]", seen["weights"]))) > 1


def _cost(count: int) -> Reached:
    """So many messages have a cost, or more."""
    return shows("messages", lambda value: str(value).count("'img_tokens'") >= count)


def _setting(value: str) -> Reached:
    return _case(lambda case: case.keep_turn_images == value)


_ON: Final = "keepimg/on/state"
_AFTER: Final = "keepimg/observe/after"
_CONTEXT: Final = "keepimg/context/after-completion"

BUCKETS: Final = (
    Bucket("keepimg/on/setting", "capitals, spaces of Go", all_of(_ACTIVE, _setting("\u00a0True\u3000"))),
    Bucket("keepimg/on/setting", "U+001C is no space", all_of(_INACTIVE, _setting("\x1con"))),
    Bucket("keepimg/on/setting", "full width", all_of(_INACTIVE, _setting("ＯＮ"))),
    Bucket(_ON, "another thread", all_of(_INACTIVE, _case(lambda case: case.thread != "main"))),
    Bucket(_ON, "no conversation", all_of(_INACTIVE, _case(lambda case: not case.conversation))),
    Bucket(_ON, "no vision", all_of(_INACTIVE, _case(lambda case: not case.vision))),
    Bucket("keepimg/on/without-state", "relay", all_of(_INACTIVE, _RELAY)),
    Bucket("keepimg/constants/budget", "0", all_of(_ACTIVE, _number("budget", lambda budget: budget == 0))),
    Bucket("keepimg/constants/budget", "cut", _case(lambda case: case.ctx_window == 159)),
    Bucket("keepimg/constants/window", "none is set", _case(lambda case: case.ctx_window == 0)),
    Bucket("keepimg/message/reading", "calls of tools", all_of(_is("append"), _mentions("'tool_calls'"))),
    Bucket("keepimg/message/writing", "no content", all_of(_is("append"), none_of(_mentions("'content'")))),
    Bucket("keepimg/message/text", "parts", all_of(_is("append"), _mentions("'type': 'text'", times=2))),
    Bucket("keepimg/message/tokens", "measured since", all_of(_MEASURED, shows("extra", _several_messages))),
    Bucket("keepimg/observe", "without a state", all_of(_OBSERVE, _INACTIVE)),
    Bucket("keepimg/observe/remembered", "nothing on trial", all_of(_OBSERVE, _ACTIVE, none_of(_on_trial(bool)))),
    Bucket("keepimg/measure", "measured", _MEASURED),
    Bucket("keepimg/measure/cost", "the second one of a turn", all_of(_MEASURED, _cost(2))),
    Bucket("keepimg/measure/small-share", "unequal weights, rejected", all_of(_REJECTED, _unequal)),
    Bucket("keepimg/kept/tokens", "two", all_of(_cost(2), _number("kept_tokens", lambda tokens: tokens > 0))),
    Bucket("keepimg/drop/captions", "a caption", all_of(_FREED, shows("messages", _has_caption))),
    Bucket("keepimg/relay/mark", "marked", all_of(_RELAY, _ACTIVE, shows("messages", _has_mark))),
    Bucket("keepimg/store/name", ".jpg", all_of(_STORED, shows("message", lambda value: ".jpg'" in str(value)))),
    Bucket("keepimg/store/reference", "loki-img", all_of(_STORED, shows("message", _has_reference))),
    Bucket("keepimg/relay/stopped", "before", all_of(_RELAY, _STOPPED, none_of(_flag("store_fails")))),
    Bucket("keepimg/relay/budget-full", "full", all_of(_RELAY, _STOPPED, _full_before)),
    Bucket("keepimg/relay/refused", "the store refuses", all_of(_RELAY, _STOPPED, _flag("store_fails"))),
    Bucket("keepimg/relay/on-trial", "a second one", all_of(_RELAY, _number("on_trial", lambda count: count > 1))),
    Bucket("keepimg/relay/first-notes", "from beyond the messages", all_of(_RELAY, _ONE_ON_TRIAL, _from_beyond)),
    Bucket("keepimg/sending", "one on trial", all_of(_is("sending"), _on_trial(bool))),
    Bucket(_AFTER, "incomplete", all_of(_OBSERVE, _flag("complete", value=False))),
    Bucket(_AFTER, "no prompt", all_of(_OBSERVE, _given("prompt_tokens", lambda prompt: prompt == 0))),
    Bucket(_AFTER, "a prompt below 0", all_of(_OBSERVE, _given("prompt_tokens", lambda prompt: prompt < 0))),
    Bucket(_CONTEXT, "more reasoning than generated", all_of(_OBSERVE, _more_reasoning)),
    Bucket(_CONTEXT, "echoed", all_of(_OBSERVE, _flag("reasoning_echoed"))),
    Bucket("keepimg/observe/measured", "one", all_of(_MEASURED, _on_trial(lambda count: count == 1))),
    Bucket("keepimg/measure/shares", "several", all_of(_MEASURED, _on_trial(lambda count: count > 1))),
    Bucket("keepimg/measure/refused", "16 tokens an image", all_of(_MEASURED, _least_cost)),
    Bucket("keepimg/measure/refused", "the whole budget", all_of(_MEASURED, _whole_budget)),
    Bucket("keepimg/observe/rejected", "one", all_of(_REJECTED, _on_trial(lambda count: count == 1))),
    Bucket("keepimg/observe/rejected", "several", all_of(_REJECTED, _on_trial(lambda count: count > 1))),
    Bucket("keepimg/measure/impossible", "incomplete", all_of(_REJECTED, _flag("complete", value=False))),
    Bucket("keepimg/rewritten", "one on trial", all_of(_is("rewritten"), _on_trial(bool), _STOPPED)),
    Bucket("keepimg/rewritten", "none on trial", all_of(_is("rewritten"), none_of(_on_trial(bool)), _ACTIVE)),
    Bucket("keepimg/publishable", "one left out", all_of(_is("publishable"), _fewer_published)),
    Bucket("keepimg/finish", "one on trial", all_of(_is("finish"), _on_trial(bool))),
    Bucket("keepimg/finish", "none on trial", all_of(_is("finish"), none_of(_on_trial(bool)), _ACTIVE)),
    Bucket("keepimg/drop", "something kept", _FREED),
    Bucket("keepimg/drop", "nothing kept", _number("freed", lambda freed: freed == 0)),
    Bucket("keepimg/kept", "a cost below 0", shows("messages", lambda value: "'img_tokens': -1" in str(value))),
    Bucket("keepimg/store/one-image", "none", all_of(_NOT_STORED, none_of(_mentions("image_url")))),
    Bucket("keepimg/store/one-image", "two", all_of(_NOT_STORED, _mentions("'type': 'image_url'", times=2))),
    Bucket("keepimg/store/data-url", "another format", all_of(_NOT_STORED, _mentions("image/bmp"))),
    Bucket("keepimg/store/rebuilt", "a newline inside", all_of(_NOT_STORED, _mentions("\\n"))),
    Bucket("keepimg/store/weight", "stored", _number("weight", lambda weight: weight > 0)),
    Bucket("keepimg/store/refused", "the store fails", all_of(_NOT_STORED, _flag("store_fails"))),
    Bucket("keepimg/on/without-state", "extra stays", all_of(_INACTIVE, _RELAY, _length("extra", lambda n: n == 0))),
)
