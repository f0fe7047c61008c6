"""Sealed pages; the sealed bytes and what they hold were recorded from Loki's Go (scelles.json)."""

from __future__ import annotations

import base64
from typing import Final

import pytest

from parity.stores import seal
from parity.stores.seal import SealDamagedError

KEY: Final = bytes.fromhex("00112233445566778899aabbccddeeff0f1e2d3c4b5a69788796a5b4c3d2e1f0")
SEALED_BY_GO: Final = base64.b64decode(
    "TE9LSU1FTXYxqK5/Sd47YJuDBpkPdgkWYaEilpPR4Rslce/c9dmFpIpHflgFUWisqotGsOkFFuDbGlddgUNUmM807IndrCbK/EdzQ4sNH6Pufgg="
)
CONTENT: Final = b"# Secret de famille\nLa recette du coq au vin.\n"
NONCE: Final = SEALED_BY_GO[9:21]


def test_what_go_sealed_opens() -> None:
    assert seal.unseal(SEALED_BY_GO, KEY) == CONTENT


def test_the_same_content_key_and_nonce_give_gos_very_bytes() -> None:
    assert seal.seal(CONTENT, KEY, NONCE) == SEALED_BY_GO


def test_an_empty_content_is_sealed_as_magic_nonce_and_tag() -> None:
    sealed = seal.seal(b"", KEY, NONCE)
    assert len(sealed) == 9 + 12 + 16
    assert seal.unseal(sealed, KEY) == b""


@pytest.mark.parametrize("at", range(0, len(SEALED_BY_GO), 7))
def test_one_changed_bit_anywhere_is_damage(at: int) -> None:
    changed = bytearray(SEALED_BY_GO)
    changed[at] ^= 1
    with pytest.raises(SealDamagedError):
        seal.unseal(bytes(changed), KEY)


@pytest.mark.parametrize("length", range(len(SEALED_BY_GO)))
def test_a_cut_anywhere_is_damage(length: int) -> None:
    with pytest.raises(SealDamagedError):
        seal.unseal(SEALED_BY_GO[:length], KEY)


def test_another_key_is_damage() -> None:
    with pytest.raises(SealDamagedError, match="another key"):
        seal.unseal(SEALED_BY_GO, KEY[::-1])


def test_the_magic_is_bound_to_what_is_sealed() -> None:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - the form without its associated data

    forged = seal.MAGIC + NONCE + AESGCM(KEY).encrypt(NONCE, CONTENT, None)
    with pytest.raises(SealDamagedError):
        seal.unseal(forged, KEY)


@pytest.mark.parametrize("raw", [b"", b"LOKIMEMv", b"LOKIMEMv2" + bytes(28), b" LOKIMEMv1"])
def test_what_does_not_start_with_the_nine_bytes_is_plain(raw: bytes) -> None:
    assert not seal.is_sealed(raw)


def test_the_nine_bytes_alone_are_sealed() -> None:
    assert seal.is_sealed(b"LOKIMEMv1")


@pytest.mark.parametrize("size", [0, 16, 24, 31, 33])
def test_a_key_is_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match=f"a key of {size} bytes where 32 are needed"):
        seal.seal(CONTENT, bytes(size), NONCE)
    with pytest.raises(ValueError, match="32 are needed"):
        seal.unseal(SEALED_BY_GO, bytes(size))


@pytest.mark.parametrize("size", [0, 8, 11, 13])
def test_a_nonce_is_12_bytes(size: int) -> None:
    with pytest.raises(ValueError, match=f"a nonce of {size} bytes where 12 are needed"):
        seal.seal(CONTENT, KEY, bytes(size))
