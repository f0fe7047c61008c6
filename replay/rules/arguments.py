"""What can be typed after ``loki-parity rules``."""

from __future__ import annotations

import argparse
import re
from typing import TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "rules",
        help="which steps of the journals exercise which rule of the contract",
        description=(
            "Runs every step of the journals through the port and prints, for each rule of PORT.toml, the steps that "
            "exercise it and how many tests hold it; last, the rules that no step and no test exercises. With --step: "
            "the rules that these steps exercise, each with the function that is it."
        ),
        epilog="exit status: 0 none is left out; 1 some rule is; 2 bad input; 3 no journal; 130 interrupted",
    )
    verb.add_argument("paths", nargs="*", metavar="PATH", help="journals, or folders; none: the configured ones")
    verb.add_argument(
        "--rule", action="append", default=[], metavar="START", help="only rules whose id begins so, such as recall/id"
    )
    verb.add_argument(
        "--step", action="append", default=[], type=_step, metavar="N", help="the rules that step N, or 3.2, exercises"
    )
    verb.add_argument("--json", action="store_true", help="one JSON object, with every step")


def _step(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII):
        message = f"{text!a} is not a step (12) or an operation of a case (3.2)"
        raise argparse.ArgumentTypeError(message)
    return text
