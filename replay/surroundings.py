"""What the judge itself needs to judge: room on the disk where a candidate keeps its memory, one more open file."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_LACKING: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EMFILE, errno.ENFILE})
"""What the system says when it is the machine's fault, and nobody else's."""


def lacking(folder: Path, room: int) -> str | None:
    """Why one more file cannot be opened, or so many bytes be written to one in the folder; None when they can.

    One sentence. None too when the folder is not there: that is no fault of the machine's.
    """
    what = "no more files can be opened"
    try:
        spare(1)
        what = "the judge's temporary folder cannot be written"
        if room:
            with tempfile.TemporaryFile(dir=folder) as probe:
                _take(probe.fileno(), room)
    except OSError as error:
        if error.errno in _LACKING:
            return f"{what}: {os.strerror(error.errno)}"
    return None


def _take(file: int, room: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, room)
    else:
        os.write(file, bytes(room))


def spare(files: int) -> None:
    """Raises OSError when so many files more cannot be open at once."""
    with contextlib.ExitStack() as opened:
        for _ in range(files):
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
