from __future__ import annotations

from typing import Final

import pytest

from parity.stores.seal import is_sealed
from parity.stores.state import Settings
from parity.stores.vault import Vault, VaultLockedError, encrypted

KEY: Final = bytes(range(32))
YES: Final = {"MEM_ENCRYPTED": "oui"}


def nonce() -> bytes:
    return b"twelve bytes"


def vault(*, config: dict[str, str], dek: bytes | None, locked: bool = False) -> Vault:
    return Vault(Settings(config=config, dek=dek, locked=locked), nonce)


SEALED: Final = vault(config=YES, dek=KEY).close(b"x")


@pytest.mark.parametrize(
    "value", ["1", "on", "true", "yes", "oui", "OUI", "True", " yes\n", "\u00a0on\u3000", "ou\u0130"]
)
def test_the_memory_is_encrypted_for_five_words_trimmed_and_lower_cased_as_go_does(value: str) -> None:
    assert encrypted({"MEM_ENCRYPTED": value})


@pytest.mark.parametrize(
    "value", ["", " ", "0", "non", "vrai", "y", "2", "o n", "\u200bon", "\x1con", "on.", "O\u0303n"]
)
def test_the_memory_is_not_encrypted_for_any_other_word(value: str) -> None:
    assert not encrypted({"MEM_ENCRYPTED": value})


def test_the_memory_is_not_encrypted_without_the_setting_and_its_name_has_one_case() -> None:
    assert not encrypted({})
    assert not encrypted({"mem_encrypted": "1"})


def test_an_encrypted_unlocked_memory_seals_and_opens() -> None:
    unlocked = vault(config=YES, dek=KEY)
    assert is_sealed(unlocked.close(b"x"))
    assert unlocked.open(SEALED) == b"x"


def test_plain_values_are_read_whatever_the_settings() -> None:
    for one in (vault(config=YES, dek=KEY), vault(config=YES, dek=KEY, locked=True), vault(config={}, dek=None)):
        assert one.open(b"plain") == b"plain"


def test_opening_depends_on_the_key_alone() -> None:
    assert vault(config={}, dek=KEY).open(SEALED) == b"x"
    for locked in (vault(config={}, dek=KEY, locked=True), vault(config={}, dek=None), vault(config=YES, dek=None)):
        with pytest.raises(VaultLockedError):
            locked.open(SEALED)


def test_sealing_depends_on_the_setting_as_well() -> None:
    assert vault(config={}, dek=KEY).close(b"x") == b"x"
    assert vault(config={}, dek=KEY, locked=True).close(b"x") == b"x"
    for locked in (vault(config=YES, dek=KEY, locked=True), vault(config=YES, dek=None)):
        with pytest.raises(VaultLockedError):
            locked.close(b"x")


def test_a_recorded_value_is_put_back_sealed_where_there_is_a_key_and_plain_where_not() -> None:
    assert vault(config=YES, dek=KEY).close_if_unlocked(b"x") == SEALED
    assert vault(config=YES, dek=KEY, locked=True).close_if_unlocked(b"x") == b"x"
    assert vault(config={}, dek=KEY).close_if_unlocked(b"x") == b"x"


def test_content_that_looks_sealed_is_sealed_like_any_other() -> None:
    unlocked = vault(config=YES, dek=KEY)
    assert unlocked.open(unlocked.close(SEALED)) == SEALED


def test_a_key_of_another_size_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="a key of 16 bytes where 32 are needed"):
        vault(config={}, dek=bytes(16))
