"""A stored image's name, its reference in a message, the data URL that both stand for (contract: keepimg.md, Store)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from parity.gostd import base64
from parity.images import message as messages
from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from parity.images.message import Message

SCHEME: Final = "loki-img:"
MISSING: Final = "[image indisponible : fichier supprimé]"
"""What the model reads in place of an image whose file is gone."""

EXTENSIONS: Final = {"jpeg": ".jpg", "png": ".png", "gif": ".gif", "webp": ".webp"}
"""The formats that are stored, by the names that a data URL gives them."""

_FORMATS: Final = {extension: name for name, extension in EXTENSIONS.items()}
_HEAD: Final = re.compile(r"data:image/(?P<format>jpeg|png|gif|webp);base64,", re.ASCII)
_NAME: Final = re.compile(r"[0-9a-f]{32}\.(?:jpg|png|gif|webp)", re.ASCII)
_HASH_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Image:
    """An image's bytes and the name that they are stored under."""

    name: str
    content: bytes


@rule("keepimg/store/name")
def file_name(content: bytes, ending: str) -> str:
    """The first 16 bytes of the image's SHA-256, in hex, and the extension of its format."""
    return hashlib.sha256(content).digest()[:_HASH_BYTES].hex() + ending


@rule("keepimg/store/data-url")
def read_data_url(url: str) -> Image | None:
    """The image in a data URL of a known format; None where it is not strictly readable, or empty."""
    head = _HEAD.match(url)
    if head is None or not url.isascii():
        return None
    try:
        content = base64.decode_std(url[head.end() :], strict=True)
    except base64.CorruptInputError:
        return None
    image = Image(file_name(content, EXTENSIONS[head["format"]]), content)
    return image if content and is_rebuilt(image, url) else None


@rule("keepimg/store/rebuilt")
def is_rebuilt(image: Image, url: str) -> bool:
    """Whether the data URL that the image gives is the one received: it would not be with a newline in its base64."""
    return data_url(image) == url


def data_url(image: Image) -> str:
    """The data URL of a stored image."""
    return f"data:image/{_FORMATS[extension(image.name)]};base64,{base64.encode_std(image.content)}"


def extension(name: str) -> str:
    """The extension of a stored image's name, with its dot."""
    return name[name.index(".") :]


@rule("keepimg/store/reference")
def reference(name: str) -> str:
    """What stands for a stored image in a message's URL."""
    return SCHEME + name


@rule("keepimg/reference/inside")
def referenced_name(url: str) -> str | None:
    """The file that a reference names; None for any name the store does not give, so that none leads out of it."""
    name = url.removeprefix(SCHEME)
    return name if name != url and is_file_name(name) else None


def is_file_name(name: str) -> bool:
    """Whether the store could have given this name: 32 hex digits in lower case and a known extension, no more."""
    return _NAME.fullmatch(name) is not None


@rule("keepimg/sent/mark")
def for_model(message: Message, read: Callable[[str], bytes | None]) -> dict[str, object]:
    """A message as the model receives it: images for their references, no mark, no cost.

    ``read`` gives the bytes of a stored image, None when it is gone. What holds no reference stays the very same.
    """
    return messages.written(replace(message, content=_with_images(message, read), relay=False, cost=0))


def _with_images(message: Message, read: Callable[[str], bytes | None]) -> object:
    parts = messages.parts(message)
    if not any(_is_reference(part) for part in parts):
        return message.content
    return tuple(_with_image(part, read) for part in parts)


def _is_reference(part: object) -> bool:
    return messages.kind(part) == messages.IMAGE and messages.url(part).startswith(SCHEME)


@rule("keepimg/sent/data-url", "keepimg/sent/missing")
def _with_image(part: object, read: Callable[[str], bytes | None]) -> object:
    """A part with the data URL for its reference, byte for byte, or the text that says that the file is gone."""
    if not (_is_reference(part) and isinstance(part, Mapping)):
        return part
    name = referenced_name(messages.url(part))
    content = None if name is None else read(name)
    if name is None or content is None:
        return {"type": messages.TEXT, messages.TEXT: MISSING}
    return messages.with_url(part, data_url(Image(name, content)))
