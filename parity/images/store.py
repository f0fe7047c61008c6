"""The store of images: content-named files, sealed where the memory is (contract: keepimg.md, Store)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from parity.images import message as messages
from parity.images.references import Image, extension, file_name, is_file_name, read_data_url, reference
from parity.rules import rule
from parity.stores.seal import SealDamagedError, is_sealed
from parity.stores.vault import VaultLockedError
from parity.tools.interface import PageUnreadable, WriteRefused

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from parity.images.message import Message
    from parity.stores.vault import Vault


@dataclass(frozen=True, slots=True)
class Stored:
    """A message in its referenced form, and the weight of its image in bytes."""

    message: Message
    weight: int


Keep: TypeAlias = "Callable[[Message], Stored | None]"
"""Stores the image of a message; None when it is refused."""


def refuse(_: Message) -> None:
    """A store that takes nothing: what a full disk comes to."""


class ImageFiles(Protocol):
    """Raw files by name, as they lie on disk."""

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises :class:`parity.tools.interface.PageUnreadable`."""
        ...

    def write(self, name: str, raw: bytes) -> None:
        """Write a file whole, or not at all. Raises :class:`parity.tools.interface.WriteRefused`."""
        ...

    def refresh(self, name: str) -> None:
        """Give a file the date of now. Raises WriteRefused."""
        ...

    def exclusive(self) -> AbstractContextManager[None]:
        """While held, nobody else writes here. Raises WriteRefused when another one does not let go in time."""
        ...


class ImageStore:
    """Images by name; make one with :func:`parity.images.files.on_disk` or :func:`parity.images.files.in_ram`."""

    def __init__(self, files: ImageFiles, vault: Vault) -> None:
        """``vault`` is the memory's: images are sealed as its pages are."""
        self._files = files
        self._vault = vault

    def store(self, message: Message) -> Stored | None:
        """Store the one image of a message. None when it is refused, for whatever reason: nothing is raised."""
        at = only_image(message)
        if at is None:
            return None
        parts = list(messages.parts(message))
        part = parts[at]
        image = read_data_url(messages.url(part))
        if image is None or not isinstance(part, Mapping) or not self._put(image):
            return None
        parts[at] = messages.with_url(part, reference(image.name))
        return Stored(replace(message, content=tuple(parts)), weight(image))

    def image(self, name: str) -> bytes | None:
        """The bytes of a stored image; None when it is gone, damaged, or sealed under a locked memory.

        None for a name that the store does not give, too.
        """
        if not is_file_name(name):
            return None
        try:
            content = self._vault.open(self._files.read(name))
        except (PageUnreadable, SealDamagedError, VaultLockedError):
            return None
        return content if file_name(content, extension(name)) == name else None

    @rule("keepimg/store/refused")
    def _put(self, image: Image) -> bool:
        """Whether the image lies there to be read again: not on a full disk, not under a locked memory."""
        try:
            raw = self._vault.close(image.content)
            with self._files.exclusive():
                self._write(image, raw)
        except (VaultLockedError, WriteRefused):
            return False
        return self._is_read_back(image)

    @rule("keepimg/store/sealed", "keepimg/store/date")
    def _write(self, image: Image, raw: bytes) -> None:
        """Write it, sealed if the memory is; one that is already there, and in that form, gets the date of now."""
        if self._is_read_back(image) and is_sealed(self._files.read(image.name)) == is_sealed(raw):
            self._files.refresh(image.name)
        else:
            self._files.write(image.name, raw)

    @rule("keepimg/store/read-back")
    def _is_read_back(self, image: Image) -> bool:
        """Whether what is read is the image, to the byte."""
        return self.image(image.name) == image.content


@rule("keepimg/store/one-image")
def only_image(message: Message) -> int | None:
    """The index of the part that is an image; None unless exactly one is."""
    found = [at for at, part in enumerate(messages.parts(message)) if messages.kind(part) == messages.IMAGE]
    return found[0] if len(found) == 1 else None


@rule("keepimg/store/weight")
def weight(image: Image) -> int:
    """What an image weighs: its bytes, not those of its base64."""
    return len(image.content)
