"""What can be typed after ``loki-parity explain``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, TypeVar

from replay.explain.kinds import KINDS

P = TypeVar("P", bound=argparse.ArgumentParser)

_EXITS: Final = """\
A text that begins with - stands behind --, as in: explain when -- -5

exit status: 0 told, and real Go, where there is one, says the same; 1 real Go says otherwise; 2 bad input;
3 a Go that is not offered, or a broken oracle; 130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    written = {" ".join((name, *kind.texts)): kind.tells for name, kind in KINDS.items()}
    kinds = "\n".join(f"  {how:<20} {tells}" for how, tells in written.items())
    verb = verbs.add_parser(
        "explain",
        help="what Go does with a text, rule by rule",
        description=f"What Go does with a text, rule by rule; which steps show it; what real Go answers.\n\n{kinds}",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("kind", choices=[*KINDS], metavar="KIND", help="what is to be explained, as above")
    verb.add_argument("texts", nargs="+", metavar="TEXT", help="the texts that the kind takes, as above")
    verb.add_argument("--go-version", metavar="V", help="the Go that is copied (default: 1.25.5, or the journal's own)")
    verb.add_argument("--journal", metavar="FILE", help="id: the journal that holds the blocks")
    verb.add_argument("--query", metavar="TEXT", help="snippet: the query that finds the page")
    verb.add_argument("--zone", default="UTC", metavar="ZONE", help="when: the time zone (default: UTC)")
    verb.add_argument("--now", metavar="MOMENT", help="when: the clock, such as 2026-10-16T09:30:00Z")
    verb.add_argument("--limit", metavar="JSON", help="score: the limit, a JSON value")
    verb.add_argument("--of", metavar="NAME", help="score: a block's id or a page's file, shown wherever it ranks")
    verb.add_argument("--step", type=_step, metavar="N", help="score: the pages as they are after this step")
    verb.add_argument("--reveal", action="store_true", help="score: show the texts of a sealed memory")
    verb.add_argument("--no-go", action="store_true", help="do not ask real Go")
    verb.add_argument("--go", type=Path, metavar="FILE", help="the go command that builds the oracle (default: found)")
    verb.add_argument("--cache", type=Path, metavar="DIR", help="where built programs are kept (default: your cache)")


def _step(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        message = f"{text!a} is not a step"
        raise argparse.ArgumentTypeError(message)
    return int(text)
