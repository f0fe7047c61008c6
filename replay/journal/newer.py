"""Whether a file that cannot be read is of a newer format than this: then that is what a person must be told.

A newer format may hold, before it names itself, what this reader takes for a defect.
"""

from __future__ import annotations

import re
from typing import Final

from replay.journal import lexis
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.kinds import FORMAT
from replay.journal.walk import Walker

_NAMED: Final = re.compile('"format"[ \t\n\r]*:[ \t\n\r]*"([!#-\\[\\]-~]*)"')
_NEWER: Final = re.compile(f'"{re.escape(FORMAT)}[0-9]|"{re.escape(FORMAT.removesuffix("1"))}[2-9]')
_VERSION: Final = re.compile(f"{re.escape(FORMAT.removesuffix('1'))}[1-9][0-9]{{0,8}}")


def named_format(text: str) -> tuple[str, int] | None:
    """The format that the top level of a file, as octets, names, and its offset; None where it names none."""
    if _NAMED.search(text) is None:
        return None
    walker = Walker(text, lexis.after_space(text, 0), len(text))
    try:
        start = next((part.start for part in walker.events() if walker.path == ["format"]), None)
    except Defect:
        return None
    named = None if start is None else _NAMED.match(text, start)
    return None if named is None else (named[1], named.start(1) - 1)


def newer_format(text: str) -> Defect | None:
    """The defect of a file, as octets, whose top level names another version of the format; None for any other."""
    if _NEWER.search(text) is None:  # a large file is walked through for nothing but this
        return None
    named = named_format(text)
    if named is None or named[0] == FORMAT or _VERSION.fullmatch(named[0]) is None:
        return None
    expected = f"{quoted(FORMAT)}, the only version that this loki-parity reads: a newer one wrote the file"
    return Defect(Kind.UNKNOWN_FORMAT, f"the string {quoted(named[0])}", expected, offset=named[1]).inside("format")
