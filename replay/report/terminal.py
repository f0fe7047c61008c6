"""The run on a terminal, or in a CI log: each difference as it is found, the receipt at the end.

Plain text unless the output is a terminal (or colour is asked for). A long run shows a progress bar, on a terminal.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TextIO

from replay.exercise import FOUND, MISSED, NOT_PLANTABLE
from replay.outcome import Match
from replay.report.outcome_text import one_line, render
from replay.report.styles import Plain, Styles
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.candidates.interface import Identity
    from replay.journal.model import Journal
    from replay.outcome import Outcome
    from replay.run import JournalReceipt, Plan, Receipt
    from replay.tally import Tally

SHOWN_WHOLE: Final = 10
"""How many outcomes that are no match are shown with their differences; the others get a line each."""

SHOWN_AT_ALL: Final = 200
"""How many outcomes that are no match get a line; beyond that only their number is said."""

_LONG: Final = 2000
"""A run of more steps than this is long enough for a progress bar."""

_VERDICTS: Final = {
    Exit.MATCH: "MATCH",
    Exit.DIVERGED: "DIVERGED",
    Exit.BAD_INPUT: "BAD INPUT",
    Exit.NOT_JUDGED: "NOT JUDGED",
    Exit.INTERRUPTED: "INTERRUPTED",
}

_TRANSPORTS: Final = {
    "http": "real HTTP",
    "memory": "direct calls in memory, which say nothing about HTTP",
    "pipe": "a pipe; its reads of the archive were not judged",
}


class Terminal:
    """A reporter for people."""

    def __init__(self, out: TextIO, err: TextIO, *, color: str = "auto") -> None:
        """``color`` is ``auto`` (a terminal, and NO_COLOR is not set), ``always`` or ``never``."""
        self._out = out
        self._err = err
        wanted = color == "always" or (color == "auto" and out.isatty() and not os.environ.get("NO_COLOR"))
        self._styles: Plain = Styles() if wanted else Plain()
        self._shown = 0
        self._progress: _Progress | None = None

    def begin(self, plan: Plan, identity: Identity) -> None:
        """Nothing: a run that goes well says so at its end."""

    def journal(self, journal: Journal, steps: int) -> None:
        """Start a progress bar if it will be long and somebody watches."""
        self._stop_progress()
        if steps > _LONG and self._err.isatty():
            self._progress = _Progress(journal.file, steps)

    def outcome(self, outcome: Outcome) -> None:
        """Show what is no match."""
        if self._progress is not None:
            self._progress.advance()
        if isinstance(outcome, Match):
            return
        self._shown += 1
        if self._shown <= SHOWN_WHOLE:
            self._say(render(outcome, self._styles))
        elif self._shown <= SHOWN_AT_ALL:
            self._say(one_line(outcome, self._styles))

    def end(self, receipt: Receipt) -> None:
        """The receipt and the verdict."""
        self._stop_progress()
        if self._shown > SHOWN_AT_ALL:
            self._say(f"… and {self._shown - SHOWN_AT_ALL:,} more steps that do not match")
        for line in _receipt(receipt, self._styles):
            self._say(line)

    def _stop_progress(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _say(self, text: str) -> None:
        """Write a line. A closed pipe ends the output, not the run: its exit status is still the verdict."""
        try:
            self._out.write(f"{text}\n")
            self._out.flush()
        except BrokenPipeError:
            self._out = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - it lives as long as the run


class _Progress:
    """A progress bar on standard error."""

    def __init__(self, title: str, total: int) -> None:
        from rich.console import Console  # noqa: PLC0415 - slow to load, and only long runs on a terminal need it
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(title, total=total)
        self._pending = 0
        self._bar.start()

    def advance(self) -> None:
        """One more; drawn now and then, since drawing costs more than a step."""
        self._pending += 1
        if self._pending >= 100:
            self._bar.advance(self._task, self._pending)
            self._pending = 0

    def stop(self) -> None:
        """Take it off the screen."""
        self._bar.stop()


def _receipt(receipt: Receipt, styles: Plain) -> list[str]:
    lines = [""]
    for one in receipt.journals:
        lines.extend(_journal_lines(one, styles))
    lines.extend(styles.bad(refusal.sentence) for refusal in receipt.refusals)
    identity = receipt.identity
    digest = identity.digest()
    transport = _TRANSPORTS[identity.transport]
    lines.append(f"candidate  {identity.name}, {len(identity.modules)} modules, sha256 {digest[:16]}… · {transport}")
    floors = receipt.plan.floors
    lines.append(
        f"judged     {len(receipt.journals)} journals (floor {floors.journals}), "
        f"{receipt.steps:,} steps (floor {floors.steps:,})"
        + ("" if receipt.plan.selection.everything else " · a selection, not the whole")
        + (" · stopped at the first that did not match" if receipt.stopped else "")
    )
    lines.extend(styles.bad(f"problem    {problem}") for problem in receipt.problems)
    lines.append(_verdict(receipt, styles))
    return lines


def _journal_lines(receipt: JournalReceipt, styles: Plain) -> list[str]:
    journal = receipt.journal
    target = journal.target
    source = "" if journal.source == "recorded" else f" · written by a {journal.source}, not recorded"
    go = f"{target.version}, Unicode {target.unicode}, {target.goarch}"
    lines = [f"{styles.strong(journal.file)}  {journal.kind} · {go} · sha256 {journal.sha256[:16]}…{source}"]
    lines.extend(f"  {_tally_line(tally, styles)}" for tally in receipt.tallies)
    if receipt.exercises:
        lines.append(f"  {_drill_line(receipt, styles)}")
    lines.extend(styles.bad(f"  problem   {problem}") for problem in receipt.problems)
    return lines


def _tally_line(tally: Tally, styles: Plain) -> str:
    matched = tally.outcomes["match"]
    others = [f"{count:,} {name}" for name, count in sorted(tally.outcomes.items()) if name != "match"]
    score = f"{matched:,} of {tally.due:,} match"
    pieces = [(styles.good if matched == tally.due else styles.bad)(score), *map(styles.bad, others)]
    pieces.append("compared: " + ", ".join(f"{field} {count:,}" for field, count in sorted(tally.fields.items())))
    pieces.append(f"{sum(tally.characters.values()):,} characters")
    if tally.requests:
        pieces.append(f"{tally.requests:,} requests served")
    if tally.absent:
        pieces.append(
            "not recorded: " + ", ".join(f"{field} {count:,}" for field, count in sorted(tally.absent.items()))
        )
    for name, times in sorted(tally.tolerances.items()):
        pieces.append(f"tolerance {name}: {times:,} times, {tally.tolerated_characters[name]:,} characters")
    return f"{tally.mode:<9} " + " · ".join(pieces)


def _drill_line(receipt: JournalReceipt, styles: Plain) -> str:
    outcomes = [exercise.outcome for exercise in receipt.exercises]
    planted = len(outcomes) - outcomes.count(NOT_PLANTABLE)
    found = outcomes.count(FOUND)
    text = f"{found} of {planted} planted divergences found, each in its step, field and character"
    line = f"drill     {(styles.bad if MISSED in outcomes else styles.good)(text)}"
    left_out = [exercise.name for exercise in receipt.exercises if exercise.outcome == NOT_PLANTABLE]
    return f"{line} · no step to plant in: {', '.join(left_out)}" if left_out else line


def _verdict(receipt: Receipt, styles: Plain) -> str:
    exit_ = receipt.exit
    text = f"verdict    {_VERDICTS[exit_]}: {_reason(receipt)}"
    return (styles.good if exit_ is Exit.MATCH else styles.bad)(text)


def _reason(receipt: Receipt) -> str:
    """The verdict in one sentence."""
    unequal = sum(receipt.count(name) for name in ("diverged", "crashed", "went-through-go"))
    total = unequal + receipt.count("match")
    if receipt.interrupted:
        return f"interrupted after {total:,} outcomes"
    if unequal:
        return f"{unequal:,} of {total:,} outcomes are no match"
    if receipt.exit is Exit.MATCH:
        return f"all {total:,} outcomes match what {_judges(receipt.journals)}"
    return "nothing diverged, but not everything could be judged"


def _judges(journals: Sequence[JournalReceipt]) -> str:
    """Which of the three judged: Loki's recorded Go, or our own Go program."""
    sources = {receipt.journal.source for receipt in journals}
    return "Go recorded" if sources == {"recorded"} else "Go recorded or the model wrote"
