"""Ways in which one text becomes another: what a cause undoes. Every function takes time in proportion to its text.

All but the whole-text ones work inside a line, so that they can be tried on the lines that differ alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replay.compare.code_points import category, compose, small_letter
from replay.compare.look_alikes import INVISIBLE, LETTERS, SPACES

if TYPE_CHECKING:
    from collections.abc import Mapping

_BLANKS: Final = re.compile("[ \t]++")
_REPLACEMENTS: Final = re.compile("\ufffd++")
_BAD: Final = re.compile("[\ufffd\udc80-\udcff]++")
_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f\ufffd]")
_UPPER: Final = re.compile("[^\x00-@\\[-\xbf]")
_NUMBER: Final = re.compile(
    r"(?P<whole>[0-9]++)(?:\.(?P<part>[0-9]++))?(?:[eE](?P<exponent>[-+]?[0-9]{1,6}+))?", re.ASCII
)
_DIGITS: Final = 20
_LINE_NUMBER: Final = re.compile("^[0-9]++(?=\t)", re.MULTILINE | re.ASCII)

_GO_ESCAPE: Final = re.compile(r"\\u(?P<point>003[ce]|0026|2028|2029)")
_JSON_ESCAPE: Final = re.compile(
    r'\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})|u(?P<point>[0-9a-fA-F]{4})|(?P<short>["\\/bfnrt]))'
)
_SHORT: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ENTITY: Final = re.compile("&(?:lt|gt|amp|quot|apos|nbsp|#34|#39|#x27|#43);")
_ENTITIES: Final = {
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    "&quot;": '"',
    "&#34;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&#x27;": "'",
    "&#43;": "+",
    "&nbsp;": "\u00a0",
}


def without_crlf(text: str) -> str:
    """CR LF as LF."""
    return text.replace("\r\n", "\n")


def without_cr(text: str) -> str:
    """CR LF and a lone CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def dropped_cr(text: str) -> str:
    """No CR at all."""
    return text.replace("\r", "")


def without_trailing_blanks(text: str) -> str:
    """No space or tab before the end of a line."""
    return "\n".join([line.rstrip(" \t") for line in text.split("\n")])


def one_blank(text: str) -> str:
    """Every run of spaces and tabs as one space."""
    return _BLANKS.sub(" ", text)


def composed(text: str) -> str:
    """Letters and their accents composed (NFC)."""
    return compose(text, "NFC")


def compatible(text: str) -> str:
    """Compatibility forms as what they stand for (NFKC)."""
    return compose(text, "NFKC")


def plain_spaces(text: str) -> str:
    """Every kind of space as a space."""
    return text.translate(SPACES)


def visible(text: str) -> str:
    """No invisible character."""
    return text.translate(INVISIBLE)


def small(text: str) -> str:
    """Capitals as small letters, one for one."""
    return _UPPER.sub(lambda found: small_letter(found[0]), text.translate(_ASCII_SMALL))


_ASCII_SMALL: Final[Mapping[int, str]] = {point: chr(point + 32) for point in range(65, 91)}


def plain_letters(text: str) -> str:
    """Look-alikes as what they look like."""
    return text.translate(LETTERS)


def without_accents(text: str) -> str:
    """Letters without their accents."""
    return "".join([character for character in compose(text, "NFD") if category(character) != "Mn"])


def one_replacement(text: str) -> str:
    """Every run of U+FFFD as one."""
    return _REPLACEMENTS.sub("\ufffd", text)


def one_bad(text: str) -> str:
    """Every run of bytes that are not UTF-8, and of U+FFFD, as one U+FFFD."""
    return _BAD.sub("\ufffd", text)


def same_numbers(text: str) -> str:
    """Every number by its value: ``1e+06`` as ``1000000``, ``007`` as ``7``, ``1.50`` as ``1.5``."""
    return _NUMBER.sub(_value, text)


def _value(found: re.Match[str]) -> str:
    part = (found["part"] or "").rstrip("0")
    digits = (found["whole"] + part).lstrip("0")
    significant = digits.rstrip("0")
    exponent = int(found["exponent"] or 0) - len(part) + len(digits) - len(significant)
    return f"{significant}E{exponent}" if significant else "0"


def without_line_numbers(text: str) -> str:
    """No number before the first tab of a line."""
    return _LINE_NUMBER.sub("", text)


def line_numbers(text: str) -> list[int]:
    """The numbers before the first tabs, in order; numbers too long to be one of a page's lines count as 0."""
    return [int(found[0]) if len(found[0]) <= _DIGITS else 0 for found in _LINE_NUMBER.finditer(text)]


def without_last_newlines(text: str) -> str:
    """No newline at the very end."""
    return text.rstrip("\n")


def without_go_escapes(text: str) -> str:
    r"""What Go's JSON escapes for HTML, as itself: ``\u003c`` as ``<``."""
    return _GO_ESCAPE.sub(lambda found: chr(int(found["point"], 16)), text)


def without_json_escapes(text: str) -> str:
    r"""JSON escapes as what they stand for: ``\n``, ``\"``, ``\u00e9``."""
    return _JSON_ESCAPE.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    if found["high"]:
        return chr(0x10000 + (int(found["high"], 16) - 0xD800) * 0x400 + int(found["low"], 16) - 0xDC00)
    return chr(int(found["point"], 16)) if found["point"] else _SHORT[found["short"]]


def without_entities(text: str) -> str:
    """HTML entities as what they stand for."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], text)


_BYTES: Final[Mapping[int, int]] = {
    ord(character): byte for byte in range(0x80, 0xA0) if (character := bytes([byte]).decode("cp1252", "ignore"))
} | {byte: byte for byte in range(0x80, 0x100)}
"""A character to the byte that it stands for in Latin-1 or in Windows-1252."""

_FOLLOWS: Final = f"[{re.escape(''.join(chr(point) for point, byte in _BYTES.items() if byte < 0xC0))}]"
_ENCODED_TWICE: Final = re.compile(f"[\xc2-\xdf]{_FOLLOWS}|[\xe0-\xef]{_FOLLOWS}{{2}}|[\xf0-\xf4]{_FOLLOWS}{{3}}")


def encoded_once(text: str) -> str:
    """Characters that are the bytes of UTF-8, one each, as the character that these bytes mean: ``Ã©`` as ``é``."""
    return _ENCODED_TWICE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    try:
        return bytes([_BYTES[ord(character)] for character in found[0]]).decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


def replaced_by_bytes(text: str) -> str:
    """U+FFFD for every byte of UTF-8 beyond ASCII: two for ``é``."""
    return _BEYOND_ASCII.sub(lambda found: "\ufffd" * len(found[0].encode("utf-8", "replace")), text)


def replaced_by_letters(text: str) -> str:
    """U+FFFD for every character beyond ASCII."""
    return _BEYOND_ASCII.sub("\ufffd", text)
