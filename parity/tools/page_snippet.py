"""What mem_search shows of a page: some bytes around the first term (contract: memory.md, mem_search, Snippet).

Everything here counts bytes, as Go does, also inside a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings, utf8
from parity.rules import rule
from parity.tools.interface import GoPanic

if TYPE_CHECKING:
    from collections.abc import Iterable

ELLIPSIS: Final = "…".encode()
SLICE_PANIC: Final = "runtime error: slice bounds out of range [{start}:{end}]"

HEAD_BYTES: Final = 160
BYTES_BEFORE: Final = 60
BYTES_AFTER: Final = 100


@rule("memory/mem_search/flat")
def flattened(content: bytes) -> bytes:
    """The content's Fields joined by one space."""
    return utf8.encode(" ".join(strings.fields(utf8.text(content))))


@rule("memory/mem_search/first")
def first_index(lowered: bytes, terms: Iterable[str]) -> int | None:
    """The smallest byte index at which any term occurs, or None."""
    found = (lowered.find(term.encode()) for term in terms)
    return min((index for index in found if index >= 0), default=None)


@rule("memory/mem_search/head")
def head(flat: bytes) -> bytes:
    """What is shown of a page in whose text no term occurs: all of it, or its first 160 bytes and an ellipsis."""
    return flat if len(flat) <= HEAD_BYTES else flat[:HEAD_BYTES] + ELLIPSIS


@rule("memory/mem_search/window", "memory/mem_search/panic")
def window(flat: bytes, index: int) -> bytes:
    """60 bytes before ``index`` and 100 from it on, ellipses where something is cut.

    ``index`` counts bytes of the lower case, which can be longer: where it lies over 60 bytes past the end of ``flat``
    Go slices backwards and crashes. That is the one way its slice can fail, as its end never passes the text's.
    Raises :class:`parity.tools.interface.GoPanic`.
    """
    start = max(index - BYTES_BEFORE, 0)
    end = min(index + BYTES_AFTER, len(flat))
    if start > end:
        raise GoPanic(SLICE_PANIC.format(start=start, end=end))
    before = ELLIPSIS if start > 0 else b""
    after = ELLIPSIS if end < len(flat) else b""
    return before + flat[start:end] + after
