"""Which rules a call exercises: while it runs, the functions that carry an id are watched; the port is not changed.

The interpreter tells of every call (``sys.setprofile``), so a rule is seen however it is reached: by its name, through
a table of actions, from a partial function. Nothing is paid when nobody counts.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import CodeType, FrameType

CALL: Final = "call"
RETURN: Final = "return"


class Counting:
    """Watches the calls of this thread for the rules' functions."""

    def __init__(
        self, rules: Mapping[str, Callable[..., object]], unseen: Iterable[Callable[..., object]] = ()
    ) -> None:
        """``rules``: id to function. What an ``unseen`` function calls is not counted: the harness's own looking."""
        self._ids: dict[int, set[str]] = {}
        for name, function in rules.items():
            self._ids.setdefault(id(_code(function)), set()).add(name)
        self._unseen = {id(_code(function)) for function in unseen}
        # What a function remembers it does not do again, and it would look as if a later call did not need the rule.
        clears = (getattr(function, "cache_clear", None) for function in rules.values())
        self._clears: list[Callable[[], None]] = [clear for clear in clears if clear is not None]
        self._held = (dict(rules), tuple(unseen))  # so that no other code object takes one of these addresses
        self._hidden_by: FrameType | None = None
        self._seen: set[str] = set()

    @contextmanager
    def watching(self) -> Iterator[set[str]]:
        """Gives a set that fills with the ids of the rules that are exercised inside."""
        self._seen = seen = set[str]()
        for clear in self._clears:
            clear()
        before = sys.getprofile()
        sys.setprofile(self.told)
        try:
            yield seen
        finally:
            sys.setprofile(before)
            self._hidden_by = None

    def told(self, frame: FrameType, event: str, _: object) -> None:
        """The interpreter tells of a call or a return."""
        if self._hidden_by is not None:
            if event == RETURN and frame is self._hidden_by:
                self._hidden_by = None
        elif event == CALL:
            code = id(frame.f_code)
            if code in self._unseen:
                self._hidden_by = frame
            elif code in self._ids:
                self._seen |= self._ids[code]


def _code(function: Callable[..., object]) -> CodeType:
    """The code that runs, below whatever decorators wrap it."""
    code: CodeType = inspect.unwrap(function).__code__
    return code
