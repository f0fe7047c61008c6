"""A memory at one moment, as a journal records it: every file as it lies on disk, every tracker opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.tools.interface import Tracker


@dataclass(frozen=True, slots=True)
class State:
    """``files``: name to bytes as on disk (sealed pages stay sealed). ``trackers``: ``project/slug`` to tracker."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    trackers: Mapping[str, Tracker] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides how a memory is kept (memory.md). ``dek`` is the 32-byte key, or None when there is none.

    ``locked`` means the key exists but is not at hand: it never opens or seals, whatever ``dek`` holds.
    ``config`` is the application's configuration, such as ``{"MEM_ENCRYPTED": "oui"}``.
    """

    project_slug: str = "generale"
    project_name: str = "Générale"
    config: Mapping[str, str] = field(default_factory=dict)
    dek: bytes | None = None
    locked: bool = False
