"""What of a journal a candidate is judged on in one mode, and what is left out because it cannot show or do it.

What is left out is named in the receipt, and keeps the run from being green; what was chosen by the person who asked
(steps, tools, modes, fields) is not left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay import fields as named
from replay.counted import counted
from replay.journal.model import MEMORY
from replay.outcome import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replay.candidates.interface import Capabilities
    from replay.journal.model import Journal
    from replay.outcome import StepRef

CLOCKED: Final = frozenset({"tracker"})
"""The tools that read the clock (tracker.md); what they leave behind holds the time too."""

_STATE: Final = frozenset({named.FILES, named.TRACKERS})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a candidate was not judged on: what, in a word, and a clause that says where and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What is judged in a mode: whether anything is, which steps, which fields (None: all that were recorded)."""

    mode: Mode
    judged: bool
    chooses: Callable[[StepRef], bool]
    fields: frozenset[str] | None = None
    left_out: tuple[LeftOut, ...] = ()


def scope(
    journal: Journal,
    mode: Mode,
    can: Capabilities,
    chooses: Callable[[StepRef], bool],
    fields: frozenset[str] | None = None,
) -> Scope:
    """Narrow what was chosen down to what the candidate can show."""
    if journal.kind != MEMORY:
        return Scope(mode, judged=True, chooses=chooses, fields=fields)
    if mode is Mode.ISOLATED and not can.reset:
        why = "isolated: the candidate cannot be put on a recorded state"
        return Scope(mode, judged=False, chooses=chooses, fields=fields, left_out=(LeftOut("isolated", why),))
    steps = frozenset[str]() if can.set_clock else frozenset(_on_the_clock(journal, mode))
    left_out = []
    if steps:
        which = "tracker step" if mode is Mode.ISOLATED else "step"
        since = "" if mode is Mode.ISOLATED else ", from the first of tracker on"
        left_out.append(
            LeftOut("clock", f"{mode}: {counted(len(steps), which)}{since}: the candidate cannot set the clock")
        )
    shown = fields
    if not can.read_state:
        shown = (frozenset(named.COMPARED) if fields is None else fields) - _STATE
        if shown != fields:
            left_out.append(LeftOut("state", f"{mode}: files and trackers: the candidate cannot show its state"))

    def judged(step: StepRef) -> bool:
        return step.number not in steps and chooses(step)

    return Scope(mode, judged=True, chooses=judged, fields=shown, left_out=tuple(left_out))


def _on_the_clock(journal: Journal, mode: Mode) -> Iterator[str]:
    """The steps that show a time; chained, every one after the first that leaves a time behind."""
    met = False
    for step in journal.steps:
        met = step.tool in CLOCKED or (met and mode is Mode.CHAINED)
        if met:
            yield str(step.index)
