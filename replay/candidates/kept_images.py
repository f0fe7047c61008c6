"""The port's kept images as a journal drives them: one case, its operations, what can be seen after each (journal.md).

Visible, and so restored from a record: the two lists, stopped, the number of requests, how many images are on trial.
Not visible, and so the case's own: which images those are and what they weigh, what the first of them noted, the
context after the last completion, how many messages the last request had, and what lies in the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, cast

from parity.images import message as messages
from parity.images import references, settings
from parity.images.cost import Usage
from parity.images.state import Trial, Turn, TurnState
from parity.images.store import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from parity.images.message import Message
    from parity.images.store import Stored
    from replay.fields import Fields, Value
    from replay.journal.model import Json, KeepimgCase


class Images(Protocol):
    """Where images are kept: :class:`parity.images.store.ImageStore`, or a way to one."""

    def store(self, message: Message) -> Stored | None:
        """The message in its referenced form, its image kept; None where it is refused."""
        ...

    def image(self, name: str) -> bytes | None:
        """The bytes of a kept image; None where there is none."""
        ...


def _as_told(usage: Usage) -> Usage:
    return usage


class KeptImagesCase:
    """One case, from its start."""

    def __init__(self, case: KeepimgCase, store: Images, heard: Callable[[Usage], Usage] = _as_told) -> None:
        """``heard`` is what the turn hears of a completion that used so much.

        Raises MessageUnreadableError for a message that Go's struct could not take.
        """
        kept = settings.keeps(case.keep_turn_images, case.thread, case.conversation, vision=case.vision)
        read = [messages.read(message) for message in case.messages]
        self.turn = Turn(read, settings.budget(case.ctx_window), TurnState() if kept else None)
        self._store = store
        self._heard = heard
        self._operations: dict[str, Callable[[Mapping[str, Json]], dict[str, Value]]] = {
            "append": self._append,
            "relay": self._relay,
            "sending": self._sending,
            "observe": self._observe,
            "rewritten": self._rewritten,
            "publishable": self._publishable,
            "finish": self._finish,
            "drop": self._drop,
            "store": self._keep,
        }

    def operate(self, step: Mapping[str, Json]) -> dict[str, Value]:
        """Run one operation and show what stands after it. Raises MessageUnreadableError as the constructor does."""
        shown = self._operations[str(step["op"])](step)
        return {**self._visible(), **shown}

    def restore_visible(self, after: Fields) -> None:
        """Make what is visible equal to a record; what a record does not hold stays as it is."""
        turn = self.turn
        before = (len(turn.messages), len(turn.extra))
        turn.messages = _read(after.get("messages"), turn.messages)
        turn.extra = _read(after.get("extra"), turn.extra)
        state = turn.state
        if state is None:
            return
        state.stopped = bool(after.get("stopped", state.stopped))
        state.requests = _integer(after, "requests", state.requests)
        on_trial = _integer(after, "on_trial", len(state.trials))
        if (on_trial, len(turn.messages), len(turn.extra)) != (len(state.trials), *before):
            state.trials = self._on_trial(on_trial)

    def _on_trial(self, count: int) -> list[Trial]:
        """The last ``count`` images of extra that look as if on trial: a record with which the port does not agree."""
        turn = self.turn
        found: list[Trial] = []
        end = len(turn.messages)
        for in_extra, left in reversed(list(enumerate(turn.extra))):
            at = next((at for at in reversed(range(end)) if turn.messages[at] == left), None)
            name = _name_on_trial(left)
            if len(found) < count and at is not None and name is not None:
                found.append(Trial(at, in_extra, self._weight(name)))
                end = at
        return found[::-1]

    def _weight(self, name: str) -> int:
        """The bytes of a stored image; of one that the port did not store, 1."""
        image = self._store.image(name)
        return 1 if image is None else len(image)

    def _visible(self) -> dict[str, Value]:
        turn, state = self.turn, self.turn.state
        shown: dict[str, Value] = {
            "messages": _written(turn.messages),
            "extra": _written(turn.extra),
            "active": state is not None,
            "budget": turn.budget,
            "kept_tokens": turn.kept_tokens,
        }
        if state is not None:
            shown |= {"stopped": state.stopped, "on_trial": len(state.trials), "requests": state.requests}
        return shown

    def _append(self, step: Mapping[str, Json]) -> dict[str, Value]:
        self.turn.append(messages.read(step["message"]))
        return {}

    def _relay(self, step: Mapping[str, Json]) -> dict[str, Value]:
        first_result = _integer(step, "from", len(self.turn.messages))
        keep = refuse if step.get("store_fails") else self._store.store
        self.turn.relay(messages.read(step["message"]), first_result, keep)
        return {}

    def _sending(self, _: Mapping[str, Json]) -> dict[str, Value]:
        self.turn.sending(len(self.turn.messages))
        return {}

    def _observe(self, step: Mapping[str, Json]) -> dict[str, Value]:
        usage = Usage(
            prompt=_integer(step, "prompt_tokens", 0),
            generated=_integer(step, "gen_tokens", 0),
            reasoning=_integer(step, "reasoning_tokens", 0),
            echoed=bool(step.get("reasoning_echoed", False)),
            complete=bool(step.get("complete", True)),
        )
        self.turn.observe(self._heard(usage))
        return {}

    def _rewritten(self, _: Mapping[str, Json]) -> dict[str, Value]:
        self.turn.rewritten()
        return {}

    def _publishable(self, _: Mapping[str, Json]) -> dict[str, Value]:
        return {"published": _written(self.turn.publishable())}

    def _finish(self, _: Mapping[str, Json]) -> dict[str, Value]:
        self.turn.finish()
        return {}

    def _drop(self, _: Mapping[str, Json]) -> dict[str, Value]:
        return {"freed": self.turn.drop()}

    def _keep(self, step: Mapping[str, Json]) -> dict[str, Value]:
        message = messages.read(step["message"])
        stored: Stored | None = None if step.get("store_fails") else self._store.store(message)
        if stored is None:
            return {"stored": False, "weight": 0}
        return {"stored": True, "weight": stored.weight, "message": _value(stored.message)}


def _value(message: Message) -> Value:
    return _frozen(messages.written(message))


def _frozen(held: object) -> Value:
    """A message may hold what JSON was decoded to: a value of an outcome has tuples for its lists."""
    if isinstance(held, Mapping):
        return {name: _frozen(one) for name, one in held.items()}
    return tuple(map(_frozen, held)) if isinstance(held, (list, tuple)) else cast("Value", held)


def _written(listed: Iterable[Message]) -> tuple[Value, ...]:
    return tuple(map(_value, listed))


def _read(recorded: Value, own: list[Message]) -> list[Message]:
    return [messages.read(message) for message in recorded] if isinstance(recorded, tuple) else own


def _integer(values: Fields, name: str, default: int) -> int:
    found = values.get(name)
    return found if isinstance(found, int) else default


def _name_on_trial(message: Message) -> str | None:
    """The stored image of a message that can be on trial: marked, without cost, one image by reference."""
    names = [references.referenced_name(messages.url(part)) for part in messages.parts(message)]
    found = [name for name in names if name is not None]
    return found[0] if message.relay and not messages.is_kept(message) and len(found) == 1 else None
