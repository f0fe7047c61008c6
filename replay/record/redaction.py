"""Redaction: what must not be kept is replaced by a marker before anything is written, and counted.

A named rule is a regular expression. It is not written into the journal, which could tell what it hides: the head
lists the rule's name, where it was used, how often, and how many characters it hid. Inputs are never changed: where
one holds what a rule would hide, nothing is recorded.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from replay.compare import MARKER, field_of
from replay.fields import FILES, TRACKERS
from replay.journal import octets, walk
from replay.journal.limits import ARGS_DEPTH
from replay.journal.model import LooseField
from replay.record.refusal import GoRefusedError, RecordingRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME: Final = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)


@dataclass(slots=True)
class Hidden:
    """What was hidden in one step: field and rule to how often and how many characters."""

    times: Counter[tuple[str, str]] = field(default_factory=Counter)
    characters: Counter[tuple[str, str]] = field(default_factory=Counter)

    def fields(self, step: int) -> list[LooseField]:
        """As the head lists it."""
        return [LooseField(step, *key, self.times[key], self.characters[key]) for key in sorted(self.times)]


class Redaction:
    """The rules, and the token that must never be written at all."""

    def __init__(self, rules: Mapping[str, str], token: str = "") -> None:
        """``rules``: name to regular expression. Raises RecordingRefusedError for what is none."""
        self.rules = dict(rules)
        self._token = token
        self._patterns: dict[str, re.Pattern[str]] = {}
        for name, pattern in rules.items():
            if not _NAME.fullmatch(name):
                message = f"the redaction rule {name!r} has no name of a-z, 0-9 and - (at most 40)"
                raise RecordingRefusedError(message)
            try:
                self._patterns[name] = re.compile(pattern)
            except re.error as error:
                message = f"the redaction rule {name} is no regular expression: {error}"
                raise RecordingRefusedError(message) from None
            if self._patterns[name].search(""):
                message = f"the redaction rule {name} matches the empty text, which hides nothing"
                raise RecordingRefusedError(message)

    def answer(self, tree: Mapping[str, object], hidden: Hidden) -> dict[str, object]:
        """An answer, a state included, with the markers in place.

        Raises GoRefusedError where a name must not be kept, or where a marker stands already.
        """
        return {name: self._field(name, value, hidden) for name, value in tree.items()}

    def _field(self, name: str, value: object, hidden: Hidden) -> object:
        if name in (FILES, TRACKERS) and isinstance(value, dict):
            return {key: self._value(one, field_of((name, key)), hidden) for key, one in value.items()}
        return self._value(value, name, hidden)

    def _value(self, value: object, where: str, hidden: Hidden) -> object:
        if isinstance(value, str):
            return self._text(value, where, hidden)
        if isinstance(value, list):
            return [self._value(one, where, hidden) for one in value]
        if isinstance(value, dict) and "base64" not in value:
            return {key: self._value(one, where, hidden) for key, one in value.items()}
        return value

    def _text(self, text: str, where: str, hidden: Hidden) -> str:
        if not self._patterns:
            return text
        if MARKER.search(text):
            message = f"its {where} holds a marker of redaction already: what was hidden could not be told from it"
            raise GoRefusedError(message)
        for name, pattern in self._patterns.items():
            found = [one[0] for one in pattern.finditer(text) if one[0]]
            if found:
                hidden.times[where, name] += len(found)
                hidden.characters[where, name] += sum(map(len, found))
                text = pattern.sub(partial(_marked, name), text)
        return text

    def holds_token(self, texts: Iterator[str]) -> bool:
        """Whether the token stands in one of these texts."""
        return bool(self._token) and any(self._token in text for text in texts)

    def leak(self, texts: Iterator[str]) -> str | None:
        """What among texts that are kept as they are must not be kept: a rule's name, ``the token``; None: nothing."""
        if not self._token and not self._patterns:
            return None
        for text in texts:
            if self._token and self._token in text:
                return "the token"
            for name, pattern in self._patterns.items():
                if any(one[0] for one in pattern.finditer(MARKER.sub("", text))):
                    return f"what the rule {name} hides"
        return None


def _marked(name: str, found: re.Match[str]) -> str:
    return f"[redacted:{name}]" if found[0] else ""


def texts_of(tree: object) -> Iterator[str]:
    """Every text in a tree of JSON, keys included."""
    pending: list[object] = [tree]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            pending.extend(value)
            pending.extend(value.values())
        elif isinstance(value, (list, tuple)):
            pending.extend(value)


def texts_of_args(raw: bytes) -> Iterator[str]:
    """The arguments as written, then every text in them as it is meant; a key that stands there twice counts twice."""
    yield raw.decode("utf-8", "replace")
    text = octets.without_wide_escapes(octets.seen(raw))
    for part in walk.Walker(text, 0, ARGS_DEPTH).events():
        if text.startswith('"', part.start):
            yield octets.shown(walk.string(text[part.start : part.end]))
