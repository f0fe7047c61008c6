"""A journal with some of its parts as another has them: only these bytes change, all others stay as they are.

Everything works both ways: parts of the new journal go into the old one when they are accepted, parts of the old one
into the new one when they are rejected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from replay.journal import octets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.review.outline import Document, Item, Node, Path

Row: TypeAlias = tuple[int | None, int | None]
"""An element of an array in the old journal and its counterpart in the new one; None where one has none."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, by its path in the old journal and in the new one."""

    paths: tuple[Path, Path]


@dataclass(frozen=True, slots=True)
class Elements:
    """Elements that came, went or moved: the array's path in both journals, and which of its rows."""

    paths: tuple[Path, Path]
    rows: tuple[int, ...]


Part: TypeAlias = Member | Elements


class Rewriting:
    """The journal ``base`` with parts of the journal ``other``. ``side`` is 0 where the old journal is the base."""

    def __init__(
        self, base: Document, other: Document, rows: Mapping[Path, Sequence[Row]], side: int, parts: Iterable[Part]
    ) -> None:
        """``rows`` are those of every array in which elements may come and go, by its path in the old journal."""
        self._base = base
        self._other = other
        self._rows: dict[Path, Sequence[Row]] = {}
        self._side = side
        self._replaced: dict[Path, str] = {}
        self._removed: set[Path] = set()
        self._added: dict[Path, list[str | int]] = {}
        self._counterpart: dict[Path, Path] = {}
        self._changed: dict[Path, set[int]] = {}
        self._touched: set[Path] = set()
        for part in parts:
            if isinstance(part, Member):
                self._member(part.paths[side], part.paths[1 - side])
            else:
                path = part.paths[side]
                self._rows[path] = rows[part.paths[0]]
                self._changed.setdefault(path, set()).update(part.rows)
                self._counterpart[path] = part.paths[1 - side]
                self._touch(path)

    def _member(self, path: Path, other: Path) -> None:
        theirs = self._other.at(other)
        if self._base.at(path) is None:
            self._added.setdefault(path[:-1], []).append(path[-1])
            self._counterpart[path[:-1]] = other[:-1]
        elif theirs is None:
            self._removed.add(path)
        else:
            self._replaced[path] = self._other.text[theirs.node.start : theirs.node.end]
        self._touch(path[:-1])

    def _touch(self, path: Path) -> None:
        self._touched.update(path[:length] for length in range(len(path) + 1))

    def data(self) -> bytes:
        """The whole file."""
        root = self._base.root
        text = self._base.text
        return octets.raw(text[: root.start] + self._value((), root) + text[root.end :])

    def _value(self, path: Path, node: Node) -> str:
        if path in self._replaced:
            return self._replaced[path]
        if path not in self._touched or node.items is None:
            return self._base.text[node.start : node.end]
        return self._assembled(path, node, node.items)

    def _assembled(self, path: Path, node: Node, items: Mapping[str | int, Item]) -> str:
        """An object or an array: what stays keeps what stands before it, what comes gets what stands between others."""
        text = self._base.text
        found = list(items.values())
        first = found[0] if found else None
        gaps = _Gaps(self._base, node) if found else _Gaps(self._other, self._other_node(path))
        pieces: list[str] = []
        last = node.start + 1
        before = {
            id(item): text[last if at == 0 else found[at - 1].node.end : item.begin] for at, item in enumerate(found)
        }
        for item, written in self._parts(path, items):
            if not pieces:
                pieces.append(gaps.lead)
            else:
                pieces.append(gaps.between if item is None or item is first else before[id(item)])
            pieces.append(written)
        if pieces:
            pieces.append(gaps.tail)
        return text[node.start] + "".join(pieces) + text[node.end - 1]

    def _other_node(self, path: Path) -> Node:
        found = self._other.at(self._counterpart[path])
        assert found is not None  # noqa: S101 - what comes, comes from there
        return found.node

    def _parts(self, path: Path, items: Mapping[str | int, Item]) -> Iterator[tuple[Item | None, str]]:
        """What the whole is made of, in order; without an item: what the base did not have."""
        if path in self._rows:
            yield from self._elements(path, items)
            return
        after = self._places(path, items)
        yield from ((None, written) for written in after.get(None, ()))
        for name, item in items.items():
            inner = (*path, name)
            if inner not in self._removed:
                yield item, self._base.text[item.begin : item.node.start] + self._value(inner, item.node)
            yield from ((None, written) for written in after.get(name, ()))

    def _places(self, path: Path, items: Mapping[str | int, Item]) -> dict[str | int | None, list[str]]:
        """To a member of the base, or to None for the beginning, the members that come after it."""
        places: dict[str | int | None, list[str]] = {}
        wanted = set(self._added.get(path, ()))
        if wanted:
            last: str | int | None = None
            for name, item in (self._other.opened(self._counterpart[path]) or {}).items():
                if name in wanted:
                    places.setdefault(last, []).append(self._other.raw(item))
                elif name in items:
                    last = name
        return places

    def _elements(self, path: Path, items: Mapping[str | int, Item]) -> Iterator[tuple[Item | None, str]]:
        theirs = self._other.opened(self._counterpart[path]) or {}
        for number, row in enumerate(self._rows[path]):
            own, foreign = row[self._side], row[1 - self._side]
            changed = number in self._changed[path]
            if own is not None and not changed:
                yield items[own], self._value((*path, own), items[own].node)
            elif own is None and foreign is not None and changed:
                yield None, self._other.raw(theirs[foreign])


class _Gaps:
    """What stands before, between and after the parts of a whole that has some."""

    def __init__(self, document: Document, node: Node) -> None:
        found = list((node.items or {}).values())
        text = document.text
        self.lead = text[node.start + 1 : found[0].begin]
        self.tail = text[found[-1].node.end : node.end - 1]
        self.between = text[found[0].node.end : found[1].begin] if len(found) > 1 else f",{self.lead}"
