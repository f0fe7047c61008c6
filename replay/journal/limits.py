"""How much of a journal is read: bounds that keep a hostile or a wrong file from eating the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """``size`` is the longest file in bytes; ``depth`` the deepest nesting of one value outside ``args``.

    What stands in ``args`` may nest as deep as it likes: Go's decoder is the one to refuse it.
    """

    size: int = 512 * 1024 * 1024
    depth: int = 100


DEFAULT: Final = Limits()
