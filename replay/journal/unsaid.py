"""What is not said of a file that may hold the key of a sealed memory: no text that stands in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from replay.journal.defects import Defect
    from replay.journal.scan import Scanner

_A_KEY: Final = re.compile(r'"(?!sha256")[^"\n]{1,16}"[ \t\n\r]*:[ \t\n\r]*"[0-9a-fA-F]{64}"')
_OF_THE_HEAD: Final = 2
"""What stands no deeper is said all the same: a version of Go, a time zone."""
_A_TEXT: Final = "the string "


def may_hold_a_key(text: str) -> bool:
    """Whether a text, as octets, may hold the key of a sealed memory."""
    return _A_KEY.search(text) is not None


def without_texts(defect: Defect, scanner: Scanner, *, keyed: bool) -> Defect:
    """A defect that is seen where a scanner stands; ``keyed``: of a file that may hold a key."""
    deep = len(scanner.trail) + len(defect.path) > _OF_THE_HEAD
    if deep and keyed and defect.found.startswith(_A_TEXT):
        defect.found = "a string (not shown: the file may hold the key of a sealed memory)"
    return defect
