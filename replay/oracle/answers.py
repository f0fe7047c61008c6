"""What an oracle answers, read as something that may be anything."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from replay.journal.drawing import drawn
from replay.oracle.errors import OracleLiedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.oracle.client import Answer

_SHOWN: Final = 120


@contextmanager
def reading(answer: Answer) -> Iterator[None]:
    """While an answer is read: what is missing in it, or has another type than it should, is a lie of the oracle's.

    Raises OracleLiedError instead of what reading it raises.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError):
        message = f"the oracle lies: it answers {drawn(repr(answer.out), _SHOWN)}, which is not what was asked for"
        raise OracleLiedError(message) from None
