"""What can be typed after ``loki-parity drift``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = TypeVar("P", bound=argparse.ArgumentParser)

_EXITS: Final = """\
exit status: 0 nothing moved; 1 something did, real Go says otherwise than the port, or a step is as neither journal;
2 bad input;
3 no journal, a Go that is not offered, or a broken oracle; 130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P], candidate: Callable[[str], str]) -> None:
    """Add the verb; ``candidate`` reads the name of one."""
    verb = verbs.add_parser(
        "drift",
        help="what moved: between two journals, or between two versions of Go",
        description=(
            "drift OLD NEW: the steps that came, went or changed, in which field, and the rules that this touches.\n"
            "drift --go-version OLD --go-version NEW [PATH…]: the code points that moved and the rules to which they "
            "matter,\nand which steps of the journals (no path: the configured ones) would change.\n"
            "drift OLD NEW --candidate port: where it must follow Go, and where the new record would hide a fault."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("paths", nargs="*", metavar="PATH", help="two journals; with --go-version, journals to run")
    verb.add_argument("--go-version", action="append", default=[], metavar="V", help="twice: the old one, the new one")
    verb.add_argument(
        "--candidate",
        type=candidate,
        metavar="NAME",
        help="with two journals: which steps it answers as the old one, as the new one, as both, as neither (port)",
    )
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
