"""keepimg.md, Store: what is stored, what is refused; on disk and in RAM alike, and what only a disk can do."""

from __future__ import annotations

import os
import resource
import stat
import time
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Final

import pytest

from parity.images import files, store
from parity.images.message import Message
from parity.images.store import ImageStore
from parity.stores.errors import MemoryUnusableError
from parity.stores.lock import DirectoryLock
from parity.stores.seal import is_sealed
from parity.stores.state import Settings
from parity.stores.vault import Vault
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from parity.images.store import Stored

KEY: Final = bytes(range(32))
PLAIN: Final = Settings()
SEALED: Final = Settings(config={"MEM_ENCRYPTED": "oui"}, dek=KEY)
LOCKED: Final = Settings(config={"MEM_ENCRYPTED": "oui"}, dek=KEY, locked=True)
OPEN_AGAIN: Final = Settings(dek=KEY)

WEBP: Final = "data:image/webp;base64,UklGRjAwMDBXRUJQVlA4IA=="
IMAGE: Final = b"RIFF0000WEBPVP8 "
NAME: Final = "d7cec322281d62558a1597bc2210ad9f.webp"
"""Recorded: what the store called the image above, of 16 bytes."""

LEFTOVER: Final = ".loki-write-0123456789abcdef"


def part(url: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


def shown(*urls: str) -> Message:
    return Message("user", ({"type": "text", "text": "Image demandée :"}, *map(part, urls)))


def nonces() -> Callable[[], bytes]:
    numbers = count(1)
    return lambda: next(numbers).to_bytes(12, "big")


def disk(root: Path, settings: Settings = PLAIN, patience: float = 0.05) -> ImageStore:
    return files.on_disk(root, settings, nonces=nonces(), patience=patience)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def place(root: Path) -> Path:
    """The folder of the images, already there."""
    made = root / "images"
    made.mkdir(parents=True)
    return made


@pytest.fixture(params=["disk", "ram"])
def opened(request: pytest.FixtureRequest, root: Path) -> Callable[[Settings], ImageStore]:
    def make(settings: Settings) -> ImageStore:
        return disk(root, settings) if request.param == "disk" else files.in_ram(settings, nonces=nonces())

    return make


@pytest.mark.parametrize("settings", [PLAIN, SEALED])
def test_an_image_is_stored_by_reference_and_weighs_its_bytes(
    opened: Callable[[Settings], ImageStore], settings: Settings
) -> None:
    images = opened(settings)
    stored = images.store(shown(WEBP))
    assert stored == store.Stored(shown(f"loki-img:{NAME}"), 16)
    assert images.image(NAME) == IMAGE


def test_an_image_stored_again_is_the_same_reference(opened: Callable[[Settings], ImageStore]) -> None:
    images = opened(SEALED)
    first = images.store(shown(WEBP))
    assert first is not None
    assert images.store(shown(WEBP)) == first


def test_the_mark_and_the_rest_of_the_part_stay(opened: Callable[[Settings], ImageStore]) -> None:
    detailed = {"type": "image_url", "image_url": {"url": WEBP, "detail": "high"}}
    stored = opened(PLAIN).store(Message("user", [detailed], relay=True))
    assert stored is not None
    assert stored.message.relay
    assert stored.message.content == (detailed | {"image_url": {"url": f"loki-img:{NAME}", "detail": "high"}},)


@pytest.mark.parametrize(
    "message",
    [
        Message("user", "rien"),
        Message("user"),
        Message("user", 5),
        Message("user", []),
        Message("user", [None, "x", {"type": "text", "text": WEBP}]),
        shown(),
        shown(WEBP, WEBP),
        shown("https://exemple.invalid/a.png"),
        shown("data:image/bmp;base64,QUJD"),
        shown("data:image/png;base64,@@@"),
        shown("data:image/png;base64,"),
        shown("data:image/png;base64,QU\nJD"),
        shown(f"loki-img:{NAME}"),
        Message("user", [{"type": "image_url", "image_url": WEBP}]),
    ],
)
def test_only_exactly_one_readable_image_is_stored(
    opened: Callable[[Settings], ImageStore], message: Message, root: Path
) -> None:
    assert opened(PLAIN).store(message) is None
    assert not (root / "images").exists()


def test_a_locked_memory_refuses_and_opens_nothing(opened: Callable[[Settings], ImageStore], root: Path) -> None:
    assert opened(LOCKED).store(shown(WEBP)) is None
    disk(root, SEALED).store(shown(WEBP))
    assert disk(root, LOCKED).image(NAME) is None
    assert disk(root, LOCKED).store(shown(WEBP)) is None


@pytest.mark.parametrize("name", [NAME, "", "..", "../root", "/etc/passwd", "a\0b", "x" * 300, NAME + "\n"])
def test_an_image_that_is_not_there_or_a_name_that_leads_out_is_none(
    opened: Callable[[Settings], ImageStore], name: str
) -> None:
    assert opened(PLAIN).image(name) is None


def test_a_store_that_takes_nothing_refuses() -> None:
    assert store.refuse(shown(WEBP)) is None  # type: ignore[func-returns-value]  # that it is None is its rule


def test_an_encrypted_memory_seals_its_images(root: Path, place: Path) -> None:
    disk(root, SEALED).store(shown(WEBP))
    raw = (place / NAME).read_bytes()
    assert is_sealed(raw)
    assert Vault(SEALED, nonces()).open(raw) == IMAGE


def test_a_plain_memory_stores_the_very_bytes_for_their_owner_alone(root: Path, place: Path) -> None:
    disk(root).store(shown(WEBP))
    assert (place / NAME).read_bytes() == IMAGE
    assert stat.S_IMODE((place / NAME).stat().st_mode) == 0o600
    assert [entry.name for entry in place.iterdir()] == [NAME]


@pytest.mark.parametrize("settings", [PLAIN, SEALED])
def test_an_image_that_is_already_there_gets_the_date_of_now_and_is_not_written_again(
    root: Path, place: Path, settings: Settings
) -> None:
    images = disk(root, settings)
    images.store(shown(WEBP))
    os.utime(place / NAME, (1, 1))
    before = (place / NAME).stat()
    assert images.store(shown(WEBP)) is not None
    after = (place / NAME).stat()
    assert after.st_ino == before.st_ino
    assert abs(after.st_mtime - time.time()) < 60
    assert [entry.name for entry in place.iterdir()] == [NAME]


@pytest.mark.parametrize("raw", [b"", b"other", b"LOKIMEMv1 damaged", IMAGE + b"\n"])
def test_a_damaged_image_is_none_until_it_is_stored_again(root: Path, place: Path, raw: bytes) -> None:
    (place / NAME).write_bytes(raw)
    images = disk(root, SEALED)
    assert images.image(NAME) is None
    assert images.store(shown(WEBP)) is not None
    assert images.image(NAME) == IMAGE
    assert [entry.name for entry in place.iterdir()] == [NAME]  # no version before is kept


def test_an_image_is_stored_again_in_the_form_that_the_memory_has_now(root: Path, place: Path) -> None:
    disk(root).store(shown(WEBP))
    disk(root, SEALED).store(shown(WEBP))
    assert is_sealed((place / NAME).read_bytes())
    disk(root, OPEN_AGAIN).store(shown(WEBP))
    assert (place / NAME).read_bytes() == IMAGE


def test_an_image_that_looks_sealed_in_a_plain_memory_is_not_read_back_and_so_refused(
    opened: Callable[[Settings], ImageStore],
) -> None:
    assert opened(PLAIN).store(shown("data:image/png;base64,TE9LSU1FTXYx")) is None


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file may grow over ``size`` bytes: what a full disk does, for this process alone."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_refuses_and_leaves_nothing_behind(root: Path, place: Path) -> None:
    images = disk(root)
    with at_most(15):
        assert images.store(shown(WEBP)) is None
    assert list(place.iterdir()) == []
    assert images.store(shown(WEBP)) is not None


def test_a_folder_in_the_place_of_an_image_refuses_it(root: Path, place: Path) -> None:
    (place / NAME).mkdir()
    assert disk(root).store(shown(WEBP)) is None


def test_an_image_behind_a_link_out_of_the_folder_is_not_read(root: Path, place: Path) -> None:
    outside = root / "outside"
    outside.write_bytes(IMAGE)
    (place / NAME).symlink_to(outside)
    images = disk(root)
    assert images.image(NAME) is None
    assert images.store(shown(WEBP)) is not None
    assert not (place / NAME).is_symlink()
    assert outside.read_bytes() == IMAGE


def test_an_image_that_goes_away_before_its_date_is_refreshed_is_refused(place: Path, root: Path) -> None:
    images = files.DiskImages(os.fsencode(place), DirectoryLock(os.fsencode(root)))
    with pytest.raises(WriteRefused, match="ENOENT"):
        images.refresh(NAME)


def test_another_writer_that_does_not_let_go_refuses_the_image(root: Path, place: Path) -> None:
    images = disk(root)
    with DirectoryLock(os.fsencode(root)).held():
        assert images.store(shown(WEBP)) is None
    assert list(place.iterdir()) == []


def test_what_a_killed_writer_left_is_removed_unless_a_writer_is_at_work(root: Path, place: Path) -> None:
    (place / LEFTOVER).write_bytes(b"half")
    with DirectoryLock(os.fsencode(root)).held():
        disk(root)
    assert (place / LEFTOVER).exists()
    disk(root)
    assert not (place / LEFTOVER).exists()


def test_a_root_that_cannot_be_a_folder_is_refused_when_the_store_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(MemoryUnusableError, match="the folder of the memory cannot be used: ENOTDIR"):
        disk(tmp_path / "file" / "root")


class LyingFiles:
    """A disk that says it wrote and gives other bytes back."""

    def __init__(self) -> None:
        self.inner = files.RamImages()

    def read(self, name: str) -> bytes:
        return self.inner.read(name)[:-1]

    def write(self, name: str, raw: bytes) -> None:
        self.inner.write(name, raw)

    def refresh(self, name: str) -> None:
        raise AssertionError(name)

    def exclusive(self) -> AbstractContextManager[None]:
        return self.inner.exclusive()


def test_an_image_that_is_not_read_back_to_the_byte_is_refused() -> None:
    assert ImageStore(LyingFiles(), Vault(PLAIN, nonces())).store(shown(WEBP)) is None


def test_the_files_of_ram_are_absent_until_written() -> None:
    images = files.RamImages()
    with pytest.raises(PageUnreadable):
        images.read(NAME)


def test_a_key_of_a_wrong_size_is_refused(opened: Callable[[Settings], ImageStore]) -> None:
    with pytest.raises(ValueError, match="a key of 3 bytes"):
        opened(Settings(dek=b"abc"))


def test_a_stored_value_is_what_a_turn_keeps(opened: Callable[[Settings], ImageStore]) -> None:
    keep: Callable[[Message], Stored | None] = opened(PLAIN).store
    assert keep(shown(WEBP)) is not None
