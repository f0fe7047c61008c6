"""How much of a journal is read: bounds that keep a hostile or a wrong file from eating the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """``size``: bytes of the longest file. ``depth``: levels of one value outside args. ``args_depth``: levels of args.

    Go's decoder refuses args of more than 10,000 levels, which is an answer like another: they are read.
    """

    size: int = 512 * 1024 * 1024
    depth: int = 100
    args_depth: int = 1_000_000


DEFAULT: Final = Limits()
