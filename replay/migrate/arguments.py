"""What can be typed after ``loki-parity migrate``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, TypeVar

P = TypeVar("P", bound=argparse.ArgumentParser)

_TELLS: Final = """\
Writes a journal that has no header, or French or other keys, in the named format loki-parity-journal/1. Arguments stay
as they are, byte for byte; every other value is read again and held against what was read first, or nothing is written.
A journal of lines becomes one JSON object (show --as-lines is the way back).
A file of a newer format is refused. Of reports there is one format, loki-parity-run/1: nothing is to be done for them.
replay/FORMATS.md says what a format may become.
"""


def add(verbs: argparse._SubParsersAction[P]) -> None:
    """Add the verb."""
    verb = verbs.add_parser(
        "migrate",
        help="a journal without a header, or with other keys, in the named format",
        description=_TELLS,
        epilog=(
            "exit status: 0 written, or nothing was to be done; 2 a file that cannot be used or written, or of a newer "
            "format; 3 a Go that is not offered, or values that would not be the same; 130 interrupted"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.add_argument("file", type=Path, metavar="FILE", help="a journal, or a report that run --report-json wrote")
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, metavar="FILE", help="a new file (default: NAME-migrated.json here)")
    where.add_argument("--in-place", action="store_true", help="replace the file itself, whole or not at all")
