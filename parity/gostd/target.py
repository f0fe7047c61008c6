"""The Go that is being copied: its version, its Unicode tables, its processor.

Go's answers move with four knobs (contract: go-semantics.md, section 1). A target holds the three that a journal
names; nothing in the port reads them from anywhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

UNICODE_15: Final = "15.0.0"
UNICODE_17: Final = "17.0.0"

_VERSION: Final = re.compile(r"(?:go)?1\.(?P<minor>0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2}))?", re.ASCII)
_FIRST_MINOR: Final = 21
_UNICODE_17_MINOR: Final = 27


class TargetNotOfferedError(ValueError):
    """A Go version or a processor whose answers this port does not know; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class GoTarget:
    """One Go: ``version`` such as ``go1.25.5``, ``unicode`` such as ``15.0.0``, ``goarch`` such as ``amd64``.

    Make one with :func:`parse`; the fields of a target made by hand are trusted to agree.
    """

    version: str
    unicode: str
    goarch: str
    minor: int

    @property
    def json_v2(self) -> bool:
        """Whether ``encoding/json`` runs on the v2 engine (go-semantics.md, 2.10 and 2.11)."""
        return self.minor >= _UNICODE_17_MINOR


@lru_cache(maxsize=64)
def parse(version: str, goarch: str = "amd64") -> GoTarget:
    """The target that a journal's header names, such as ``go1.25.5`` or ``1.25``.

    Raises :class:`TargetNotOfferedError` for a version outside Go 1.21 to 1.27 or a processor other than amd64.
    """
    found = _VERSION.fullmatch(version)
    if found is None:
        message = f"{version!r} is not a Go version (expected such as go1.25.5)"
        raise TargetNotOfferedError(message)
    minor = int(found["minor"])
    if not _FIRST_MINOR <= minor <= _UNICODE_17_MINOR:
        message = f"Go 1.{minor} is not offered: this port knows Go 1.{_FIRST_MINOR} to 1.{_UNICODE_17_MINOR}"
        raise TargetNotOfferedError(message)
    if goarch != "amd64":
        message = f"the processor {goarch!r} is not offered: this port knows amd64 only"
        raise TargetNotOfferedError(message)
    unicode = UNICODE_17 if minor >= _UNICODE_17_MINOR else UNICODE_15
    full = version if version.startswith("go") else f"go{version}"
    return GoTarget(version=full, unicode=unicode, goarch=goarch, minor=minor)


GO_1_25: Final = parse("go1.25.5")
GO_1_27: Final = parse("go1.27.3")
