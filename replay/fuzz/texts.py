"""Texts of what goes wrong most easily: the characters on which Go, Python and the rules of the tools part.

Always text without surrogates; bytes that are not UTF-8 are in :data:`BAD_BYTES`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import unicodedata2

from parity.gostd import _unicode_15_0, _unicode_17_0, unicode
from parity.gostd.target import GO_1_25, GO_1_27

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.fuzz.dice import Dice

WORDS: Final = (
    "a", "b", "jardin", "docker", "café", "été", "poids", "conteneur", "serveur", "train", "recette", "plantes",
    "sommeil", "page", "note", "liste", "total", "ÉLÈVES", "À", "NOËL", "garçon", "île", "hôtel", "façade", "œuvre",
    "naïve", "TCP/IP", "snake_case", "v1.2.3", "2026", "12", "007", "0x1F", "d'été", "<b>&amp;</b>", "ΟΔΟΣ",
    "\u212aelvin", "a÷b", "İzmir",
)  # fmt: skip

GO_SPACES: Final = unicode.SPACES
"""Go's 25 spaces (go-semantics.md, 2.2)."""

FALSE_SPACES: Final = "\x1c\x1d\x1e\x1f\u200b\ufeff\u180e\u2060\xad\x00\u200d\u2800"
"""What Python or a person takes for a space, and Go does not."""

CASE: Final = "İıKÅΩẞßΣςσſŸÿÞþĀāȺȾǅŉﬁϴⱢⱯⱭᎠᲐᾼÅΩᲉꟋꟌ꟎Ꟑ꟒꟔ꟚꟜ𐵐𖺠𖺻Ꭰꭰµμͅι"
"""Letters whose other case is odd: longer, shorter, one to two, new in Unicode 17, or reached from outside Latin-1."""

GROWING: Final = "ȺȾ"
"""Letters that take one byte more in lower case."""

EDGES: Final = "÷×ßàÿĀ`{@[/:_-'’.·æÆ𝒜Ａ１٣²½"
"""Around the alphabet of keywords, and look-alikes of it (go-semantics.md, 2.3)."""

MARKS: Final = (
    "\u0301\u0308\u0307\ufffd\ufffe\uffff\U0010ffff\u202e\u2028\u2029\x7f\x80\x9f\x1b\x08\x07\x0b\x0c"
    "\ue000\u0378\u0cf3\U0001fae9"
)
"""Combining, replacing, private, unassigned, control: what is quoted, escaped or counted oddly."""

SIGNS: Final = "\"\\'<>&%#()[]{}«»…—·|~$*?,;:!=+-\n\r\t"

BAD_BYTES: Final = (
    b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc0\x80",
    b"\xf4\x90\x80\x80", b"\x80", b"\xfe", b"\xe0\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xed\xa0\xbd\xed\xb8\x80",
    b"\x85", b"\xa0",
)  # fmt: skip
"""Runs of bytes that are not UTF-8, each in its own way."""

_ALPHABETS: Final = ("aeZ0 é", GO_SPACES, FALSE_SPACES, CASE, EDGES, MARKS, SIGNS)

_LIMITS: Final = (0x80, 0x100, 0x800, 0x3000, 0x10000, 0x20000, 0x33480, 0x110000)
_SURROGATES: Final = range(0xD800, 0xE000)


@lru_cache(maxsize=1)
def table_edges() -> str:
    """The characters at which Go's tables change, of both Unicode versions, and their neighbours."""
    points: set[int] = set()
    for first, last in (*_unicode_15_0.IS_PRINT, *_unicode_17_0.IS_PRINT):
        points.update((first - 1, first, last, last + 1))
    for target in (GO_1_25, GO_1_27):
        changing = [*unicode.lower_table(target), *unicode.fold_table(target)]
        points.update(changing)
        points.update(unicode.lower_table(target).values())
    return "".join(chr(point) for point in sorted(points) if point not in _SURROGATES)


@lru_cache(maxsize=1)
def foreign_digits() -> str:
    """Every decimal digit that is not ASCII, and the superscripts that Python calls digits too."""
    found = (chr(point) for point in range(0x80, 0x20000) if point not in _SURROGATES)
    return "".join(c for c in found if unicodedata2.category(c) == "Nd") + "²³¹①"


