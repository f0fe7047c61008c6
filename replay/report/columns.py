"""Several candidates side by side: a row for every step on which one of them is no match, a column for each.

The reference is Go's record: a cell says what it holds at the place where the candidate parts from it, and what the
candidate gave there. Each candidate's own receipt follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TextIO

from replay.compare import locate
from replay.counted import counted
from replay.outcome import Crashed, Diverged, Match, Waived, name
from replay.report.secrets import without_secrets
from replay.report.styles import Plain
from replay.report.terminal import SHOWN_AT_ALL, candidate_line, receipt_lines, verdict_word
from replay.report.value_text import cut
from replay.run import Exit, order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.candidates.interface import Identity
    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef
    from replay.report.jsonl import JsonLines
    from replay.run import Plan, Receipt

_CELL: Final = 44
"""So many characters of a cell are shown."""

_ENDS: Final = 40
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Columns:
    """What several candidates came to. Make a :meth:`column` for each, run them, then :meth:`show`."""

    def __init__(self, identities: Sequence[Identity]) -> None:
        self._identities = identities
        self._cells: dict[StepRef, dict[int, str]] = {}
        self.receipts: list[Receipt] = []

    def column(self, at: int, reports: Sequence[JsonLines]) -> Column:
        """A reporter for the candidate ``at``, which hands its steps on to reports."""
        return Column(self, at, self._identities[at].name, reports)

    def put(self, at: int, outcome: Outcome) -> None:
        """An outcome that is no match."""
        self._cells.setdefault(outcome.step, {})[at] = cell(outcome)

    def show(self, out: TextIO, styles: Plain | None = None) -> None:
        """The table, the receipts, the verdict."""
        styles = styles or Plain()
        out.writelines(f"{line}\n" for line in self._lines(styles))
        out.flush()

    @property
    def exit(self) -> Exit:
        """The worst of all candidates."""
        severity = tuple(Exit)
        return max((one.exit for one in self.receipts), key=severity.index, default=Exit.INTERRUPTED)

    def _lines(self, styles: Plain) -> Iterator[str]:
        yield from self._table(styles)
        for letter, receipt in zip(_LETTERS, self.receipts, strict=False):
            yield ""
            yield styles.strong(f"{letter}  {cut(receipt.identity.name, _ENDS * 2)}")
            yield from (f"   {line}" for line in receipt_lines(receipt, styles))
        words = [f"{letter} {verdict_word(one.exit)}" for letter, one in zip(_LETTERS, self.receipts, strict=False)]
        unrun = len(self._identities) - len(self.receipts)
        more = f", {unrun} not begun" if unrun else ""
        yield ""
        worst = f"verdict    {verdict_word(self.exit)}: {', '.join(words)}{more}"
        yield (styles.good if self.exit is Exit.MATCH else styles.bad)(worst)

    def _table(self, styles: Plain) -> Iterator[str]:
        for letter, identity in zip(_LETTERS, self._identities, strict=False):
            yield cut(f"{letter}  {candidate_line(identity)}", _ENDS * 5)
        rows = sorted(self._cells.items(), key=_in_order)
        head = ["step", *_LETTERS[: len(self._identities)]]
        table = [[_row_name(step), *self._row(step, cells)] for step, cells in rows[:SHOWN_AT_ALL]]
        widths = [max(len(row[at]) for row in [head, *table]) for at in range(len(head))]
        journal = None
        for (step, _), row in zip(rows, table, strict=False):
            if step.journal != journal:
                journal = step.journal
                yield ""
                yield styles.strong(cut(journal, _ENDS * 2)) + "  Go's record → what the candidate gave"
                yield _aligned(head, widths)
            yield _aligned(row, widths)
        if len(rows) > SHOWN_AT_ALL:
            yield f"… and {counted(len(rows) - SHOWN_AT_ALL, 'more step')} on which one of them is no match"

    def _row(self, step: StepRef, cells: Mapping[int, str]) -> Iterator[str]:
        for at in range(len(self._identities)):
            if at in cells:
                yield cells[at]
            else:
                yield "match" if at < len(self.receipts) and _matched(self.receipts[at], step) else "not judged"


class Column:
    """The reporter of one candidate."""

    def __init__(self, columns: Columns, at: int, candidate: str, reports: Sequence[JsonLines]) -> None:
        self._columns = columns
        self._at = at
        self._candidate = candidate
        self._reports = reports

    def begin(self, plan: Plan, identity: Identity) -> None:
        """Nothing: the table has a head of its own."""

    def journal(self, journal: Journal, steps: int) -> None:
        """Nothing."""

    def outcome(self, outcome: Outcome) -> None:
        """Keep what is no match."""
        for report in self._reports:
            report.outcome(outcome, self._candidate)
        if not isinstance(outcome, Match):
            self._columns.put(self._at, outcome)

    def end(self, receipt: Receipt) -> None:
        """Keep the receipt."""
        self._columns.receipts.append(receipt)


def cell(outcome: Outcome) -> str:
    """An outcome that is no match, in a few words: the first field that differs, the rune, both code points."""
    if isinstance(outcome, Crashed):
        return cut(f"crashed: {without_secrets(outcome.step, outcome.what)}", _CELL)
    if isinstance(outcome, Waived):
        return f"waived until {outcome.by.until}"
    if not isinstance(outcome, Diverged):
        return name(outcome)
    first = outcome.differences[0]
    field = cut(first.field, _ENDS)
    location = locate(first)
    if location is None:
        return f"{field} {first.kind}"
    return f"{field} rune {location.rune}: {_short(location.recorded)} → {_short(location.candidate)}"


def _short(point: str) -> str:
    """``U+2026`` of ``U+2026 HORIZONTAL ELLIPSIS``; anything else as it is."""
    return point.split(" ", 1)[0] if point.startswith("U+") else point


def _in_order(row: tuple[StepRef, Mapping[int, str]]) -> tuple[str, tuple[int, ...], bool]:
    step = row[0]
    return step.journal, order(step.number), step.mode != "isolated"


def _row_name(step: StepRef) -> str:
    return f"{step.number} {cut(step.tool, _ENDS)} {step.mode}"


def _matched(receipt: Receipt, step: StepRef) -> bool:
    return any(
        one.journal.file == step.journal and tally.mode == step.mode and step.number in tally.matched
        for one in receipt.journals
        for tally in one.tallies
    )


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
