"""What can be typed after ``loki-parity reduce``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = TypeVar("P", bound=argparse.ArgumentParser)

MOST_RUNS: Final = 500

_TELLS: Final = """\
Runs the journal chained and takes away what the divergence does not need: the steps after it, the steps before it
(first by starting from the state that Go recorded before it), then blocks, or the pages and trackers at the start.
The divergence stays the same: the step, the field, the kind of difference, both texts to the character.

The file is a journal of its own, with "source": "reduced" and the name and sha256 of the journal that it comes from. It
is no recording: the gate refuses it where recordings belong. Only the diverging step keeps its record; the steps
before it only run. What the record proves of the smaller journal is said at the end, and in the file itself.
"""

_EXITS: Final = """\
exit status: 0 the reduced journal was written (it may be as large as it was); 2 bad input, or it cannot be written;
3 the journal, or the step, does not diverge, or the candidate cannot be judged on it; 130 interrupted.
1 is not used: that the journal diverges is what is asked for
"""


def add(verbs: argparse._SubParsersAction[P], candidate: Callable[[str], str], means: Callable[[P], None]) -> None:
    """Add the verb. ``candidate`` reads a candidate's name, ``means`` adds the options that candidates have."""
    verb = verbs.add_parser(
        "reduce",
        help="the fewest steps of a journal that still diverge in the same way",
        description=_TELLS,
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("journal", metavar="JOURNAL", help="the journal's file")
    verb.add_argument(
        "--candidate", type=candidate, default="port", metavar="NAME", help="who diverges (default: port)"
    )
    verb.add_argument(
        "--witness",
        type=candidate,
        metavar="NAME",
        help="who must go on answering the step as recorded (default: port, where another is judged)",
    )
    verb.add_argument("--step", type=_step, metavar="N", help="the diverging step, or 3.2 (default: the first)")
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help="the reduced journal (default: NAME-reduced.json in this folder)"
    )
    verb.add_argument(
        "--most-runs", type=_count, default=MOST_RUNS, metavar="N", help=f"so many runs at most (default: {MOST_RUNS})"
    )
    means(verb)
    verb.add_argument(
        "--reveal", action="store_true", help="also write a journal of a sealed memory, and show its texts"
    )


def _step(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII):
        message = f"{text!a} is not a step (12) or an operation of a case (3.2)"
        raise argparse.ArgumentTypeError(message)
    return text


def _count(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII) or int(text) < 2:
        message = f"{text!a} is not a number of runs (2 or more)"
        raise argparse.ArgumentTypeError(message)
    return int(text)
