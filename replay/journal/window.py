"""A part of a journal that can be replayed on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from parity.stores.state import State
from replay.journal.model import MEMORY

if TYPE_CHECKING:
    from replay.journal.model import Journal


def window(journal: Journal, first: int, end: int) -> Journal:
    """A copy with only the steps at positions ``first`` to ``end`` (excluded), and the state recorded before them.

    Where that state was not recorded the copy begins earlier, at the nearest step before which it was.
    """
    while first > 0 and not _recorded_before(journal, first):
        first -= 1
    return replace(journal, steps=journal.steps[first:end], initial=state_before(journal, first))


def state_before(journal: Journal, at: int) -> State | None:
    """The state recorded before the step at a position; None where the journal has no state at all."""
    if at == 0 or journal.kind != MEMORY:
        return journal.initial
    before = journal.steps[at - 1].expected
    return State(before.files or {}, before.trackers or {})


def _recorded_before(journal: Journal, at: int) -> bool:
    if journal.kind != MEMORY:
        return True
    before = journal.steps[at - 1].expected
    return before.files is not None and before.trackers is not None
