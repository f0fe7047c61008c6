"""Standard output as it may be: closed from the start, on a full disk, or a pipe that nobody reads any more.

None of these ends a verb: it goes on to its end, and its exit status is still its verdict.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator


class StandardOutput(io.TextIOBase):
    """A text stream over another that may be missing or refuse what it is given; it then falls silent.

    ``refusal`` is what the system said, None where all is well: also where the reader of a pipe has seen enough.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self.refusal: str | None = None
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text, or nothing when the stream has fallen silent."""
        if self._stream is not None:
            try:
                self._stream.write(text)
            except (OSError, ValueError) as error:
                self._fall_silent(self._stream, error)
        return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._fall_silent(self._stream, error)

    def isatty(self) -> bool:
        """Whether a person watches."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """The stream's own descriptor. Raises OSError where there is none."""
        if self._stream is None:
            return super().fileno()
        return self._stream.fileno()

    def _fall_silent(self, stream: TextIO, error: OSError | ValueError) -> None:
        """An OSError is the system's; a ValueError says that somebody has closed the stream."""
        if not isinstance(error, BrokenPipeError):
            self.refusal = (error.strerror if isinstance(error, OSError) else None) or str(error)
        # What is still held back would be written when Python ends, and fail once more, loudly.
        with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nothing:  # noqa: PTH123 - a device
            os.dup2(nothing.fileno(), stream.fileno())
        self._stream = None


_NAMES: Final = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def named_by_the_caller(file: Path, out: TextIO) -> Path:
    """A file to write to; one that is a name of standard output is the one that ``out`` writes to."""
    if str(file) in _NAMES:
        with contextlib.suppress(OSError):  # there is none
            return Path(f"/dev/fd/{out.fileno()}")
    return file


@contextlib.contextmanager
def standard_output(named: TextIO | None = None) -> Iterator[StandardOutput]:
    """``sys.stdout`` in UTF-8 and safe to write to while the block lasts; ``sys.stderr`` too, which may be missing.

    A stream that is named stands for ``sys.stdout`` meanwhile.
    """
    former = sys.stdout, sys.stderr
    streams = named or former[0], former[1]
    for stream in streams:
        # What cannot be written is escaped, whatever the locale; a stream of somebody else's is left as it is.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    out, err = map(StandardOutput, streams)
    sys.stdout, sys.stderr = cast("TextIO", out), cast("TextIO", err)
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = former
