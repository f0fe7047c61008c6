"""What can be typed after ``loki-parity doctor``."""

from __future__ import annotations

import argparse
from typing import TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "doctor",
        help="whether the gate can run here, what else can, and how to mend what cannot",
        description=(
            "Looks at what this machine has: Python, pinned packages, Go, Node, a browser, folders, disk, loopback, "
            "limits, journals. Nothing is installed or changed, and no look takes more than 10 seconds."
        ),
        epilog="exit status: 0 the gate can run here; 3 it cannot; 130 interrupted",
    )
    verb.add_argument("--json", action="store_true", help="one JSON object")
    verb.add_argument("--paths", action="store_true", help="with your home folder written out (default: ~)")
