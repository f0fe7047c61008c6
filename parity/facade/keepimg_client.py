"""Go's two routes behind kept images: the turn's state and budget; an image stored for a reference (facade.md).

Go not answering never ends a turn: then no new image is kept, as if it were refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from parity.facade.answer import check_status, is_html, read_json
from parity.gostd import convert, json
from parity.images import message as messages
from parity.images.references import for_model
from parity.images.store import Stored
from parity.rules import rule
from parity.tools.interface import GoUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from parity.facade.transport import Transport
    from parity.gostd.target import GoTarget
    from parity.images.message import Message

STATE_ROUTE: Final = "/internal/v1/turn/keepimg"
STORE_ROUTE: Final = "/internal/v1/turn/keepimg/store"


@dataclass(frozen=True, slots=True)
class Vision:
    """Whether vision is really active, and how many tokens all kept images may cost."""

    active: bool
    budget: int


class KeepimgClient:
    """The two routes over ``go``. ``read`` gives a stored image's bytes by name, None if it is not there."""

    def __init__(self, go: Transport, read: Callable[[str], bytes | None], target: GoTarget) -> None:
        self._go = go
        self.read = read
        self._target = target

    @rule("facade/routes/keepimg")
    def vision(self) -> Vision | None:
        """What Go says of this turn; None when it does not answer."""
        try:
            reply = self._go.request("GET", STATE_ROUTE)
            check_status(reply)
            return read_vision(read_json(reply))
        except GoUnavailable:
            return None

    @rule("facade/routes/keepimg-store")
    def store(self, message: Message) -> Stored | None:
        """The message in its referenced form; None when it is refused. Satisfies parity.images.store.Keep."""
        try:
            stored = self._stored(message)
        except (GoUnavailable, messages.MessageUnreadableError):
            return None
        return stored if stored is not None and self.shows_the_same(stored.message, message) else None

    def _stored(self, message: Message) -> Stored | None:
        reply = self._go.request("POST", STORE_ROUTE, json.marshal(wire(messages.written(message)), self._target))
        check_status(reply)
        if is_html(reply):
            _misshapen("HTML")
        return read_stored(json.unmarshal(reply.body, self._target).value)

    @rule("facade/turn/same-with-the-key")
    def shows_the_same(self, stored: Message, message: Message) -> bool:
        """Whether the model is shown the very same with the reference as without: else the key would show."""
        return stored.relay and wire(for_model(stored, self.read)) == wire(for_model(message, self.read))


def read_vision(value: object) -> Vision:
    """A decoded answer of the first route. Raises GoUnavailable for any other shape."""
    active, budget = (value.get("vision"), value.get("budget")) if isinstance(value, dict) else (None, None)
    if not isinstance(active, bool) or type(budget) is not int:
        _misshapen("no vision and budget")
    return Vision(active, budget)


def read_stored(value: object) -> Stored | None:
    """A decoded answer of the second route; None for a refusal. Raises GoUnavailable or MessageUnreadableError."""
    if not isinstance(value, dict):
        _misshapen("no object")
    if value.get("ok") is not True:
        return None
    weight, given = value.get("weight"), value.get("message")
    if not (isinstance(weight, float) and weight >= 1 and isinstance(given, dict)):
        _misshapen("no message and weight")
    # What an image costs is for the turn to measure: a cost that came from elsewhere would make it a kept one.
    return Stored(messages.read({**given, "img_tokens": None}), convert.int64(weight))


def wire(members: Mapping[str, object]) -> dict[str, object]:
    """A message's members as the writer of JSON takes them: lists and dicts where a message holds frozen ones."""
    return {name: _thawed(held) for name, held in members.items()}


def _thawed(held: object) -> object:
    if isinstance(held, Mapping):
        return wire(held)
    return [_thawed(one) for one in held] if isinstance(held, (tuple, list)) else held


def _misshapen(what: str) -> NoReturn:
    reason = f"Go's answer is misshapen: {what}"
    raise GoUnavailable(reason)
