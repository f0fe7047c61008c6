"""The time zones that a journal can name: those of the pinned ``tzdata`` package, read from its own files."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Final

from parity.gostd.time import UTC, Zone

_ZONES_KEPT: Final = 64
"""How many zones stay loaded: a bound on memory."""

_SHOWN: Final = 60
"""How much of a name that is none an error shows."""


class UnknownZoneError(ValueError):
    """A name that no zone has; the message is one sentence, the name drawn in ASCII."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:_SHOWN]!a} is not a time zone (expected a name of the IANA database, such as Europe/Paris)"
        )
        self.name = name


@lru_cache(maxsize=_ZONES_KEPT)
def zone(name: str) -> Zone:
    """The zone of an IANA name such as ``Europe/Paris``, written exactly so; ``UTC`` reads no file.

    Raises :class:`UnknownZoneError` for every other text: only names on the package's own list reach its files.
    """
    if name == UTC.name:
        return UTC
    if name not in names():
        raise UnknownZoneError(name)
    return Zone.from_tzif(name, resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes())


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """Every name of the package's list."""
    listed = resources.files("tzdata").joinpath("zones").read_bytes().decode("ascii")
    return frozenset(line for line in listed.split("\n") if line)
