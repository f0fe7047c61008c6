"""What a step must ask of Go, worked out from the journal alone.

Written a second time from the contract (recall.md), with nothing of the port: a port that reads the archive when
it must not, or not at all, often answers with the very same text, and only the count of its requests tells.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ONE: Final = "GET /internal/v1/recall/block?seq={seq}"
READ_ALL: Final = "GET /internal/v1/recall/blocks"

_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ID: Final = re.compile(f"[{_SPACE}]*+r?+R?+[{_SPACE}]*+(?P<digits>[0-9]++)[{_SPACE}]*+")
_KEYWORD: Final = re.compile("[A-Za-z0-9À-ÖØ-Þ\u00e0-\u00ff\u0130\u0178\u212a\u212b]{2}")
_END: Final = 1 << 64
_DIGITS_BELOW_END: Final = 20


def requests_of(tool: str, args: Mapping[str, object]) -> tuple[str, ...]:
    """The requests that the call must make, in order, as ``METHOD target``; none for a tool that reads no archive.

    recall: one read of one block when the id is well formed; recall_search: one read of all blocks when the query
    has a keyword. A call that asks for less or for more has not been judged by the journal's blocks.
    """
    if tool == "recall":
        return _one(args.get("id"))
    if tool == "recall_search":
        query = args.get("query")
        return (READ_ALL,) if isinstance(query, str) and _KEYWORD.search(query) else ()
    return ()


def _one(given: object) -> tuple[str, ...]:
    found = _ID.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        return ()
    digits = found["digits"].lstrip("0") or "0"
    if len(digits) > _DIGITS_BELOW_END or int(digits) >= _END:
        return ()
    return (READ_ONE.format(seq=digits),)
