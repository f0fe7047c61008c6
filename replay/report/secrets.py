"""What a report keeps to itself unless it is asked: the contents of sealed memories.

A journal that holds the key of its memory gives every text of it in the clear; a sealed page is a secret in any
journal. Where such texts differ a report says the place, the code points there and the lengths, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from replay.discretion import discreet
from replay.outcome import Crashed, Diverged, Waived, WentThroughGo

if TYPE_CHECKING:
    from replay.compare import Absent, Difference
    from replay.fields import Value
    from replay.outcome import Outcome, StepRef

HIDDEN: Final = "sealed; --reveal shows it"
"""What stands in the place of what is not shown."""

_FILES: Final = "files"


def is_secret(step: StepRef, difference: Difference) -> bool:
    """Whether a difference lies in a sealed memory, or in a page that is sealed on either side."""
    if step.secret:
        return True
    sides: list[Value | Absent] = [difference.expected, difference.actual]
    if difference.subject is not None:
        sides += [difference.subject.expected, difference.subject.actual]
    # The name of the field is enough where whoever made the difference gave no path.
    return difference.field.startswith(_FILES) and any(map(_is_sealed, sides))


def _is_sealed(side: Value | Absent) -> bool:
    """A page that is sealed; or the whole folder, one page of which is."""
    if not isinstance(side, Mapping):
        return False
    return side.get("sealed") is True or any(map(_is_sealed, side.values()))


def has_secrets(outcome: Outcome) -> bool:
    """Whether a report of the outcome leaves something out unless it is asked for it."""
    if isinstance(outcome, (Diverged, Waived)):
        return any(is_secret(outcome.step, one) for one in outcome.differences)
    return outcome.step.secret and isinstance(outcome, (Crashed, WentThroughGo))


def without_secrets(step: StepRef, sentence: str) -> str:
    """What a candidate said of itself. In a sealed memory only up to the first colon: behind it stands what it met."""
    before, colon, _ = sentence.partition(":")
    return discreet(f"{before}: ({HIDDEN})" if step.secret and colon else sentence)
