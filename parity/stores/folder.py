"""The files of one folder on disk: read whatever lies there, write a page whole or not at all.

What is opened is never waited for (a pipe), never anything but a regular file (a folder, a device), and never outside
the folder: a link is followed to another file of the same folder, as Go would, and refused when it leads elsewhere.
"""

# Names are bytes, as Go has them, and pathlib takes none.
# ruff: noqa: PTH103, PTH104, PTH108, PTH110, PTH114, PTH120

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from typing import TYPE_CHECKING, Final

from parity.gostd import utf8
from parity.rules import rule
from parity.stores.errors import FileNameError, MemoryUnusableError
from parity.stores.file_names import backup_name, file_name
from parity.stores.system_text import reason_of, system_text
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

READ_BACK: Final = "écriture non conforme à la relecture"

_FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_CHUNK: Final = 1 << 20
_TEMPORARY: Final = re.compile(rb"\.loki-write-[0-9a-f]{16}")
"""Hidden and without ``.md``: no name a tool accepts and no listing can take it for a page."""


class DiskFolder:
    """A folder that may not exist yet: :class:`parity.stores.memory.Folder`."""

    def __init__(self, path: bytes, *, durable: bool = True) -> None:
        """``path`` is the folder's, as the system spells it; it is made at the first write.

        Where it is not ``durable`` nothing is synced: for a folder that nobody needs after a power cut.
        """
        self._path = path
        self._durable = durable

    def names(self) -> list[str]:
        """Every entry that is not a folder, sorted by bytes; none when there is no folder or it cannot be listed."""
        try:
            return [utf8.text(name) for name in self._names()]
        except OSError:
            return []

    def exists(self, name: str) -> bool:
        """Whether something of that name is there; a link that leads nowhere is not."""
        return os.path.exists(self._at(file_name(name)))

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises PageUnreadable."""
        try:
            return self._read(file_name(name))
        except OSError as error:
            raise PageUnreadable(str(error)) from None

    @rule("memory/writing/read-back", "memory/listing/folder-made")
    def write(self, name: str, raw: bytes) -> None:
        """Keep the version before, replace the file whole, read it back. Raises WriteRefused."""
        encoded = file_name(name)
        try:
            os.makedirs(self._path, mode=_FOLDER_MODE, exist_ok=True)
            self._keep_version_before(name)
            self._place(encoded, raw, synced=self._durable)
            read_back = self._read(encoded)
        except OSError as error:
            raise WriteRefused(system_text(reason_of(error)), system=True) from None
        if read_back != raw:
            raise WriteRefused(READ_BACK, system=True)

    def contents(self) -> dict[str, bytes]:
        """Every regular file, sorted by bytes. Raises MemoryUnusableError when one cannot be read."""
        try:
            return {utf8.text(name): raw for name, raw in self._contents()}
        except OSError as error:
            raise _unusable(error) from None

    def replace(self, files: Mapping[str, bytes]) -> None:
        """Make the folder hold these files and no others, touching only what differs; folders in it are let be.

        Not synced: this puts a recorded state back, it does not keep anybody's page. Raises MemoryUnusableError.
        """
        wanted = {file_name(name): raw for name, raw in files.items()}
        try:
            present = dict(self._contents())
            for name in self._names():
                if name not in wanted:
                    os.unlink(self._at(name))
            if wanted:
                os.makedirs(self._path, mode=_FOLDER_MODE, exist_ok=True)
            for name, raw in wanted.items():
                if present.get(name) != raw:
                    self._place(name, raw, synced=False)
        except OSError as error:
            raise _unusable(error) from None

    def remove_leftovers(self) -> None:
        """Remove the temporaries of writers that were killed; the caller holds the lock, so none of them is at work."""
        with contextlib.suppress(OSError):
            for name in self._names():
                if _TEMPORARY.fullmatch(name):
                    os.unlink(self._at(name))

    def _at(self, name: bytes) -> bytes:
        return self._path + b"/" + name

    @rule("memory/listing/not-folders", "memory/listing/order", "memory/listing/no-folder")
    def _names(self, *, regular: bool = False) -> list[bytes]:
        """The entries that are not folders, or the regular files alone, sorted by bytes. Raises OSError."""
        try:
            with os.scandir(self._path) as entries:
                return sorted(entry.name for entry in entries if _is_wanted(entry, regular=regular))
        except FileNotFoundError:
            return []

    def _contents(self) -> Iterator[tuple[bytes, bytes]]:
        for name in self._names(regular=True):
            with contextlib.suppress(FileNotFoundError):  # it went away in between
                yield name, _regular(self._at(name))

    @rule("memory/names/links")
    def _read(self, name: bytes) -> bytes:
        path = self._at(name)
        try:
            return _regular(path)
        except OSError:
            if not os.path.islink(path):
                raise
        target = os.path.realpath(path)
        if os.path.dirname(target) != os.path.realpath(self._path):
            message = "a link out of the folder"
            raise _NotAFileError(message)
        return _regular(target)

    @rule("memory/writing/backup")
    def _keep_version_before(self, name: str) -> None:
        """The present bytes, as they lie on disk, become ``{name}.bak``; what fails here fails quietly."""
        with contextlib.suppress(OSError, FileNameError):
            self._place(file_name(backup_name(name)), self._read(file_name(name)), synced=self._durable)

    @rule("memory/writing/whole")
    def _place(self, name: bytes, raw: bytes, *, synced: bool) -> None:
        """A temporary file beside it, mode 0600, synced, renamed over; then the folder is synced."""
        temporary = self._at(b".loki-write-" + secrets.token_hex(8).encode())
        try:
            _write_new(temporary, raw, synced=synced)
            os.rename(temporary, self._at(name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        if synced:
            _sync_folder(self._path)


class _NotAFileError(OSError):
    """What lies there is no regular file of this folder."""


def _regular(path: bytes) -> bytes:
    """All bytes of a regular file, which is not a link. Raises OSError."""
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            message = "no regular file"
            raise _NotAFileError(message)
        raw = os.read(descriptor, status.st_size + 1)
        if len(raw) == status.st_size:
            return raw
        return raw + _rest(descriptor)
    finally:
        os.close(descriptor)


def _rest(descriptor: int) -> bytes:
    """What follows, for a file that changes its size meanwhile or is longer than one read may be."""
    parts = []
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts)


def _write_new(path: bytes, raw: bytes, *, synced: bool) -> None:
    descriptor = os.open(path, _CREATE, _FILE_MODE)
    try:
        os.fchmod(descriptor, _FILE_MODE)  # whatever the process's mask would take away
        left = memoryview(raw)
        while left:
            left = left[os.write(descriptor, left) :]
        if synced:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(path: bytes) -> None:
    """Make a rename last; by now the page is there and whole, so a system that cannot is not an error."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _is_wanted(entry: os.DirEntry[bytes], *, regular: bool) -> bool:
    return entry.is_file(follow_symlinks=False) if regular else not entry.is_dir(follow_symlinks=False)


def _unusable(error: OSError) -> MemoryUnusableError:
    return MemoryUnusableError("the folder of the pages", reason_of(error))
