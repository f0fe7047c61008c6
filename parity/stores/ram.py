"""A memory that lives in RAM: the same behaviour as on disk, without a disk."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from parity.gostd import utf8
from parity.stores.file_names import LONGEST, backup_name, file_name
from parity.stores.lock import BUSY, PATIENCE
from parity.stores.memory import StoredMemory
from parity.stores.vault import Vault
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from parity.stores.state import Settings


class RamFolder:
    """The files of one folder: :class:`parity.stores.memory.Folder`."""

    def __init__(self) -> None:
        """An empty folder."""
        self._files: dict[str, bytes] = {}

    def names(self) -> list[str]:
        """Every file, sorted by bytes."""
        return sorted(self._files, key=utf8.encode)

    def exists(self, name: str) -> bool:
        """Whether a file of that name is there."""
        return name in self._files

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises PageUnreadable when there is none."""
        try:
            return self._files[name]
        except KeyError:
            raise PageUnreadable(name) from None

    def write(self, name: str, raw: bytes) -> None:
        """Keep the version before as ``.bak`` if that name is not too long, then replace the file."""
        backup = backup_name(name)
        if name in self._files and len(utf8.encode(backup)) <= LONGEST:
            self._files[backup] = self._files[name]
        self._files[name] = raw

    def contents(self) -> dict[str, bytes]:
        """Every file, in the order of :meth:`names`."""
        return {name: self._files[name] for name in self.names()}

    def replace(self, files: Mapping[str, bytes]) -> None:
        """Hold these files and no others."""
        self._files = dict(files)


class RamValues:
    """Values by key: :class:`parity.stores.memory.Values`."""

    def __init__(self) -> None:
        """No value."""
        self._values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        """One value, or None."""
        return self._values.get(key)

    def all(self) -> dict[str, bytes]:
        """Every value, keys sorted by bytes."""
        return {key: self._values[key] for key in sorted(self._values)}

    def put(self, key: str, value: bytes) -> None:
        """Store one value."""
        self._values[key] = value

    def change(self, put: Mapping[str, bytes], remove: Sequence[str]) -> None:
        """Store and remove values."""
        self._values = {key: value for key, value in self._values.items() if key not in remove} | dict(put)


class RamMemory(StoredMemory):
    """A project's memory in RAM, empty at first."""

    def __init__(self, settings: Settings, *, nonces: Callable[[], bytes]) -> None:
        """``nonces`` gives 12 fresh bytes a call.

        Raises ValueError for a key of a wrong size, and FileNameError, which is one, for a project slug that could not
        name a folder.
        """
        file_name(settings.project_slug)
        self._lock = threading.RLock()
        super().__init__(settings, RamFolder(), RamValues(), Vault(settings, nonces), self._held)

    @contextmanager
    def _held(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=PATIENCE):
            raise WriteRefused(BUSY, system=True)
        try:
            yield
        finally:
            self._lock.release()
