"""Journals: what Go recorded, read from a file into frozen values (contract: journal.md).

:func:`load` reads one, and raises :class:`JournalError` for every defect that a file can have.
"""

from __future__ import annotations

from replay.journal.errors import JournalError
from replay.journal.load import load, loads
from replay.journal.model import Journal

__all__ = ["Journal", "JournalError", "load", "loads"]
