"""Whatever stands at a path, loading it ends, and says what stands there."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from replay.journal import JournalError, files, load
from replay.journal.limits import Limits

A_JOURNAL = "a journal (a JSON object in UTF-8)"
SMALL = b'{"kind": "recall", "blocks": [], "steps": [{"tool": "recall", "result": ""}]}'


def refused(path: Path | str, *, file_name: str | None = None) -> JournalError:
    with pytest.raises(JournalError) as caught:
        load(path, file_name=file_name)
    return caught.value


def test_a_file_is_called_as_the_person_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_bytes(SMALL)
    assert load("a.json").file == "a.json"
    assert load(tmp_path / "a.json").file == f"{tmp_path}/a.json"
    assert load(tmp_path / "a.json", file_name="logs/a.json").steps[0].at.file == "logs/a.json"


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(SMALL)
    # sha256sum of the same bytes
    assert load(tmp_path / "a.json").sha256 == "d67cf281fd1c507d0a63c5fd022103f48d9d76614eaf466291266737d5423fc9"


def test_no_file() -> None:
    error = refused("no/such.json")
    assert (error.kind, str(error)) == ("missing-file", f"no/such.json: found no such file, expected {A_JOURNAL}")


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(SMALL)
    assert refused(tmp_path / "a" / "b.json").kind == "missing-file"


def test_a_path_that_no_file_can_have() -> None:
    error = refused("a\0b.json")
    assert (error.kind, str(error)) == (
        "missing-file",
        f"a\\x00b.json: found a path that no file can have, expected {A_JOURNAL}",
    )


def test_a_path_too_long_for_the_system() -> None:
    error = refused("x" * 5000)
    assert (error.kind, error.found) == ("unreadable", "a file that the system refuses to read (File name too long)")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_bytes(SMALL)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")  # root may read everything, so a mode would not do

    monkeypatch.setattr(os, "open", refuse)
    error = refused(tmp_path / "a.json", file_name="a.json")
    expected = f"a.json: found a file that the system refuses to read (Permission denied), expected {A_JOURNAL}"
    assert (error.kind, str(error)) == ("unreadable", expected)


def test_a_folder(tmp_path: Path) -> None:
    error = refused(tmp_path, file_name="logs")
    assert (error.kind, str(error)) == ("not-a-file", f"logs: found a folder, expected {A_JOURNAL}")


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    error = refused(tmp_path / "a.json")
    assert (error.kind, error.found) == ("not-a-file", "a pipe")


def test_a_pipe_that_takes_the_place_of_a_file_does_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "a.json")
    (tmp_path / "b.json").write_bytes(SMALL)
    before = (tmp_path / "b.json").stat()
    monkeypatch.setattr(Path, "stat", lambda _: before)
    error = refused(tmp_path / "a.json")
    assert (error.kind, error.found) == ("not-a-file", "a pipe")


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("a.json")
        assert refused("a.json").found == "a socket"


def test_a_device_is_not_opened() -> None:
    error = refused("/dev/zero")
    assert (error.kind, error.found) == ("not-a-file", "a device")


def test_what_is_no_known_sort_of_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "stat", lambda _: os.stat_result((stat.S_IFLNK, *range(9))))
    assert refused(tmp_path / "a.json").found == "no regular file"


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(SMALL)
    (tmp_path / "b.json").symlink_to("a.json")
    assert load(tmp_path / "b.json").kind == "recall"


def test_links_in_a_ring(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("b.json")
    (tmp_path / "b.json").symlink_to("a.json")
    assert refused(tmp_path / "a.json").kind == "unreadable"


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(600 * 1024 * 1024)
    error = refused(tmp_path / "a.json", file_name="a.json")
    assert (error.kind, str(error)) == (
        "too-large",
        "a.json: found a larger file, expected at most 536870912 bytes",
    )


def test_a_file_that_grows_while_it_is_read_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(SMALL + b" " * 100)
    small = os.stat_result((stat.S_IFREG, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    monkeypatch.setattr(os, "fstat", lambda _: small)
    assert load(path, limits=Limits(size=len(SMALL) + 100)).kind == "recall"
    with pytest.raises(JournalError) as caught:
        load(path, limits=Limits(size=len(SMALL)))
    assert caught.value.kind == "too-large"


def test_a_file_is_read_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(SMALL * 10_000)
    assert files.read(path, "a.json", 10**9) == SMALL * 10_000
