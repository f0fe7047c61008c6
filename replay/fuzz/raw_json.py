"""Raw JSON: the arguments of a call as they come over the wire, spelled in every way that Go's decoder takes.

Always JSON by its syntax, since a journal holds it as it stands; broken JSON is for the decoder's own subject.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from replay.fuzz import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from replay.fuzz.dice import Dice

NUMBERS: Final = (
    "0", "1", "2", "5", "6", "8", "9", "20", "21", "30", "31", "500", "501", "-1", "-0", "0.5", "1.5",
    "2.9999999999999999", "0.99999999999999994", "-0.5", "1e0", "5e0", "1E+1", "2e1", "20.999", "1e6", "999999",
    "1000000", "123456789", "1e15", "1e16", "1e20", "1e21", "1e-4", "1e-5", "0.0001", "1e-7", "1e300", "-1e300",
    "1e308", "1e309", "1e400", "-1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "9007199254740993", "4294967296", "2147483648", "18446744073709551616", "5e-324", "2.5",
    "3.5", "0.1", "12.345", "1700000000", "2026", "2026.5", "2025.5",
)  # fmt: skip
"""Numbers at which a conversion turns: truncation, bounds of limits, of int64, of exponents, of float64."""

_LONG: Final = (309, 310, 400, 5000)
_DEPTHS: Final = (2, 3, 4, 2, 3, 4, 63, 64, 65, 70, 150)

_SHORT_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "/": "\\/",
}
_LONE: Final = (
    "\\ud83d",
    "\\ude00",
    "\\ude00\\ud83d",
    "\\ud83d\\ud83d\\ude00",
    "\\uD800x",
    "\\udfff\\ufffd",
    "\\ud83d\\n",
)
_SPACES: Final = (b"", b" ", b"\n", b"\t\r\n ")


def number(dice: Dice) -> bytes:
    """A number's literal."""
    sort = dice.below(6)
    if sort < 3:
        return dice.pick(NUMBERS).encode()
    if sort == 3:
        return str(dice.between(-3, 40)).encode()
    if sort == 4:
        whole = dice.pick((b"", b"-")) + str(dice.below(1 << dice.between(1, 64))).encode()
        return whole + dice.pick((b"", b".5", b".0", b"e1", b"E-1", b"e+2", b".123456789012345678"))
    return dice.pick((b"1", b"-9", b"0.")) + b"0" * dice.pick(_LONG) + dice.pick((b"7", b"1e-400", b"5e2"))


def string(dice: Dice, content: str) -> bytes:
    """A text's literal, as encoders write it or with escapes where none is needed."""
    sort = dice.below(8)
    if sort < 5:
        return json.dumps(content, ensure_ascii=False).encode()
    if sort == 5:
        return json.dumps(content).encode()
    if sort == 6:
        return b'"' + "".join([_escaped(dice, c) for c in content]).encode() + b'"'
    body = json.dumps(content, ensure_ascii=False).encode()[1:-1]
    trap = dice.pick((*(lone.encode() for lone in _LONE), *texts.BAD_BYTES))
    return b'"' + (trap + body if dice.below(2) else body + trap) + b'"'


def _escaped(dice: Dice, character: str) -> str:
    if dice.below(2):
        return "".join(f"\\u{unit:04{dice.pick('xX')}}" for unit in _units(character))
    return _SHORT_ESCAPES.get(character) or (character if character >= " " else f"\\u{ord(character):04x}")


def _units(character: str) -> Sequence[int]:
    encoded = character.encode("utf-16-be")
    return [int.from_bytes(encoded[at : at + 2], "big") for at in range(0, len(encoded), 2)]


def other(dice: Dice) -> bytes:
    """A value of any type."""
    return dice.pick(_OTHERS)(dice)


def _word(dice: Dice) -> bytes:
    return dice.pick((b"null", b"true", b"false"))


def _text(dice: Dice) -> bytes:
    return string(dice, texts.any_text(dice))


def _small(dice: Dice) -> bytes:
    return dice.pick((b"[]", b"{}", b'""', b"[null]", b'{"":0}', b'["a","b"]', b'{"b":1,"a":[null,1e6,0.00001]}'))


def _list(dice: Dice) -> bytes:
    return b"[" + b",".join([other(dice) for _ in dice.some(2, 4)]) + b"]"


def _map(dice: Dice) -> bytes:
    members = [string(dice, texts.word(dice)) + b":" + other(dice) for _ in dice.some(2, 4)]
    return b"{" + b",".join(members) + b"}"


def nested(dice: Dice) -> bytes:
    """Containers one inside the other, around the depths at which a decoder or a recursion stops."""
    depth = dice.pick(_DEPTHS)
    if dice.one_in(2):
        return b"[" * depth + b"1" + b"]" * depth
    return b'{"a":' * depth + b"null" + b"}" * depth


_OTHERS: Final[tuple[Callable[[Dice], bytes], ...]] = (
    _word, _word, number, number, _text, _small, _list, _map, nested
)  # fmt: skip


class Written:
    """An object's members, as they are written one after the other."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._members: list[tuple[bytes, bytes]] = []

    def text(self, name: str, content: str) -> None:
        """A member that is text; now and then of another type, or not there."""
        dice = self._dice
        sort = dice.below(24)
        if sort == 23:
            return
        self.raw(name, other(dice) if sort == 22 else string(dice, content))

    def plain(self, name: str, content: str) -> None:
        """A member that is text, always."""
        self.raw(name, string(self._dice, content))

    def number(self, name: str, bounds: Sequence[int]) -> None:
        """A member that is a number, often one of the ``bounds``; now and then of another type, or not there."""
        dice = self._dice
        sort = dice.below(8)
        if sort == 0:
            return
        if sort <= 3:
            self.raw(name, str(dice.pick(bounds)).encode())
        else:
            self.raw(name, other(dice) if sort == 7 else number(dice))

    def raw(self, name: str, value: bytes) -> None:
        """A member as it is written."""
        self._members.append((name.encode(), value))

    def done(self) -> bytes:
        """The object; now and then with a member twice, one too many, or blanks where they are allowed."""
        dice = self._dice
        members = [b'"' + name + b'":' + value for name, value in self._members]
        sort = dice.below(16)
        if sort == 13 and members:
            members.insert(dice.below(len(members) + 1), dice.pick(members))
        elif sort == 14 and self._members:
            name, _ = dice.pick(self._members)
            members.insert(dice.below(len(members) + 1), b'"' + name + b'":' + other(dice))
        elif sort == 15:
            members.insert(
                dice.below(len(members) + 1), b'"' + dice.pick((b"x", b"ID", b"Limit", b"")) + b'":' + other(dice)
            )
        blank = dice.pick(_SPACES) if dice.one_in(8) else b""
        return b"{" + blank + (b"," + blank).join(members) + b"}"
