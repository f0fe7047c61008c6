"""How much of a journal is read: bounds that keep a hostile or a wrong file from eating the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """``size``: bytes of the longest file, or of the head of one of lines. ``line``: bytes of each of its other lines.

    ``depth``: how many levels a value outside ``args`` may nest.
    """

    size: int = 512 * 1024 * 1024
    line: int = 64 * 1024 * 1024
    depth: int = 100


ARGS_DEPTH: Final = 1_000_000
"""How many levels ``args`` may nest. Go refuses more than 10,000, which is an answer like another: they are read."""

DEFAULT: Final = Limits()
