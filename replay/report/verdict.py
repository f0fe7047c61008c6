"""The verdict of a run in words, for every form of report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.counted import counted, named
from replay.report.run_values import OUTCOMES, WAIVED
from replay.run import Exit

if TYPE_CHECKING:
    from replay.report.run_values import ToldRun

_WORDS: Final = {
    Exit.MATCH: "MATCH",
    Exit.DIVERGED: "DIVERGED",
    Exit.BAD_INPUT: "BAD INPUT",
    Exit.NOT_JUDGED: "NOT JUDGED",
    Exit.INTERRUPTED: "INTERRUPTED",
}


_OTHERS: Final = {"model": "the model wrote", "reduced": "a reduced journal holds, which is no recording"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """``word`` such as ``DIVERGED``, the sentence that gives the reason, whether all is well."""

    word: str
    reason: str
    good: bool


def verdict(run: ToldRun) -> Verdict:
    """What the run came to."""
    exit_ = Exit(run.exit)
    return Verdict(_WORDS[exit_], _reason(run, exit_), exit_ is Exit.MATCH)


def all_match(outcomes: int, waived: int = 0, of: str = "") -> str:
    """``all 82 outcomes match``, or the one that there is; all but the waived ones. ``of``: `` of this shard``."""
    if waived:
        match = named(outcomes - waived, "matches", "match")
        return f"{outcomes - waived:,} of {counted(outcomes, 'outcome')}{of} {match}"
    return f"1 outcome{of} matches" if outcomes == 1 else f"all {outcomes:,} outcomes{of} match"


def and_waived(waived: int) -> str:
    """How many outcomes are waived, where any is, to end the sentence."""
    return f", {waived:,} {named(waived, 'is', 'are')} waived" if waived else ""


def _reason(run: ToldRun, exit_: Exit) -> str:
    total = sum(map(run.count, OUTCOMES))
    if run.interrupted:
        return f"interrupted after {counted(total, 'outcome')}"
    if run.unequal:
        return f"{run.unequal:,} of {counted(total, 'outcome')} {named(run.unequal, 'is', 'are')} no match"
    if exit_ is Exit.MATCH:
        sources = {one.source for one in run.journals}
        others = [says for source, says in _OTHERS.items() if source in sources]
        says = [] if sources == {"reduced"} else ["Go recorded"]
        waived = run.count(WAIVED)
        return f"{all_match(total, waived)} what {' or '.join(says + others)}{and_waived(waived)}"
    return "nothing diverged, but not everything could be judged"
