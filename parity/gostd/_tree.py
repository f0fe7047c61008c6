"""Writes a tree of values as text, whatever its depth: what ``%v`` and ``json.Marshal`` have in common.

Go writes a value by recursion, for which its stack grows; a document as deep as Go's decoder allows, 10,000, would pass
Python's recursion limit. So the containers that are open stand in a list, each a generator that has stopped at the
container inside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from parity.gostd import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Struct:
    """A Go struct: its fields are written in the mapping's own order, Go's order of declaration, not sorted."""

    fields: Mapping[str, object]


class TooDeepError(ValueError):
    """More containers stand one inside the other than the caller allows."""


Scalars: TypeAlias = "Mapping[type, Callable[..., str]]"
"""How each type that is no container is written."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How a tree is written: the marks around and between the parts of lists and maps, the scalars, the keys."""

    list_marks: tuple[str, str, str]
    map_marks: tuple[str, str, str]
    colon: str
    scalars: Scalars
    key: Callable[[str], str]
    depth: int | None = None

    def write(self, value: object) -> str:
        """The text of a value: lists, dicts sorted by the bytes of their keys, :class:`Struct`, and the scalars.

        Raises TypeError for a type that is none of these or a key that is no text; :class:`TooDeepError` when more than
        ``depth`` containers stand one inside the other.
        """
        pieces: list[str] = []
        put = pieces.append
        opened: list[Iterator[object]] = []
        self._put(value, put, opened)
        while opened:
            for inner in opened[-1]:
                self._put(inner, put, opened)
                break
            else:
                opened.pop()
        return "".join(pieces)

    def _put(self, value: object, put: Callable[[str], None], opened: list[Iterator[object]]) -> None:
        """Write a scalar; open a container."""
        scalar = self.scalars.get(type(value))
        if scalar is not None:
            put(scalar(value))
            return
        if self.depth is not None and len(opened) >= self.depth:
            raise TooDeepError
        if isinstance(value, list):
            opened.append(self._list(value, put))
        elif isinstance(value, dict):
            opened.append(self._map(_sorted(value), put))
        elif isinstance(value, Struct):
            opened.append(self._map(value.fields.items(), put))
        else:
            message = f"a {type(value).__name__} has no form here"
            raise TypeError(message)

    def _list(self, held: list[object], put: Callable[[str], None]) -> Iterator[object]:
        """Write a list, giving out each container in it to be written before going on."""
        before, between, after = self.list_marks
        scalars = self.scalars
        put(before)
        for place, one in enumerate(held):
            if place:
                put(between)
            scalar = scalars.get(type(one))
            if scalar is None:
                yield one
            else:
                put(scalar(one))
        put(after)

    def _map(self, pairs: Iterable[tuple[str, object]], put: Callable[[str], None]) -> Iterator[object]:
        """Write a map, giving out each container in it to be written before going on."""
        before, between, after = self.map_marks
        scalars, colon, key = self.scalars, self.colon, self.key
        put(before)
        for place, (name, one) in enumerate(pairs):
            if place:
                put(between)
            put(key(name))
            put(colon)
            scalar = scalars.get(type(one))
            if scalar is None:
                yield one
            else:
                put(scalar(one))
        put(after)


def _sorted(held: dict[str, object]) -> list[tuple[str, object]]:
    """The pairs of a map as Go sorts them: by the bytes of the keys, which is by code point only if all are UTF-8."""
    keys = sorted(held)
    if not "".join(keys).isascii():
        keys.sort(key=utf8.encode)
    return [(key, held[key]) for key in keys]
