"""A run as JUnit XML: a test case for each step and mode, a failure as the terminal shows it. No clock, so no times."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from replay.report.run_values import CRASHED, WAIVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.report.run_values import Told, ToldRun, ToldStep

_RUN: Final = "run"
"""The suite that holds what belongs to no step."""


def junit(run: ToldRun, *, reveal: bool = False) -> Iterator[str]:
    """The document in pieces. Every text of a run is drawn, so none holds a character that XML does not allow."""
    suites = [
        (_suite_name(key), list(steps))
        for key, steps in groupby(run.steps, key=lambda step: (step.candidate, step.journal, step.mode))
    ]
    wrong = list(_wrong(run))
    tests = len(run.steps) + len(wrong)
    errors = sum(step.outcome == CRASHED for step in run.steps) + len(wrong)
    failures = sum(map(_is_wrong, run.steps)) + len(wrong) - errors
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="loki-parity" tests="{tests}" failures="{failures}" errors="{errors}">\n'
    for name, steps in suites:
        yield from _suite(name, steps, reveal=reveal)
    if wrong:
        yield f'<testsuite name="{_RUN}" tests="{len(wrong)}" failures="0" errors="{len(wrong)}">\n'
        for name, sentence in wrong:
            yield f'<testcase classname="{_RUN}" name={quoteattr(name)}>'
            yield f'<error type="not judged" message={quoteattr(sentence)}/></testcase>\n'
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _suite_name(key: tuple[str, str, str]) -> str:
    return " ".join(part for part in key if part)


def _suite(name: str, steps: Sequence[ToldStep], *, reveal: bool) -> Iterator[str]:
    errors = sum(step.outcome == CRASHED for step in steps)
    failures = sum(map(_is_wrong, steps)) - errors
    waived = sum(step.outcome == WAIVED for step in steps)
    skipped = f' skipped="{waived}"' if waived else ""
    yield f'<testsuite name={quoteattr(name)} tests="{len(steps)}" failures="{failures}" errors="{errors}"{skipped}>\n'
    for step in steps:
        title = f"{step.number} {step.tool}" + (f" — {step.note}" if step.note else "")
        case = f"classname={quoteattr(name)} name={quoteattr(title)} file={quoteattr(step.journal)}"
        yield f'<testcase {case} line="{step.line}"'
        yield "/>\n" if step.told is None else f">{_failure(step, step.told, reveal=reveal)}</testcase>\n"
    yield "</testsuite>\n"


def _is_wrong(step: ToldStep) -> bool:
    return step.told is not None and step.outcome != WAIVED


def _failure(step: ToldStep, told: Told, *, reveal: bool) -> str:
    if step.outcome == WAIVED:
        return f"<skipped message={quoteattr(f'{told.waived}; {summary(step, told)}')}/>"
    element = "error" if step.outcome == CRASHED else "failure"
    shown = told.opened if reveal and told.opened else told.shown
    start = f"<{element} type={quoteattr(step.outcome)} message={quoteattr(summary(step, told))}>"
    return f"{start}{escape(chr(10).join(shown))}</{element}>"


def summary(step: ToldStep, told: Told) -> str:
    """What is wrong with a step, in a line: the outcome, and where it first shows."""
    if not told.differences:
        return f"{step.outcome}: {told.says}"
    first = told.differences[0]
    if first.spot is None:
        return f"{step.outcome} in {first.field} ({first.kind})"
    spot = first.spot
    place = f"line {spot.line:,}, column {spot.column:,}"
    return f"{step.outcome} in {first.field} at {place}: recorded {spot.recorded}, candidate {spot.candidate}"


def _wrong(run: ToldRun) -> Iterator[tuple[str, str]]:
    """What belongs to no step and keeps the run from being green: a name and a sentence each."""
    for refusal in run.refusals:
        yield refusal.journal, refusal.sentence
    for one in run.journals:
        for sentence in (*one.problems, *one.left_out):
            yield one.journal, sentence
    for problem in run.problems:
        yield _RUN, problem
    if run.interrupted:
        yield _RUN, "the run was interrupted"
