"""What a run through one journal in one mode compared: the numbers of the receipt, and whether they add up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from replay.counted import counted
from replay.engine import numbers, references
from replay.outcome import Diverged, Match, Waived, name

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.journal.model import Journal
    from replay.outcome import Mode, Outcome, StepRef


class Tally:
    """Counts outcomes as they come; holds only numbers and the set of steps that had one."""

    def __init__(self, journal: Journal, mode: Mode, select: Callable[[StepRef], bool] | None = None) -> None:
        """``select`` chooses which steps must have an outcome; none: every step."""
        self.mode = mode
        self._due = (
            list(numbers(journal))
            if select is None
            else [step.number for step in references(journal, mode) if select(step)]
        )
        self._seen: set[str] = set()
        self._twice: list[str] = []
        self.matched: set[str] = set()
        self.exact: set[str] = set()
        """The steps that matched without a tolerance: what is planted beside a tolerated difference is not found."""
        self.outcomes: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self.absent: Counter[str] = Counter()
        self.tolerances: Counter[str] = Counter()
        self.tolerated_characters: Counter[str] = Counter()
        self.requests = 0

    @property
    def due(self) -> int:
        """How many steps had to be judged."""
        return len(self._due)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        number = outcome.step.number
        if number in self._seen:
            self._twice.append(number)
        self._seen.add(number)
        self.outcomes[name(outcome)] += 1
        if isinstance(outcome, Match):
            self.matched.add(number)
            if not outcome.compared.tolerated:
                self.exact.add(number)
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

    def missing(self) -> tuple[str, ...]:
        """The steps that should have had an outcome and had none, in order."""
        return tuple(number for number in self._due if number not in self._seen)

    def problems(self) -> tuple[str, ...]:
        """Why the numbers do not add up, a sentence each; empty when they do."""
        found = []
        missing = self.missing()
        if missing:
            steps = counted(len(missing), "step has", "steps have")
            found.append(f"{steps} no outcome in {self.mode}, the first is step {missing[0]}")
        strangers = self._seen.difference(self._due)
        if strangers:
            outcomes = counted(len(strangers), "outcome belongs", "outcomes belong")
            found.append(f"{outcomes} to no step of the journal in {self.mode}")
        if self._twice:
            found.append(f"step {self._twice[0]} has two outcomes in {self.mode}")
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
