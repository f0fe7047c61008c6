"""Go's ``encoding/base64``: ``StdEncoding`` and its ``Strict()`` (contract: go-semantics.md, 2.13)."""

from __future__ import annotations

import binascii
import re
from typing import Final

from parity.gostd import utf8

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NEWLINES: Final = b"\r\n"
_STRANGER: Final = re.compile(rb"[^A-Za-z0-9+/\r\n]")
_PAD: Final = ord("=")
_PADS_AT_MOST: Final = 2
_QUANTUM: Final = 4


class CorruptInputError(ValueError):
    """Go's error of the same name. ``offset`` counts bytes of the text as given; ``decoded`` is what came before it."""

    def __init__(self, offset: int, decoded: bytes) -> None:
        super().__init__(f"illegal base64 data at input byte {offset}")
        self.offset = offset
        self.decoded = decoded


def encode_std(data: bytes) -> str:
    """``StdEncoding.EncodeToString``."""
    return binascii.b2a_base64(data, newline=False).decode()


def decode_std(s: str | bytes, *, strict: bool = False) -> bytes:
    r"""``StdEncoding.DecodeString``: newlines (``\r``, ``\n``) count for nothing anywhere; no other stranger may stand.

    ``strict`` is ``StdEncoding.Strict()``: the bits that the last character has to spare must be zero. Raises
    :class:`CorruptInputError`.
    """
    source = utf8.encode(s) if isinstance(s, str) else s
    data = source.translate(None, _NEWLINES)
    body = data.rstrip(b"=")
    if len(data) % _QUANTUM or len(data) - len(body) > _PADS_AT_MOST or body.translate(None, _ALPHABET):
        raise _corrupt(source, strict=strict)
    decoded = binascii.a2b_base64(data)
    if strict and binascii.b2a_base64(decoded, newline=False) != data:
        raise _corrupt(source, strict=strict)
    return decoded


def _corrupt(source: bytes, *, strict: bool) -> CorruptInputError:
    """What Go says of a text that it refuses: ``decodeQuantum`` at the first quantum that is not four characters."""
    stranger = _STRANGER.search(source)
    at = len(source) if stranger is None else stranger.start()
    plain = source[:at].translate(None, _NEWLINES)
    held = len(plain) % _QUANTUM
    decoded = binascii.a2b_base64(plain[: len(plain) - held])
    if stranger is None:
        return CorruptInputError(at - held, decoded)
    if source[at] != _PAD or held < 2:
        return CorruptInputError(at, decoded)
    at += 1
    if held == 2:
        at = _after_newlines(source, at)
        if at == len(source):
            return CorruptInputError(at, decoded)
        if source[at] != _PAD:
            return CorruptInputError(at - 1, decoded)
        at += 1
    at = _after_newlines(source, at)
    quantum = plain[-held:] + b"=" * (_QUANTUM - held)
    last = binascii.a2b_base64(quantum)
    if strict and binascii.b2a_base64(last, newline=False) != quantum:
        return CorruptInputError(at - (_QUANTUM - held), decoded)
    return CorruptInputError(at, decoded + last)


def _after_newlines(source: bytes, at: int) -> int:
    return len(source) - len(source[at:].lstrip(_NEWLINES))
