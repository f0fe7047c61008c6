"""Where images lie: in the folder ``images`` beside a memory's pages, or in RAM."""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from parity.images.store import ImageStore
from parity.stores.errors import MemoryUnusableError
from parity.stores.file_names import file_name
from parity.stores.folder import DiskFolder
from parity.stores.lock import PATIENCE, DirectoryLock
from parity.stores.system_text import reason_of, system_text
from parity.stores.vault import Vault
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from parity.stores.state import Settings


class DiskImages(DiskFolder):
    """A folder of images, which may not exist yet: :class:`parity.images.store.ImageFiles`."""

    def __init__(self, path: bytes, lock: DirectoryLock, *, durable: bool = True) -> None:
        """``lock`` is that of the memory the images belong to."""
        super().__init__(path, durable=durable)
        self._lock = lock

    def exclusive(self) -> AbstractContextManager[None]:
        """While held, nobody else writes to this memory. Raises WriteRefused when it stays taken."""
        return self._lock.held()

    def refresh(self, name: str) -> None:
        """Give a file the date of now, by the clock that dates what is written. Raises WriteRefused."""
        try:
            os.utime(self._at(file_name(name)))
        except OSError as error:
            raise WriteRefused(system_text(reason_of(error)), system=True) from None

    def _keep_version_before(self, name: str) -> None:
        """Nothing: an image is named by its content, so there is no version before."""


class RamImages:
    """Images in RAM, none at first: :class:`parity.images.store.ImageFiles`."""

    def __init__(self) -> None:
        """No image."""
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises PageUnreadable when there is none."""
        try:
            return self._files[name]
        except KeyError:
            raise PageUnreadable(name) from None

    def write(self, name: str, raw: bytes) -> None:
        """Hold a file."""
        self._files[name] = raw

    def refresh(self, name: str) -> None:
        """Nothing: RAM keeps no dates."""

    def exclusive(self) -> AbstractContextManager[None]:
        """Nothing to hold: one step of a dictionary is whole."""
        return nullcontext()


def on_disk(
    root: Path,
    settings: Settings,
    *,
    nonces: Callable[[], bytes],
    patience: float = PATIENCE,
    durable: bool = True,
) -> ImageStore:
    """The images of the memory below ``root``, which is made if it is not there; arguments as for DiskMemory.

    What a killed writer left behind is removed. Raises ValueError for a key of a wrong size, MemoryUnusableError when
    there can be no folder ``root``.
    """
    vault = Vault(settings, nonces)
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        what = "the folder of the memory"
        raise MemoryUnusableError(what, reason_of(error)) from None
    place = os.fsencode(root.absolute())
    images = DiskImages(place + b"/images", DirectoryLock(place, patience), durable=durable)
    with suppress(WriteRefused), DirectoryLock(place, patience=0).held():  # else a writer is alive and at work
        images.remove_leftovers()
    return ImageStore(images, vault)


def in_ram(settings: Settings, *, nonces: Callable[[], bytes]) -> ImageStore:
    """Images that live as long as the store. Raises ValueError for a key of a wrong size."""
    return ImageStore(RamImages(), Vault(settings, nonces))
