"""Each rule, where the contract has it, which steps and how many tests exercise it: as text, or as one JSON object."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from replay.counted import counted, named
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.journal.model import Journal
    from replay.outcome import StepRef
    from replay.rules.book import PortRule

MOST_NAMED: Final = 12
"""How many steps, or ranges of steps, of one journal are named."""

_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was found: the rules asked for, the steps of each, and where PORT.toml and the code disagree."""

    journals: Sequence[Journal]
    rules: Sequence[PortRule]
    steps: Mapping[str, Sequence[StepRef]]
    disagreements: Sequence[str] = ()

    @property
    def unexercised(self) -> list[str]:
        """The rules that no step and no test exercises."""
        return [one.id for one in self.rules if not one.tests and not self.steps.get(one.id)]

    @property
    def holds(self) -> bool:
        """Whether every rule is exercised and PORT.toml and the code say the same."""
        return not self.unexercised and not self.disagreements


def lines(coverage: Coverage) -> Iterator[str]:
    """The listing for people."""
    for one in coverage.rules:
        steps = coverage.steps.get(one.id, ())
        yield f"{one.id}  {one.section}"
        yield f"    {counted(len(steps), 'step')}, {counted(len(one.tests), 'test')}"
        yield from (f"    {line}" for line in shown_steps(steps))
    by_steps = sum(bool(coverage.steps.get(one.id)) for one in coverage.rules)
    yield ""
    yield (
        f"{counted(len(coverage.rules), 'rule')}: {by_steps} exercised by steps of "
        f"{counted(len(coverage.journals), 'journal')}, "
        f"{sum(bool(one.tests) for one in coverage.rules)} by tests"
    )
    yield from coverage.disagreements
    yield f"rules that no step and no test exercises: {', '.join(coverage.unexercised) or 'none'}"


def of_steps(coverage: Coverage) -> Iterator[str]:
    """The rules that the steps exercise, for people: where the contract has each, and the function that is it."""
    for one in coverage.rules:
        yield f"{one.id}  {one.section}"
        yield f"    {one.function}"
        yield from (f"    {line}" for line in shown_steps(coverage.steps[one.id]))
    yield ""
    yield f"{counted(len(coverage.rules), 'rule')} {named(len(coverage.rules), 'is', 'are')} exercised by these steps"


def as_json(coverage: Coverage) -> str:
    """The listing for programs, whole: no step is left out."""
    document = {
        "journals": [{"file": one.file, "sha256": one.sha256} for one in coverage.journals],
        "rules": [
            {
                "id": one.id,
                "section": one.section,
                "function": one.function,
                "tests": list(one.tests),
                "steps": {
                    file: [step.number for step in steps] for file, steps in _by_journal(coverage.steps.get(one.id, ()))
                },
            }
            for one in coverage.rules
        ],
        "disagreements": list(coverage.disagreements),
        "unexercised": coverage.unexercised,
    }
    return json.dumps(document, indent=1)


def shown_steps(steps: Iterable[StepRef]) -> Iterator[str]:
    """Steps in few words, a line a journal: ``logs/recall.json 5-8, 10, 12``."""
    for file, of_one in _by_journal(steps):
        ranges = list(_ranges([step.number for step in of_one]))
        left = len(ranges) - MOST_NAMED
        more = f", and {left} more" if left > 0 else ""
        yield f"{cut(file, _NAME)} {', '.join(ranges[:MOST_NAMED])}{more}"


def _by_journal(steps: Iterable[StepRef]) -> Iterator[tuple[str, list[StepRef]]]:
    for file, group in groupby(steps, key=lambda step: step.journal):
        yield file, list(group)


def _ranges(numbers: Sequence[str]) -> Iterator[str]:
    """Numbers of steps, those that follow each other as a range; operations of a case (``3.2``) one by one."""
    start = before = None
    for number in [*map(_whole, numbers), None]:
        if before is not None and (not isinstance(number, int) or number != before + 1):
            yield f"{start}-{before}" if start != before else f"{before}"
            before = None
        if isinstance(number, str):
            yield number
        elif number is not None:
            start = number if before is None else start
            before = number


def _whole(number: str) -> int | str:
    return number if "." in number else int(number)
