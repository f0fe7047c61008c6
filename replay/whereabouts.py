"""Where a run stands: told to the process that watches over it (:mod:`replay.supervisor`), which may have to end it.

Told through memory that both share, because it is told of every call of the port, and through a pipe what is told once.
In a process that nobody watches over, the memory is this process's own, there is no pipe, and nobody reads either.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mmap import mmap
    from types import TracebackType

SIZE: Final = 4096
"""Bytes of the shared memory: three numbers of 8 bytes, then a place in UTF-8."""

_NUMBERS: Final = 24
_CALL, _LENGTH, _DEADLINE = range(3)
_MOST_TEXT: Final = SIZE - _NUMBERS

DEADLINE: Final = 60.0
"""Seconds that a call of the port may take, unless another deadline is given: far more than any call needs."""

LOADING: Final = "the port's loading"

END: Final = b"\0"
"""Ends each thing told through the pipe."""

TEMPORARY: Final = b"temporary "
VERDICT: Final = b"verdict "


class Whereabouts:
    """Where the port is being called, and since which call."""

    def __init__(self) -> None:
        """Told to nobody, until :meth:`share`."""
        self._pipe: int | None = None
        self._look_at(bytearray(SIZE))

    def share(self, memory: mmap, pipe: int | None = None) -> None:
        """Tell through this memory and this pipe from now on, or read there what another process tells."""
        self._pipe = pipe
        self._look_at(memory)

    def share_apart(self, memory: mmap) -> None:
        """Tell through this memory from now on, and through the pipe as before, the deadline being what it was."""
        deadline = self._numbers[_DEADLINE]
        self._look_at(memory)
        self._numbers[_DEADLINE] = deadline

    def _look_at(self, memory: bytearray | mmap) -> None:
        view = memoryview(memory)
        self._numbers = view[:_NUMBERS].cast("Q")
        self._text = view[_NUMBERS:]
        self._calls = 0

    def enters(self, place: str) -> None:
        """A call of the port begins. Its place is one line."""
        text = place.encode("utf-8", "replace")
        length = len(text)
        if length > _MOST_TEXT:
            text, length = text[:_MOST_TEXT], _MOST_TEXT
        self._text[:length] = text
        self._calls += 1
        numbers = self._numbers
        numbers[_LENGTH] = length
        numbers[_CALL] = self._calls

    def leaves(self) -> None:
        """It has ended."""
        self._numbers[_CALL] = 0

    def set_deadline(self, seconds: float) -> None:
        """How long a call may take; 0: for ever."""
        self._numbers[_DEADLINE] = round(seconds * 1000)

    def makes(self, path: str) -> None:
        """A file or folder that must be removed, should this process not come to it."""
        self._say(TEMPORARY + os.fsencode(path))

    def concludes(self, status: int) -> None:
        """All is done, and this is what it came to. Raises OSError when nobody can be told."""
        self._say(VERDICT + str(status).encode())

    def _say(self, what: bytes) -> None:
        if self._pipe is not None:
            os.write(self._pipe, what + END)

    @property
    def call(self) -> int | None:
        """The number of the call that has not ended; None when there is none."""
        return self._numbers[_CALL] or None

    @property
    def deadline(self) -> float | None:
        """The deadline in seconds, if one was set."""
        return self._numbers[_DEADLINE] / 1000 or None

    @property
    def place(self) -> str:
        """The last place told, in one line whatever it holds; empty when there was none."""
        text = self._text[: min(self._numbers[_LENGTH], _MOST_TEXT)].tobytes().decode("utf-8", "replace")
        return "".join(one if one.isprintable() else "\ufffd" for one in text)


class CallClock:
    """For how long a call has not come back, as far as looks at its number tell."""

    _LONGEST: Final = 1.0
    """The time between two looks counts for so many seconds at most: a machine that slept has called nothing."""

    def __init__(self) -> None:
        """No call has been seen."""
        self._call: int | None = None
        self._waited = 0.0
        self._since = time.monotonic()

    def waited(self, call: int | None) -> float:
        """The seconds since this call was first seen; it is looked at now. None: there is no call."""
        now = time.monotonic()
        passed, self._since = min(now - self._since, self._LONGEST), now
        self._waited = self._waited + passed if call is not None and call == self._call else 0.0
        self._call = call
        return self._waited


HERE: Final = Whereabouts()
"""Where this process stands."""


class At:
    """While the block lasts, this process is at a place from which it may not come back."""

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        """Tell."""
        HERE.enters(self._place)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell that it has come back."""
        HERE.leaves()
