"""An interrupt comes between two outcomes, never while one is told: what was counted and what was told are the same."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class _Hold:
    """While held, in a ``with`` block, an interrupt waits; it is raised when the block ends."""

    def __init__(self) -> None:
        self._held = False
        self._waiting = False

    def __enter__(self) -> None:
        self._held = True

    def __exit__(self, *_: object) -> None:
        self._held = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def interrupted(self, _number: int, _frame: FrameType | None) -> None:
        """What SIGINT does meanwhile."""
        if not self._held:
            raise KeyboardInterrupt
        self._waiting = True


HELD: Final = _Hold()
"""One for the process, as signals are. It holds only inside :func:`holdable`."""


@contextlib.contextmanager
def holdable() -> Iterator[None]:
    """Let :data:`HELD` hold interrupts back, where they would raise KeyboardInterrupt in this thread."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, HELD.interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
