"""A project's memory over two plain keepers, one of files and one of values; on disk and in RAM they differ only there.

Pages and trackers are opened and sealed here, states are taken and put back here, so both kinds behave alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from parity.rules import rule
from parity.stores import tracker_value
from parity.stores.errors import FileNameError, StateRefusedError
from parity.stores.file_names import file_name
from parity.stores.seal import SealDamagedError
from parity.stores.state import State
from parity.stores.vault import VaultLockedError
from parity.tools.interface import PageLocked, PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from parity.stores.state import Settings
    from parity.stores.vault import Vault
    from parity.tools.interface import Tracker

PAGE_LOCKED = "page chiffrée, mémoire verrouillée"
VALUE_LOCKED = "valeur chiffrée, mémoire verrouillée"
NAME_REFUSED = "nom de fichier refusé"


class Folder(Protocol):
    """Raw files of one folder, by checked name. Names are text, a byte that is not UTF-8 is a lone surrogate."""

    def names(self) -> list[str]:
        """Every entry that is not a folder, sorted by bytes; none when there is no folder."""
        ...

    def exists(self, name: str) -> bool:
        """Whether something of that name is there."""
        ...

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises :class:`parity.tools.interface.PageUnreadable`."""
        ...

    def write(self, name: str, raw: bytes) -> None:
        """Keep the version before as ``.bak``, then replace the file whole. Raises WriteRefused."""
        ...

    def contents(self) -> dict[str, bytes]:
        """Every file, in the order of :meth:`names`. Raises MemoryUnusableError when one cannot be read."""
        ...

    def replace(self, files: Mapping[str, bytes]) -> None:
        """Make the folder hold these files and no others, touching only what differs. Raises MemoryUnusableError."""
        ...


class Values(Protocol):
    """Raw values by key, all projects together. Every method raises MemoryUnusableError when the system refuses."""

    def get(self, key: str) -> bytes | None:
        """One value, or None."""
        ...

    def all(self) -> dict[str, bytes]:
        """Every value, keys sorted by bytes."""
        ...

    def put(self, key: str, value: bytes) -> None:
        """Store one value, whole or not at all."""
        ...

    def change(self, put: Mapping[str, bytes], remove: Sequence[str]) -> None:
        """Store and remove values, all or nothing, as quickly as can be: this puts a recorded state back."""
        ...


class Pages:
    """The pages of one project: :class:`parity.tools.interface.PageStore`."""

    def __init__(self, folder: Folder, vault: Vault, exclusive: Callable[[], AbstractContextManager[None]]) -> None:
        """``exclusive`` is the memory's own, held during a write."""
        self._folder = folder
        self._vault = vault
        self._exclusive = exclusive

    def names(self) -> Sequence[str]:
        """Every entry that is not a folder, sorted by bytes. No folder: none."""
        return self._folder.names()

    def exists(self, name: str) -> bool:
        """Whether something of that name is there, readable or not."""
        try:
            file_name(name)
        except FileNameError:
            return False
        return self._folder.exists(name)

    @rule("memory/pages/reading")
    def read(self, name: str) -> bytes:
        """The page, opened if it is sealed. Raises PageLocked or PageUnreadable."""
        try:
            file_name(name)
            return self._vault.open(self._folder.read(name))
        except (FileNameError, SealDamagedError) as error:
            raise PageUnreadable(str(error)) from None
        except VaultLockedError:
            raise PageLocked from None

    @rule("memory/writing/locked")
    def write(self, name: str, content: bytes) -> None:
        """Write a page as memory.md, Writing a page, says. Raises WriteRefused; nothing is written under a lock."""
        try:
            file_name(name)
            raw = self._vault.close(content)
        except FileNameError:
            raise WriteRefused(NAME_REFUSED, system=True) from None
        except VaultLockedError:
            raise WriteRefused(PAGE_LOCKED) from None
        with self._exclusive():
            self._folder.write(name, raw)


