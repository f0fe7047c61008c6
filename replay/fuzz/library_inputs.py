"""Inputs of Go's library functions, as the fields of the questions that ask for them."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from parity import zones
from parity.gostd import time, utf8
from parity.tools.tracker_when import LAYOUTS as WHEN_LAYOUTS
from replay.fuzz import dates, ids, raw_json, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.fuzz.dice import Dice

Input: TypeAlias = "dict[str, object]"
"""A question's fields: a text is bytes, a typed tree or a number what it is."""

LAYOUTS: Final = [layout for layout, _ in WHEN_LAYOUTS]
"""The layouts that a date is tried with, in order."""

FORMATS: Final = ("2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02", "2006-01", "2006")
"""The layouts that moments are printed with."""

SPECIAL_BITS: Final = (
    "0000000000000000", "8000000000000000", "7ff0000000000000", "fff0000000000000", "7ff8000000000001",
    "fff8000000000000", "0000000000000001", "8000000000000001", "000fffffffffffff", "0010000000000000",
    "7fefffffffffffff", "3ff0000000000000", "3fefffffffffffff", "3ff0000000000001", "43e0000000000000",
    "c3e0000000000000", "43dfffffffffffff", "c3e0000000000001", "4003ffffffffffff", "4004000000000000",
)  # fmt: skip
"""Zeros, infinities, NaNs, subnormals, the least and the greatest, around 1, 2.5 and 2^63."""

_TURNS: Final = (
    0.5, 1.5, 2.5, 2.0**52, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, 1e21, 1e6, 1e-4, 1e15, 0.1, 2.0**-1022, 2.0**0.5 / 2,
    1e-5, 1e-6, 1e-7, 3e-6, 1e20, 5e-10, 2e-5,
)  # fmt: skip
"""Where rounding, a form of printing or a formula turns."""

_CODE_POINTS: Final = 0x110000
_BLOCK: Final = 64


# --- texts ---


def any_text(dice: Dice) -> Input:
    """Any bytes; now and then a block of Unicode, so that all of it is met in time."""
    if dice.one_in(4):
        return {"s": block(dice)}
    return {"s": texts.maybe_raw(dice, texts.any_text(dice))}


def block(dice: Dice) -> bytes:
    """Neighbouring code points, up to sixty-four of them, from anywhere in Unicode."""
    others = dice.below(_BLOCK)
    first = dice.below(_CODE_POINTS)
    last = min(first + others, _CODE_POINTS - 1)
    return "".join(map(chr, range(first, last + 1))).encode("utf-8", "ignore")


def two_texts(dice: Dice) -> Input:
    """Two texts that may differ in case only."""
    one, other = dice.pick((_swapped, _odd_cases, _odd_cases, _edges, _bent))(dice)
    return {"a": texts.maybe_raw(dice, one), "b": texts.maybe_raw(dice, other)}


def _swapped(dice: Dice) -> tuple[str, str]:
    one = texts.any_text(dice)
    return one, one.swapcase()


def _odd_cases(dice: Dice) -> tuple[str, str]:
    one = dice.pick(texts.CASE + "ksKSσ") + "".join([dice.pick(texts.CASE) for _ in dice.some(1)])
    other = [dice.pick((c, c.lower(), c.upper(), c.upper().lower(), dice.pick(texts.CASE))) for c in one]
    return one, "".join(other)


def _edges(dice: Dice) -> tuple[str, str]:
    c = dice.pick(texts.table_edges())
    rest = dice.pick(("", "k", "ß"))
    return c + rest, dice.pick((c.lower(), c.upper(), c.title(), c.casefold(), c)) + rest


def _bent(dice: Dice) -> tuple[str, str]:
    one = texts.any_text(dice)
    return one, texts.bent(dice, one)


def digits(dice: Dice) -> Input:
    """A number in decimal, or nearly."""
    return {"s": texts.maybe_raw(dice, ids.digits(dice))}


def identifier(dice: Dice) -> Input:
    """An id of a block, right or wrong."""
    return {"s": texts.maybe_raw(dice, ids.identifier(dice, (7, 35, (1 << 64) - 1)))}


# --- JSON ---

_ENDS: Final = (
    b"", b"x", b"\x00", b"\xff", b",", b"]", b"}", b'"', b"\\", b"\\u12", b"1", b"-", b"e"
)  # fmt: skip


def document(dice: Dice) -> Input:
    """A JSON document, or one that is nearly so."""
    raw = raw_json.other(dice)
    sort = dice.below(8)
    if sort == 6:
        cut = dice.below(len(raw) + 1)
        raw = raw[:cut] + dice.pick(_ENDS) + raw[cut + 1 :]
    elif sort == 7:
        before = dice.pick((b" ", b"\xef\xbb\xbf", b"\xc2\xa0", b"\x0b", b"\n"))
        raw = before + raw + dice.pick((b"", b" ", b"x", b"{}", b"\x00", b"\x0c"))
    return {"json": raw}


def arguments(dice: Dice) -> Input:
    """The arguments of a call, or what is none."""
    if dice.one_in(4):
        return document(dice)
    written = raw_json.Written(dice)
    for _ in dice.some(3, 6):
        written.raw(dice.pick(("a", "b", "é", "ID", "id", "")), raw_json.other(dice))
    return {"json": written.done()}


def value(dice: Dice) -> Input:
    """A value to write as JSON, as a typed tree."""
    return {"value": typed(dice, 3)}


