"""Outcomes that one process leaves for another in a file: matches by their number, the others whole."""

from __future__ import annotations

import pickle
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from replay.outcome import Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from replay.journal.model import Json
    from replay.outcome import Outcome


def _frozen(value: dict[str, Json]) -> Mapping[str, Json]:
    return MappingProxyType(value)


def _leave(stream: IO[bytes], value: int | Outcome) -> None:
    pickler = pickle.Pickler(stream)
    # Frozen objects, such as journals of kept images hold, are left too.
    pickler.dispatch_table = {MappingProxyType: lambda frozen: (_frozen, (dict(frozen),))}
    pickler.dump(value)


class Apart:
    """Who is told outcomes and leaves them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._matches = 0

    def outcome(self, outcome: Outcome) -> None:
        """One step was judged."""
        if isinstance(outcome, Match):
            self._matches += 1
        else:
            self.end()
            _leave(self._stream, outcome)

    def end(self) -> None:
        """No match follows the last ones for now."""
        if self._matches:
            _leave(self._stream, self._matches)
            self._matches = 0


def left_apart(file: Path) -> Iterator[int | Outcome]:
    """What was left, in order: so many matches, or an outcome that is none."""
    with file.open("rb") as stream:
        while stream.peek(1):
            yield pickle.load(stream)  # noqa: S301 - a copy of this process wrote it, into a folder of its own
