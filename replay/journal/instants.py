"""A moment as a journal writes it, as nanoseconds since 1970: RFC 3339 with up to nine digits of a second."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parity.gostd import time
from replay.journal import octets
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import drawn
from replay.journal.shapes import described, integer, wrong_type

if TYPE_CHECKING:
    from replay.journal.walk import Tree

FORM: Final = "a moment such as 2026-10-16T09:30:00.000007123Z"

_NANOSECONDS: Final = 1_000_000_000
_MEANT: Final = (10**18, 2**63 - 1)
"""Integers that can only be nanoseconds, from 2001 to 2262: in any other unit they lie beyond the year 9999."""

_MOMENT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)"
    r"(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
)


def instant(tree: Tree) -> int:
    """A moment with its offset (``Z`` or such as ``+02:00``), years 0000 to 9999; or an integer of nanoseconds.

    An integer is taken where it can mean nothing else, from 10^18 (2001) to 2^63-1 (2262). Raises Defect.
    """
    if isinstance(tree, bytes):
        try:
            return integer(tree, _MEANT)
        except Defect:
            raise Defect(Kind.BAD_TIME, described(tree), f"{FORM}, or nanoseconds since 1970 (from 10^18 on)") from None
    if not isinstance(tree, str):
        raise wrong_type(tree, FORM)
    found = _MOMENT.fullmatch(octets.text(tree))
    if found is None:
        raise Defect(Kind.BAD_TIME, described(tree), FORM)
    day, clock, sign, hours, minutes = found.groups()
    try:
        moment = time.parse_in_location("2006-01-02 15:04:05", f"{day} {clock}", time.UTC)
    except time.ParseError as error:
        raise Defect(Kind.BAD_TIME, f"{described(tree)} ({drawn(str(error))})", FORM) from None
    offset = 0 if sign is None else (int(hours) * 60 + int(minutes)) * 60
    seconds = moment.seconds + offset if sign == "-" else moment.seconds - offset
    return seconds * _NANOSECONDS + moment.nanoseconds
