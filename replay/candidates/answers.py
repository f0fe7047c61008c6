"""What a candidate outside this process says, read as something that may be anything.

An answer holds ``result``, ``label``, ``diff`` and, where Go would crash, ``panic`` (journal.md); a state holds
``files`` and ``trackers`` as journals write them. Lone surrogates stay what they are: Go writes none, so that one is a
difference.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from replay import fields as named
from replay.candidates.interface import Capabilities
from replay.candidates.table import FIELDS_OF_A_CALL
from replay.candidates.written import frozen
from replay.journal.drawing import drawn
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.fields import Fields, Value

LONGEST: Final = 64 << 20
"""The longest answer in bytes."""

SHOWN: Final = 120

NAMES: Final[Mapping[str, str]] = {name: name for name in FIELDS_OF_A_CALL}
"""What Go calls the keys of a call and of its answer."""

_ENDINGS: Final = (named.RESULT, named.PANIC)
_CAPABILITIES: Final = ("exec", "reset", "read_state", "set_clock", "reads")


class NonsenseError(ValueError):
    """An answer that cannot be used; the message is a clause such as ``its answer is no JSON: hello``."""


def read(raw: bytes) -> dict[str, object]:
    """The JSON object of an answer. Raises :class:`NonsenseError`, also for a key that stands there twice."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _nonsense(raw, "not UTF-8") from None
    try:
        tree = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _nonsense(raw, "no JSON") from None
    if not isinstance(tree, dict):
        raise _nonsense(raw, "no JSON object")
    return tree


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    tree = dict(pairs)
    if len(tree) < len(pairs):
        raise ValueError(pairs)
    return tree


def _no_number(text: str) -> float:
    raise ValueError(text)


def _nonsense(raw: bytes, what: str) -> NonsenseError:
    # What it said stands behind the colon: reports of a sealed memory stop there.
    return NonsenseError(f"its answer is {what}: {shown(raw)}")


def shown(raw: bytes) -> str:
    """The start of an answer, drawn on one line."""
    return drawn(raw[: 4 * SHOWN].decode("utf-8", "replace"), SHOWN) or "nothing"


def outcome(said: Mapping[str, object], names: Mapping[str, str] = NAMES) -> dict[str, Value]:
    """The fields of an answer to a call. Raises :class:`NonsenseError` if it holds neither a result nor a panic.

    No diff is an empty one, as in journals. What is there and has another type than it should have is left to the
    comparison, which says so.
    """
    fields = {
        field: frozen(said[names[field]])
        for field in (named.RESULT, named.PANIC, named.LABEL, named.DIFF)
        if names[field] in said
    }
    if fields.get(named.PANIC, ...) is None:
        del fields[named.PANIC]
    if fields.get(named.DIFF) is None:
        fields[named.DIFF] = ()
    if not any(ending in fields for ending in _ENDINGS):
        message = f"its answer holds neither {names[named.RESULT]} nor {names[named.PANIC]}"
        raise NonsenseError(message)
    return fields


def state(said: Mapping[str, object], dek: bytes | None) -> Fields:
    """Files and trackers of a state. Raises :class:`NonsenseError`."""
    files, trackers = said.get(named.FILES), said.get(named.TRACKERS)
    if not isinstance(files, dict) or not isinstance(trackers, dict):
        message = "its state is not an object of files and an object of trackers"
        raise NonsenseError(message)
    try:
        raw = {name: wire.read(content, "base64") for name, content in files.items()}
    except wire.NoTextError:
        message = 'a file of its state is neither a string nor {"base64": …}'
        raise NonsenseError(message) from None
    return {
        named.FILES: named.files_value(raw, dek),
        named.TRACKERS: {key: _tracker(tracker) for key, tracker in trackers.items()},
    }


def _tracker(tracker: object) -> Value:
    """A tracker with what journals may leave out: no events are an empty list, no ``date_only`` is false."""
    if not isinstance(tracker, dict):
        return frozen(tracker)
    value = {str(key): frozen(one) for key, one in tracker.items()}
    events = tracker.get("events") or ()
    if isinstance(events, (list, tuple)):
        value["events"] = tuple(
            {"date_only": False, **{str(key): frozen(one) for key, one in event.items()}}
            if isinstance(event, dict)
            else frozen(event)
            for event in events
        )
    return value


def capabilities(said: object, *, side_by_side: bool) -> tuple[Capabilities, bool]:
    """What a declaration such as ``{"can": ["exec", "reset"]}`` declares, and whether it reads from the Go it is told.

    Anything without ``can`` declares nothing: such a candidate can run a call and no more. Raises
    :class:`NonsenseError` for a list that holds something unknown.
    """
    can = said["can"] if isinstance(said, dict) and "can" in said else []
    if not isinstance(can, list) or not all(isinstance(word, str) and word in _CAPABILITIES for word in can):
        known = ", ".join(_CAPABILITIES)
        message = f"it declares that it can {drawn(json.dumps(can), SHOWN)} (expected a list of some of {known})"
        raise NonsenseError(message)
    found = Capabilities(
        reset="reset" in can,
        read_state="read_state" in can,
        set_clock="set_clock" in can,
        side_by_side=side_by_side,
    )
    return found, "reads" in can
