"""A memory on disk: pages in ``memory/{project slug}``, the trackers of all projects in ``trackers.db``."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from parity.stores.errors import MemoryUnusableError
from parity.stores.file_names import file_name
from parity.stores.folder import DiskFolder
from parity.stores.lock import PATIENCE, DirectoryLock
from parity.stores.memory import StoredMemory
from parity.stores.system_text import reason_of
from parity.stores.values import DiskValues
from parity.stores.vault import Vault
from parity.tools.interface import WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from parity.stores.state import Settings


class DiskMemory(StoredMemory):
    """A project's memory below ``root``, which is made if it is not there; several may work on one root at a time."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *,
        nonces: Callable[[], bytes],
        patience: float = PATIENCE,
        durable: bool = True,
    ) -> None:
        """``nonces`` gives 12 fresh bytes a call; ``patience`` is how many seconds a writer waits for another one.

        Where it is not ``durable`` nothing is synced, and all else is the same: for a memory that is thrown away.

        What a killed writer left behind is removed. Raises ValueError for a key of a wrong size, FileNameError, which
        is one, for a project slug that cannot name a folder, MemoryUnusableError when there can be no folder ``root``.
        """
        vault = Vault(settings, nonces)
        slug = file_name(settings.project_slug)
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            what = "the folder of the memory"
            raise MemoryUnusableError(what, reason_of(error)) from None
        place = os.fsencode(root.absolute())
        folder = DiskFolder(place + b"/memory/" + slug, durable=durable)
        with suppress(WriteRefused), DirectoryLock(place, patience=0).held():  # else a writer is alive and at work
            folder.remove_leftovers()
        lock = DirectoryLock(place, patience)
        values = DiskValues(root / "trackers.db", patience, durable=durable)
        super().__init__(settings, folder, values, vault, lock.held)
