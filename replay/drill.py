"""The drill: a judge that never finds anything is broken, so every run shows that it can.

In copies of a journal one divergence of each class is planted, in a step that the candidate answers as Go did; the
same engine, over the same transport, must find it in that step and field, at that very rune, and must find the steps
beside it unchanged. What an answer says beside the record is planted into an answer. What it misses makes the run red.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.case_drill import drill_cases
from replay.engine import Judging, replay
from replay.exercise import FOUND, MISSED, NOT_PLANTABLE, Exercise, misplaced
from replay.fields import DIFF, REQUESTS, is_chosen, narrowed
from replay.journal.model import KEEPIMG, RECALL
from replay.journal.window import window
from replay.numbering import Numbering
from replay.outcome import Diverged, Match, Mode
from replay.plants import CLASSES
from replay.talkative import talkative
from replay.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from replay.candidates.interface import Candidate
    from replay.compare import Tolerance
    from replay.journal.model import Expected, Journal, Step
    from replay.outcome import Outcome
    from replay.plants import Plant, PlantClass

_TRIED: Final = 400
"""How many steps are looked at for one that a class can be planted in; spread over the journal."""


def drill(
    journal: Journal,
    candidate: Candidate,
    matched: Collection[str],
    tolerances: Sequence[Tolerance] = (),
    fields: frozenset[str] | None = None,
) -> Iterator[Exercise]:
    """Plant and look, one class after another. ``matched`` holds the numbers of the steps that matched.

    ``fields`` are those that are judged: nothing is planted in the others.
    """
    if journal.kind == KEEPIMG:
        yield from drill_cases(journal, candidate, matched, fields)
        return
    # What is planted in a field that need not be the same is rightly not found.
    loose = {str(one.step) for one in (*journal.redacted, *journal.unstable)}
    if loose:
        matched = frozenset(matched) - loose
    ground = _Ground(journal, candidate, matched, tolerances, fields)
    for kind in CLASSES:
        yield ground.exercise(kind)
    yield ground.swapped_pair()
    yield ground.missing_step()
    yield ground.diff_not_recorded()
    if journal.kind == RECALL:
        yield ground.read_too_many()


class _Ground:
    """A journal, and the steps of it in which something may be planted."""

    def __init__(
        self,
        journal: Journal,
        candidate: Candidate,
        matched: Collection[str],
        tolerances: Sequence[Tolerance],
        fields: frozenset[str] | None,
    ) -> None:
        self.journal = journal
        self.candidate = candidate
        self.matched = matched
        self.tolerances = tolerances
        self.fields = fields
        self.dek = None if journal.settings is None else journal.settings.dek
        numbering = Numbering(journal)
        positions = [at for at in range(len(numbering)) if numbering.number(at) in matched]
        stride = max(1, len(positions) // _TRIED)
        self.chosen = positions[::stride]
        self.steps: dict[int, Step] = {}
        """Those that were looked at: a step may have to be read from its file each time."""

    def exercise(self, kind: PlantClass) -> Exercise:
        """Plant one class in the first step that can hold it."""
        for at in self.chosen:
            step = self._step(at)
            plant = None if step.tool in kind.not_in else kind.plant(self.judged(step), self.dek)
            if plant is not None and is_chosen(plant.field.partition("[")[0], self.fields):
                return self._look(kind.name, at, plant)
        return Exercise(kind.name, NOT_PLANTABLE)

    def _step(self, at: int) -> Step:
        if at not in self.steps:
            self.steps[at] = self.journal.steps[at]
        return self.steps[at]

    def judged(self, step: Step) -> Expected:
        """What is judged of a step's record."""
        return narrowed(step.expected, self.fields)

    def _look(self, name: str, at: int, plant: Plant) -> Exercise:
        step = replace(self._step(at), expected=plant.expected)
        made = Exercise(name, FOUND, str(step.index), plant.field)
        outcomes = self._replayed(at, step)
        problem = misplaced(outcomes, str(step.index), plant.field, plant.rune)
        return made if problem is None else replace(made, outcome=MISSED, why=problem)

    def _replayed(self, at: int, *changed: Step) -> list[Outcome]:
        """The changed steps between their unchanged neighbours, from the state recorded before them.

        The step after a changed state is left out: it starts from that state, and rightly differs.
        """
        end = at + len(changed)
        before = [self._step(position) for position in range(at, end)]
        last = end + all(_same_state(one, other) for one, other in zip(changed, before, strict=True))
        part = window(self.journal, max(0, at - 1), last)
        steps = tuple(part.steps)
        begin = changed[0].index - steps[0].index
        copy = replace(part, steps=(*steps[:begin], *changed, *steps[begin + len(changed) :]))
        kept = {
            number
            for step in steps
            if step.index >= changed[0].index - 1 and (number := str(step.index)) in self.matched
        }
        judging = Judging(Mode.ISOLATED, lambda step: step.number in kept, self.tolerances, self.fields)
        return list(replay(copy, self.candidate, judging))

    def swapped_pair(self) -> Exercise:
        """Two neighbouring steps have each other's results: both are found, and nothing else."""
        name = "swapped-pair"
        for at in self.chosen:
            if at + 1 == len(self.journal.steps) or str(self._step(at).index + 1) not in self.matched:
                continue
            one, other = self._step(at), self._step(at + 1)
            results = (self.judged(one).result, self.judged(other).result)
            if None in results or results[0] == results[1]:
                continue
            changed = (
                replace(one, expected=replace(one.expected, result=results[1])),
                replace(other, expected=replace(other.expected, result=results[0])),
            )
            made = Exercise(name, FOUND, f"{one.index} and {other.index}", "result")
            outcomes = self._replayed(at, *changed)
            found = [o.step.number for o in outcomes if isinstance(o, Diverged) and o.differences[0].field == "result"]
            others = [o.step.number for o in outcomes if not isinstance(o, Match)]
            if found == others == [str(one.index), str(other.index)]:
                return made
            return replace(made, outcome=MISSED, why=f"diverged: steps {', '.join(others) or 'none'}")
        return Exercise(name, NOT_PLANTABLE)

    def missing_step(self) -> Exercise:
        """A step is never judged: the tally must notice that one outcome is missing, and which."""
        name = "missing-step"
        if not self.chosen:
            return Exercise(name, NOT_PLANTABLE)
        at = self.chosen[len(self.chosen) // 2]
        left_out = self._step(at)
        copy = window(self.journal, max(0, at - 1), at + 2)
        tally = Tally(copy, Mode.ISOLATED)
        judging = Judging(Mode.ISOLATED, lambda step: step.number != str(left_out.index), self.tolerances, self.fields)
        for outcome in replay(copy, self.candidate, judging):
            tally.add(outcome)
        made = Exercise(name, FOUND, str(left_out.index), "outcome")
        missing = tally.missing()
        if missing == (str(left_out.index),):
            return made
        return replace(made, outcome=MISSED, why=f"missing: {', '.join(missing) or 'none'}")

    def diff_not_recorded(self) -> Exercise:
        """The candidate's diff has a line more: no diff in the record is an empty one, so that must be found."""
        name = "diff-not-recorded"
        at = next((at for at in self.chosen if self.journal.steps[at].expected.panic is None), None)
        if at is None or not is_chosen(DIFF, self.fields):
            return Exercise(name, NOT_PLANTABLE)
        step = self.journal.steps[at]
        number, field = str(step.index), f"{DIFF}[{len(step.expected.diff or ())}]"
        judging = Judging(Mode.ISOLATED, lambda one: one.number == number, self.tolerances, self.fields)
        copy = window(self.journal, at, at + 1)
        problem = misplaced(list(replay(copy, talkative(self.candidate, number), judging)), number, field)
        made = Exercise(name, FOUND, number, field)
        return made if problem is None else replace(made, outcome=MISSED, why=problem)

    def read_too_many(self) -> Exercise:
        """The requirement asks for one read more than the call makes: the count of requests must tell."""
        name = "read-too-many"
        seen = self.candidate.identity.reads_seen and is_chosen(REQUESTS, self.fields)
        if not self.chosen or not seen:
            return Exercise(name, NOT_PLANTABLE)
        step = self._step(self.chosen[-1])
        copy = replace(self.journal, steps=(step,))
        judging = Judging(
            Mode.ISOLATED, tolerances=self.tolerances, fields=self.fields, extra_requests=("GET /planted",)
        )
        made = Exercise(name, FOUND, str(step.index), "requests")
        for outcome in replay(copy, self.candidate, judging):
            if isinstance(outcome, Diverged) and outcome.differences[0].field.startswith("requests"):
                return made
        return replace(made, outcome=MISSED, why="no difference in requests")


def _same_state(one: Step, other: Step) -> bool:
    return one.expected.files == other.expected.files and one.expected.trackers == other.expected.trackers
