"""A message of a conversation, and what is read off it (contract: keepimg.md, A message).

A message is a frozen value. Its content and what it holds besides are the JSON trees it came with: nobody changes
them, and a message with another content is another message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from parity.gostd.convert import wrap_int64
from parity.rules import rule

LOST: Final = (
    " [image — not kept past this point in the conversation once summarized; "
    "call see_image on the same file again if you still need to see it]"
)
"""What stands where an image was; the space at its start is part of it."""

TEXT: Final = "text"
IMAGE: Final = "image_url"

_MESSAGE: Final = frozenset({"role", "content", "tool_calls", "tool_call_id", "img_relay", "img_tokens"})
_CALL: Final = frozenset({"id", "type", "function"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_MESSAGE_TOKENS: Final = 4
_BYTES_OF_A_TOKEN: Final = 4
_INT_END: Final = 2**63

T = TypeVar("T")


class MessageUnreadableError(ValueError):
    """A JSON value that is no message: Go's decoder gives an error for it. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model makes; ``others`` and ``function_others`` are members that are kept as they came."""

    id: str = ""
    type: str = ""
    name: str = ""
    arguments: str = ""
    others: Mapping[str, object] = field(default_factory=dict)
    function_others: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``content`` is text, a sequence of parts, anything else that JSON holds, or None: absent.

    ``relay`` is the mark of an image shown by a tool, ``cost`` its measured cost in tokens (0: none). ``others`` are
    the members that keepimg.md does not name; they stay as they came.
    """

    role: str
    content: object = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    relay: bool = False
    cost: int = 0
    others: Mapping[str, object] = field(default_factory=dict)


@rule("keepimg/message/reading")
def read(value: object) -> Message:
    """The message that a decoded object describes; null is as if absent, as in Go's structs.

    Raises :class:`MessageUnreadableError` where a member has a type that Go's struct cannot take.
    """
    members = _object(value, "a message")
    return Message(
        role=_member(members, "role", str, ""),
        content=members.get("content"),
        tool_calls=_tool_calls(members.get("tool_calls")),
        tool_call_id=_member(members, "tool_call_id", str, ""),
        relay=_member(members, "img_relay", bool, False),  # noqa: FBT003 - the zero value of its type
        cost=_integer(members, "img_tokens"),
        others=_others(members, _MESSAGE),
    )


@rule("keepimg/message/writing")
def written(message: Message) -> dict[str, object]:
    """The message as JSON holds it: what is empty is left out, but for the role and a content that is there.

    A tool call has all its members, empty or not.
    """
    members: dict[str, object] = {"role": message.role}
    if message.content is not None:
        members["content"] = message.content
    if message.tool_calls:
        members["tool_calls"] = tuple(map(_written_call, message.tool_calls))
    if message.tool_call_id:
        members["tool_call_id"] = message.tool_call_id
    if message.relay:
        members["img_relay"] = True
    if message.cost:
        members["img_tokens"] = message.cost
    return {**members, **message.others}


def parts(message: Message) -> Sequence[object]:
    """The parts of a content that has parts; of any other none."""
    return message.content if isinstance(message.content, (list, tuple)) else ()


def kind(part: object) -> object:
    """What a part says it is; None for one that says nothing."""
    return part.get("type") if isinstance(part, Mapping) else None


def image_count(message: Message) -> int:
    """How many image parts a message has, whatever their URLs."""
    return sum(kind(part) == IMAGE for part in parts(message))


def url(part: object) -> str:
    """The URL of an image part; empty where there is none."""
    holder = part.get(IMAGE) if isinstance(part, Mapping) else None
    found = holder.get("url") if isinstance(holder, Mapping) else None
    return found if isinstance(found, str) else ""


def with_url(part: Mapping[str, object], address: str) -> dict[str, object]:
    """An image part with another URL, the rest of it untouched."""
    holder = part.get(IMAGE)
    return {**part, IMAGE: {**(holder if isinstance(holder, Mapping) else {}), "url": address}}


@rule("keepimg/message/text")
def text(message: Message) -> str:
    """The text of a message: of parts, their texts one after the other, the lost marker for each image."""
    if isinstance(message.content, str):
        return message.content
    return "".join(LOST if kind(part) == IMAGE else _text(part) for part in parts(message))


@rule("keepimg/message/tokens")
def tokens(message: Message) -> int:
    """What a message weighs in the context, in tokens: an estimate, but for the measured cost of its image."""
    called = sum((_size(call.name) + _size(call.arguments)) // _BYTES_OF_A_TOKEN for call in message.tool_calls)
    return wrap_int64(_MESSAGE_TOKENS + _size(text(message)) // _BYTES_OF_A_TOKEN + called + message.cost)


@rule("keepimg/kept")
def is_kept(message: Message) -> bool:
    """Whether a message is a kept image: a cost above 0 says so, whatever its parts."""
    return message.cost > 0


@rule("keepimg/drop/captions")
def without_image(message: Message) -> Message:
    """A kept image once dropped: its captions, joined by newline, and the lost marker; no cost, the mark as it was."""
    captions = [_text(part) for part in parts(message) if kind(part) == TEXT]
    caption = message.content if isinstance(message.content, str) else "\n".join(captions)
    return replace(message, content=caption + LOST, cost=0)


def _text(part: object) -> str:
    """The text of a text part; nothing for any other."""
    found = part.get(TEXT) if isinstance(part, Mapping) and kind(part) == TEXT else None
    return found if isinstance(found, str) else ""


def _size(held: str) -> int:
    """Its UTF-8 bytes; a lone surrogate counts three, as the U+FFFD that Go's decoder puts in its place."""
    return len(held.encode("utf-8", "surrogatepass"))


def _tool_call(value: object) -> ToolCall:
    members = _object(value, "a tool call")
    function = _object(members.get("function"), "the function of a tool call")
    return ToolCall(
        id=_member(members, "id", str, ""),
        type=_member(members, "type", str, ""),
        name=_member(function, "name", str, ""),
        arguments=_member(function, "arguments", str, ""),
        others=_others(members, _CALL),
        function_others=_others(function, _FUNCTION),
    )


def _written_call(call: ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": call.arguments, **call.function_others}
    return {"id": call.id, "type": call.type, "function": function, **call.others}


def _others(members: Mapping[str, object], known: frozenset[str]) -> dict[str, object]:
    return {name: value for name, value in members.items() if name not in known}


def _tool_calls(value: object) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        message = "the tool_calls of a message are no list"
        raise MessageUnreadableError(message)
    return tuple(map(_tool_call, value))


def _object(value: object, what: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        message = f"{what} is no object"
        raise MessageUnreadableError(message)
    return value


def _member(members: Mapping[str, object], name: str, wanted: type[T], zero: T) -> T:
    found = members.get(name)
    if found is None:
        return zero
    if type(found) is not wanted:
        message = f"{name} is a {type(found).__name__}, not a {wanted.__name__}"
        raise MessageUnreadableError(message)
    return found


def _integer(members: Mapping[str, object], name: str) -> int:
    found = _member(members, name, int, 0)
    if not -_INT_END <= found < _INT_END:
        message = f"{name} does not fit into 64 bits"
        raise MessageUnreadableError(message)
    return found
