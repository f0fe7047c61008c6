"""The archive's two reads, from Go (facade.md, Go's routes and the host, 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.facade.archive import BlockAnswers, ListAnswers
from parity.rules import rule

if TYPE_CHECKING:
    from parity.facade.archive import BlockList
    from parity.facade.transport import Transport
    from parity.tools.interface import Block

BLOCK_ROUTE: Final = "/internal/v1/recall/block"
BLOCKS_ROUTE: Final = "/internal/v1/recall/blocks"


class GoClient:
    """Go's archive over ``transport``. Satisfies :class:`parity.tools.interface.Archive`; threads may share one.

    What was decoded from one answer's bytes serves the next answer with the same bytes; every read is a request.
    """

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self._blocks = BlockAnswers()
        self._lists = ListAnswers()

    @rule("facade/routes/block")
    def block(self, seq: int) -> Block | None:
        """The block ``seq``, None if absent. Raises GoUnavailable when Go does not answer."""
        return self._blocks.read(self.transport.request("GET", f"{BLOCK_ROUTE}?seq={seq}"), seq)

    @rule("facade/routes/blocks")
    def blocks(self) -> BlockList:
        """Every readable block, ascending ``seq``. Raises GoUnavailable when Go does not answer."""
        return self._lists.read(self.transport.request("GET", BLOCKS_ROUTE))

    def close(self) -> None:
        """Give the transport's connections back."""
        self.transport.close()
