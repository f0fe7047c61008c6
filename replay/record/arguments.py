"""What can be typed after ``loki-parity record``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

_EXITS: Final = """\
exit status: 0 recorded; 2 bad input, or a file that cannot be written; 3 Go is not there, is not Go, or answers what
cannot be recorded; 130 interrupted. Nothing but 0 leaves a file, or changes one: at most FILE.partial, for --resume.

$LOKI_PARITY_TOKEN is sent as a bearer token, and is never written anywhere.
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "record",
        help="a new journal from a live Go, signed; --update: beside the old one, for review",
        description=(
            "record SCENARIO: plays the calls of a scenario (any journal is one; what it recorded is ignored) against\n"
            "a live Go, and writes what it answers as a signed journal.\n"
            "record --update JOURNAL: the same with a journal's own calls; the result waits beside it as\n"
            "JOURNAL.pending, and never replaces it."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("scenario", nargs="?", metavar="SCENARIO", help="the scenario to play")
    verb.add_argument("--update", metavar="JOURNAL", help="play a journal's own calls again")
    verb.add_argument("--go-url", required=True, metavar="URL", help="the live Go, such as http://127.0.0.1:8080/base")
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help="the journal to write (default: SCENARIO with .recorded.json)"
    )
    verb.add_argument(
        "--memory-folder",
        type=Path,
        metavar="DIR",
        help="a folder shared with Go: pages and trackers are read there after each step",
    )
    verb.add_argument("--go-version", default="", metavar="V", help="Go's version, where it does not tell: go1.25.5")
    verb.add_argument(
        "--go-commit", default="", metavar="ID", help="the commit it was built from, where it does not tell"
    )
    verb.add_argument(
        "--redact",
        action="append",
        default=[],
        type=_rule,
        metavar="NAME=REGEX",
        help="never keep what matches; besides the rules of [tool.loki-parity.redact]",
    )
    verb.add_argument("--twice", action="store_true", help="play everything twice: what Go does not repeat is listed")
    verb.add_argument("--resume", action="store_true", help="go on from FILE.partial")
    verb.add_argument(
        "--deadline", type=_seconds, default=30.0, metavar="SECONDS", help="how long an answer may take (default: 30)"
    )
    for part in ("--tool", "--step", "--shard"):  # of run; here they are taken to say why not
        verb.add_argument(part, action="append", default=[], help=argparse.SUPPRESS)


def _rule(text: str) -> tuple[str, str]:
    name, equals, pattern = text.partition("=")
    if not equals or not pattern:
        message = f"{name!r} is no rule (expected NAME=REGEX)"
        raise argparse.ArgumentTypeError(message)
    return name, pattern


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text, re.ASCII) or float(text) == 0:
        message = f"{text!r} is not a number of seconds (0.001 to 999999)"
        raise argparse.ArgumentTypeError(message)
    return float(text)
