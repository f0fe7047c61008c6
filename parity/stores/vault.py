"""What decides whether a value is sealed and whether it can be opened (contract: memory.md, Writing a page).

Plain and sealed values live side by side: opening depends on the key being there, sealing on the configuration as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings
from parity.gostd.target import GO_1_25
from parity.rules import rule
from parity.stores.seal import KEY_SIZE, is_sealed, seal, unseal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.stores.state import Settings

SETTING: Final = "MEM_ENCRYPTED"
YES: Final = frozenset(("1", "true", "yes", "on", "oui"))


class VaultLockedError(Exception):
    """The value is sealed, or would have to be, and the key is not at hand."""


@rule("memory/encrypted/setting")
def encrypted(config: Mapping[str, str]) -> bool:
    """Whether the memory is encrypted: MEM_ENCRYPTED, trimmed, lower case, is one of ``1 on true yes oui``.

    The five words lower-case alike under every Unicode that Go has had, so no target is asked for.
    """
    return strings.to_lower(strings.trim_space(config.get(SETTING, "")), GO_1_25) in YES


class Vault:
    """Opens and closes values as the settings say. ``nonces`` gives 12 fresh bytes a call."""

    def __init__(self, settings: Settings, nonces: Callable[[], bytes]) -> None:
        """Raises ValueError for a key that is not 32 bytes."""
        if settings.dek is not None and len(settings.dek) != KEY_SIZE:
            message = f"a key of {len(settings.dek)} bytes where {KEY_SIZE} are needed"
            raise ValueError(message)
        self._encrypted = encrypted(settings.config)
        self._key = None if settings.locked else settings.dek
        self._nonces = nonces

    @rule("memory/sealed/opening")
    def open(self, raw: bytes) -> bytes:
        """The content of a stored value, which is itself when plain.

        Raises :class:`VaultLockedError` without a key, SealDamagedError when it does not open.
        """
        if not is_sealed(raw):
            return raw
        if self._key is None:
            raise VaultLockedError
        return unseal(raw, self._key)

    @rule("memory/sealed/sealing")
    def close(self, content: bytes) -> bytes:
        """What to store: sealed when the memory is encrypted. Raises :class:`VaultLockedError` without a key."""
        if not self._encrypted:
            return content
        if self._key is None:
            raise VaultLockedError
        return seal(content, self._key, self._nonces())

    def close_if_unlocked(self, content: bytes) -> bytes:
        """The same, but plain where there is no key: what a recorded state shows of a locked memory is plain."""
        return content if self._key is None else self.close(content)
