"""What only a disk can do to a memory: links, pipes, folders where pages should be, limits, refusals."""

from __future__ import annotations

import os
import resource
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest

from parity.images import files
from parity.images.message import Message
from parity.stores import folder as folder_module
from parity.stores.disk import DiskMemory
from parity.stores.errors import MemoryUnusableError
from parity.stores.folder import DiskFolder
from parity.stores.state import Settings, State
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEFTOVER: Final = ".loki-write-0123456789abcdef"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def place(root: Path) -> Path:
    """The folder of the pages, already there."""
    made = root / "memory" / "generale"
    made.mkdir(parents=True)
    return made


def opened(root: Path) -> DiskMemory:
    return DiskMemory(root, Settings(), nonces=lambda: b"", patience=0.05)


def entries(place: Path) -> list[str]:
    return sorted(os.listdir(place))  # noqa: PTH208 - names are what is wanted


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file may grow over ``size`` bytes: what a full disk does, for this process alone."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_nothing_is_made_before_the_first_write(root: Path) -> None:
    memory = opened(root)
    assert list(memory.pages.names()) == []
    assert not memory.pages.exists("a.md")
    memory.restore(State())
    assert entries(root) == []
    memory.pages.write("a.md", b"1")
    assert entries(root / "memory" / "generale") == ["a.md"]


@pytest.mark.parametrize("mask", [0, 0o022, 0o277])
def test_pages_and_backups_are_their_owners_alone_whatever_the_mask(root: Path, place: Path, mask: int) -> None:
    memory = opened(root)
    before = os.umask(mask)
    try:
        memory.pages.write("a.md", b"1")
        memory.pages.write("a.md", b"2")
    finally:
        os.umask(before)
    assert {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in place.iterdir()} == {
        "a.md": 0o600,
        "a.md.bak": 0o600,
    }


def test_a_page_of_another_mode_is_private_once_written(root: Path, place: Path) -> None:
    (place / "a.md").write_bytes(b"1")
    (place / "a.md").chmod(0o644)
    opened(root).pages.write("a.md", b"2")
    assert stat.S_IMODE((place / "a.md").stat().st_mode) == 0o600


def test_a_link_to_another_page_is_followed(root: Path, place: Path) -> None:
    (place / "real.md").write_bytes(b"1")
    (place / "link.md").symlink_to("real.md")
    (place / "again.md").symlink_to(place / "link.md")
    pages = opened(root).pages
    assert pages.read("link.md") == pages.read("again.md") == b"1"
    assert list(pages.names()) == ["again.md", "link.md", "real.md"]


def test_writing_to_a_link_replaces_the_link_and_keeps_the_version_it_showed(root: Path, place: Path) -> None:
    (place / "real.md").write_bytes(b"1")
    (place / "link.md").symlink_to("real.md")
    opened(root).pages.write("link.md", b"2")
    assert not (place / "link.md").is_symlink()
    assert opened(root).snapshot().files == {"link.md": b"2", "link.md.bak": b"1", "real.md": b"1"}


@pytest.mark.parametrize(
    "target", ["../outside.md", "/etc/passwd", "sub/inside.md", ".", "..", "link.md", "nowhere.md"]
)
def test_a_link_that_leads_to_no_other_page_is_unreadable_and_never_written_through(
    root: Path, place: Path, target: str
) -> None:
    (place.parent / "outside.md").write_bytes(b"outside")
    (place / "sub").mkdir()
    (place / "sub" / "inside.md").write_bytes(b"inside")
    (place / "link.md").symlink_to(target)
    memory = opened(root)
    with pytest.raises(PageUnreadable):
        memory.pages.read("link.md")
    assert list(memory.pages.names()) == ["link.md"]
    assert memory.snapshot() == State()
    memory.pages.write("link.md", b"2")
    assert memory.snapshot().files == {"link.md": b"2"}
    assert (place.parent / "outside.md").read_bytes() == b"outside"
    assert (place / "sub" / "inside.md").read_bytes() == b"inside"


def test_a_link_that_leads_nowhere_is_absent_and_one_that_leads_out_is_there(root: Path, place: Path) -> None:
    (place / "nowhere.md").symlink_to("gone")
    (place / "out.md").symlink_to("/etc/passwd")
    pages = opened(root).pages
    assert not pages.exists("nowhere.md")
    assert pages.exists("out.md")


def test_a_linked_folder_of_pages_is_used_where_it_leads(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "generale").symlink_to(tmp_path / "elsewhere")
    pages = opened(root).pages
    pages.write("a.md", b"1")
    (tmp_path / "elsewhere" / "link.md").symlink_to("a.md")
    assert pages.read("link.md") == b"1"


