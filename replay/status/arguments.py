"""What can be typed after ``loki-parity status``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

_TELLS: Final = """\
The systems of lots 46, 40 and 32: what proves each (journals, steps, rules, tests), and what is not judged yet.
Nothing is run. Without a report this says what exists, and nothing of whether it is green; with --report it says what
that run proved, as far as its journals and the candidate's code are the ones here. Tests are counted, never run.
"""

_EXITS: Final = """\
exit status: 0 told, and with --report no system that journals judge is other than green; 1 some system is red;
2 a report that is no whole run; 3 a system that journals judge was not judged by that run, a journal is not here, or
no project; 130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "status",
        help="the systems of the migration: what proves each, what is not judged yet",
        description=_TELLS,
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "--report",
        action="append",
        default=[],
        type=Path,
        metavar="RUN.jsonl",
        help="what a run proved, from run --report-json; several: the runs of several candidates",
    )
    verb.add_argument("--lot", action="append", default=[], choices=["46", "40", "32"], help="only this lot")
    verb.add_argument("--json", action="store_true", help="one JSON object, with every rule and every test")
