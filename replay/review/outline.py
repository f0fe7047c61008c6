"""Where the parts of a journal stand in its bytes: what a review may take over one by one.

Offsets are those of octets (:mod:`replay.journal.octets`), so of bytes. Keys go by their own names, whatever names the
file writes. The journal was loaded before, so nothing here can be wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.journal import lexis, octets
from replay.journal.aliases import BLOCK, CASE, INITIAL, OPERATION, STEP, TOP
from replay.journal.limits import DEFAULT
from replay.journal.scan import Scanner
from replay.journal.shapes import Fields, uint64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.journal.aliases import Names

Path: TypeAlias = tuple[str | int, ...]


@dataclass(slots=True)
class Node:
    """A value from ``start`` to ``end``, and its members or elements where they can be taken one by one.

    ``number`` is the seq of a block.
    """

    start: int
    end: int = 0
    items: dict[str | int, Item] | None = None
    number: int = 0


@dataclass(slots=True)
class Item:
    """A member, which begins with its key, or an element."""

    begin: int
    node: Node


@dataclass(frozen=True, slots=True)
class _Shape:
    """How far a value is opened: ``names`` None with ``members`` or ``every``: an object whose keys are free."""

    opener: str = ""
    names: Names | None = None
    members: Mapping[str, _Shape] = field(default_factory=dict)
    every: _Shape | None = None
    block: bool = False


_LEAF: Final = _Shape()
_FREE: Final = _Shape("{")
_STATE: Final = {"files": _FREE, "trackers": _FREE}
_OPERATION: Final = _Shape("{", OPERATION, {"after": _FREE})
_CASE: Final = _Shape("{", CASE, {"steps": _Shape("[", every=_OPERATION)})
_JOURNAL: Final = _Shape(
    "{",
    TOP,
    {
        "initial": _Shape("{", INITIAL, _STATE),
        "blocks": _Shape("[", every=_Shape(block=True)),
        "steps": _Shape("[", every=_Shape("{", STEP, _STATE)),
        "cases": _Shape("[", every=_CASE),
    },
)


class Document:
    """The bytes of a journal and where its parts stand in them."""

    def __init__(self, data: bytes) -> None:
        self.text = octets.seen(data)
        self._scanner = Scanner(self.text, "", DEFAULT)
        self.root = self._read(_JOURNAL)

    def at(self, path: Path) -> Item | None:
        """The part that a path leads to; None where there is none."""
        node = self.root
        item = Item(node.start, node)
        for name in path:
            if node.items is None or name not in node.items:
                return None
            item = node.items[name]
            node = item.node
        return item

    def opened(self, path: Path) -> dict[str | int, Item] | None:
        """The members or elements of what a path leads to, in order; None where it cannot be taken apart."""
        found = self.at(path)
        return None if found is None else found.node.items

    def raw(self, item: Item) -> str:
        """A member with its key, or an element, as it is written."""
        return self.text[item.begin : item.node.end]

    def _read(self, shape: _Shape) -> Node:
        scanner = self._scanner
        node = Node(scanner.at)
        if shape.block:
            node.number = scanner.leaf(lambda tree: Fields(tree, BLOCK).need("seq", uint64))
        elif not shape.opener or not self.text.startswith(shape.opener, scanner.at):
            scanner.raw()
        else:
            node.items = {}
            self._open(node.items, node, shape)
        node.end = scanner.at
        return node

    def _open(self, items: dict[str | int, Item], node: Node, shape: _Shape) -> None:
        before = node.start + 1

        def part(name: str | int) -> None:
            nonlocal before
            begin = lexis.after_space(self.text, before)
            if items:
                begin = lexis.after_space(self.text, begin + 1)  # after the comma
            below = shape.every if isinstance(name, int) else shape.members.get(name)
            found = self._read(_LEAF if below is None else below)
            items[name] = Item(begin, found)
            before = found.end

        if shape.opener == "[":
            self._scanner.array(part)
        elif shape.names is None:
            self._scanner.mapping(part)
        else:
            self._scanner.object(shape.names, part)
