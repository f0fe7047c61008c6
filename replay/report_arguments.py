"""What can be typed after ``loki-parity report`` and ``loki-parity show``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add both verbs."""
    _add_report(verbs)
    _add_show(verbs)


def _add_report(verbs: argparse._SubParsersAction[P]) -> None:
    verb = verbs.add_parser(
        "report",
        help="a page, JUnit XML or GitHub annotations of a run that was kept as JSON lines",
        description=(
            "Builds reports of a run that --report-json kept. Several files are the shards of one run: they are put "
            "together, and if that is all that is asked for, only the verdict on the whole is said."
        ),
        epilog=(
            "exit status: that of the run, all shards together (0 match, 1 diverged, 3 not judged, 130 interrupted); "
            "2 also for a file that is no whole run and for a report that cannot be written"
        ),
    )
    verb.add_argument("files", nargs="+", type=Path, metavar="RUN.jsonl", help="what run --report-json wrote")
    verb.add_argument("--html", type=Path, metavar="FILE", help="one page that works from disk, without a network")
    verb.add_argument("--junit", type=Path, metavar="FILE", help="JUnit XML: a test case for each step and mode")
    verb.add_argument(
        "--github",
        action="store_true",
        help="GitHub annotations on standard output, the job summary in $GITHUB_STEP_SUMMARY (else there too)",
    )
    verb.add_argument("--reveal", action="store_true", help="with what is sealed, where the run was kept with --reveal")


def _add_show(verbs: argparse._SubParsersAction[P]) -> None:
    verb = verbs.add_parser(
        "show",
        help="what stands in a journal: its steps, or one of them whole",
        description="Lists the steps of a journal, or shows some of them whole, every character drawn.",
        epilog="exit status: 0 shown; 2 bad input, no such step or page; 3 a Go that is not offered; 130 interrupted",
    )
    verb.add_argument("journal", metavar="JOURNAL", help="the journal's file")
    verb.add_argument("--step", action="append", default=[], type=_step, metavar="N", help="this step whole; or 3.2")
    verb.add_argument("--tool", action="append", default=[], metavar="NAME", help="only this tool's steps")
    verb.add_argument(
        "--page", action="append", default=[], metavar="NAME", help="with --step: this page as it is after the step"
    )
    verb.add_argument("--reveal", action="store_true", help="also the texts of a sealed memory")
    verb.add_argument("--as-lines", action="store_true", help="the whole journal as JSON lines, for a file *.jsonl")


def _step(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII):
        message = f"{text!a} is not a step (12) or an operation of a case (3.2)"
        raise argparse.ArgumentTypeError(message)
    return text
