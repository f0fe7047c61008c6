"""The verdict of a run in words, for every form of report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.counted import counted, named
from replay.report.run_values import MATCH, OUTCOMES
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


def all_match(outcomes: int) -> str:
    """``all 82 outcomes match``, or the one that there is."""
    return "1 outcome matches" if outcomes == 1 else f"all {outcomes:,} outcomes match"


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
        return f"{all_match(run.count(MATCH))} what {' or '.join(says + others)}"
    return "nothing diverged, but not everything could be judged"
