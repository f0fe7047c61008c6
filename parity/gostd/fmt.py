"""Go's ``fmt``, as far as the tools need it: ``%v`` and ``%.0f`` (contract: go-semantics.md, 2.6 and 2.7)."""

from __future__ import annotations

from typing import Final

from parity.gostd import _tree, strconv


def v(value: object) -> str:
    """A value as ``%v`` prints it: what Go's JSON decoder gives, and ints.

    None is ``<nil>``; a float has the exponent form from one million up; texts and keys go out raw, a bad byte of
    ``utf8.text`` included; keys are sorted by their bytes. Any depth. Raises TypeError for another type.
    """
    return _WRITER.write(value)


def percent_0f(f: float) -> str:
    """A float as ``%.0f`` prints it: rounded half to even on the exact value, with ``-0``, ``NaN``, ``+Inf``."""
    return strconv.format_float(f, "f", 0)


def _float(f: float) -> str:
    return strconv.format_float(f, "g", strconv.SHORTEST)


_LITERALS: Final = {None: "<nil>", False: "false", True: "true"}
_WRITER: Final = _tree.Writer(
    list_marks=("[", " ", "]"),
    map_marks=("map[", " ", "]"),
    colon=":",
    scalars={str: str, float: _float, int: str, bool: _LITERALS.__getitem__, type(None): _LITERALS.__getitem__},
    key=str,
)