def test_a_folder_named_like_a_page_is_not_listed_not_read_not_replaced(root: Path, place: Path) -> None:
    (place / "x.md").mkdir()
    memory = opened(root)
    assert list(memory.pages.names()) == []
    assert memory.pages.exists("x.md")
    with pytest.raises(PageUnreadable):
        memory.pages.read("x.md")
    with pytest.raises(WriteRefused) as refused:
        memory.pages.write("x.md", b"1")
    assert (refused.value.text, refused.value.system) == ("erreur du système (EISDIR)", True)
    with pytest.raises(MemoryUnusableError, match="the folder of the pages cannot be used: EISDIR"):
        memory.restore(State({"x.md": b"1"}))
    assert entries(place) == ["x.md"]


def test_a_pipe_named_like_a_page_is_not_waited_for(root: Path, place: Path) -> None:
    os.mkfifo(place / "pipe.md")
    memory = opened(root)
    assert list(memory.pages.names()) == ["pipe.md"]
    with pytest.raises(PageUnreadable):
        memory.pages.read("pipe.md")
    assert memory.snapshot() == State()
    memory.pages.write("pipe.md", b"1")
    assert memory.snapshot().files == {"pipe.md": b"1"}


def test_restoring_removes_links_and_pipes_and_lets_folders_be(root: Path, place: Path) -> None:
    os.mkfifo(place / "pipe.md")
    (place / "link.md").symlink_to("/etc/passwd")
    (place / "sub").mkdir()
    memory = opened(root)
    memory.restore(State({"link.md": b"1"}))
    assert entries(place) == ["link.md", "sub"]
    assert memory.snapshot().files == {"link.md": b"1"}


def test_a_page_that_goes_away_between_listing_and_reading_is_unreadable(root: Path, place: Path) -> None:
    (place / "a.md").write_bytes(b"1")
    pages = opened(root).pages
    assert list(pages.names()) == ["a.md"]
    (place / "a.md").unlink()
    with pytest.raises(PageUnreadable):
        pages.read("a.md")


def test_a_file_that_goes_away_during_a_snapshot_is_not_in_it(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "a.md").write_bytes(b"1")
    (place / "b.md").write_bytes(b"2")
    memory = opened(root)
    read = folder_module._regular

    def slow(path: bytes) -> bytes:
        (place / "b.md").unlink(missing_ok=True)
        return read(path)

    monkeypatch.setattr(folder_module, "_regular", slow)
    assert memory.snapshot().files == {"a.md": b"1"}


def test_a_file_is_read_whole_though_it_grows_shrinks_or_comes_in_pieces(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytes(range(256)) * 20
    (place / "a.md").write_bytes(content)
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 1000)))
    assert opened(root).pages.read("a.md") == content


def test_a_write_that_comes_in_pieces_is_whole(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    opened(root).pages.write("a.md", b"some bytes and some more")
    assert opened(root).pages.read("a.md") == b"some bytes and some more"


def test_on_a_full_disk_the_page_stays_as_it_was_and_nothing_is_left_behind(root: Path, place: Path) -> None:
    memory = opened(root)
    memory.pages.write("a.md", b"1" * 100)
    with at_most(1000), pytest.raises(WriteRefused) as refused:
        memory.pages.write("a.md", b"2" * 5000)
    assert (refused.value.text, refused.value.system) == ("erreur du système (EFBIG)", True)
    assert memory.snapshot().files == {"a.md": b"1" * 100, "a.md.bak": b"1" * 100}
    assert entries(place) == ["a.md", "a.md.bak"]


def test_a_backup_that_cannot_be_kept_does_not_stop_the_write(root: Path, place: Path) -> None:
    memory = opened(root)
    memory.pages.write("a.md", b"1" * 5000)
    with at_most(1000):
        memory.pages.write("a.md", b"2")
    assert memory.snapshot().files == {"a.md": b"2"}
    (place / "a.md.bak").mkdir()
    memory.pages.write("a.md", b"3")
    assert memory.pages.read("a.md") == b"3"
    assert entries(place) == ["a.md", "a.md.bak"]


def test_a_write_that_reads_back_otherwise_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened(root)
    monkeypatch.setattr(folder_module, "_regular", lambda _: b"something else")
    with pytest.raises(WriteRefused) as refused:
        memory.pages.write("a.md", b"1")
    assert (refused.value.text, refused.value.system) == ("écriture non conforme à la relecture", True)


def test_an_interrupt_during_a_write_leaves_nothing_behind(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    memory = opened(root)
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        memory.pages.write("a.md", b"1")
    assert entries(place) == []
    monkeypatch.undo()
    memory.pages.write("a.md", b"2")
    assert memory.pages.read("a.md") == b"2"


def test_a_temporary_that_cannot_be_removed_does_not_hide_why_the_write_failed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(os, "rename", refused)
    monkeypatch.setattr(os, "unlink", refused)
    with pytest.raises(WriteRefused, match="EPERM"):
        opened(root).pages.write("a.md", b"1")


def test_a_folder_that_cannot_be_synced_does_not_undo_a_page_that_is_there(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "invalid argument")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    opened(root).pages.write("a.md", b"1")
    assert opened(root).pages.read("a.md") == b"1"


def test_a_page_is_synced_before_it_is_renamed_and_its_folder_after(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    sync, rename = os.fsync, os.rename

    def synced(descriptor: int) -> None:
        calls.append("sync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync file")
        sync(descriptor)

    def renamed(before: bytes, after: bytes) -> None:
        calls.append(f"rename to {after.rpartition(b'/')[2].decode()}")
        rename(before, after)

    (place / "a.md").write_bytes(b"1")
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    opened(root).pages.write("a.md", b"2")
    assert calls == [
        "sync file",
        "rename to a.md.bak",
        "sync folder",
        "sync file",
        "rename to a.md",
        "sync folder",
    ]


def test_a_memory_that_need_not_last_is_never_synced_and_holds_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: int) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "fsync", refused)
    memory = DiskMemory(root, Settings(), nonces=lambda: bytes(12), durable=False)
    memory.pages.write("a.md", b"1")
    memory.pages.write("a.md", b"2")
    assert memory.snapshot().files == {"a.md": b"2", "a.md.bak": b"1"}
    store = files.on_disk(root, Settings(), nonces=lambda: bytes(12), durable=False)
    image = Message("user", ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},))
    assert store.store(image) is not None


