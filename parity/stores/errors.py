"""What a store raises besides the tools' own outcomes; each message is one sentence for a person."""

from __future__ import annotations

from parity.stores.system_text import system_text
from parity.tools.interface import WriteRefused


class FileNameError(ValueError):
    """A name that is no plain file name: empty, too long, not encodable, or leading out of the folder."""


class StateRefusedError(ValueError):
    """A state that a memory cannot take: a file name or a tracker key that it must not or cannot hold."""


class MemoryUnusableError(WriteRefused):
    """The system refuses ``what`` a memory stands on; ``reason`` is short, such as ``EACCES``.

    The message is for whoever keeps the memory. As a WriteRefused it has the text with which a tool answers, also where
    it only reads: what cannot be read must not look absent, or the next write would replace it.
    """

    def __init__(self, what: str, reason: str) -> None:
        """``what`` begins the message, ``reason`` ends it and stands in the text."""
        super().__init__(system_text(reason), system=True)
        self.message = f"{what} cannot be used: {reason}"

    def __str__(self) -> str:
        """The message, not the text."""
        return self.message
