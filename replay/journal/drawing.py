"""Text of a journal as an error shows it: on one line, of bounded length, nothing in it obeyed by a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST: Final = 80
"""How many characters of a text are shown, before a ``…``."""

_LONGEST_PATH: Final = 240
_ENDS_OF_PATH: Final = 115

# Controls, separators of lines, marks without width or that turn the direction of writing, surrogates, tags. The list
# is written out: what a category of Unicode holds depends on Python's version.
_HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

_PLAIN_KEY: Final = re.compile(
    "[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff][A-Za-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]*"
)


def visible(text: str) -> str:
    r"""The whole text, each character that a terminal would hide or obey drawn as ``\x1b`` or ``\u202e``."""
    return _HIDDEN.sub(_drawing, text)


def drawn(text: str, longest: int = LONGEST) -> str:
    """At most ``longest`` characters of :func:`visible`, then ``…`` if there is more; never half of an escape."""
    shown = ""
    for character in text:
        piece = visible(character)
        if len(shown) + len(piece) > longest:
            return f"{shown}…"
        shown += piece
    return shown


def quoted(text: str, longest: int = LONGEST) -> str:
    """:func:`drawn`, between double quotes; those inside, and backslashes, with a backslash before them."""
    return f'"{drawn(text[: longest + 1].translate(_QUOTES), longest)}"'


def path(names: Sequence[str | int]) -> str:
    """A path inside a journal such as ``steps[3].files["a b.md"]``: odd keys quoted, a very long path cut inside.

    Numbers count from 0, as programs that read JSON do.
    """
    whole = "".join(map(_part, names)).removeprefix(".")
    if len(whole) <= _LONGEST_PATH:
        return whole
    return f"{whole[:_ENDS_OF_PATH]} … {whole[-_ENDS_OF_PATH:]}"


_QUOTES: Final = {ord('"'): '\\"', ord("\\"): "\\\\"}


def _part(name: str | int) -> str:
    if isinstance(name, int):
        return f"[{name}]"
    if len(name) <= LONGEST and _PLAIN_KEY.fullmatch(name):
        return f".{name}"
    return f"[{quoted(name)}]"


def _drawing(hidden: re.Match[str]) -> str:
    code = ord(hidden[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
