"""A file that a verb writes whole: a temporary one beside it, renamed; nothing of it is left where that fails."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_SHORT: Final = 100
"""So many characters of a file's name stand in that of its temporary file."""


class WriteError(Exception):
    """The file cannot be written; one sentence that names it."""


def write_whole(file: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file, whole or not at all; a link is followed. ``mode``: who may read it. Raises :class:`WriteError`."""
    try:
        _write(os.path.realpath(file), content, mode)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"{file} cannot be written: {reason}"
        raise WriteError(message) from None


def _write(target: str, content: bytes, mode: int) -> None:
    folder, name = os.path.split(target)
    handle, partial = tempfile.mkstemp(prefix=f".{name[:_SHORT]}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(handle)
        os.chmod(partial, mode)  # noqa: PTH101 - the temporary name is a string
        os.replace(partial, target)  # noqa: PTH105 - as above
    finally:
        with contextlib.suppress(OSError):
            os.unlink(partial)  # noqa: PTH108 - as above; it is gone already when all went well
