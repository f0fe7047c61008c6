"""The run on a terminal, or in a CI log: each difference as it is found, the receipt at the end.

Plain text unless the output is a terminal (or colour is asked for). A long run shows a progress bar, on a terminal.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final, TextIO

from replay.counted import counted, named
from replay.exercise import FOUND, MISSED, NOT_PLANTABLE
from replay.journal.drawing import visible
from replay.outcome import Match, Waived
from replay.report.apart import Apart, left_apart
from replay.report.outcome_text import one_line, render, rules_of, waived_line
from replay.report.styles import Plain, Styles
from replay.report.verdict import all_match, and_waived
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

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
    "pipe": "a pipe",
    "lines": "JSON lines over pipes",
}


class Terminal:
    """A reporter for people."""

    def __init__(self, out: TextIO, err: TextIO, *, color: str = "auto", reveal: bool = False) -> None:
        """``color`` is ``auto`` (a terminal, and NO_COLOR is not set), ``always`` or ``never``.

        ``reveal`` also shows the contents of sealed memories.
        """
        self._reveal = reveal
        self._out = out
        self._err = err
        wanted = color == "always" or (color == "auto" and out.isatty() and not os.environ.get("NO_COLOR"))
        self._styles: Plain = Styles() if wanted else Plain()
        self._shown = 0
        self._waived = 0
        self._progress: _Progress | None = None

    def begin(self, plan: Plan, identity: Identity) -> None:
        """Nothing: a run that goes well says so at its end."""

    def journal(self, journal: Journal, steps: int) -> None:
        """Start a progress bar if it will be long and somebody watches."""
        self._stop_progress()
        if steps > _LONG and self._err.isatty():
            self._progress = _Progress(visible(journal.file), steps)

    def outcome(self, outcome: Outcome) -> None:
        """Show what is no match."""
        if self._progress is not None:
            self._progress.advance()
        if isinstance(outcome, Match):
            return
        if isinstance(outcome, Waived):
            self._waived += 1
            if self._waived <= SHOWN_AT_ALL:
                self._say(waived_line(outcome))
            return
        self._shown += 1
        if self._shown <= SHOWN_WHOLE:
            self._say(render(outcome, self._styles, reveal=self._reveal))
            self._say(rules_of(outcome, self._styles))
        elif self._shown <= SHOWN_AT_ALL:
            self._say(one_line(outcome, self._styles))

    @contextlib.contextmanager
    def apart(self, file: Path) -> Iterator[Apart]:
        """Somebody who is told outcomes in another process: they are left in a file."""
        with file.open("wb") as stream:
            told = Apart(stream)
            yield told
            told.end()

    def joined(self, file: Path) -> None:
        """Show what another process left."""
        for one in left_apart(file):
            if isinstance(one, int):
                if self._progress is not None:
                    self._progress.advance(one)
            else:
                self.outcome(one)

    def end(self, receipt: Receipt) -> None:
        """The receipt and the verdict."""
        self._stop_progress()
        if self._shown > SHOWN_AT_ALL:
            self._say(
                f"… and {counted(self._shown - SHOWN_AT_ALL, 'more step that does', 'more steps that do')} not match"
            )
        if self._waived > SHOWN_AT_ALL:
            more = counted(self._waived - SHOWN_AT_ALL, "more step that is", "more steps that are")
            self._say(f"… and {more} waived")
        if self._shown or self._waived:
            self._say("")
        for line in receipt_lines(receipt, self._styles):
            self._say(line)

    def _stop_progress(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _say(self, text: str) -> None:
        """Write lines at once: who watches sees a difference when it is found."""
        self._out.write(f"{text}\n")
        self._out.flush()


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

    def advance(self, count: int = 1) -> None:
        """So many more; drawn now and then, since drawing costs more than a step."""
        self._pending += count
        if self._pending >= 100:
            self._bar.advance(self._task, self._pending)
            self._pending = 0

    def stop(self) -> None:
        """Take it off the screen."""
        self._bar.stop()


def receipt_lines(receipt: Receipt, styles: Plain) -> list[str]:
    """What was judged, what was not, and the verdict, a line each."""
    lines: list[str] = []
    for one in receipt.journals:
        lines.extend(_journal_lines(one, styles, part=receipt.plan.shard is not None))
    lines.extend(styles.bad(visible(refusal.sentence)) for refusal in receipt.refusals)
    identity = receipt.identity
    lines.append(visible(f"candidate  {candidate_line(identity)}"))
    if receipt.identity.modules:  # it runs in this process, in front of a fake Go of ours that would have been asked
        lines.append(f"through Go {counted(receipt.count('went-through-go'), 'step')} went through Go (tool/exec)")
    floors = receipt.plan.floors
    lines.append(
        f"judged     {counted(len(receipt.journals), 'journal')} (floor {floors.journals}), "
        f"{counted(receipt.steps, 'step')} (floor {floors.steps:,})"
        + ("" if receipt.plan.selection.everything else " · a selection, not the whole")
        + _shard(receipt)
        + _chosen_fields(receipt)
        + (" · stopped at the first that did not match" if receipt.stopped else "")
    )
    lines.extend(styles.bad(visible(f"problem    {problem}")) for problem in receipt.problems)
    lines.append(_verdict(receipt, styles))
    return lines


def candidate_line(identity: Identity) -> str:
    """Who was judged, and how it was reached."""
    digest = (
        f", {counted(len(identity.modules), 'module')}, sha256 {identity.digest()[:16]}…" if identity.modules else ""
    )
    unseen = "" if identity.reads_seen else "; its reads of the archive were not judged"
    start = "" if identity.can.reset else "; it starts where it stands, for it cannot be reset"
    return f"{identity.name}{digest} · {_TRANSPORTS[identity.transport]}{unseen}{start}"


def _shard(receipt: Receipt) -> str:
    shard = receipt.plan.shard
    if shard is None:
        return ""
    return f" · shard {shard}: a part, and no green by itself; loki-parity report puts all {shard.of} together"


def _chosen_fields(receipt: Receipt) -> str:
    fields = receipt.plan.selection.fields
    return "" if fields is None else f" · only these fields: {', '.join(sorted(fields))}"


def _journal_lines(receipt: JournalReceipt, styles: Plain, *, part: bool) -> list[str]:
    journal = receipt.journal
    target = journal.target
    source = f" · {_MARKED[journal.source]}" if journal.source in _MARKED else ""
    go = f"{target.version}, Unicode {target.unicode}, {target.goarch}"
    lines = [f"{styles.strong(visible(journal.file))}  {journal.kind} · {go} · sha256 {journal.sha256[:16]}…{source}"]
    if journal.signed is not None:
        loose = [counted(len(journal.redacted), "redacted field")] if journal.redacted else []
        loose += [f"{counted(len(journal.unstable), 'field')} unstable in Go"] if journal.unstable else []
        lines.append(visible("  " + " · ".join([f"signed    Go's commit {journal.signed.go_commit}", *loose])))
    lines.extend(f"  {_tally_line(tally, styles, part=part)}" for tally in receipt.tallies)
    if receipt.stateless:
        lines.append(styles.bad(f"  NOTE      {receipt.stateless}: what these steps leave behind was not compared"))
    if receipt.exercises:
        lines.append(f"  {_drill_line(receipt, styles)}")
    lines.extend(styles.bad(f"  not judged: {one.why}") for one in receipt.left_out)
    lines.extend(styles.bad(visible(f"  problem   {problem}")) for problem in receipt.problems)
    return lines


def _tally_line(tally: Tally, styles: Plain, *, part: bool) -> str:
    if not tally.due:
        return f"{tally.mode:<9} " + (
            f"none of {counted(tally.whole, 'step')} is in this shard" if part else "no step was chosen"
        )
    if not tally.outcomes:
        return f"{tally.mode:<9} " + styles.bad("not begun")
    matched = tally.outcomes["match"]
    others = [f"{count:,} {name}" for name, count in sorted(tally.outcomes.items()) if name != "match"]
    score = f"{matched:,} of {tally.due:,} match" + (f" (the journal has {tally.whole:,})" if part else "")
    pieces = [(styles.good if matched == tally.due else styles.bad)(score), *map(styles.bad, others)]
    if tally.fields:
        pieces.append("compared: " + ", ".join(f"{field} {count:,}" for field, count in sorted(tally.fields.items())))
        pieces.append(counted(sum(tally.characters.values()), "character"))
    if tally.requests:
        pieces.append(f"{counted(tally.requests, 'request')} served")
    if tally.absent:
        pieces.append(
            "not recorded: " + ", ".join(f"{field} {count:,}" for field, count in sorted(tally.absent.items()))
        )
    for name, times in sorted(tally.tolerances.items()):
        hidden = counted(tally.tolerated_characters[name], "character")
        pieces.append(f"tolerance {name}: {counted(times, 'time')}, {hidden}")
    return f"{tally.mode:<9} " + " · ".join(pieces)


def _drill_line(receipt: JournalReceipt, styles: Plain) -> str:
    outcomes = [exercise.outcome for exercise in receipt.exercises]
    planted = len(outcomes) - outcomes.count(NOT_PLANTABLE)
    found = outcomes.count(FOUND)
    if not planted:
        return f"drill     {styles.bad('nothing planted: no step could hold a plant')}"
    text = f"{found} of {planted} planted divergences found, each in its step, field and character"
    line = f"drill     {(styles.bad if MISSED in outcomes else styles.good)(text)}"
    left_out = [exercise.name for exercise in receipt.exercises if exercise.outcome == NOT_PLANTABLE]
    return f"{line} · no step to plant in: {', '.join(left_out)}" if left_out else line


def verdict_word(exit_: Exit) -> str:
    """An exit status in a word or two."""
    return _VERDICTS[exit_]


def _verdict(receipt: Receipt, styles: Plain) -> str:
    exit_ = receipt.exit
    text = f"verdict    {verdict_word(exit_)}: {_reason(receipt)}"
    return (styles.good if exit_ is Exit.MATCH else styles.bad)(text)


def _reason(receipt: Receipt) -> str:
    """The verdict in one sentence."""
    unequal = sum(receipt.count(name) for name in ("diverged", "crashed", "went-through-go"))
    waived = receipt.count("waived")
    total = unequal + receipt.count("match") + waived
    if receipt.interrupted:
        return f"interrupted after {counted(total, 'outcome')}"
    left_out = "".join(f", {one} not judged" for one in receipt.left_out)
    if unequal:
        return f"{unequal:,} of {counted(total, 'outcome')} {named(unequal, 'is', 'are')} no match{left_out}"
    if receipt.exit is Exit.MATCH:
        of = "" if receipt.plan.shard is None else " of this shard"
        says = f"{all_match(total, waived, of)} what {_judges(receipt.journals)}"
        return f"{says}{_in_the(receipt)}{and_waived(waived)}"
    if not total:
        return "nothing was judged"
    return f"nothing diverged{left_out or ', but not everything could be judged'}"


def _in_the(receipt: Receipt) -> str:
    return "" if receipt.plan.selection.fields is None else ", in the chosen fields"


def _judges(journals: Sequence[JournalReceipt]) -> str:
    """Which of the three judged: Loki's recorded Go, or our own Go program."""
    sources = {receipt.journal.source for receipt in journals}
    return " or ".join(_WROTE[source] for source in sorted(sources, reverse=True))


_WROTE: Final = {
    "recorded": "Go recorded",
    "model": "the model wrote",
    "reduced": "a reduced journal holds, which is no recording",
}
_MARKED: Final = {"model": "written by a model, not recorded", "reduced": "reduced from a journal, not recorded"}
"""What is said of a journal that is no recording."""
