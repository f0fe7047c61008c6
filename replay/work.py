"""The work of a run in pieces: which steps of a journal are judged in one go, in one process, on one machine.

Isolated steps are judged apart, so any range of them is a piece; what a step needs of those before it is recorded, or
is run with it. A case of kept images is whole, in both modes. A chained run of steps is one piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from replay.compare import ALL as TOLERANCES
from replay.engine import Judging, everything
from replay.journal.model import KEEPIMG
from replay.journal.window import window
from replay.outcome import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from replay.journal.model import Journal
    from replay.numbering import Numbering
    from replay.outcome import StepRef
    from replay.scope import Scope


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``of`` parts of a run; ``number`` counts from 1. All parts together judge every step once."""

    number: int
    of: int

    def __str__(self) -> str:
        """As it is typed: ``3/16``."""
        return f"{self.number}/{self.of}"

    def units(self, journal: Journal, numbering: Numbering, mode: Mode, modes: Sequence[Mode], turn: int) -> range:
        """The positions of the steps, or of the cases, that belong to this part; ``turn`` is that of the journal.

        Parts have about as many steps, or operations, each. A chained run of steps takes about as long as all of them
        isolated: whoever has it has no isolated ones, if there are others to do them. The journals of a run give it to
        one part after another.
        """
        units = _units(journal)
        number = (self.number - 1 + turn) % self.of
        of = self.of
        if journal.kind != KEEPIMG and mode is Mode.CHAINED:
            return units if number == of - 1 else units[:0]
        if journal.kind != KEEPIMG and Mode.CHAINED in modes and of > 1:
            of -= 1
        if number >= of:
            return units[:0]
        first, end = (numbering.unit(len(numbering) * one // of) for one in (number, number + 1))
        return units[first:end]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is judged of a journal in one go: in a mode, the steps (or the cases) at some positions."""

    scope: Scope
    units: range

    def divisible(self, journal: Journal) -> bool:
        """Whether it can be judged in smaller pieces."""
        return journal.kind == KEEPIMG or self.scope.mode is Mode.ISOLATED

    def steps(self, numbering: Numbering) -> range:
        """The positions of its steps, or operations."""
        return range(numbering.start(self.units.start), numbering.start(self.units.stop)) if self.units else range(0)

    def part(self, journal: Journal, numbering: Numbering) -> tuple[Journal, Judging]:
        """What has to be replayed for it, and how that is judged."""
        scope = self.scope
        chooses = scope.chooses or everything
        first, end = self.units.start, self.units.stop
        if len(self.units) == len(_units(journal)):
            part = journal
        elif journal.kind == KEEPIMG:
            part = replace(journal, cases=journal.cases[first:end])
        else:
            part = window(journal, first, end)
            if len(part.steps) > len(self.units):  # it begins earlier, where a state was recorded
                chooses = _from(numbering.number(first), chooses)
        return part, Judging(scope.mode, chooses, TOLERANCES, scope.fields)


def _from(number: str, chooses: Callable[[StepRef], bool]) -> Callable[[StepRef], bool]:
    first = int(number)
    return lambda step: int(step.number) >= first and chooses(step)


def pieces(
    journal: Journal, numbering: Numbering, scopes: Sequence[Scope], shard: Shard | None, turn: int
) -> list[Piece]:
    """What of a journal is judged here: a piece for each mode, which may be empty."""
    if shard is None:
        return [Piece(scope, _units(journal)) for scope in scopes]
    modes = [scope.mode for scope in scopes]
    return [Piece(scope, shard.units(journal, numbering, scope.mode, modes, turn)) for scope in scopes]


def _units(journal: Journal) -> range:
    return range(len(journal.cases if journal.kind == KEEPIMG else journal.steps))
