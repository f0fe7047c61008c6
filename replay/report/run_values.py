"""A run as its file tells it: frozen values, every text of them drawn, nothing in them trusted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Tallies: TypeAlias = "Mapping[str, ModeTally]"

MATCH: Final = "match"
DIVERGED: Final = "diverged"
CRASHED: Final = "crashed"
WENT_THROUGH_GO: Final = "went-through-go"
WAIVED: Final = "waived"
UNEQUAL: Final = (DIVERGED, CRASHED, WENT_THROUGH_GO)
OUTCOMES: Final = (MATCH, *UNEQUAL, WAIVED)
MODES: Final = ("isolated", "chained")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a difference. ``text`` is not drawn: it is a window on the whole, from character ``start``.

    Bytes that are not UTF-8 stand in it as U+DC80 to U+DCFF. ``length`` is that of the whole.
    """

    type: str
    text: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Spot:
    """Where two texts part, as in :class:`replay.compare.Location`."""

    line: int
    column: int
    byte: int
    rune: int
    utf16: int
    recorded: str
    candidate: str


@dataclass(frozen=True, slots=True)
class ToldDifference:
    """One difference; ``causes`` are names and how much each explains."""

    field: str
    kind: str
    sealed: bool
    recorded: Side | None
    candidate: Side | None
    spot: Spot | None
    causes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of a step that is no match: ``shown`` are the lines of a terminal."""

    inherited: bool | None
    sealed: bool
    shown: tuple[str, ...]
    differences: tuple[ToldDifference, ...] = ()
    differences_total: int = 0
    says: str = ""
    """How it crashed, or why it went through Go."""
    opened: tuple[str, ...] = ()
    """The lines of a terminal with what is sealed, if it was asked for and the file holds it."""
    opened_sides: tuple[tuple[Side | None, Side | None], ...] = ()
    waived: str = ""
    """Until when a divergence is waived, why, and by which file; "": it is not."""


@dataclass(frozen=True, slots=True)
class ToldStep:
    """One step in one mode. ``characters`` is how many were compared; ``candidate`` is empty where there is one."""

    candidate: str
    journal: str
    mode: str
    number: str
    tool: str
    note: str
    path: str
    line: int
    outcome: str
    characters: int
    told: Told | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes it this step and no other."""
        return self.candidate, self.journal, self.mode, self.number

    @property
    def named(self) -> str:
        """The step in words: ``step 3 of logs/a.json (isolated)``, and of which candidate where there are several."""
        of = f", {self.candidate}" if self.candidate else ""
        return f"step {self.number} of {self.journal} ({self.mode}{of})"


@dataclass(frozen=True, slots=True)
class ModeTally:
    """What was compared of a journal in one mode."""

    steps: int
    outcomes: Mapping[str, int]
    fields: Mapping[str, int]
    absent: Mapping[str, int]
    characters: int
    requests: int
    tolerances: Mapping[str, tuple[int, int]]
    """Name to how many times it was used, and how many characters it hid."""
    of: int | None = None
    """How many steps all shards together judge; None where the run says nothing of shards."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """A planted divergence and what came of it."""

    name: str
    outcome: str
    step: str
    field: str
    why: str


@dataclass(frozen=True, slots=True)
class JournalTold:
    """A journal of the run: what the receipt says of it; ``left_out`` is what could not be judged, and why."""

    candidate: str
    journal: str
    sha256: str
    kind: str
    source: str
    go: str
    modes: Tallies
    drill: tuple[Exercise, ...]
    problems: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What a reader must know of it that keeps nothing from being green, such as a state that was not recorded."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A journal that was not judged."""

    candidate: str
    journal: str
    exit: int
    sentence: str


@dataclass(frozen=True, slots=True)
class CandidateTold:
    """Who was judged: the name, how it was reached, what it is made of (name and sha256)."""

    name: str
    transport: str
    modules: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Header:
    """How the run was asked for. What two shards of one run have in common: everything but the shard."""

    version: str
    candidates: tuple[CandidateTold, ...]
    modes: tuple[str, ...]
    selection: str
    floors: tuple[int, int]
    """The least journals and the least steps."""
    least_compared: tuple[tuple[str, int], ...] = ()
    """Field to the least number of steps in which it is compared."""
    journals: tuple[str, ...] = ()
    shard: str = field(default="", compare=False)
    today: str = ""
    """The day that the run was told; "": none."""


@dataclass(frozen=True, slots=True)
class ToldRun:
    """A whole run: one file, or the shards of one run put together."""

    header: Header
    steps: tuple[ToldStep, ...]
    journals: tuple[JournalTold, ...]
    refusals: tuple[Refusal, ...]
    problems: tuple[str, ...]
    exit: int
    interrupted: bool
    stopped: bool

    def count(self, outcome: str) -> int:
        """How many outcomes of a name there are over all journals and modes."""
        return sum(tally.outcomes.get(outcome, 0) for one in self.journals for tally in one.modes.values())

    @property
    def unequal(self) -> int:
        """How many outcomes are neither a match nor waived."""
        return sum(map(self.count, UNEQUAL))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The outcomes that there are, those that count for nothing included; waived, where any is."""
        return OUTCOMES if self.count(WAIVED) else OUTCOMES[:-1]

    @property
    def judged(self) -> int:
        """How many steps were judged in at least one mode, by the candidate for which they are most."""
        steps: Counter[str] = Counter()
        for one in self.journals:
            steps[one.candidate] += max((tally.steps for tally in one.modes.values()), default=0)
        return max(steps.values(), default=0)

    @property
    def files(self) -> int:
        """How many journals were judged."""
        return len({one.journal for one in self.journals})
