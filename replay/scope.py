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
    from collections.abc import Callable

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
    """What is judged in a mode: whether anything is, which steps, which fields; None: all (that were recorded)."""

    mode: Mode
    judged: bool
    chooses: Callable[[StepRef], bool] | None
    fields: frozenset[str] | None = None
    left_out: tuple[LeftOut, ...] = ()


def scope(
    journal: Journal,
    mode: Mode,
    can: Capabilities,
    chooses: Callable[[StepRef], bool] | None,
    fields: frozenset[str] | None = None,
) -> Scope:
    """Narrow what was chosen down to what the candidate can show."""
    if journal.kind != MEMORY:
        return Scope(mode, judged=True, chooses=chooses, fields=fields)
    if mode is Mode.ISOLATED and not can.reset:
        why = "isolated: the candidate cannot be put on a recorded state"
        return Scope(mode, judged=False, chooses=chooses, fields=fields, left_out=(LeftOut("isolated", why),))
    clocked = None if can.set_clock else _on_the_clock(journal, mode)
    left_out = []
    if clocked is not None:
        count, shows_the_time = clocked
        which = "tracker step" if mode is Mode.ISOLATED else "step"
        since = "" if mode is Mode.ISOLATED else ", from the first of tracker on"
        left_out.append(LeftOut("clock", f"{mode}: {counted(count, which)}{since}: the candidate cannot set the clock"))
        chooses = _but(chooses, shows_the_time)
    shown = fields
    if not can.read_state:
        shown = (frozenset(named.COMPARED) if fields is None else fields) - _STATE
        if shown != fields:
            left_out.append(LeftOut("state", f"{mode}: files and trackers: the candidate cannot show its state"))
    return Scope(mode, judged=True, chooses=chooses, fields=shown, left_out=tuple(left_out))


def _but(chooses: Callable[[StepRef], bool] | None, not_these: Callable[[StepRef], bool]) -> Callable[[StepRef], bool]:
    return lambda step: not not_these(step) and (chooses is None or chooses(step))


def _on_the_clock(journal: Journal, mode: Mode) -> tuple[int, Callable[[StepRef], bool]] | None:
    """How many steps show a time, and which; None where none does.

    Chained, it is every one from the first that leaves a time behind.
    """
    if mode is Mode.ISOLATED:
        count = sum(step.tool in CLOCKED for step in journal.steps)
        return (count, lambda step: step.tool in CLOCKED) if count else None
    first = next((step.index for step in journal.steps if step.tool in CLOCKED), None)
    if first is None:
        return None
    return len(journal.steps) - first + 1, lambda step: int(step.number) >= first
