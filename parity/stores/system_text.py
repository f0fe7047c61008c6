"""What is said when the system refuses: a text of the port's own (tolerance ``system-error-text``).

The system's own words differ from one system to another; an error's symbolic name does not.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from parity.rules import rule

SYSTEM: Final = "erreur du système ({reason})"


def reason_of(error: OSError | sqlite3.Error) -> str:
    """The error's symbolic name, such as ``ENOSPC`` or ``SQLITE_FULL``; its own text when it has none."""
    if isinstance(error, sqlite3.Error):
        name: str | None = getattr(error, "sqlite_errorname", None)
        return name or str(error)
    return errno.errorcode.get(error.errno or 0, str(error))


@rule("memory/writing/system-error-text")
def system_text(reason: str) -> str:
    """What a tool prints after ``[erreur] ``."""
    return SYSTEM.format(reason=reason)
