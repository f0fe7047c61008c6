"""Several candidates on the same journals, one after the other, each as if it were alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from replay.report.columns import Columns
from replay.run import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.candidates.interface import Candidate
    from replay.report.jsonl import JsonLines
    from replay.run import Exit, Plan


def run_several(plan: Plan, candidates: Sequence[Candidate], out: TextIO, *reports: JsonLines) -> Exit:
    """Judge each started candidate, show the table, and give the worst of their statuses."""
    identities = [candidate.identity for candidate in candidates]
    columns = Columns(identities)
    for report in reports:
        report.begin(plan, *identities)
    for at, candidate in enumerate(candidates):
        if run(plan, candidate, [columns.column(at, reports)]).interrupted:
            break
    for report in reports:
        report.end_all(columns.receipts, columns.exit)
    columns.show(out)
    return columns.exit
