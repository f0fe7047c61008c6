"""One answer of the fake Go, before it is on a wire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from fake_go.wire import Wire

JSON_TYPE: Final = "application/json"
MARK: Final = ("X-Loki-Parity", "fake")
"""The header of the answers whose bodies are ours and not Go's (facade.md, Go's routes)."""


class Delivery(Protocol):
    """A way to put an answer on the wire other than at once and whole."""

    @property
    def clause(self) -> str:
        """Why a client without a wire would get nothing, as a clause."""
        ...

    def play(self, wire: Wire, head: bytes, body: bytes) -> bool:
        """Send, or don't. True: the connection can serve another request."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers (without Content-Length) and body; ``delivery`` None sends them at once."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    delivery: Delivery | None = None

    @property
    def content_type(self) -> str:
        """The Content-Type header, empty if there is none."""
        return next((value for name, value in self.headers if name == "Content-Type"), "")

    @property
    def undelivered(self) -> str | None:
        """Why a client that calls without a wire gets nothing; None when it gets this answer."""
        return None if self.delivery is None else self.delivery.clause


_GO_HEADERS: Final = (("Content-Type", JSON_TYPE),)
_OUR_HEADERS: Final = (*_GO_HEADERS, MARK)


def go_answer(body: bytes) -> Reply:
    """200 and JSON as Go wrote it."""
    return Reply(200, _GO_HEADERS, body)


def error(status: int, text: str, *headers: tuple[str, str]) -> Reply:
    """A refusal: one line of JSON that is ours, marked so."""
    body = json.dumps({"error": text}).encode()
    return Reply(status, (*_OUR_HEADERS, *headers), body)
