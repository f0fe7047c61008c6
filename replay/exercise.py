"""One planted divergence and what came of it: the words and the test that every drill shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.compare import locate
from replay.outcome import Diverged, Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.compare import Difference
    from replay.outcome import Outcome

FOUND: Final = "found"
MISSED: Final = "missed"
NOT_PLANTABLE: Final = "not plantable"


@dataclass(frozen=True, slots=True)
class Exercise:
    """One planted divergence: its class, the step and field it went into, whether it was found, and if not, why."""

    name: str
    outcome: str
    step: str = ""
    field: str = ""
    why: str = ""


def misplaced(outcomes: Sequence[Outcome], number: str, field: str, rune: int | None = None) -> str | None:
    """Why a divergence planted in a step's field does not count as found; None when it was found there and only there.

    ``rune`` is the character it starts at, None where the field is no text.
    """
    if not any(outcome.step.number == number for outcome in outcomes):
        return "the step has no outcome"
    for outcome in outcomes:
        if outcome.step.number != number:
            if not isinstance(outcome, Match):
                return f"step {outcome.step.number} beside it diverged"
        elif not isinstance(outcome, Diverged):
            return "the step matched"
        else:
            problem = _elsewhere(outcome.differences, field, rune)
            if problem is not None:
                return problem
    return None


def _elsewhere(differences: Sequence[Difference], field: str, rune: int | None) -> str | None:
    first = next((one for one in differences if _within(one.field, field)), None)
    if first is None:
        return f"found in {differences[0].field}"
    if rune is None:
        return None
    location = locate(first)
    if location is None or location.rune != rune:
        return f"located at rune {None if location is None else location.rune}, planted at {rune}"
    return None


def _within(found: str, planted: str) -> bool:
    return found == planted or found.startswith((planted + ".", planted + "["))
