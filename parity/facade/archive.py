"""Blocks out of Go's answers: the shapes that are taken, and what is kept from one answer to the next (facade.md).

A block's ``id``, ``seq``, ``label`` and ``content`` must be there: an answer without them would make a tool give a
wrong text, while an answer refused as misshapen only sends the call through Go. ``role`` and ``created``, which no
tool prints, may be missing. Other fields are ignored, as Go's decoder ignores them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NoReturn, cast

from parity.facade.answer import check_status, clean, holds_surrogates, is_absent, read_json
from parity.rules import rule
from parity.tools.interface import Block, GoUnavailable

if TYPE_CHECKING:
    from parity.facade.transport import Reply

_SEQ_END: Final = 2**64
_CREATED_END: Final = 2**63
_ENTRY_BYTES: Final = 1024
"""What a kept block costs besides its bytes, roughly: small answers are bounded too."""

_REQUIRED: Final = ("id", "seq", "label", "content")
_LIST_KEYS: Final = ("blocks", "blocs")
_TYPE_NAMES: Final = {
    bool: "true or false",
    int: "a number",
    float: "a number with a fraction or an exponent",
    str: "a string",
    list: "an array",
    dict: "an object",
    type(None): "null",
}


@dataclass(frozen=True, slots=True, eq=False)
class BlockList:
    """Every readable block of one answer, ascending ``seq``. Satisfies :class:`parity.tools.interface.Blocks`."""

    items: tuple[Block, ...]
    memo: dict[object, object] = field(default_factory=dict)


def misshapen(what: str) -> NoReturn:
    """Raise GoUnavailable: readable JSON, but not of the shape that Go writes."""
    reason = f"Go's answer is misshapen: {what}"
    raise GoUnavailable(reason)


@rule("facade/host/misshapen-block")
def read_block(value: object, *, surrogates: bool) -> Block:
    """The block that a decoded object describes. Raises GoUnavailable if it is no block."""
    if not isinstance(value, dict):
        misshapen(f"a block is {_TYPE_NAMES[type(value)]}")
    for name in _REQUIRED:
        if name not in value:
            misshapen(f"a block has no {name}")
    seq = _integer(value["seq"], "seq", 0, _SEQ_END)
    created = _integer(value.get("created", 0), "created", -_CREATED_END, _CREATED_END)
    texts = [value["id"], value["label"], value.get("role", ""), value["content"]]
    for name, text in zip(("id", "label", "role", "content"), texts, strict=True):
        if type(text) is not str:
            misshapen(f"a block's {name} is {_TYPE_NAMES[type(text)]}")
    identity, label, role, content = [clean(text) for text in texts] if surrogates else texts
    if identity != f"r{seq}":
        misshapen("a block's id is not r and its seq")
    return Block(id=identity, seq=seq, label=label, role=role, content=content, created=created)


def _integer(value: object, name: str, first: int, end: int) -> int:
    """An exact integer in ``[first, end)``; 7.0, true and "7" are none."""
    if type(value) is not int:
        misshapen(f"a block's {name} is {_TYPE_NAMES[type(value)]}")
    if not first <= value < end:
        misshapen(f"a block's {name} is out of range")
    return value


@rule("facade/routes/blocks-array-or-object")
def block_array(value: object) -> list[object]:
    """The array of blocks: the answer itself, or the only array of an object, under ``blocks`` or ``blocs``.

    null is Go's empty slice. Raises GoUnavailable for any other shape.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        misshapen(f"the blocks are {_TYPE_NAMES[type(value)]}")
    arrays = [key for key, held in value.items() if isinstance(held, list)]
    named = [value[key] for key in _LIST_KEYS if key in value]
    if len(arrays) == 1 and arrays[0] in _LIST_KEYS:
        return cast("list[object]", value[arrays[0]])
    if not arrays and named in ([None], [None, None]):
        return []
    misshapen("an object without its one array under blocks or blocs")


@rule("facade/routes/blocks-ascending")
def read_blocks(value: object, *, surrogates: bool) -> BlockList:
    """Every block of a decoded answer, ascending ``seq``. Raises GoUnavailable if one is no block or comes twice."""
    blocks = [read_block(item, surrogates=surrogates) for item in block_array(value)]
    seqs = [block.seq for block in blocks]
    if any(first >= second for first, second in pairwise(seqs)):
        if len(set(seqs)) != len(seqs):
            misshapen("two blocks with the same seq")
        blocks.sort(key=lambda block: block.seq)
    return BlockList(tuple(blocks))


class BlockAnswers:
    """What single blocks decoded to, by the answer's bytes; the least recently used leave beyond ``limit`` bytes."""

    def __init__(self, limit: int = 16 * 1024 * 1024) -> None:
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[bytes, Block] = OrderedDict()
        self._lock = threading.Lock()

    @rule("facade/client/kept-block")
    def read(self, reply: Reply, seq: int) -> Block | None:
        """The block ``seq`` of an answer, None if Go said it is absent. Raises GoUnavailable if it is no answer."""
        if is_absent(reply):
            return None
        check_status(reply)
        body = reply.body
        with self._lock:
            block = self._kept.get(body)
            if block is not None:
                self._kept.move_to_end(body)
        if block is None:
            block = read_block(read_json(reply), surrogates=holds_surrogates(body))
            self._keep(body, block)
        if block.seq != seq:
            misshapen("not the block that was asked for")
        return block

    def _keep(self, body: bytes, block: Block) -> None:
        size = len(body) + _ENTRY_BYTES
        with self._lock:
            if size <= self._limit and body not in self._kept:
                self._size += size
                self._kept[body] = block
                while self._size > self._limit:
                    left, _ = self._kept.popitem(last=False)
                    self._size -= len(left) + _ENTRY_BYTES


class ListAnswers:
    """What whole archives decoded to, for the last answers: equal bytes give the very same list, memo included."""

    def __init__(self, kept: int = 2) -> None:
        self._number = kept
        self._kept: list[tuple[bytes, BlockList]] = []
        self._lock = threading.Lock()

    @rule("facade/client/kept-blocks")
    def read(self, reply: Reply) -> BlockList:
        """Every block of an answer. Raises GoUnavailable if it is no answer."""
        check_status(reply)
        body = reply.body
        # bytes compare by length first, then in one sweep: cheaper than a hash of an archive that is new each time
        with self._lock:
            for place, (known, blocks) in enumerate(self._kept):
                if known == body:
                    self._kept.insert(0, self._kept.pop(place))
                    return blocks
        blocks = read_blocks(read_json(reply), surrogates=holds_surrogates(body))
        with self._lock:
            self._kept.insert(0, (body, blocks))
            del self._kept[self._number :]
        return blocks
