"""A finding made as small as it gets: the same tool still differs in the same field."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from replay.fuzz.campaign import Finding, tried_with
from replay.fuzz.dice import RecordedDice
from replay.fuzz.shrink import MOST_ATTEMPTS, SECONDS, shrink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parity.gostd.target import GoTarget
    from replay.oracle.client import Oracle


def smallest(
    finding: Finding, oracle: Oracle, target: GoTarget, *, most: int = MOST_ATTEMPTS, seconds: float = SECONDS
) -> Finding:
    """The same difference on the smallest input that was found. Raises an OracleError when the oracle breaks."""
    if finding.choices is None:
        return finding
    wanted = _signature(finding)
    best = finding

    def attempt(choices: Sequence[int]) -> RecordedDice | None:
        nonlocal best
        dice = RecordedDice(choices)
        tried = tried_with(finding.subject, dice, oracle, target)
        if tried is None or _signature(tried) != wanted:
            return None
        best = replace(tried, origin=finding.origin)
        return dice

    made = shrink(finding.choices, attempt, most=most, seconds=seconds)
    # The last attempt that failed need not be the smallest one.
    final = attempt(made.choices)
    return best if final is not None else finding


def _signature(finding: Finding) -> tuple[str, str]:
    """What makes two findings the same one: the tool, and the field that differs first, without places in it."""
    field = finding.differences[0].field
    return finding.call.tool, field.partition("[")[0].partition(".")[0]
