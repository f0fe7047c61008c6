"""A tracker as it is stored: the JSON that Go writes of it (contract: tracker.md).

Read with Python's own scanner, since ``ts`` is an exact integer and Go's ``any`` would make it a float64.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final, TypeVar

from parity.gostd.json import Struct, marshal
from parity.gostd.target import GO_1_25
from parity.rules import rule
from parity.tools.interface import Tracker, TrackerEvent

T = TypeVar("T")

_LEAST: Final = -(2**63)
_ABOVE: Final = 2**63


@rule("memory/trackers/value")
def encode(tracker: Tracker) -> bytes:
    """``{"name":…,"events":[{"id":…,"ts":…,"text":…,"date_only":true}]}``; ``date_only`` is absent when false."""
    events = [_written(event) for event in tracker.events]
    return marshal(Struct({"name": tracker.name, "events": events}), GO_1_25)


@lru_cache(maxsize=512)
def decode(value: bytes) -> Tracker | None:
    """The tracker in a stored value, or None when it is damaged. A field that is absent or null is empty."""
    try:
        found = _object(json.loads(value.decode()))
        events: list[object] = _field(found, "events", [])
        return Tracker(_text(found, "name"), tuple(_event(_object(event)) for event in events))
    except (ValueError, RecursionError):
        return None


class _DamagedError(ValueError):
    """The value is no tracker."""


def _written(event: TrackerEvent) -> Struct:
    fields = {"id": event.id, "ts": event.ts, "text": event.text}
    return Struct({**fields, "date_only": True} if event.date_only else fields)


def _event(found: dict[str, object]) -> TrackerEvent:
    ts = _field(found, "ts", 0)
    if not _LEAST <= ts < _ABOVE:
        raise _DamagedError
    return TrackerEvent(_text(found, "id"), ts, _text(found, "text"), _field(found, "date_only", zero=False))


def _object(found: object) -> dict[str, object]:
    if not isinstance(found, dict):
        raise _DamagedError
    return found


def _text(found: dict[str, object], name: str) -> str:
    """A text field; one with a lone surrogate, which no Go string can hold, is damaged."""
    text = _field(found, name, "")
    text.encode()
    return text


def _field(found: dict[str, object], name: str, zero: T) -> T:
    """A field of the very type of ``zero``, which stands for one that is absent or null."""
    value = found.get(name)
    if value is None:
        return zero
    if type(value) is not type(zero):
        raise _DamagedError
    return value
