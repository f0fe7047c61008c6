"""The state of the Go that is recorded: as it shows it itself, or as a folder shared with it holds it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Protocol

from parity.stores.errors import MemoryUnusableError
from parity.stores.file_names import file_name
from parity.stores.folder import DiskFolder
from parity.stores.memory import StoredMemory
from parity.stores.values import DiskValues
from parity.stores.vault import Vault
from replay.candidates.written import files_written, trackers_written
from replay.fields import FILES, TRACKERS
from replay.record.refusal import GoRefusedError, RecordingRefusedError

if TYPE_CHECKING:
    from pathlib import Path

    from parity.stores.state import Settings
    from replay.record.live_go import LiveGo


class States(Protocol):
    """Where a state is read."""

    def read(self) -> dict[str, object]:
        """``files`` and ``trackers``, as journals write them. Raises RecordingRefusedError."""
        ...


class ShownStates:
    """Go shows it."""

    def __init__(self, go: LiveGo) -> None:
        self._go = go

    def read(self) -> dict[str, object]:
        """As :class:`States`; what Go says is checked by who takes it."""
        said = self._go.tell("state", {})
        if FILES not in said or TRACKERS not in said:
            message = "its state is not an object with files and trackers"
            raise GoRefusedError(message)
        return {FILES: said[FILES], TRACKERS: said[TRACKERS]}


class FolderStates:
    """It lies in a folder: pages in ``memory/{project}``, trackers in ``trackers.db``. Nothing is written there."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Raises RecordingRefusedError if there is no such folder."""
        if not os.path.isdir(folder):  # noqa: PTH112 - any text at all may stand there
            message = f"--memory-folder {folder}: no such folder"
            raise RecordingRefusedError(message)
        place = os.fsencode(folder.absolute()) + b"/memory/" + file_name(settings.project_slug)
        self._memory = StoredMemory(
            settings,
            DiskFolder(place),
            DiskValues(folder / "trackers.db"),
            Vault(settings, nonces=bytes),
            contextlib.nullcontext,
        )

    def read(self) -> dict[str, object]:
        """As :class:`States`."""
        try:
            state = self._memory.snapshot()
        except MemoryUnusableError as error:
            message = f"the folder of the memory cannot be read: {error}"
            raise GoRefusedError(message) from None
        return {FILES: files_written(state.files), TRACKERS: trackers_written(state.trackers)}
