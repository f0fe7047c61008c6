"""One writer at a time for all that lies below a directory, over threads and processes, with no lock file left behind.

The lock is ``flock`` on the directory itself: the system lets it go when its holder dies, and it adds nothing to what
a listing or a snapshot shows.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from parity.stores.system_text import reason_of, system_text
from parity.tools.interface import WriteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY: Final = "mémoire occupée par une autre écriture"
PATIENCE: Final = 10.0
"""Seconds that a writer waits for another one before it gives up with a clear answer."""

_PAUSE: Final = 0.002


class DirectoryLock:
    """The lock of one directory, which must exist; the same thread may take it again."""

    def __init__(self, directory: bytes, patience: float = PATIENCE) -> None:
        """``patience`` is how many seconds to wait for another writer."""
        self._directory = directory
        self._patience = patience
        self._mine = threading.local()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises WriteRefused when it stays taken, or when the system refuses it."""
        depth = getattr(self._mine, "depth", 0)
        descriptor = None if depth else self._taken()
        self._mine.depth = depth + 1
        try:
            yield
        finally:
            self._mine.depth = depth
            if descriptor is not None:
                os.close(descriptor)  # which lets the lock go

    def _taken(self) -> int:
        """The descriptor that holds the lock until it is closed."""
        try:
            descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise WriteRefused(system_text(reason_of(error)), system=True) from None
        try:
            self._wait(descriptor)
        except BaseException:  # an interrupt as well: a descriptor left open would keep the lock
            os.close(descriptor)
            raise
        return descriptor

    def _wait(self, descriptor: int) -> None:
        until = time.monotonic() + self._patience
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise WriteRefused(BUSY, system=True) from None
                time.sleep(_PAUSE)
            except OSError as error:
                raise WriteRefused(system_text(reason_of(error)), system=True) from None
            else:
                return
