"""The form of a sealed page (contract: memory.md, Writing a page): magic, nonce, AES-256-GCM ciphertext and tag."""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from parity.rules import rule

MAGIC: Final = b"LOKIMEMv1"
"""The nine bytes a sealed page starts with; they are its associated data too."""

KEY_SIZE: Final = 32
NONCE_SIZE: Final = 12
TAG_SIZE: Final = 16


class SealDamagedError(Exception):
    """Sealed bytes that are cut short, were changed, or were sealed with another key."""


@rule("memory/sealed/plain")
def is_sealed(raw: bytes) -> bool:
    """Whether these bytes are a sealed page; a file that does not start with the magic is plain."""
    return raw.startswith(MAGIC)


@rule("memory/sealed/form")
def seal(content: bytes, key: bytes, nonce: bytes) -> bytes:
    """The sealed form of ``content``. ``key`` is 32 bytes, ``nonce`` 12, never used twice; else ValueError."""
    _check("key", key, KEY_SIZE)
    _check("nonce", nonce, NONCE_SIZE)
    return MAGIC + nonce + AESGCM(key).encrypt(nonce, content, MAGIC)


@rule("memory/sealed/damaged")
def unseal(raw: bytes, key: bytes) -> bytes:
    """What was sealed. Raises :class:`SealDamagedError`, and ValueError for a key that is not 32 bytes."""
    _check("key", key, KEY_SIZE)
    nonce = raw[len(MAGIC) : len(MAGIC) + NONCE_SIZE]
    box = raw[len(MAGIC) + NONCE_SIZE :]
    if not is_sealed(raw) or len(box) < TAG_SIZE:
        message = "a sealed page that is cut short"
        raise SealDamagedError(message)
    try:
        return AESGCM(key).decrypt(nonce, box, MAGIC)
    except InvalidTag:
        message = "a sealed page that was changed, or sealed with another key"
        raise SealDamagedError(message) from None


def _check(what: str, given: bytes, size: int) -> None:
    if len(given) != size:
        message = f"a {what} of {len(given)} bytes where {size} are needed"
        raise ValueError(message)
