"""An old journal, a new one and a candidate: which steps it must follow, and where the new record would hide a fault.

Each step is judged twice, from the state that either journal records before it: what is told of a step is whether the
candidate answers as the old record, as the new one, as both, or as neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from replay.candidates.interface import CandidateNotReadyError
from replay.compare import ALL as TOLERANCES
from replay.counted import counted
from replay.drift.journals import entries, pairs
from replay.engine import Judging, everything, replay
from replay.outcome import Diverged, Match, Mode, name
from replay.report.drawing import draw
from replay.report.value_text import cut
from replay.scope import scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.candidates.interface import Candidate
    from replay.journal.model import Journal
    from replay.outcome import Outcome

RIGHT: Final = "right"
ALREADY: Final = "already right"
FOLLOW: Final = "must follow"
NEITHER: Final = "neither"
GONE: Final = "gone"

SAYS: Final = {
    RIGHT: "as both records, or as the new one of a step that came",
    ALREADY: "as the new record and not as the old: it was ahead of Go, or it was wrong and that would now be hidden",
    FOLLOW: "as the old record and not as the new: Go changed, and the candidate must follow",
    NEITHER: "as neither record: it was wrong and stays wrong",
    GONE: "the step is in the old journal only",
}
"""What each sort of step means; in this order they are counted."""

_MOST: Final = 200
_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Place:
    """A step, its numbers in both journals (None: it is not there), its sort, and in which fields it is not as new."""

    old: str | None
    new: str | None
    tool: str
    note: str
    sort: str
    fields: tuple[str, ...]


def three_way(old: Journal, new: Journal, candidate: Candidate) -> tuple[Place, ...]:
    """Every step of both journals, in order, by a started candidate.

    Raises CandidateNotReadyError for one that cannot show all that it takes.
    """
    before, after = ({one.step.number: one for one in _judged(journal, candidate)} for journal in (old, new))
    found: list[Place] = []
    for one, other in pairs(list(entries(old)), list(entries(new))):
        ours = None if one is None else before[one.step.number]
        theirs = None if other is None else after[other.step.number]
        found.extend(_place(ours, theirs))
    return tuple(found)


def _judged(journal: Journal, candidate: Candidate) -> Iterator[Outcome]:
    judged = scope(journal, Mode.ISOLATED, candidate.identity.can, None)
    if judged.left_out:
        message = f"{candidate.identity.name} cannot stand between two journals: {judged.left_out[0].why}"
        raise CandidateNotReadyError(message)
    yield from replay(journal, candidate, Judging(Mode.ISOLATED, judged.chooses or everything, TOLERANCES))


def _place(ours: Outcome | None, theirs: Outcome | None) -> Iterator[Place]:
    if theirs is None:
        gone = cast("Outcome", ours)
        yield Place(gone.step.number, None, gone.step.tool, gone.step.note, GONE, ())
        return
    as_new = isinstance(theirs, Match)
    as_old = as_new if ours is None else isinstance(ours, Match)
    sort = RIGHT if as_new else FOLLOW if ours is None else NEITHER
    if ours is not None and as_old != as_new:
        sort = ALREADY if as_new else FOLLOW
    number = None if ours is None else ours.step.number
    # Where it is as the new record, the fields are those in which it was not as the old.
    fields = _fields(ours if as_new and ours is not None else theirs)
    yield Place(number, theirs.step.number, theirs.step.tool, theirs.step.note, sort, fields)


def _fields(outcome: Outcome) -> tuple[str, ...]:
    if isinstance(outcome, Diverged):
        return tuple(dict.fromkeys(one.field for one in outcome.differences))
    return () if isinstance(outcome, Match) else (name(outcome),)


def counts(places: Sequence[Place]) -> dict[str, int]:
    """How many steps there are of each sort."""
    return {sort: sum(one.sort == sort for one in places) for sort in SAYS}


def listed(places: Sequence[Place], candidate: str) -> Iterator[str]:
    """A table of the steps that are not simply right, and the counts with what they mean."""
    yield f"old journal × new journal × {draw(candidate)}"
    shown = [one for one in places if one.sort not in {RIGHT, GONE}]
    rows = [("old", "new", "tool", "answers", "fields"), *map(_row, shown[:_MOST])] if shown else []
    widths = [max(len(row[at]) for row in rows) for at in range(4)] if rows else []
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join([*cells, row[4]])}".rstrip()
    if len(shown) > _MOST:
        yield f"  … and {counted(len(shown) - _MOST, 'more step')}"
    for sort, count in counts(places).items():
        yield f"  {count:>6,} {sort:<13}  {SAYS[sort]}"


def _row(one: Place) -> tuple[str, str, str, str, str]:
    fields = cut(", ".join(one.fields), _NAME)
    return (one.old or "-", one.new or "-", cut(one.tool), one.sort, fields)
