"""Go's conversions between numbers, as the compiler for amd64 makes them (contract: go-semantics.md, 2.8)."""

from __future__ import annotations

from typing import Final

_LEAST: Final = -(2**63)
_ABOVE: Final = 2.0**63


def int64(f: float) -> int:
    """Go's ``int(f)`` of a float64: cut towards zero; NaN and what does not fit become -9223372036854775808."""
    return int(f) if _LEAST <= f < _ABOVE else _LEAST
