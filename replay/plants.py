"""Divergences planted on purpose, one class each: what the drill puts into a copy of a journal's step.

A plant changes what the journal says Go recorded, in one place that it knows; the engine must find it there. A class
that a step cannot hold (no accent to decompose, no second hit to swap) gives None for it, and the drill looks for
another step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import unicodedata2

from parity.stores import seal
from parity.tools.interface import DiffLine, Tracker
from replay.compare import field_of
from replay.fields import FILES, TRACKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.journal.model import Expected


@dataclass(frozen=True, slots=True)
class Plant:
    """What was planted: the changed record, the field it must be found in, the rune it starts at (None: not text)."""

    expected: Expected
    field: str
    rune: int | None = None


@dataclass(frozen=True, slots=True)
class PlantClass:
    """A class of divergence: its name, what it stands for, and how to plant it (None where it cannot be planted)."""

    name: str
    about: str
    plant: Callable[[Expected, bytes | None], Plant | None]
    not_in: frozenset[str] = frozenset()
    """Tools in whose results it may be right: the overview of trackers has an order that Go leaves open."""


def _in_result(change: Callable[[str], tuple[str, int] | None]) -> Callable[[Expected, bytes | None], Plant | None]:
    """A plant that changes the result; ``change`` gives the new text and the first rune that is another."""

    def plant(expected: Expected, _: bytes | None) -> Plant | None:
        if expected.result is None:
            return None
        changed = change(expected.result)
        if changed is None:
            return None
        text, rune = changed
        return Plant(replace(expected, result=text), "result", rune)

    return plant


def _replaced(text: str, at: int, length: int, by: str) -> tuple[str, int] | None:
    return None if at < 0 else (text[:at] + by + text[at + length :], at)


def _character(text: str) -> tuple[str, int] | None:
    at = len(text) // 2
    return _replaced(text, at, 1, "X" if text[at] != "X" else "Y") if text else None


def _last_newline(text: str) -> tuple[str, int] | None:
    return text + "\n", len(text)


def _lost_last_character(text: str) -> tuple[str, int] | None:
    return (text[:-1], len(text) - 1) if text else None


def _crlf(text: str) -> tuple[str, int] | None:
    return _replaced(text, text.find("\n"), 1, "\r\n")


def _decomposed(text: str) -> tuple[str, int] | None:
    for at, character in enumerate(text):
        decomposed = unicodedata2.normalize("NFD", character)
        if decomposed != character:
            return _replaced(text, at, 1, decomposed)
    return None


def _no_break_space(text: str) -> tuple[str, int] | None:
    return _replaced(text, text.find(" "), 1, "\u00a0")


def _id(text: str) -> tuple[str, int] | None:
    for at, character in enumerate(text):
        if "0" <= character <= "9":
            return _replaced(text, at, 1, "8" if character != "8" else "9")
    return None


def _letter_case(text: str) -> tuple[str, int] | None:
    for at, character in enumerate(text):
        if "a" <= character <= "z":
            return _replaced(text, at, 1, chr(ord(character) - 32))
    return None


def _look_alike(text: str) -> tuple[str, int] | None:
    return _replaced(text, text.find("a"), 1, "\u0430")


def _trailing_space(text: str) -> tuple[str, int] | None:
    at = text.find("\n")
    return _replaced(text, len(text) if at < 0 else at, 0, " ")


def _replacement_character(text: str) -> tuple[str, int] | None:
    at = len(text) // 2
    return None if text[at : at + 1] == "\ufffd" else _replaced(text, at, 0, "\ufffd")


def _html_escape(text: str) -> tuple[str, int] | None:
    for character in "<>&":
        at = text.find(character)
        if at >= 0:
            return _replaced(text, at, 1, f"\\u{ord(character):04x}")
    return None


def _zero_width(text: str) -> tuple[str, int] | None:
    at = len(text) // 3
    return None if text[at : at + 1] == "\u200b" else _replaced(text, at, 0, "\u200b")


def _emptied(text: str) -> tuple[str, int] | None:
    return ("", 0) if text else None


def _order(text: str) -> tuple[str, int] | None:
    """Two hits change places: every hit of a search starts a line with a dash."""
    hits = text.split("\n- ")
    if len(hits) <= 1 + 1:
        return None
    return _first_change(text, "\n- ".join((hits[0], hits[2], hits[1], *hits[3:])))


def _first_change(before: str, after: str) -> tuple[str, int] | None:
    for at, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            return after, at
    return None if len(before) == len(after) else (after, min(len(before), len(after)))


def _extra_diff_line(expected: Expected, _: bytes | None) -> Plant:
    lines = expected.diff or ()
    return Plant(replace(expected, diff=(*lines, DiffLine("+", "planted"))), f"diff[{len(lines)}]")


def _diff_text(expected: Expected, _: bytes | None) -> Plant | None:
    if not expected.diff:
        return None
    first = expected.diff[0]
    changed = (DiffLine(first.op, first.text + "."), *expected.diff[1:])
    return Plant(replace(expected, diff=changed), "diff[0].text", len(first.text))


def _diff_op(expected: Expected, _: bytes | None) -> Plant | None:
    if not expected.diff:
        return None
    first = expected.diff[0]
    changed = (DiffLine("-" if first.op == "+" else "+", first.text), *expected.diff[1:])
    return Plant(replace(expected, diff=changed), "diff[0].op")


def _label(expected: Expected, _: bytes | None) -> Plant | None:
    if expected.label is None:
        return None
    return Plant(replace(expected, label=expected.label + "."), "label", len(expected.label))


def _panic(expected: Expected, _: bytes | None) -> Plant | None:
    if expected.panic is not None:
        return None
    return Plant(replace(expected, result=None, panic="runtime error: planted"), "panic")


def _with_files(expected: Expected, changed: Mapping[str, bytes | None]) -> Expected:
    """The record with some files replaced; None takes a file away."""
    files = dict(expected.files or {})
    for name, content in changed.items():
        if content is None:
            del files[name]
        else:
            files[name] = content
    return replace(expected, files=files)


def _resealed(raw: bytes, dek: bytes | None, change: Callable[[bytes], bytes]) -> bytes | None:
    """A file's bytes with its content changed, sealed again if it was; None when it cannot be opened."""
    if not seal.is_sealed(raw):
        return change(raw)
    if dek is None:
        return None
    try:
        return seal.seal(change(seal.unseal(raw, dek)), dek, bytes(seal.NONCE_SIZE))
    except seal.SealDamagedError:
        return None