class Trackers:
    """The trackers of one project: :class:`parity.tools.interface.TrackerStore`.

    Every method raises MemoryUnusableError, which is a WriteRefused, when the system refuses.
    """

    def __init__(
        self,
        values: Values,
        vault: Vault,
        project_slug: str,
        exclusive: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """``exclusive`` is the memory's own, held during a write."""
        self._values = values
        self._vault = vault
        self._prefix = f"{project_slug}/"
        self._exclusive = exclusive

    @rule("memory/trackers/of-the-project")
    def all(self) -> Mapping[str, Tracker]:
        """Every readable tracker of the project, in slug order; other projects' are kept and not listed."""
        return {
            key.removeprefix(self._prefix): tracker
            for key, tracker in self.of_all_projects().items()
            if key.startswith(self._prefix)
        }

    def of_all_projects(self) -> dict[str, Tracker]:
        """Every readable tracker by its whole key, in key order."""
        opened = ((key, self._opened(value)) for key, value in self._values.all().items())
        return {key: tracker for key, tracker in opened if tracker is not None}

    def get(self, slug: str) -> Tracker | None:
        """One tracker, or None if absent, damaged, or sealed under a locked memory."""
        value = self._values.get(self._prefix + slug)
        return None if value is None else self._opened(value)

    @rule("memory/trackers/sealing")
    def put(self, slug: str, tracker: Tracker) -> None:
        """Store it as given, sealed like a page. Raises WriteRefused; nothing is stored under a lock."""
        try:
            value = self._vault.close(tracker_value.encode(tracker))
        except VaultLockedError:
            raise WriteRefused(VALUE_LOCKED) from None
        with self._exclusive():
            self._values.put(self._prefix + slug, value)

    def replace(self, trackers: Mapping[str, Tracker]) -> None:
        """Make these, by whole key, the readable ones; what cannot be opened and is not named is left alone."""
        present = self.of_all_projects()
        changed = {
            key: self._vault.close_if_unlocked(tracker_value.encode(tracker))
            for key, tracker in trackers.items()
            if present.get(key) != tracker
        }
        gone = [key for key in present if key not in trackers]
        if changed or gone:
            self._values.change(changed, gone)

    @rule("memory/trackers/opening")
    def _opened(self, value: bytes) -> Tracker | None:
        """The tracker in a stored value: a plain one is read even under a lock, a sealed one then is as if absent."""
        try:
            return tracker_value.decode(self._vault.open(value))
        except (VaultLockedError, SealDamagedError):
            return None


class StoredMemory:
    """A project's memory: :class:`parity.tools.interface.Memory`, with its state taken and put back."""

    def __init__(
        self,
        settings: Settings,
        folder: Folder,
        values: Values,
        vault: Vault,
        exclusive: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Made by :class:`parity.stores.disk.DiskMemory` and :class:`parity.stores.ram.RamMemory`."""
        self._project_name = settings.project_name
        self._folder = folder
        self._pages = Pages(folder, vault, exclusive)
        self._trackers = Trackers(values, vault, settings.project_slug, exclusive)
        self._exclusive = exclusive
        self._memo: dict[object, object] = {}

    @property
    def project_name(self) -> str:
        """The project's name as a person reads it."""
        return self._project_name

    @property
    def pages(self) -> Pages:
        """The pages."""
        return self._pages

    @property
    def trackers(self) -> Trackers:
        """The trackers."""
        return self._trackers

    @property
    def memo(self) -> dict[object, object]:
        """Where a tool keeps what it worked out, keyed by content."""
        return self._memo

    def exclusive(self) -> AbstractContextManager[None]:
        """While held, no other thread or process changes this memory. Raises WriteRefused when it stays taken."""
        return self._exclusive()

    def snapshot(self) -> State:
        """Every file of the folder as it lies there and every readable tracker, opened, by whole key.

        Raises MemoryUnusableError when the system refuses a read.
        """
        return State(files=self._folder.contents(), trackers=self._trackers.of_all_projects())

    def restore(self, state: State) -> None:
        """Make files and trackers equal to ``state``, touching only what differs; trackers are sealed if they can be.

        Raises StateRefusedError for a name or a key that a memory must not or cannot hold, before anything is changed,
        and WriteRefused (mostly MemoryUnusableError) when the system refuses or another writer does not let go.
        """
        _check(state)
        with self._exclusive():
            self._folder.replace(state.files)
            self._trackers.replace(state.trackers)


def _check(state: State) -> None:
    try:
        for name in state.files:
            file_name(name)
        for key in state.trackers:
            key.encode()
    except FileNameError as error:
        raise StateRefusedError(str(error)) from None
    except UnicodeEncodeError:
        message = f"the tracker key {key[:80]!a} holds a lone surrogate"
        raise StateRefusedError(message) from None