def typed(dice: Dice, deep: int) -> object:
    """A typed tree of at most so many levels."""
    return dice.pick(_TYPED if deep else _TYPED[:5])(dice, deep - 1)


def _typed_list(dice: Dice, deep: int) -> object:
    return [typed(dice, deep) for _ in dice.some(2, 4)]


def _typed_map(dice: Dice, deep: int) -> object:
    members = {texts.maybe_raw(dice, texts.word(dice)): typed(dice, deep) for _ in dice.some(2, 4)}
    return {"m": [[typed_text(key), members[key]] for key in sorted(members)]}


def typed_text(raw: bytes) -> object:
    """A text of a typed tree."""
    return {"s": raw.decode()} if utf8.valid(raw) else {"sb": base64.b64encode(raw).decode()}


_TYPED: Final[tuple[Callable[[Dice, int], object], ...]] = (
    lambda dice, _: dice.pick((None, True, False)),
    lambda dice, _: {"f": number(dice)["bits"]},
    lambda dice, _: {"s": texts.any_text(dice)},
    lambda dice, _: {"i": str(dice.between(-(1 << 63), (1 << 63) - 1))},
    lambda dice, _: typed_text(texts.raw(dice, texts.any_text(dice))),
    _typed_list,
    _typed_map,
)


def plain(tree: object) -> object:
    """The Python value of a typed tree, as the port takes it."""
    if isinstance(tree, list):
        return [plain(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, held),) = tree.items()
    if kind == "f":
        return float_of(held)
    if kind == "i":
        return int(held)
    if kind == "m":
        return {cast("str", plain(key)): plain(one) for key, one in held}
    return held if kind == "s" else utf8.text(base64.b64decode(held))


# --- numbers ---


def number(dice: Dice) -> Input:
    """A float64, by its bits in hexadecimal."""
    return {"bits": dice.pick((_small, _quotient, _turning, _any_bits, _special))(dice)}


def _small(dice: Dice) -> str:
    return _bits_of(float(dice.between(-20, 1100)))


def _quotient(dice: Dice) -> str:
    return _bits_of(float(dice.between(1, 300)) / float(dice.between(1, 300)))


def _turning(dice: Dice) -> str:
    return f"{int(_bits_of(dice.pick(_TURNS)), 16) + dice.between(-3, 3):016x}"


def _any_bits(dice: Dice) -> str:
    return f"{dice.below(1 << 64):016x}"


def _special(dice: Dice) -> str:
    return dice.pick(SPECIAL_BITS)


def _bits_of(number: float) -> str:
    return struct.pack(">d", number).hex()


def float_of(bits: str) -> float:
    """The float64 of these bits."""
    (found,) = struct.unpack(">d", bytes.fromhex(bits))
    return cast("float", found)


# --- time ---


def date(dice: Dice) -> Input:
    """A date as a text, right or wrong, in a zone."""
    zone = dates.zone_name(dice)
    text = dates.when(dice, zones.zone(zone))
    if dice.below(2):
        text = text.replace("T", " ", 1)
    raw = texts.raw(dice, text) if dice.one_in(12) else text.encode()
    return {"s": raw, "zone": zone, "layouts": LAYOUTS}


def moment(dice: Dice) -> Input:
    """A moment to print, now and then far outside the years of four digits."""
    zone = dates.zone_name(dice)
    second = dice.below(1 << 40) - (1 << 39) if dice.one_in(8) else dates.second(dice, zone)
    return {"unix": second, "nsec": 0, "zone": zone, "layout": dice.pick(FORMATS)}


def time_of(fields: Input) -> time.Time:
    """The moment that a question asks about."""
    return time.Time(cast("int", fields["unix"]), 0, zones.zone(cast("str", fields["zone"])))


# --- codings ---

_LETTERS: Final = b"ABCQRUZaz019+/-_"
_PADDINGS: Final = (b"", b"=", b"==", b"===", b"=\n=", b"=\r=", b"= =")
_STRANGERS: Final = (b"\n", b"\r", b" ", b"=", b"\t", b"\xff", b"A", b"\x00", b"-")


def coded(dice: Dice) -> Input:
    """A text in base64, or nearly."""
    if dice.one_in(4):
        raw = base64.b64encode(texts.raw(dice, texts.any_text(dice)))
    else:
        raw = bytes([dice.pick(_LETTERS) for _ in dice.some(6)]) + dice.pick(_PADDINGS)
    if dice.below(2):
        for _ in dice.some(1, 3):
            at = dice.below(len(raw) + 1)
            raw = raw[:at] + dice.pick(_STRANGERS) + raw[at:]
    return {"s": raw, "encoding": dice.pick(("std", "std", "std_strict"))}


_KEYS: Final = (b"seq", b"SEQ", b"a", b"", b"%73eq", b"s%65q")
_PIECES: Final = (
    b"1", b"5", b"+", b"%20", b"%zz", b"%", b"%2", b"%ff", b"%00", b";", b"#", b"%C3%A9", b"\xff", b"\xc3\xa9",
    b"%e2%82", b" ",
)  # fmt: skip


def query_string(dice: Dice) -> Input:
    """A query string, well formed or not."""
    pairs = [dice.pick(_KEYS) + dice.pick((b"=", b"", b"==")) + _piece(dice) for _ in dice.some(3, 6)]
    return {"s": dice.pick((b"&", b"&&", b";", b"&amp;")).join(pairs)}


def _piece(dice: Dice) -> bytes:
    return b"".join([dice.pick(_PIECES) for _ in dice.some(2, 8)])