def character(dice: Dice) -> str:
    """One character, plain or odd."""
    sort = dice.below(len(_ALPHABETS) + 3)
    if sort < len(_ALPHABETS):
        return dice.pick(_ALPHABETS[sort])
    if sort == len(_ALPHABETS):
        return dice.pick(foreign_digits())
    return dice.pick(table_edges()) if sort == len(_ALPHABETS) + 1 else any_character(dice)


def any_character(dice: Dice) -> str:
    """Any code point but a surrogate, low ones more often."""
    point = dice.below(dice.pick(_LIMITS))
    return chr(point - 0x800 if point in _SURROGATES else point)


def hostile(dice: Dice, mean: int = 4) -> str:
    """A short text of odd characters."""
    return "".join([character(dice) for _ in dice.some(mean)])


def word(dice: Dice) -> str:
    """A word: mostly a plain one, sometimes in capitals, or with odd letters in it."""
    sort = dice.below(8)
    if sort < 5:
        return dice.pick(WORDS)
    if sort == 5:
        return dice.pick(WORDS).upper()
    if sort == 6:
        return dice.pick(CASE) + dice.pick(WORDS) + dice.pick(CASE)
    return hostile(dice, 3)


def space(dice: Dice) -> str:
    """What stands between two words: mostly a blank."""
    sort = dice.below(8)
    if sort < 6:
        return " "
    return dice.pick(GO_SPACES if sort == 6 else FALSE_SPACES)


def sentence(dice: Dice, mean: int = 3) -> str:
    """Words with spaces between."""
    text = word(dice)
    for _ in dice.some(mean):
        text += space(dice) + word(dice)
    return text


def blank(dice: Dice) -> str:
    """A text that Go trims to nothing, or nearly."""
    text = "".join([dice.pick(GO_SPACES) for _ in dice.some(2, 6)])
    return text + dice.pick(FALSE_SPACES) if dice.one_in(8) else text


def padded(dice: Dice, text: str) -> str:
    """The text, now and then with spaces before or after it."""
    sort = dice.below(20)
    if sort < 14:
        return text
    if sort == 19:
        return dice.pick(FALSE_SPACES) + text
    return blank(dice) + text if sort < 17 else text + blank(dice)


def any_text(dice: Dice) -> str:
    """A text of any sort."""
    sort = dice.below(5)
    if sort == 0:
        return word(dice)
    if sort == 1:
        return hostile(dice)
    if sort == 2:
        return padded(dice, sentence(dice))
    if sort == 3:
        return blank(dice)
    return repeated(dice)


def repeated(dice: Dice) -> str:
    """One character many times, around lengths at which something is cut."""
    length = dice.pick((1, 2, 39, 40, 41, 60, 100, 159, 160, 161, 260))
    return character(dice) * length + dice.pick(("", " ", "é", " x"))


def raw(dice: Dice, text: str) -> bytes:
    """The bytes of a text, now and then with some that are not UTF-8 among them."""
    content = text.encode()
    for _ in dice.some(1, 4):
        at = dice.below(len(content) + 1)
        content = content[:at] + dice.pick(BAD_BYTES) + content[at:]
    return content


def maybe_raw(dice: Dice, text: str) -> bytes:
    """The bytes of a text, three times of four as they are."""
    return raw(dice, text) if dice.one_in(4) else text.encode()


def joined(lines: Iterable[str], end: str) -> str:
    """Lines, each with its end."""
    return "".join([line + end for line in lines])


def bent(dice: Dice, text: str) -> str:
    """A text in another case or normal form, a piece of it, or one with another character in it."""
    sort = dice.below(7)
    if sort == 1:
        return text.upper()
    if sort == 2:
        return text.lower()
    if sort >= 5:
        return str(unicodedata2.normalize(("NFD", "NFC")[sort - 5], text))
    if sort == 3 and text:
        start = dice.below(len(text))
        return text[start : start + 1 + dice.below(len(text) - start)]
    if sort == 4 and text:
        at = dice.below(len(text))
        return text[:at] + character(dice) + text[at + 1 :]
    return text


def one_of(dice: Dice, texts: Sequence[str]) -> str:
    """One of the texts, or a bent one of them, or another word where there is none."""
    return bent(dice, dice.pick(texts)) if texts else word(dice)
