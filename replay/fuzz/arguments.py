"""What can be typed after ``loki-parity fuzz``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

DEFAULT_EXAMPLES: Final = 50_000
DEFAULT_VERSION: Final = "1.25.5"

_EXITS: Final = """\
exit status: 0 no difference; 1 at least one; 2 bad input; 3 no Go, a Go that is not offered, a broken oracle, or a
boundary that was never reached (--every-boundary); 130 interrupted
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "fuzz",
        help="inputs made by rules, given to the port and to real Go",
        description=(
            "Makes inputs by the rules of the contract and holds the port's answers against real Go's: those of its "
            "library\n(stdlib), and of our own Go program's reading of the contract (model). A difference is made "
            "small, shown, and saved\nas a journal that the gate runs too."
        ),
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument(
        "--examples", type=_count, metavar="N", help=f"inputs over all tools (default: {DEFAULT_EXAMPLES:,})"
    )
    verb.add_argument("--time", type=_seconds, metavar="SECONDS", help="stop after so long, such as 60 or 5m")
    verb.add_argument("--seed", type=_number, default=1, metavar="N", help="another seed, other inputs (default: 1)")
    verb.add_argument(
        "--tool",
        action="append",
        default=[],
        metavar="NAME",
        help="only this tool or function, or stdlib, or model; may be repeated",
    )
    verb.add_argument(
        "--go-version",
        action="append",
        default=[],
        metavar="V",
        help=f"which Go; may be repeated (default: {DEFAULT_VERSION})",
    )
    verb.add_argument(
        "-x", "--exitfirst", action="store_true", help="stop at the first difference, instead of one for each tool"
    )
    verb.add_argument(
        "--rarity", action="store_true", help="count how many inputs reach each boundary of the rules; somewhat slower"
    )
    verb.add_argument(
        "--every-boundary", action="store_true", help="a boundary that no input reached is a failure (status 3)"
    )
    verb.add_argument(
        "--explore",
        type=_number,
        default=25,
        metavar="N",
        help="examples that hypothesis tries besides, per tool (default: 25)",
    )
    verb.add_argument(
        "--save",
        type=Path,
        metavar="DIR",
        help="where differences are saved (default: tests/regressions of this project)",
    )
    verb.add_argument(
        "--jobs", type=_count, default=1, metavar="N", help="how many processes share the work (default: 1)"
    )
    verb.add_argument(
        "--list", action="store_true", help="only list what can be fuzzed, and the boundaries of its rules"
    )
    verb.add_argument("--go", type=Path, metavar="FILE", help="the go command that builds the oracle (default: found)")
    verb.add_argument("--cache", type=Path, metavar="DIR", help="where built programs are kept (default: your cache)")
    verb.add_argument("--color", choices=["auto", "always", "never"], default="auto", help="colour (default: auto)")


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", text, re.ASCII):
        message = f"{text!r} is not a whole number"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _count(text: str) -> int:
    number = _number(text.replace(",", "").replace("_", ""))
    if not number:
        message = "there must be at least one"
        raise argparse.ArgumentTypeError(message)
    return number


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([0-9]{1,7})([smh]?)", text, re.ASCII)
    if found is None or int(found[1]) == 0:
        message = f"{text!r} is not a time (expected such as 60, 90s, 5m or 1h)"
        raise argparse.ArgumentTypeError(message)
    return int(found[1]) * {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}[found[2]]
