"""Values by key in one SQLite database: a row is replaced whole or not at all, over threads and processes.

A connection lives for one operation: nothing is shared between threads or kept over a fork, and what is read is what
lies on the disk. The database is made at the first write.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from parity.gostd import utf8
from parity.stores.errors import MemoryUnusableError
from parity.stores.system_text import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PATIENCE: Final = 10.0
"""Seconds to wait for another process's transaction."""

_SYNC: Final = "PRAGMA synchronous = FULL"
_NO_SYNC: Final = "PRAGMA synchronous = OFF"
_TABLE: Final = "CREATE TABLE IF NOT EXISTS trackers (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
_HAS_TABLE: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'trackers'"
_GET: Final = "SELECT key, value FROM trackers WHERE key = ?"
_ALL: Final = "SELECT key, value FROM trackers ORDER BY key"
_PUT: Final = "INSERT INTO trackers (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_REMOVE: Final = "DELETE FROM trackers WHERE key = ?"

_MODE: Final = 0o600
_CREATE: Final = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY


class DiskValues:
    """A database that may not exist yet: :class:`parity.stores.memory.Values`."""

    def __init__(self, path: Path, patience: float = PATIENCE, *, durable: bool = True) -> None:
        """``path`` is the database's; ``patience`` is how many seconds to wait for another writer.

        Where it is not ``durable`` nothing is synced: for a database that nobody needs after a power cut.
        """
        self._path = path
        self._durable = durable
        self._patience = patience

    def get(self, key: str) -> bytes | None:
        """One value, or None. Raises MemoryUnusableError."""
        return self._read(_GET, key).get(key)

    def all(self) -> dict[str, bytes]:
        """Every value, keys sorted by bytes. Raises MemoryUnusableError."""
        return self._read(_ALL)

    def put(self, key: str, value: bytes) -> None:
        """Store one value. Raises MemoryUnusableError."""
        self._change({key: value}, (), synced=self._durable)

    def change(self, put: Mapping[str, bytes], remove: Sequence[str]) -> None:
        """Store and remove values, all or nothing. Raises MemoryUnusableError.

        Not synced: this puts a recorded state back, it does not keep anybody's points.
        """
        self._change(put, remove, synced=False)

    def _change(self, put: Mapping[str, bytes], remove: Sequence[str], *, synced: bool) -> None:
        with self._unusable_if_refused():
            os.close(os.open(self._path, _CREATE, _MODE))  # the database would be readable for everyone otherwise
            with closing(self._connected()) as connection, connection:
                connection.execute(_SYNC if synced else _NO_SYNC)
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_TABLE)
                connection.executemany(_REMOVE, [(key,) for key in remove])
                connection.executemany(_PUT, list(put.items()))

    def _read(self, query: str, *values: str) -> dict[str, bytes]:
        """The rows; a value that is no text and no bytes is read as empty, which no tracker is."""
        with self._unusable_if_refused():
            if not self._path.exists():
                return {}
            with closing(self._connected()) as connection:
                if connection.execute(_HAS_TABLE).fetchone() is None:
                    return {}
                rows = connection.execute(query, values).fetchall()
        return {
            utf8.text(key): value if isinstance(value, bytes) else b"" for key, value in rows if isinstance(key, bytes)
        }

    def _connected(self) -> sqlite3.Connection:
        """A connection that gives text back as bytes. Raises OSError for what is no regular file: it is not opened."""
        if not stat.S_ISREG(self._path.stat().st_mode):
            message = "no regular file"
            raise OSError(message)
        connection = sqlite3.connect(self._path, timeout=self._patience, isolation_level=None)
        connection.text_factory = bytes
        return connection

    @contextmanager
    def _unusable_if_refused(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            what = "the database of the trackers"
            raise MemoryUnusableError(what, reason_of(error)) from None
