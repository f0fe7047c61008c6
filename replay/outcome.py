"""What came of a step: always a value, never an exception.

An outcome is exactly one of match, diverged, crashed, went through Go, waived. They add up: every step that was to be
judged has one in every mode, or the run is red. What comes of nearly every step, a match, is a named tuple: it is made
in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.compare import Difference, Tolerated
    from replay.journal.model import Place


class Mode(StrEnum):
    """How a journal is replayed (journal.md, Replay)."""

    ISOLATED = "isolated"
    CHAINED = "chained"


@dataclass(frozen=True, slots=True)
class StepRef:
    """Which step: the journal as the person named it, ``number`` such as ``12`` or ``3.2`` (case 3, operation 2).

    ``secret``: the journal holds the key of a sealed memory, so reports show its texts only when they are asked to.
    """

    journal: str
    number: str
    tool: str
    note: str
    at: Place
    mode: Mode
    secret: bool = False


class Compared(NamedTuple):
    """How much was compared: field name to characters; the fields that the candidate shows and the journal lacks."""

    fields: Mapping[str, int]
    absent: tuple[str, ...] = ()
    tolerated: tuple[Tolerated, ...] = ()


class Match(NamedTuple):
    """The candidate answered as Go did, in every field that the journal holds."""

    step: StepRef
    compared: Compared
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Diverged:
    """At least one field differs.

    ``inherited`` (chained only): True when the same step matches from Go's own state, so that only an earlier
    divergence explains it; False when it is the step's own; None when it was not asked (isolated) or is the first.
    """

    step: StepRef
    compared: Compared
    differences: tuple[Difference, ...]
    inherited: bool | None = None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class Crashed:
    """The candidate raised, died or answered nonsense."""

    step: StepRef
    what: str
    where: str
    inherited: bool | None = None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class WentThroughGo:
    """The call would have gone through Go when it should have been answered natively."""

    step: StepRef
    reason: str
    inherited: bool | None = None
    requests: int = 0


@dataclass(frozen=True, slots=True)
class WaivedBy:
    """The file that accepts a divergence, why, and the last day on which it does."""

    file: str
    reason: str
    until: str


@dataclass(frozen=True, slots=True)
class Waived:
    """The very divergence that a waiver accepts for now; never a match."""

    step: StepRef
    compared: Compared
    differences: tuple[Difference, ...]
    by: WaivedBy
    inherited: bool | None = None
    requests: int = 0


Outcome: TypeAlias = Match | Diverged | Crashed | WentThroughGo | Waived


def name(outcome: Outcome) -> str:
    """The outcome in the words of a report: ``match``, ``diverged``, ``crashed``, ``went-through-go``, ``waived``."""
    return _NAMES[type(outcome)]


_NAMES: dict[type[Outcome], str] = {
    Match: "match",
    Diverged: "diverged",
    Crashed: "crashed",
    WentThroughGo: "went-through-go",
    Waived: "waived",
}
