"""Go's conversions between numbers, as the compiler for amd64 makes them (contract: go-semantics.md, 2.8)."""

from __future__ import annotations

from typing import Final

_LEAST: Final = -(2**63)
_ABOVE: Final = 2.0**63


def int64(f: float) -> int:
    """Go's ``int(f)`` of a float64: cut towards zero; NaN and what does not fit become -9223372036854775808."""
    return int(f) if _LEAST <= f < _ABOVE else _LEAST


def wrap_int64(n: int) -> int:
    """What is left of a sum, a difference or a product in Go's ``int``: its 64 low bits, with their sign."""
    return (n - _LEAST) % 2**64 + _LEAST


def divide(dividend: int, divisor: int) -> int:
    """Go's ``/`` of two ints: cut towards zero, where Python's ``//`` goes down. ``divisor`` is above 0."""
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)