def _changed_file(choose: Callable[[str], bool], change: Callable[[bytes], bytes]) -> Callable[..., Plant | None]:
    def plant(expected: Expected, dek: bytes | None) -> Plant | None:
        for name, raw in (expected.files or {}).items():
            changed = _resealed(raw, dek, change) if choose(name) else None
            if changed is not None:
                return Plant(_with_files(expected, {name: changed}), field_of((FILES, name, "content")))
        return None

    return plant


def _last_byte_flipped(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1]) if content else b"\x00"


def _without_last_newline(content: bytes) -> bytes:
    return content[:-1] if content.endswith(b"\n") else content + b"\n"


def _extra_file(expected: Expected, _: bytes | None) -> Plant | None:
    if expected.files is None:
        return None
    name = "planted.md"
    return Plant(_with_files(expected, {name: b"planted\n"}), field_of((FILES, name)))


def _missing_file(expected: Expected, _: bytes | None) -> Plant | None:
    if not expected.files:
        return None
    name = next(iter(expected.files))
    return Plant(_with_files(expected, {name: None}), field_of((FILES, name)))


def _unsealed(expected: Expected, dek: bytes | None) -> Plant | None:
    for name, raw in (expected.files or {}).items():
        if dek is not None and seal.is_sealed(raw):
            try:
                content = seal.unseal(raw, dek)
            except seal.SealDamagedError:
                continue
            if not seal.is_sealed(content):
                return Plant(_with_files(expected, {name: content}), field_of((FILES, name, "sealed")))
    return None


def _with_tracker(expected: Expected, key: str, tracker: Tracker) -> Expected:
    return replace(expected, trackers={**(expected.trackers or {}), key: tracker})