def test_what_a_killed_writer_left_is_removed_at_the_next_opening_and_nothing_else_is(root: Path, place: Path) -> None:
    kept = [".hidden", ".loki-write-0123456789abcde", ".loki-write-0123456789abcdef.md", "x" + LEFTOVER]
    for name in [*kept, LEFTOVER]:
        (place / name).write_bytes(b"half a pa")
    opened(root)
    assert entries(place) == sorted(kept)


def test_what_a_writer_at_work_has_made_is_not_removed(root: Path, place: Path) -> None:
    writer = opened(root)
    with writer.exclusive():
        (place / LEFTOVER).write_bytes(b"half a pa")
        opened(root)
        assert entries(place) == [LEFTOVER]


def test_a_leftover_that_cannot_be_removed_does_not_stop_the_opening(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: bytes) -> None:
        raise PermissionError(1, "not permitted")

    (place / LEFTOVER).write_bytes(b"")
    monkeypatch.setattr(os, "unlink", refused)
    assert list(opened(root).pages.names()) == [LEFTOVER]


def test_a_folder_that_cannot_be_listed_has_no_pages_and_no_snapshot(root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "generale").write_bytes(b"a file")
    memory = opened(root)
    assert list(memory.pages.names()) == []
    with pytest.raises(MemoryUnusableError, match="the folder of the pages cannot be used: ENOTDIR"):
        memory.snapshot()
    with pytest.raises(MemoryUnusableError, match="ENOTDIR"):
        memory.restore(State({"a.md": b""}))
    with pytest.raises(WriteRefused, match="EEXIST"):
        memory.pages.write("a.md", b"")


def test_a_file_that_the_system_refuses_is_unreadable_and_no_snapshot_hides_it(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: bytes, __: int) -> int:
        raise PermissionError(13, "permission denied")

    (place / "a.md").write_bytes(b"1")
    memory = opened(root)
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PageUnreadable, match="permission denied"):
        memory.pages.read("a.md")
    with pytest.raises(MemoryUnusableError, match="EACCES") as unusable:
        DiskFolder(os.fsencode(place)).contents()
    assert unusable.value.text == "erreur du système (EACCES)"
    assert unusable.value.system


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(MemoryUnusableError, match="the folder of the memory cannot be used: EEXIST"):
        opened(tmp_path / "file")
    with pytest.raises(MemoryUnusableError, match="the folder of the memory cannot be used: ENOTDIR"):
        opened(tmp_path / "file" / "root")


def test_a_relative_root_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    memory = opened(tmp_path.__class__("here"))
    monkeypatch.chdir("/")
    memory.pages.write("a.md", b"1")
    assert (tmp_path / "here" / "memory" / "generale" / "a.md").read_bytes() == b"1"


def test_names_that_are_not_utf_8_are_read_written_and_put_back(root: Path, place: Path) -> None:
    with open(os.fsencode(place) + b"/bad\xff.md", "wb") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write(b"1")
    memory = opened(root)
    assert list(memory.pages.names()) == ["bad\udcff.md"]
    state = memory.snapshot()
    memory.pages.write("bad\udcff.md", b"2")
    assert memory.pages.read("bad\udcff.md") == b"2"
    memory.restore(state)
    assert os.listdir(os.fsencode(place)) == [b"bad\xff.md"]  # noqa: PTH208 - pathlib takes no bytes


def test_what_is_equal_is_not_touched(root: Path, place: Path) -> None:
    memory = opened(root)
    memory.restore(State({"a.md": b"1", "b.md": b"2"}))
    before = {entry.name: (entry.stat().st_ino, entry.stat().st_mtime_ns) for entry in place.iterdir()}
    memory.restore(State({"a.md": b"1", "b.md": b"3"}))
    after = {entry.name: (entry.stat().st_ino, entry.stat().st_mtime_ns) for entry in place.iterdir()}
    assert after["a.md"] == before["a.md"]
    assert after["b.md"] != before["b.md"]
    assert not (root / "trackers.db").exists()
