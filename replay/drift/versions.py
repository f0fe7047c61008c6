"""Two versions of Go side by side: what moved in the library, and which steps of the journals would change.

The port is run under both versions; where there is real Go of both, so is our own Go program compiled by each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.drift.answers import answers
from replay.drift.change import CHANGED, Change, differences, touched
from replay.drift.tables import Moved, Otherwise, matters, moved, otherwise
from replay.rules.by_step import rules_of_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.candidates.interface import Candidate
    from replay.journal.model import Journal


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step of a journal that would change."""

    journal: str
    change: Change


@dataclass(frozen=True, slots=True)
class VersionDrift:
    """What moved between two versions. ``steps`` counts those that were run; None: there was no journal to run."""

    old: GoTarget
    new: GoTarget
    tables: tuple[Moved, ...]
    matters: tuple[Moved, ...]
    probes: tuple[Otherwise, ...]
    changes: tuple[StepChange, ...] = ()
    steps: int | None = None

    @property
    def moved(self) -> bool:
        """Whether anything did."""
        return bool(self.changes or self.probes or any(one.points for one in self.tables))


def version_drift(old: GoTarget, new: GoTarget, journals: Sequence[Journal] | None) -> VersionDrift:
    """Everything that moved, by the port; ``journals`` None: no step is run."""
    tables = moved(old, new)
    points = frozenset(point for one in tables for point in one.points)
    drift = VersionDrift(old, new, tables, matters(old, new, points), otherwise(old, new))
    if journals is None:
        return drift
    with PortCandidate(IN_MEMORY) as before, PortCandidate(IN_MEMORY) as after:
        found = tuple(one for journal in journals for one in changed_steps(journal, (before, old), (after, new)))
    return replace(drift, changes=found, steps=sum(map(_steps_in, journals)))


def changed_steps(
    journal: Journal, old: tuple[Candidate, GoTarget], new: tuple[Candidate, GoTarget]
) -> list[StepChange]:
    """The steps to which two started candidates, each under its target, answer otherwise."""
    found = []
    for (step, one), (_, other) in zip(answers(journal, *old), answers(journal, *new), strict=True):
        what = differences(one, other)
        if what:
            found.append(Change(CHANGED, step.tool, step.note, step.number, step.number, what, secret=step.secret))
    exercised = _exercised(journal, {one.new for one in found})
    return [StepChange(journal.file, replace(one, rules=_touched(one, exercised))) for one in found]


def _exercised(journal: Journal, numbers: set[str | None]) -> Mapping[str | None, frozenset[str]]:
    if not numbers:
        return {}
    return {one.step.number: one.rules for one in rules_of_steps([journal], lambda step: step.number in numbers)}


def _touched(change: Change, exercised: Mapping[str | None, frozenset[str]]) -> tuple[str, ...]:
    fields = (str(one.path[0]) for one in change.differences)
    return touched(fields, change.tool, exercised[change.new])


def _steps_in(journal: Journal) -> int:
    return len(journal.steps) + sum(len(case.steps) for case in journal.cases)
