"""The drill for journals of kept images: the same promise as for steps, on the operations of a case."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from replay.case_plants import CASE_CLASSES
from replay.engine import Judging, replay
from replay.exercise import FOUND, MISSED, NOT_PLANTABLE, Exercise, misplaced
from replay.fields import is_chosen
from replay.numbering import Numbering
from replay.outcome import Mode
from replay.talkative import PLANTED, talkative
from replay.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from replay.candidates.interface import Candidate
    from replay.case_plants import After, CasePlantClass
    from replay.journal.model import Journal, KeepimgCase
    from replay.outcome import Outcome

_TRIED: Final = 400
"""How many operations are looked at for one that a class can be planted in."""


def drill_cases(
    journal: Journal, candidate: Candidate, matched: Collection[str], fields: frozenset[str] | None = None
) -> Iterator[Exercise]:
    """Plant and look, one class after another, in operations that matched, in fields that are judged."""
    chosen = list(_chosen(journal, matched))
    for kind in CASE_CLASSES:
        yield _exercise(kind, journal, candidate, chosen, fields)
    yield _missing_operation(journal, candidate, chosen)
    yield _not_recorded(journal, candidate, chosen, fields)


def _chosen(journal: Journal, matched: Collection[str]) -> Iterator[tuple[KeepimgCase, int]]:
    """Operations that matched, spread over the journal: the case, and the position in it."""
    numbering = Numbering(journal)
    numbers = [number for number in map(numbering.number, range(len(numbering))) if number in matched]
    for index, some in groupby(numbers[:: max(1, len(numbers) // _TRIED)], lambda number: number.partition(".")[0]):
        case = journal.cases[int(index) - journal.cases[0].index]
        for number in some:
            yield case, int(number.partition(".")[2]) - 1


def _exercise(
    kind: CasePlantClass,
    journal: Journal,
    candidate: Candidate,
    chosen: list[tuple[KeepimgCase, int]],
    fields: frozenset[str] | None,
) -> Exercise:
    for case, at in chosen:
        planted = kind.plant(judged(case.steps[at].after, fields))
        if planted is not None:
            after, field = planted
            number = f"{case.index}.{case.steps[at].index}"
            made = Exercise(kind.name, FOUND, number, field)
            changed = replace(case, steps=(*case.steps[:at], replace(case.steps[at], after=after)))
            outcomes = _replayed(journal, candidate, changed, fields)
            problem = misplaced(outcomes, number, field)
            return made if problem is None else replace(made, outcome=MISSED, why=problem)
    return Exercise(kind.name, NOT_PLANTABLE)


def judged(after: After, fields: frozenset[str] | None) -> After:
    """What is judged of an operation's record."""
    return {name: value for name, value in after.items() if is_chosen(name, fields)}


def _replayed(
    journal: Journal, candidate: Candidate, case: KeepimgCase, fields: frozenset[str] | None
) -> list[Outcome]:
    """A case cut after the changed operation: what follows would start from what was planted, and rightly differ."""
    copy = replace(journal, cases=(case,))
    return list(replay(copy, candidate, Judging(Mode.ISOLATED, fields=fields)))[-2:]


def _missing_operation(journal: Journal, candidate: Candidate, chosen: list[tuple[KeepimgCase, int]]) -> Exercise:
    """An operation is never judged: the tally must notice which."""
    name = "missing-step"
    if not chosen:
        return Exercise(name, NOT_PLANTABLE)
    case, at = chosen[len(chosen) // 2]
    left_out = f"{case.index}.{case.steps[at].index}"
    copy = replace(journal, cases=(case,))
    tally = Tally(copy, Mode.ISOLATED)
    for outcome in replay(copy, candidate, Judging(Mode.ISOLATED, lambda step: step.number != left_out)):
        tally.add(outcome)
    made = Exercise(name, FOUND, left_out, "outcome")
    missing = tally.missing()
    return made if missing == (left_out,) else replace(made, outcome=MISSED, why=f"missing: {missing}")


def _not_recorded(
    journal: Journal,
    candidate: Candidate,
    chosen: list[tuple[KeepimgCase, int]],
    fields: frozenset[str] | None,
) -> Exercise:
    """The candidate shows something that was not recorded: the record names everything, so that must be found."""
    name = "not-recorded"
    if not chosen or not is_chosen(PLANTED, fields):
        return Exercise(name, NOT_PLANTABLE)
    case, at = chosen[len(chosen) // 2]
    number = f"{case.index}.{case.steps[at].index}"
    cut = replace(case, steps=case.steps[: at + 1])
    problem = misplaced(_replayed(journal, talkative(candidate, number), cut, fields), number, PLANTED)
    made = Exercise(name, FOUND, number, PLANTED)
    return made if problem is None else replace(made, outcome=MISSED, why=problem)
