from __future__ import annotations

import fcntl
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from parity.stores.lock import BUSY, DirectoryLock
from parity.tools.interface import WriteRefused

if TYPE_CHECKING:
    from pathlib import Path


def lock(place: Path, patience: float = 0.02) -> DirectoryLock:
    return DirectoryLock(os.fsencode(place), patience)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count is all that is wanted


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    with lock(tmp_path).held():
        with pytest.raises(WriteRefused) as refused, lock(tmp_path).held():
            pytest.fail("two hold it")
        assert (refused.value.text, refused.value.system) == (BUSY, True)
    with lock(tmp_path).held():
        pass


def test_nothing_is_left_in_the_directory_and_no_file_stays_open(tmp_path: Path) -> None:
    before = open_files()
    with lock(tmp_path).held(), pytest.raises(WriteRefused), lock(tmp_path).held():
        pytest.fail("two hold it")
    assert list(tmp_path.iterdir()) == []
    assert open_files() == before


def test_a_holder_takes_it_again_and_lets_it_go_with_the_outermost(tmp_path: Path) -> None:
    mine = lock(tmp_path)
    with mine.held():
        with mine.held():
            pass
        with pytest.raises(WriteRefused), lock(tmp_path).held():
            pytest.fail("two hold it")
    with lock(tmp_path).held():
        pass


def test_it_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    mine = lock(tmp_path)
    with pytest.raises(LookupError), mine.held(), mine.held():
        raise LookupError
    with lock(tmp_path).held(), pytest.raises(WriteRefused), mine.held():
        pytest.fail("two hold it")


def test_a_waiting_thread_takes_it_as_soon_as_it_is_free(tmp_path: Path) -> None:
    patient = lock(tmp_path, patience=10)
    done = threading.Event()

    def wait() -> None:
        with patient.held():
            done.set()

    with patient.held():
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert not done.wait(0.05)
    assert done.wait(5)
    waiting.join()


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteRefused) as refused, lock(tmp_path / "absent").held():
        pytest.fail("there is nothing to hold")
    assert (refused.value.text, refused.value.system) == ("erreur du système (ENOENT)", True)


def test_a_system_without_locks_refuses_the_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(_: int, __: int) -> None:
        raise OSError(37, "no locks available")

    before = open_files()
    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(WriteRefused, match="ENOLCK"), lock(tmp_path).held():
        pytest.fail("nothing is held")
    assert open_files() == before


def test_an_interrupt_while_waiting_keeps_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with lock(tmp_path).held():
        before = open_files()
        monkeypatch.setattr(time, "sleep", interrupted)
        with pytest.raises(KeyboardInterrupt), lock(tmp_path).held():
            pytest.fail("two hold it")
        assert open_files() == before
