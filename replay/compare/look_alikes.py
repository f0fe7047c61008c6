"""Characters that look like others: what an eye does not tell apart. A small table, not Unicode's whole one.

Everything is data for ``str.translate``: a character to the plain one it is taken for.
"""

from __future__ import annotations

from typing import Final


def _pairs(like: str, plain: str) -> dict[int, str]:
    return dict(zip(map(ord, like), plain, strict=True))


_CYRILLIC: Final = _pairs("АВЕЅІЈКМНОРСТУХаеоѕіјрсухһԁԛԝ", "ABESIJKMHOPCTYXaeosijpcyxhdqw")
_GREEK: Final = _pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιαρυκγ", "ABEZHIKMNOPTYXoviapuky")
_LATIN: Final = _pairs("ıɑɡᴏſ", "iagof")
_FULL_WIDTH: Final = {point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}
_SINGLE_QUOTES: Final = dict.fromkeys(map(ord, "‘’‚‛′ʹʼʻˈ`´‹›"), "'")
_DOUBLE_QUOTES: Final = dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_DASHES: Final = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣"), "-")
_OTHERS: Final = {
    ord("…"): "...",
    ord("·"): ".",
    ord("•"): "*",
    ord("∗"): "*",
    ord("∕"): "/",
    ord("⁄"): "/",
    ord("∶"): ":",
    ord("×"): "x",
    ord("¦"): "|",
}

LETTERS: Final = {
    **_CYRILLIC,
    **_GREEK,
    **_LATIN,
    **_FULL_WIDTH,
    **_SINGLE_QUOTES,
    **_DOUBLE_QUOTES,
    **_DASHES,
    **_OTHERS,
}
"""Letters, digits and signs that look like ASCII ones."""

SPACES: Final = dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
"""Every space separator of Unicode but the space itself."""

INVISIBLE: Final = dict.fromkeys(
    (
        0xAD,
        0x34F,
        0x61C,
        0x180E,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        0xFEFF,
        *range(0xE0000, 0xE0080),
        *range(0xE0100, 0xE01F0),
    ),
    "",
)
"""Zero-width characters, direction marks, variation selectors, the byte order mark."""
