"""What can be typed after ``loki-parity drift``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

_EXITS: Final = """\
exit status: 0 nothing moved; 1 something did, or real Go says otherwise than the port; 2 bad input;
3 no journal, a Go that is not offered, or a broken oracle; 130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "drift",
        help="what moved: between two journals, or between two versions of Go",
        description=(
            "drift OLD NEW: the steps that came, went or changed, in which field, and the rules that this touches.\n"
            "drift --go-version OLD --go-version NEW [PATH…]: the code points that moved and the rules to which they "
            "matter,\nand which steps of the journals (no path: the configured ones) would change."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("paths", nargs="*", metavar="PATH", help="two journals; with --go-version, journals to run")
    verb.add_argument("--go-version", action="append", default=[], metavar="V", help="twice: the old one, the new one")
    verb.add_argument("--json", action="store_true", help="one JSON object, with every code point and every step")
    verb.add_argument("--reveal", action="store_true", help="show the texts of sealed memories")
    verb.add_argument("--no-go", action="store_true", help="do not ask real Go")
    verb.add_argument(
        "--go",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="a go command that builds the oracle, once for each version (default: found)",
    )
    verb.add_argument("--cache", type=Path, metavar="DIR", help="where built programs are kept (default: your cache)")
