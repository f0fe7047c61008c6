"""What a verb prints at its end, in one piece."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable


def say(out: TextIO, lines: Iterable[str]) -> None:
    """Write lines. A reader who has seen enough (``| head``) ends the output, not the verb: its status still counts."""
    try:
        out.write("".join(f"{line}\n" for line in lines))
        out.flush()
    except BrokenPipeError:
        with open(os.devnull, "wb") as nothing:  # noqa: PTH123 - a device, and its number is all that is wanted
            os.dup2(nothing.fileno(), out.fileno())