def _millisecond(expected: Expected, _: bytes | None) -> Plant | None:
    for key, tracker in (expected.trackers or {}).items():
        if tracker.events:
            last = len(tracker.events) - 1
            event = tracker.events[last]
            events = (*tracker.events[:-1], replace(event, ts=event.ts + 1))
            changed = _with_tracker(expected, key, replace(tracker, events=events))
            return Plant(changed, field_of((TRACKERS, key, "events", last, "ts")))
    return None


def _swapped_points(expected: Expected, _: bytes | None) -> Plant | None:
    for key, tracker in (expected.trackers or {}).items():
        events = tracker.events
        if len(events) > 1 and events[0] != events[1]:
            swapped = replace(tracker, events=(events[1], events[0], *events[2:]))
            return Plant(_with_tracker(expected, key, swapped), field_of((TRACKERS, key, "events")))
    return None


def _date_only(expected: Expected, _: bytes | None) -> Plant | None:
    for key, tracker in (expected.trackers or {}).items():
        if tracker.events:
            event = tracker.events[0]
            events = (replace(event, date_only=not event.date_only), *tracker.events[1:])
            changed = _with_tracker(expected, key, replace(tracker, events=events))
            return Plant(changed, field_of((TRACKERS, key, "events", 0, "date_only")))
    return None


def _extra_tracker(expected: Expected, _: bytes | None) -> Plant | None:
    if expected.trackers is None:
        return None
    key = "planted/planted"
    return Plant(_with_tracker(expected, key, Tracker("planted")), field_of((TRACKERS, key)))


CLASSES: Final = (
    PlantClass("character", "one character of the result is another", _in_result(_character)),
    PlantClass("last-newline", "one more newline at the end", _in_result(_last_newline)),
    PlantClass("lost-last-character", "the last character is gone", _in_result(_lost_last_character)),
    PlantClass("crlf", "a line ends in CR LF", _in_result(_crlf)),
    PlantClass("nfd", "a letter and its accent stand apart", _in_result(_decomposed)),
    PlantClass("nbsp", "a space is a no-break space", _in_result(_no_break_space)),
    PlantClass("id", "a digit of an id is another", _in_result(_id)),
    PlantClass("letter-case", "a letter is a capital", _in_result(_letter_case)),
    PlantClass("look-alike", "a Latin letter is a Cyrillic one", _in_result(_look_alike)),
    PlantClass("trailing-space", "a line ends in a space", _in_result(_trailing_space)),
    PlantClass("replacement-character", "one more U+FFFD", _in_result(_replacement_character)),
    PlantClass("html-escape", "a character is escaped as Go's JSON does", _in_result(_html_escape)),
    PlantClass("zero-width", "a zero-width space stands inside", _in_result(_zero_width)),
    PlantClass("emptied", "the result is empty", _in_result(_emptied)),
    PlantClass("order", "two hits change places", _in_result(_order), not_in=frozenset({"tracker"})),
    PlantClass("extra-field", "the record holds a diff line that nobody writes", _extra_diff_line),
    PlantClass("crash", "the record says that Go crashed", _panic),
    PlantClass("label", "the label has one more character", _label),
    PlantClass("diff-text", "a diff line has one more character", _diff_text),
    PlantClass("diff-op", "a diff line changes its sign", _diff_op),
    PlantClass(
        "bak-byte", "a bit of a .bak is flipped", _changed_file(lambda n: n.endswith(".bak"), _last_byte_flipped)
    ),
    PlantClass(
        "page-byte", "a bit of a page is flipped", _changed_file(lambda n: n.endswith(".md"), _last_byte_flipped)
    ),
    PlantClass(
        "index-last-newline",
        "the index has lost its last newline",
        _changed_file(lambda name: name == "MEMORY.md", _without_last_newline),
    ),
    PlantClass("extra-file", "the record holds a file too many", _extra_file),
    PlantClass("missing-file", "the record holds a file too few", _missing_file),
    PlantClass("unsealed", "a sealed page lies open", _unsealed),
    PlantClass("millisecond", "a point is a millisecond later", _millisecond),
    PlantClass("swapped-points", "two points change places", _swapped_points),
    PlantClass("date-only", "a point has gained or lost its hour", _date_only),
    PlantClass("extra-tracker", "the record holds a tracker too many", _extra_tracker),
)
"""Every class that is planted into a step's record; the drill adds those that concern the run itself."""
