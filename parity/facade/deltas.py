"""A completion out of its pieces: text and tool calls as a streaming engine sends them (facade.md, The turn).

Pure: bytes of events in, a completion out. Engines differ in how they number the calls of a message; what belongs
together is told by index, then by id, then by whether a name comes again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from parity.gostd import convert, json
from parity.images.message import ToolCall
from parity.rules import rule

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

DONE: Final = b"[DONE]"
FUNCTION: Final = "function"
"""The one type of tool call that there is."""

MOST_CALLS: Final = 128
"""Tool calls of one message; an engine that asks for more is not asking for anything."""

SHOWN: Final = 200
"""Characters of an engine's own words that an error shows."""

_TYPE_NAMES: Final = {
    bool: "true or false",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}

T = TypeVar("T")


class EngineFailed(Exception):  # noqa: N818 - an outcome that the turn ends with, not an error of ours
    """The engine gave no completion; ``reason`` is one clear clause."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Usage:
    """What a completion took, in tokens; ``reasoning`` is part of ``generated``."""

    prompt: int
    generated: int
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One whole message of the model. A call's ``arguments`` is the text it wrote, meant to be JSON.

    ``usage`` is None where the engine did not say.
    """

    text: str
    calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Usage | None = None


@dataclass(slots=True)
class _OpenCall:
    """A call of which more may come."""

    index: int
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    def whole(self, place: int) -> ToolCall:
        """The call; one that came without an id gets one, since the answer must name it."""
        return ToolCall(self.id or f"call_{place}", FUNCTION, self.name, "".join(self.pieces))


class Assembly:
    """Puts one completion together. ``target`` says how JSON is read."""

    def __init__(self, target: GoTarget) -> None:
        self._target = target
        self._text: list[str] = []
        self._calls: list[_OpenCall] = []
        self._finish_reason = ""
        self._usage: Usage | None = None

    @property
    def finished(self) -> bool:
        """Whether a finish_reason has come: the message is whole, and only its usage may still follow."""
        return bool(self._finish_reason)

    @rule("facade/turn/chunk")
    def add(self, data: bytes) -> None:
        """One event's data, not ``[DONE]``. Raises EngineFailed if it is no chunk, or the engine's own error."""
        decoded = json.unmarshal(data, self._target)
        if decoded.error is not None and decoded.value is None:
            reason = "the engine's answer is not readable as JSON"
            raise EngineFailed(reason)
        chunk = _typed(decoded.value, "a chunk", dict) or {}
        if chunk.get("error") is not None:
            reason = f"the engine reports an error: {drawn(error_words(chunk))}"
            raise EngineFailed(reason)
        for choice in _typed(chunk.get("choices"), "a list of choices", list) or []:
            self._add_choice(_typed(choice, "a choice", dict) or {})
        usage = _typed(chunk.get("usage"), "a usage", dict)
        if usage is not None:
            self._usage = read_usage(usage)

    def _add_choice(self, choice: dict[str, object]) -> None:
        if choice.get("index"):
            return  # one completion was asked for: whatever a second would be, it is nobody's
        delta = _typed(choice.get("delta"), "a delta", dict) or {}
        self._text.append(_typed(delta.get("content"), "a content", str) or "")
        for call in _typed(delta.get("tool_calls"), "a list of calls", list) or []:
            self._add_call(_typed(call, "a tool call", dict) or {})
        self._finish_reason = _typed(choice.get("finish_reason"), "a finish_reason", str) or self._finish_reason

    @rule("facade/turn/call-pieces")
    def _add_call(self, delta: dict[str, object]) -> None:
        """One piece of a call: its name once, its arguments in any number of pieces."""
        index = _typed(delta.get("index"), "an index", float)
        identity = _typed(delta.get("id"), "an id", str) or ""
        function = _typed(delta.get("function"), "a function", dict) or {}
        name = _typed(function.get("name"), "a name", str) or ""
        call = self._open(None if index is None else convert.int64(index), identity, name)
        call.id = call.id or identity
        if name != call.name:
            call.name += name  # in pieces too; an engine that repeats the whole name says nothing new
        call.pieces.append(_typed(function.get("arguments"), "a piece of arguments", str) or "")

    @rule("facade/turn/call-index")
    def _open(self, index: int | None, identity: str, name: str) -> _OpenCall:
        """The call that a piece belongs to, or a new one.

        With an index, the last call of that index; without, the last call of all. Another id begins a new call under
        any index; without index and id, a name begins one when the last call has its name already.
        """
        known = next((call for call in reversed(self._calls) if index in {None, call.index}), None)
        if known is not None and not _begins(known, index, identity, name):
            return known
        if len(self._calls) == MOST_CALLS:
            reason = f"the engine asks for more than {MOST_CALLS} tool calls at once"
            raise EngineFailed(reason)
        last = max((call.index for call in self._calls), default=-1)
        self._calls.append(_OpenCall(last + 1 if index is None else index))
        return self._calls[-1]

    @rule("facade/turn/cut-stream")
    def whole(self) -> Completion:
        """The completion, its calls in the order of their indices. Raises EngineFailed before a finish_reason."""
        if not self.finished:
            reason = "the engine's answer ended before its finish_reason"
            raise EngineFailed(reason)
        ordered = sorted(self._calls, key=lambda call: call.index)
        calls = tuple(call.whole(place) for place, call in enumerate(ordered))
        return Completion("".join(self._text), calls, self._finish_reason, self._usage)


def _begins(known: _OpenCall, index: int | None, identity: str, name: str) -> bool:
    """Whether a piece begins a call after ``known`` instead of going on with it."""
    if identity and known.id:
        return identity != known.id
    return index is None and not identity and bool(name and known.name)


@rule("facade/turn/usage")
def read_usage(usage: dict[str, object]) -> Usage:
    """The tokens that a usage object names; what it does not name, or names as anything but a number, is 0."""
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return Usage(_tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens")), _tokens(reasoning))


def _tokens(value: object) -> int:
    return max(convert.int64(value), 0) if isinstance(value, float) else 0


def error_words(answer: object) -> str:
    """What the engine says of its error: ``error.message``, or ``error`` itself where it is text; else nothing."""
    error = answer.get("error") if isinstance(answer, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    return words if isinstance(words, str) else ""


def drawn(words: str) -> str:
    """An engine's words as one line of ASCII, quoted, cut at :data:`SHOWN` characters."""
    return ascii(words[:SHOWN])


def _typed(value: object, what: str, wanted: type[T]) -> T | None:
    """A member of the wanted type; null is as if absent. Raises EngineFailed for any other type."""
    if value is not None and not isinstance(value, wanted):
        reason = f"the engine's answer is misshapen: {what} is {_TYPE_NAMES[type(value)]}"
        raise EngineFailed(reason)
    return value
