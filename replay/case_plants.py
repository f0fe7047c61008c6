"""Divergences planted into what a journal of kept images says stands after an operation (keepimg.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.journal.model import Json

After: TypeAlias = "Mapping[str, Json]"
Planted: TypeAlias = "tuple[After, str] | None"
"""What stands after the operation, changed, and the field in which that must be found; None: nothing to change."""


@dataclass(frozen=True, slots=True)
class CasePlantClass:
    """A class of divergence: its name, what it stands for, and how to plant it."""

    name: str
    about: str
    plant: Callable[[After], Planted]


def _with(after: After, field: str, value: Json) -> After:
    return {**after, field: value}


def _integer(field: str) -> Callable[[After], Planted]:
    def plant(after: After) -> Planted:
        value = after.get(field)
        return (_with(after, field, value + 1), field) if type(value) is int else None

    return plant


def _boolean(field: str) -> Callable[[After], Planted]:
    def plant(after: After) -> Planted:
        value = after.get(field)
        return (_with(after, field, not value), field) if isinstance(value, bool) else None

    return plant


def _number_type(after: After) -> Planted:
    value = after.get("budget")
    return (_with(after, "budget", float(value)), "budget") if type(value) is int else None


def _list(after: After, field: str) -> tuple[Json, ...]:
    value = after.get(field)
    return value if isinstance(value, tuple) else ()


def _lost_message(after: After) -> Planted:
    messages = _list(after, "messages")
    return (_with(after, "messages", messages[:-1]), f"messages[{len(messages) - 1}]") if messages else None


def _extra_message(field: str) -> Callable[[After], Planted]:
    def plant(after: After) -> Planted:
        if field not in after:
            return None
        messages = _list(after, field)
        planted: Json = {"role": "user", "content": "planted"}
        return _with(after, field, (*messages, planted)), f"{field}[{len(messages)}]"

    return plant


def _swapped_messages(after: After) -> Planted:
    messages = _list(after, "messages")
    for at in range(len(messages) - 1):
        if messages[at] != messages[at + 1]:
            swapped = (*messages[:at], messages[at + 1], messages[at], *messages[at + 2 :])
            return _with(after, "messages", swapped), "messages"
    return None


def _in_message(change: Callable[[After], tuple[After, str] | None]) -> Callable[[After], Planted]:
    """A plant in the first message that can hold it."""

    def plant(after: After) -> Planted:
        messages = _list(after, "messages")
        for at, message in enumerate(messages):
            changed = change(message) if isinstance(message, Mapping) else None
            if changed is not None:
                planted: Json = cast("Json", changed[0])
                field = f"messages[{at}].{changed[1]}"
                return _with(after, "messages", (*messages[:at], planted, *messages[at + 1 :])), field
        return None

    return plant


def _text(message: After) -> tuple[After, str] | None:
    content = message.get("content")
    return (_with(message, "content", content + "."), "content") if isinstance(content, str) else None


def _mark(message: After) -> tuple[After, str] | None:
    if "img_relay" not in message:
        return None
    return {key: value for key, value in message.items() if key != "img_relay"}, "img_relay"


def _cost(message: After) -> tuple[After, str] | None:
    cost = message.get("img_tokens", 0)
    return (_with(message, "img_tokens", cost + 1), "img_tokens") if type(cost) is int else None


def _reference(message: After) -> tuple[After, str] | None:
    """The last character of an image's URL is another."""
    parts = message.get("content")
    for at, part in enumerate(parts if isinstance(parts, tuple) else ()):
        image = part.get("image_url") if isinstance(part, Mapping) else None
        url = image.get("url") if isinstance(image, Mapping) else None
        if isinstance(part, Mapping) and isinstance(image, Mapping) and isinstance(url, str) and url:
            changed = {**part, "image_url": {**image, "url": url[:-1] + ("A" if url[-1] != "A" else "B")}}
            whole = cast("tuple[Json, ...]", parts)
            content = (*whole[:at], cast("Json", changed), *whole[at + 1 :])
            return _with(message, "content", content), f"content[{at}].image_url.url"
    return None


CASE_CLASSES: Final = (
    CasePlantClass("message-text", "a message's text has one more character", _in_message(_text)),
    CasePlantClass("reference", "a character of an image's URL is another", _in_message(_reference)),
    CasePlantClass("mark", "a message has lost its mark", _in_message(_mark)),
    CasePlantClass("cost", "an image costs a token more", _in_message(_cost)),
    CasePlantClass("lost-message", "the last message is gone", _lost_message),
    CasePlantClass("extra-message", "one more message", _extra_message("messages")),
    CasePlantClass("extra-in-history", "one more message that the turn leaves", _extra_message("extra")),
    CasePlantClass("swapped-messages", "two messages change places", _swapped_messages),
    CasePlantClass("kept-tokens", "a kept token more", _integer("kept_tokens")),
    CasePlantClass("budget", "a token of budget more", _integer("budget")),
    CasePlantClass("number-type", "an integer is a number with a fraction", _number_type),
    CasePlantClass("active", "the state is there, or is not", _boolean("active")),
    CasePlantClass("stopped", "the turn was stopped, or was not", _boolean("stopped")),
    CasePlantClass("on-trial", "one more image on trial", _integer("on_trial")),
    CasePlantClass("requests", "one more request", _integer("requests")),
    CasePlantClass("published", "one more message published", _extra_message("published")),
    CasePlantClass("freed", "one more token freed", _integer("freed")),
    CasePlantClass("stored", "the image was stored, or was not", _boolean("stored")),
    CasePlantClass("weight", "the image weighs a byte more", _integer("weight")),
)
"""Every class that is planted into a case."""
