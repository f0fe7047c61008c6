"""The archive that the fake Go serves: blocks by seq, each encoded once as Go writes it (recall.md, facade.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import json
from parity.tools.interface import Block

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from parity.gostd.target import GoTarget

LAST_SEQ: Final = 2**64 - 1


class ArchiveFullError(Exception):
    """The last seq is taken: the store cannot allot another."""


class BlockStore:
    """The blocks of one archive. ``sealed`` holds the seqs that are absent while ``locked``. Not thread-safe.

    Raises ValueError for two blocks with the same seq.
    """

    def __init__(
        self, blocks: Iterable[Block], target: GoTarget, *, sealed: Collection[int] = (), locked: bool = False
    ) -> None:
        self._target = target
        self._sealed = frozenset(sealed)
        self._locked = locked
        self._blocks: dict[int, Block] = {}
        for block in sorted(blocks, key=lambda block: block.seq):
            if block.seq in self._blocks:
                message = f"two blocks with the seq {block.seq}"
                raise ValueError(message)
            self._blocks[block.seq] = block
        self._encoded: dict[int, bytes] = {}
        self._array: bytes | None = None

    @property
    def locked(self) -> bool:
        """Whether the memory is locked: sealed blocks are then absent from both reads."""
        return self._locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        self._locked = locked
        self._array = None

    def block(self, seq: int) -> bytes | None:
        """One block as Go's JSON, None if absent."""
        block = self._blocks.get(seq)
        if block is None or (self._locked and seq in self._sealed):
            return None
        return self._json(block)

    def blocks(self) -> bytes:
        """Every readable block as a JSON array, ascending seq; ``[]`` for none."""
        if self._array is None:
            hidden = self._sealed if self._locked else frozenset[int]()
            readable = [self._json(block) for seq, block in self._blocks.items() if seq not in hidden]
            self._array = b"[" + b",".join(readable) + b"]"
        return self._array

    def archive(self, label: str, role: str, content: str, created: int) -> str:
        """Store one more block under the next seq and give its id. Raises ArchiveFullError when there is no next."""
        seq = max(self._blocks, default=0) + 1
        if seq > LAST_SEQ:
            raise ArchiveFullError
        self._blocks[seq] = Block(id=f"r{seq}", seq=seq, label=label, role=role, content=content, created=created)
        self._array = None
        return f"r{seq}"

    def _json(self, block: Block) -> bytes:
        encoded = self._encoded.get(block.seq)
        if encoded is None:
            encoded = self._encoded[block.seq] = block_json(block, self._target)
        return encoded


def block_json(block: Block, target: GoTarget) -> bytes:
    """A block as Go's ``json.Marshal`` writes its struct: fields in the order of their declaration."""
    fields = {
        "id": block.id,
        "seq": block.seq,
        "label": block.label,
        "role": block.role,
        "content": block.content,
        "created": block.created,
    }
    return json.marshal(json.Struct(fields), target)
