"""The clock of every step (contract: journal.md, What is nondeterministic is an input).

A step's ``now`` is the clock. Where it has none, the id of the point that it added is: an id is the clock's
nanoseconds. It stands in the result of an addition; or else it is the one among the recorded trackers that was not
there before (the largest, should a step that was not recorded have added one as well). Where there is no new id either,
the clock stays where it was; before the first step it stands at 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replay.journal.model import CARRIED, NEW_ID, RECORDED
from replay.journal.shapes import INT64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.tools.interface import Tracker
    from replay.journal.steps import Draft

_ADDED: Final = re.compile(r"\[ok\] point ajouté à « .* » \(id (-?[0-9]+)\)\.", re.DOTALL)
_ID: Final = re.compile("-?[0-9]{1,19}")


class Clock:
    """The clock of each step, one after another."""

    def __init__(self, trackers: Mapping[str, Tracker]) -> None:
        """``trackers`` is the state at the start."""
        self._clock = 0
        self._before = trackers

    def of(self, draft: Draft) -> tuple[int, str]:
        """The clock of the next step, in nanoseconds since 1970, and whence it is."""
        before = self._before
        after = before if draft.trackers is None else draft.trackers
        clock_from = RECORDED
        now = draft.now
        if now is None:
            clock_from = NEW_ID
            now = _added(draft)
        if now is None and after is not before:
            now = max(_ids(after) - _ids(before), default=None)
        if now is None:
            clock_from = CARRIED
            now = self._clock
        self._clock = now
        self._before = after
        return now, clock_from


def _added(draft: Draft) -> int | None:
    if draft.tool != "tracker" or draft.result is None:
        return None
    found = _ADDED.fullmatch(draft.result)
    return None if found is None else _clock(found[1])


def _ids(trackers: Mapping[str, Tracker]) -> set[int]:
    ids = (_clock(event.id) for tracker in trackers.values() for event in tracker.events)
    return {clock for clock in ids if clock is not None}


def _clock(point: str) -> int | None:
    """The clock that an id is, if it is one."""
    if _ID.fullmatch(point) is None:
        return None
    clock = int(point)
    return clock if INT64[0] <= clock <= INT64[1] else None
