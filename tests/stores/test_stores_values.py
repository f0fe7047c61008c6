from __future__ import annotations

import os
import resource
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from parity.stores.errors import MemoryUnusableError
from parity.stores.values import DiskValues

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trackers.db"


def values(path: Path) -> DiskValues:
    return DiskValues(path, patience=0.05)


def test_reading_makes_no_database(path: Path) -> None:
    assert values(path).all() == {}
    assert values(path).get("a") is None
    assert not path.exists()


def test_a_database_without_the_table_holds_nothing(path: Path) -> None:
    path.touch()
    assert values(path).all() == {}
    assert values(path).get("a") is None


def test_what_is_put_is_there_for_everyone_and_private(path: Path) -> None:
    values(path).put("b", b"\xff\0")
    values(path).put("a", b"")
    assert values(path).all() == {"a": b"", "b": b"\xff\0"}
    assert list(values(path).all()) == ["a", "b"]
    assert values(path).get("b") == b"\xff\0"
    assert values(path).get("c") is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 0)])
def test_what_is_put_is_synced_where_it_must_last(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, durable: bool, level: int
) -> None:
    connected = DiskValues._connected
    levels = []

    def watched(self: DiskValues) -> sqlite3.Connection:
        connection = connected(self)
        connection.set_trace_callback(
            lambda said: (
                levels.append(connection.execute("PRAGMA synchronous").fetchone()[0]) if "INSERT" in said else None
            )
        )
        return connection

    monkeypatch.setattr(DiskValues, "_connected", watched)
    DiskValues(path, durable=durable).put("a", b"1")
    assert levels[0] == level


def test_keys_are_sorted_by_their_bytes_and_may_be_any_text(path: Path) -> None:
    keys = ["", "A", "a", "a\0b", "a/b", "é", "\ue000", "\U0001f512"]
    values(path).change({key: key.encode() for key in reversed(keys)}, ())
    assert list(values(path).all()) == keys
    assert all(values(path).get(key) == key.encode() for key in keys)


def test_a_change_stores_and_removes_at_once(path: Path) -> None:
    values(path).change({"a": b"1", "b": b"2"}, ())
    values(path).change({"b": b"3", "c": b"4"}, ["a", "absent"])
    assert values(path).all() == {"b": b"3", "c": b"4"}


def test_a_change_that_fails_leaves_everything_as_it_was(path: Path) -> None:
    values(path).put("a", b"1")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(MemoryUnusableError, match="the database of the trackers cannot be used: SQLITE_"):
            values(path).change({"b": bytes(100_000)}, ["a"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert values(path).all() == {"a": b"1"}


def test_what_is_no_database_is_unusable_and_left_as_it_is(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)
    for work in (
        lambda: values(path).all(),
        lambda: values(path).get("a"),
        lambda: values(path).put("a", b""),
    ):
        with pytest.raises(MemoryUnusableError, match="SQLITE_NOTADB"):
            work()
    assert path.read_bytes() == b"no database at all" * 100


def test_a_pipe_or_a_folder_in_its_place_is_unusable_and_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    for work in (lambda: values(path).all(), lambda: values(path).put("a", b"")):
        with pytest.raises(MemoryUnusableError, match="no regular file"):
            work()
    path.unlink()
    path.mkdir()
    with pytest.raises(MemoryUnusableError, match="no regular file"):
        values(path).all()
    with pytest.raises(MemoryUnusableError, match="EISDIR"):
        values(path).put("a", b"")


def test_a_database_that_another_does_not_let_go_of_is_unusable(path: Path) -> None:
    values(path).put("a", b"1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(MemoryUnusableError, match="SQLITE_BUSY"):
            values(path).put("a", b"2")
        with pytest.raises(MemoryUnusableError, match="SQLITE_BUSY"):
            values(path).get("a")
        other.execute("ROLLBACK")
    assert values(path).get("a") == b"1"


def test_rows_of_other_types_are_read_as_damaged_or_not_at_all(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE trackers (key, value)")
        other.executemany(
            "INSERT INTO trackers VALUES (?, ?)",
            [("text", "é"), ("number", 7), ("null", None), (b"blob", b"1"), (3, b"1"), (None, b"1")],
        )
    assert values(path).all() == {"text": "é".encode(), "number": b"", "null": b"", "blob": b"1"}


def test_a_key_that_is_not_utf_8_is_read_byte_by_byte(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE trackers (key, value)")
        other.execute("INSERT INTO trackers VALUES (CAST(X'ff' AS TEXT), X'31')")
    assert values(path).all() == {"\udcff": b"1"}
