"""How long one HTTP call may take: what whoever makes a client decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parity.facade.transport import CONNECT_SECONDS, READ_SECONDS, TOTAL_SECONDS


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds: to connect, between two bytes, for a whole call."""

    connect: float = CONNECT_SECONDS
    read: float = READ_SECONDS
    total: float = TOTAL_SECONDS


READS: Final = Timeouts()
"""A read of Go's archive."""

RUNS: Final = Timeouts(read=120.0, total=120.0)
"""A tool that Go runs: it may have a page to fetch before it answers."""

COMPLETIONS: Final = Timeouts(read=120.0, total=900.0)
"""A completion: an engine may read a long prompt before it says anything."""
