"""A finding as the gate shows a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.compare import ALL as TOLERANCES
from replay.engine import Judging, replay
from replay.fuzz.trial import CRASH, STDLIB
from replay.journal import loads
from replay.journal.model import Place
from replay.outcome import Compared, Crashed, Diverged, Match, Mode, StepRef
from replay.report.outcome_text import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.fuzz.campaign import Finding
    from replay.outcome import Outcome
    from replay.report.styles import Plain

JUDGES = {
    STDLIB: "judged by stdlib: Go's own library",
    "model": "judged by model: our own Go program's reading of the contract, so the contract decides who is right",
}


def lines(finding: Finding, raw: bytes, file: str, styles: Plain) -> Iterator[str]:
    """The finding, line by line: what differs, as the gate shows it, who judged, how it was found.

    ``raw`` is the finding's file. A journal is replayed: what is shown is what the gate will say of it.
    """
    outcome = gate_outcome(finding, raw, file)
    if outcome is None:
        yield styles.bad(f"{file}: the gate does not see this difference; seen directly, it is:")
        outcome = direct_outcome(finding, file)
    yield render(outcome, styles)
    yield styles.faint(f"  {JUDGES[finding.judge]}")
    yield styles.faint(f"  found with {finding.origin}")


def gate_outcome(finding: Finding, raw: bytes, file: str) -> Outcome | None:
    """What the gate says first of a finding's file; None if it finds nothing. A function's file is no journal."""
    if finding.judge == STDLIB:
        return direct_outcome(finding, file)
    journal = loads(raw, file)
    with PortCandidate(IN_MEMORY) as candidate:
        for mode in Mode:
            for outcome in replay(journal, candidate, Judging(mode, tolerances=TOLERANCES)):
                if not isinstance(outcome, Match):
                    return outcome
    return None


def direct_outcome(finding: Finding, file: str) -> Outcome:
    """The difference as it was found."""
    call = finding.call
    step = StepRef(file, str(call.at or 1), call.tool, "", Place(file, "", 1), Mode.ISOLATED)
    if CRASH in call.actual:
        return Crashed(step, str(call.actual[CRASH]), "")
    return Diverged(step, Compared({}), tuple(finding.differences))
