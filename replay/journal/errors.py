"""The one error of a bad journal: one clear sentence with the file, the place, what stands there, what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replay.journal.model import Place


class JournalError(Exception):
    """A journal that cannot be replayed. ``kind`` names the defect, such as ``cut-off`` or ``unknown-key``.

    ``found`` and ``expected`` are clauses without a final stop; control characters in them are already drawn.
    """

    def __init__(self, kind: str, place: Place, found: str, expected: str) -> None:
        super().__init__(f"{place}: found {found}, expected {expected}")
        self.kind = kind
        self.place = place
        self.found = found
        self.expected = expected
