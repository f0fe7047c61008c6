"""Programs that stand for the oracle, each named for its vice (tests/oracle/fakes)."""

from __future__ import annotations

import sys
from pathlib import Path

from replay.oracle.client import Oracle

FAKES = Path(__file__).parent / "oracle" / "fakes"


def fake(name: str, *arguments: str, patience: float = 20.0) -> Oracle:
    """A running fake."""
    return Oracle([sys.executable, str(FAKES / f"{name}.py"), *arguments], patience=patience)
