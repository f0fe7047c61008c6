"""What a step shows, as named values that can be compared: built from a journal's record and from a candidate's answer.

Both sides are built here, by the same rules, so that a difference is a difference of the tools and never of two
ways of writing things down.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from parity.stores import seal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parity.tools.interface import DiffLine, Tracker, TrackerEvent
    from replay.journal.model import Expected

Value: TypeAlias = "bool | int | float | str | bytes | tuple[Value, ...] | Mapping[str, Value] | None"
Fields: TypeAlias = "Mapping[str, Value]"
"""Field name to value; a field that is not there was not recorded, or cannot be shown."""

RESULT: Final = "result"
PANIC: Final = "panic"
LABEL: Final = "label"
DIFF: Final = "diff"
FILES: Final = "files"
TRACKERS: Final = "trackers"
REQUESTS: Final = "requests"

OF_CASES: Final = (
    "messages",
    "extra",
    "active",
    "budget",
    "kept_tokens",
    "stopped",
    "on_trial",
    "requests",
    "published",
    "freed",
    "stored",
    "weight",
    "message",
)
"""Every field of an operation on kept images."""

COMPARED: Final = (RESULT, PANIC, LABEL, DIFF, FILES, TRACKERS, REQUESTS)
"""Every field of a recall or memory step, in the order of a report."""

_OPENED_KEPT: Final = 1024
"""How many opened pages are remembered: a journal shows the same pages after every step."""


def diff_value(lines: Iterable[DiffLine]) -> tuple[Value, ...]:
    """A diff as a tuple of ``{"op", "text"}``."""
    return tuple([{"op": line.op, "text": line.text} for line in lines])


def tracker_value(tracker: Tracker) -> Fields:
    """A tracker as ``{"name", "events": ({"id", "ts", "text", "date_only"}, …)}``."""
    return {"name": tracker.name, "events": tuple(map(_event_value, tracker.events))}


def _event_value(event: TrackerEvent) -> Fields:
    return {"id": event.id, "ts": event.ts, "text": event.text, "date_only": event.date_only}


def page_value(raw: bytes, dek: bytes | None) -> Fields:
    """A file as ``{"sealed", "content"}``: a sealed one opened, since nonces are never compared (journal.md).

    A file that starts as a sealed one but cannot be opened is compared by its raw bytes.
    """
    if not seal.is_sealed(raw):
        return {"sealed": False, "content": raw}
    return {"sealed": True, "content": raw if dek is None else _opened(raw, dek)}


@lru_cache(maxsize=_OPENED_KEPT)
def _opened(raw: bytes, dek: bytes) -> bytes:
    try:
        return seal.unseal(raw, dek)
    except seal.SealDamagedError:
        return raw


def files_value(files: Mapping[str, bytes], dek: bytes | None) -> Fields:
    """Every file of the folder, by name."""
    return {name: page_value(raw, dek) for name, raw in files.items()}


def trackers_value(trackers: Mapping[str, Tracker]) -> Fields:
    """Every tracker, by key."""
    return {key: tracker_value(tracker) for key, tracker in trackers.items()}


def expected_fields(expected: Expected, dek: bytes | None) -> dict[str, Value]:
    """What the journal recorded of a step, without what it does not say."""
    fields: dict[str, Value] = {}
    if expected.result is not None:
        fields[RESULT] = expected.result
    if expected.panic is not None:
        fields[PANIC] = expected.panic
    if expected.label is not None:
        fields[LABEL] = expected.label
    if expected.diff is not None:
        fields[DIFF] = diff_value(expected.diff)
    if expected.files is not None:
        fields[FILES] = files_value(expected.files, dek)
    if expected.trackers is not None:
        fields[TRACKERS] = trackers_value(expected.trackers)
    return fields


def chosen(fields: Fields, names: frozenset[str] | None) -> Fields:
    """The fields that are judged; None chooses all. Who chooses the result chooses Go's crash too: one takes its place.

    Both sides are narrowed alike, so that a field that nobody asked for is neither missing nor too many.
    """
    if names is None:
        return fields
    return {name: value for name, value in fields.items() if is_chosen(name, names)}


def is_chosen(name: str, names: frozenset[str] | None) -> bool:
    """Whether a field is judged."""
    return names is None or (RESULT if name == PANIC else name) in names


def narrowed(expected: Expected, names: frozenset[str] | None) -> Expected:
    """A record of nothing but the fields that are judged."""
    if names is None:
        return expected
    unjudged = [field.name for field in dataclasses.fields(expected) if not is_chosen(field.name, names)]
    return dataclasses.replace(expected, **dict.fromkeys(unjudged))


def characters(value: Value) -> int:
    """How much text a value holds: runes of text, bytes of bytes, one for any other leaf."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, tuple):
        return sum(map(characters, value)) if value else 0
    if isinstance(value, Mapping):
        return sum(map(characters, value.values()))
    return 1
