"""A run for GitHub: annotations on the lines of the journals, and a summary of the job in Markdown.

What the run says can neither end a command nor begin markup: commands are escaped as GitHub reads them, and in the
summary every sign of ASCII that is no letter, digit or blank is a numeric character reference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.exercise import FOUND, NOT_PLANTABLE
from replay.report.junit import summary as in_a_line
from replay.report.run_values import WAIVED
from replay.report.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.report.run_values import JournalTold, ToldRun

MOST_ANNOTATIONS: Final = 10
"""GitHub shows no more errors of one step of a job."""

MOST_DETAILS: Final = 20
"""How many steps that do not match the summary shows in full; a hundred more get a line."""

_MOST_LINES: Final = 100
_MOST_BYTES: Final = 900_000
"""GitHub refuses a summary of more than a MiB."""

_DATA: Final = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
_PROPERTY: Final = {**_DATA, ord(":"): "%3A", ord(","): "%2C"}
_PUNCTUATION: Final = re.compile(r"[!-/:-@\[-`{-~]")


def commands(run: ToldRun, *, most: int = MOST_ANNOTATIONS) -> Iterator[str]:
    """The commands, a line each: the first steps that do not match, each at its line of the journal, then problems."""
    said = 0
    for step in run.steps:
        if step.told is None or step.outcome == WAIVED:
            continue
        said += 1
        if said <= most:
            of = f" of {step.candidate}" if step.candidate else ""
            title = f"step {step.number} {step.tool} ({step.mode}{of})"
            yield _error(step.journal, step.line, title, in_a_line(step, step.told))
    for sentence in _problems(run):
        said += 1
        if said <= most:
            yield f"::error title=loki-parity::{sentence.translate(_DATA)}"
    if said > most:
        more = counted(said - most, "more error")
        yield f"::notice title=loki-parity::{more}: the job summary and the report hold them"


def _error(file: str, line: int, title: str, message: str) -> str:
    where = f"file={file.translate(_PROPERTY)},line={line},title={title.translate(_PROPERTY)}"
    return f"::error {where}::{message.translate(_DATA)}"


def _problems(run: ToldRun) -> Iterator[str]:
    yield from (one.sentence for one in run.refusals)
    for one in run.journals:
        yield from (f"{one.journal}: {problem}" for problem in (*one.problems, *one.left_out))
    yield from run.problems


def summary(run: ToldRun) -> Iterator[str]:
    """The job summary in pieces, bounded."""
    left = _MOST_BYTES
    for piece in _summary(run):
        left -= len(piece.encode())
        if left < 0:
            yield "\n\n… cut off here: the report holds the rest\n"
            return
        yield piece


def _summary(run: ToldRun) -> Iterator[str]:
    found = verdict(run)
    yield f"## loki-parity: {found.word}\n\n{_plain(found.reason)}\n\n"
    for one in run.journals:
        yield from (f"- <code>{_plain(f'{one.journal}: {note}')}</code>\n" for note in one.notes)
    for sentence in _problems(run):
        yield f"- <code>{_plain(sentence)}</code>\n"
    named = run.outcomes
    yield f"\n| journal | mode | {' | '.join(named)} | steps | drill |\n|---|---|{'---:|' * (len(named) + 2)}\n"
    for one in run.journals:
        yield from _rows(one, named)
    yield from _details(run)


def _rows(one: JournalTold, named: Sequence[str]) -> Iterator[str]:
    planted = [exercise for exercise in one.drill if exercise.outcome != NOT_PLANTABLE]
    drill = f"{sum(exercise.outcome == FOUND for exercise in planted)} of {len(planted)}"
    name = f"{one.journal} by {one.candidate}" if one.candidate else one.journal
    for mode, tally in one.modes.items():
        counts = " | ".join(f"{tally.outcomes.get(outcome, 0):,}" for outcome in named)
        yield f"| <code>{_plain(name)}</code> | {_plain(mode)} | {counts} | {tally.steps:,} | {drill} |\n"


def _details(run: ToldRun) -> Iterator[str]:
    unequal = [(step, step.told) for step in run.steps if step.told is not None and step.outcome != WAIVED]
    if unequal:
        yield "\n### Steps that do not match\n\n"
    for step, told in unequal[:MOST_DETAILS]:
        shown = _plain("\n".join(told.shown))
        yield f"<details><summary><code>{_plain(f'{step.named} {step.tool}')}</code></summary>\n"
        yield f"<pre>{shown}</pre>\n</details>\n\n"
    for step, told in unequal[MOST_DETAILS : MOST_DETAILS + _MOST_LINES]:
        yield f"- <code>{_plain(f'{step.named}: {in_a_line(step, told)}')}</code>\n"
    left = len(unequal) - MOST_DETAILS - _MOST_LINES
    if left > 0:
        yield f"- and {left:,} more\n"
    waived = [(step, step.told) for step in run.steps if step.told is not None and step.outcome == WAIVED]
    if waived:
        yield "\n### Waived\n\n"
    for step, told in waived[:_MOST_LINES]:
        yield f"- <code>{_plain(f'{step.named}: {told.waived}')}</code>\n"
    if len(waived) > _MOST_LINES:
        yield f"- and {len(waived) - _MOST_LINES:,} more\n"


def _plain(text: str) -> str:
    """Text that is neither HTML nor Markdown nor a mention, whatever it holds. Line ends stay."""
    return _PUNCTUATION.sub(lambda found: f"&#{ord(found[0])};", text)
