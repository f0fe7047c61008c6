"""What a run through one journal in one mode compared: the numbers of the receipt, and whether they add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.engine import references
from replay.numbering import Numbering
from replay.outcome import Diverged, Match, Waived, name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replay.journal.model import Journal
    from replay.outcome import Mode, Outcome, StepRef

_DUE: Final = 1
_SEEN: Final = 2
_MATCHED: Final = 4
_EXACT: Final = 8
_STRANGERS: Final = tuple(mark for mark in range(2 * _EXACT) if mark & _SEEN and not mark & _DUE)


_COUNTERS: Final = ("outcomes", "fields", "characters", "absent", "tolerances", "tolerated_characters")


@dataclass(frozen=True, slots=True)
class Counted:
    """What a tally counted apart: from which position on, the marks, and the counters."""

    start: int
    marks: bytes
    unknown: tuple[str, ...]
    twice: str | None
    counters: tuple[Counter[str], ...]
    requests: int

    @property
    def unequal(self) -> bool:
        """Whether something did not match."""
        outcomes = self.counters[0]
        return outcomes.total() > outcomes["match"] + outcomes["waived"]


class Tally:
    """Counts outcomes as they come; holds only numbers, and a byte for each step of the journal."""

    def __init__(
        self,
        journal: Journal,
        mode: Mode,
        select: Callable[[StepRef], bool] | None = None,
        numbering: Numbering | None = None,
        within: range | None = None,
    ) -> None:
        """``select`` chooses which steps must have an outcome, of those at the positions ``within``; none: every step.

        ``numbering`` is that of the journal, where it is known already.
        """
        self.mode = mode
        self._numbering = Numbering(journal) if numbering is None else numbering
        length = len(self._numbering)
        self._within = range(length) if within is None else within
        self._marks = bytearray((0 if select else _DUE,)) * length
        if select is not None:
            for at, step in enumerate(references(journal, mode)):
                self._marks[at] = _DUE if select(step) else 0
        self.whole = self._marks.count(_DUE)
        """How many steps had to be judged by all parts of the run together."""
        self._marks[: self._within.start] = bytes(self._within.start)
        self._marks[self._within.stop :] = bytes(length - self._within.stop)
        self.due = self._marks.count(_DUE)
        """How many steps had to be judged."""
        self._begin()

    def _begin(self) -> None:
        self._unknown: set[str] = set()
        self._twice: str | None = None
        self.outcomes: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self.absent: Counter[str] = Counter()
        self.tolerances: Counter[str] = Counter()
        self.tolerated_characters: Counter[str] = Counter()
        self.requests = 0

    @property
    def matched(self) -> Collection[str]:
        """The numbers of the steps that matched."""
        return _Marked(self._marks, self._numbering, _MATCHED)

    @property
    def exact(self) -> Collection[str]:
        """Those that matched without a tolerance: what is planted beside a tolerated difference is not found."""
        return _Marked(self._marks, self._numbering, _EXACT)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self._mark(outcome)
        self.outcomes[name(outcome)] += 1
        self.requests += outcome.requests
        if isinstance(outcome, (Match, Diverged, Waived)):
            for field, length in outcome.compared.fields.items():
                self.fields[field] += 1
                self.characters[field] += length
            for field in outcome.compared.absent:  # Counter.update takes three times as long for so few
                self.absent[field] += 1
            for tolerated in outcome.compared.tolerated:
                self.tolerances[tolerated.name] += 1
                self.tolerated_characters[tolerated.name] += tolerated.characters

    def _mark(self, outcome: Outcome) -> None:
        number = outcome.step.number
        at = self._numbering.position(number)
        if at is None or at not in self._within:
            self._unknown.add(number)
            return
        before = self._marks[at]
        if before & _SEEN:
            self._twice = self._twice or number
        mark = _SEEN
        if isinstance(outcome, Match):
            mark |= _MATCHED if outcome.compared.tolerated else _MATCHED | _EXACT
        self._marks[at] = before | mark

    def apart(self, within: range) -> Tally:
        """A tally that counts some of these steps, and nothing yet."""
        other = copy(self)
        other._within = within  # noqa: SLF001 - it is one of its own
        other._marks = self._marks.copy()  # noqa: SLF001 - as above
        other._begin()  # noqa: SLF001 - as above
        return other

    def counted(self) -> Counted:
        """What was counted, to be joined with what others count."""
        return Counted(
            self._within.start,
            bytes(self._marks[self._within.start : self._within.stop]),
            tuple(self._unknown),
            self._twice,
            tuple(getattr(self, one) for one in _COUNTERS),
            self.requests,
        )

    def join(self, counted: Counted) -> None:
        """Add what was counted apart."""
        self._marks[counted.start : counted.start + len(counted.marks)] = counted.marks
        self._unknown.update(counted.unknown)
        self._twice = self._twice or counted.twice
        for counter, more in zip(_COUNTERS, counted.counters, strict=True):
            getattr(self, counter).update(more)
        self.requests += counted.requests

    def missing(self) -> tuple[str, ...]:
        """The steps that should have had an outcome and had none, in order."""
        return tuple(self._numbering.number(at) for at, mark in enumerate(self._marks) if mark == _DUE)

    def problems(self) -> tuple[str, ...]:
        """Why the numbers do not add up, a sentence each; empty when they do."""
        found = []
        missing = self._marks.count(_DUE)
        if missing:
            first = self._numbering.number(self._marks.find(_DUE))
            steps = counted(missing, "step has", "steps have")
            found.append(f"{steps} no outcome in {self.mode}, the first is step {first}")
        strangers = len(self._unknown) + sum(map(self._marks.count, _STRANGERS))
        if strangers:
            outcomes = counted(strangers, "outcome belongs", "outcomes belong")
            found.append(f"{outcomes} to no step of the journal in {self.mode}")
        if self._twice:
            found.append(f"step {self._twice} has two outcomes in {self.mode}")
        judged = self.outcomes["match"] + self.outcomes["diverged"] + self.outcomes["waived"]
        if judged and not self.fields:
            found.append(
                f"{counted(judged, 'step was', 'steps were')} judged in {self.mode} and not one field was compared"
            )
        return tuple(found)

    @property
    def green(self) -> bool:
        """Whether every step that was due matched."""
        return self.due > 0 and self.outcomes["match"] == self.due and not self.problems()


class _Marked(Collection[str]):
    """The numbers of the steps that have a mark."""

    def __init__(self, marks: bytearray, numbering: Numbering, mark: int) -> None:
        self._marks = marks
        self._numbering = numbering
        self._mark = mark

    def __contains__(self, number: object) -> bool:
        at = self._numbering.position(str(number))
        return at is not None and self._marks[at] & self._mark != 0

    def __iter__(self) -> Iterator[str]:
        return (self._numbering.number(at) for at, mark in enumerate(self._marks) if mark & self._mark)

    def __len__(self) -> int:
        return sum(1 for mark in self._marks if mark & self._mark)
