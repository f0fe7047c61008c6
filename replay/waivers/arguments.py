"""What can be typed after ``loki-parity waive``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final, TypeVar

from replay.journal.drawing import visible
from replay.waivers.waiver import is_date

if TYPE_CHECKING:
    from collections.abc import Callable

P = TypeVar("P", bound=argparse.ArgumentParser)

_LONGEST: Final = 1000
_EXITS: Final = """\
exit status: 0 written; 2 bad input, or nothing to waive; 3 no project is configured here, or a Go that is not offered;
130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P], steps: Callable[[str], tuple[str, str]]) -> None:
    """Add the verb; ``steps`` reads the number of a step, or a range."""
    verb = verbs.add_parser(
        "waive",
        help="accept a divergence of the port for now: a file that fails when it is over",
        description=(
            "Judges steps of a journal and writes a file for each that differs, into the folder that pyproject names\n"
            "(waivers, by custom tests/divergences). The gate then tells these divergences as waived. It fails when\n"
            "the day is over, when the wrong output changes, and when the step matches: then the file must go."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("journal", metavar="JOURNAL", help="the journal's file")
    verb.add_argument(
        "--step", action="append", required=True, type=steps, metavar="N", help="this step, or N-M, or 3.2"
    )
    verb.add_argument("--reason", required=True, type=_reason, metavar="TEXT", help="why it is accepted")
    verb.add_argument("--until", required=True, type=day, metavar="DATE", help="the last day of it: 2026-12-31")
    verb.add_argument("--replace", action="store_true", help="write a waiver again that is there already")
    verb.add_argument(
        "--transport",
        default="http",
        choices=["http", "memory"],
        help="how the port reaches the fake Go (default: http)",
    )


def day(text: str) -> str:
    """A date."""
    if not is_date(text):
        message = f"{text!a} is no date such as 2026-12-31"
        raise argparse.ArgumentTypeError(message)
    return text


def _reason(text: str) -> str:
    if not text.strip() or len(text) > _LONGEST or visible(text) != text:
        message = f"a reason is a line of 1 to {_LONGEST} characters"
        raise argparse.ArgumentTypeError(message)
    return text
