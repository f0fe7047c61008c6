"""``loki-parity report``: other forms of a run that was kept as JSON lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from replay.journal.kinds import KIND_OF
from replay.report import github
from replay.report.defects import RunFileError
from replay.report.html import RuleLink, html
from replay.report.jsonl import ReportError, write
from replay.report.junit import junit
from replay.report.merge import merge
from replay.report.read import read
from replay.report.replaced import HTML, XML, same_file
from replay.report.verdict import verdict
from replay.rules.book import BookError, book
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from replay.report.run_values import ToldRun
    from replay.rules.book import Book

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file for a job's summary."""


def report(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb. The exit status is the run's own; 2 for a file that is no run, or a report that is not written."""
    if options.html is None and options.junit is None and not options.github and len(options.files) == 1:
        complain("nothing to build: name --html FILE, --junit FILE or --github")
        return Exit.BAD_INPUT
    refused = _refused(options)
    if refused is not None:
        complain(refused)
        return Exit.BAD_INPUT
    try:
        run = merge([(str(file), read(file, reveal=options.reveal)) for file in options.files])
        if options.html is not None:
            write(options.html, HTML, html(run, _rules(run)))
        if options.junit is not None:
            write(options.junit, XML, junit(run, reveal=options.reveal))
        if options.github:
            _say_to_github(run, out)
    except (RunFileError, ReportError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    found = verdict(run)
    if len(options.files) > 1:
        out.writelines(f"problem    {problem}\n" for problem in run.problems)
    out.write(f"verdict    {found.word}: {found.reason}\n")
    return run.exit


def _refused(options: Namespace) -> str | None:
    """Why these files cannot be written: one is read, or another report is to be written there too."""
    summary = os.environ.get(SUMMARY) if options.github else None
    outputs = [
        (option, file)
        for option, file in (
            ("--html", options.html),
            ("--junit", options.junit),
            (f"${SUMMARY}", Path(summary) if summary else None),
        )
        if file is not None
    ]
    for at, (option, file) in enumerate(outputs):
        if any(same_file(file, source) for source in options.files):
            return f"{option} names a run that is to be read: a report never replaces one"
        other = next((name for name, before in outputs[:at] if same_file(file, before)), None)
        if other is not None:
            return f"{other} and {option} name the same file"
    return None


def _say_to_github(run: ToldRun, out: TextIO) -> None:
    out.writelines(f"{line}\n" for line in github.commands(run))
    file = os.environ.get(SUMMARY)
    if not file:
        out.writelines(github.summary(run))
        return
    try:
        with Path(file).open("a", encoding="utf-8", newline="\n") as stream:
            stream.writelines(github.summary(run))
    except OSError as error:
        message = f"the job summary (${SUMMARY}) cannot be written: {error.strerror or error}"
        raise ReportError(message) from None


def _rules(run: ToldRun) -> Mapping[str, Sequence[RuleLink]]:
    """To each tool of the run the rules of the contract that say what it does; a report can do without them."""
    try:
        known = book()
    except BookError:
        return {}
    return {tool: list(_rules_of(tool, known)) for tool in sorted({step.tool for step in run.steps})}


def _rules_of(tool: str, known: Book) -> Iterator[RuleLink]:
    starts = [f"{tool}/", f"keepimg/{tool}/"]
    names = {f"keepimg/{tool}"}
    if tool in KIND_OF:
        names.add("labels/tracker" if tool == "tracker" else "labels/argument")
    for one in known.rules.values():
        if one.id in names or one.id.startswith(tuple(starts)):
            yield RuleLink(one.id, one.section, one.function)
