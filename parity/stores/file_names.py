"""File names, from wherever they come: a page's path stays inside its folder (contract: memory.md, Names)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from parity.gostd import utf8
from parity.rules import rule
from parity.stores.errors import FileNameError

LONGEST: Final = 255
"""Bytes of the longest file name that the usual file systems hold; a memory in RAM keeps to it as well."""

BACKUP_SUFFIX: Final = ".bak"


@rule("memory/names/inside")
@lru_cache(maxsize=8192)
def file_name(name: str) -> bytes:
    """The bytes of a plain file name; kept, since every reading asks again for the same ones.

    Raises :class:`parity.stores.errors.FileNameError` for any other name.
    """
    try:
        encoded = utf8.encode(name)
    except UnicodeEncodeError:
        reason = "holds a surrogate that stands for no byte"
        raise _refused(name, reason) from None
    if not encoded:
        reason = "is empty"
    elif encoded in {b".", b".."} or b"/" in encoded:
        reason = "leaves the folder"
    elif b"\0" in encoded:
        reason = "holds a NUL"
    elif len(encoded) > LONGEST:
        reason = f"is {len(encoded)} bytes long, over {LONGEST}"
    elif utf8.text(encoded) != name:
        reason = "spells characters byte by byte"
    else:
        return encoded
    raise _refused(name, reason)


@rule("memory/writing/backup-name")
def backup_name(name: str) -> str:
    """Where the version before is kept: ``{name}.bak``."""
    return name + BACKUP_SUFFIX


def _refused(name: str, reason: str) -> FileNameError:
    return FileNameError(f"the file name {name[:80]!a} {reason}")
