"""Ids of blocks, right and wrong (recall.md, recall(id); go-semantics.md, 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.fuzz import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.fuzz.dice import Dice

AROUND: Final = (
    "18446744073709551615", "18446744073709551616", "18446744073709551614", "18446744073709551620", "99999999999999999999",
    "99999999999999999999x", "184467440737095516150", "1844674407370955161", "9223372036854775807", "9223372036854775808",
    "00018446744073709551615", "00018446744073709551616", "20000000000000000000", "18446744073709551616x", "1844674407370955161x",
)  # fmt: skip
"""Around 2^63 and 2^64, and where a syntax error comes after the overflow."""

PREFIXES: Final = ("r", "", "R", "rR", "Rr", "rr", "RR", "r R", "R r", "rRr", "ʀ", "ｒ", "rRR")
SIGNS: Final = ("+", "-", "+-", "0x", "0b", "0o", "_", ".", ",", "−")
AFTER: Final = ("x", "_0", ".0", "e0", ",", "r", "R", "\x00", "_", " 8", "\n", "°", "²")
ODD: Final = ("", "r", "R", "rR", "r ", " R ", "rrr", "r7 r8", "7 8", '"r2" ou \\r3\\', "null", "r\n", "-0", "+0", "1_000", "0", "00", "r0")
_ZEROS: Final = (1, 5, 40, 300, 5000)


def digits(dice: Dice) -> str:
    """A number in decimal, or nearly."""
    sort = dice.below(9)
    if sort <= 1:
        return str(dice.below(60))
    if sort == 2:
        return dice.pick(AROUND)
    if sort == 3:
        return "0" * dice.pick(_ZEROS) + str(dice.below(60))
    if sort == 4:
        return str(dice.below(1 << dice.between(1, 66)))
    if sort == 5:
        return dice.pick(SIGNS) + str(dice.below(60))
    if sort == 6:
        return str(dice.below(60)) + dice.pick((*AFTER, *texts.FALSE_SPACES))
    if sort == 7:
        number = str(dice.below(2000))
        at = dice.below(len(number))
        return number[:at] + dice.pick(texts.foreign_digits()) + number[at + dice.below(2) :]
    return texts.hostile(dice, 3)


def identifier(dice: Dice, there: Sequence[int]) -> str:
    """An id as a call may hold it; ``there`` are the seqs of blocks that are there."""
    sort = dice.below(9)
    if sort <= 2 and there:
        zeros = "0" * dice.pick(_ZEROS) if dice.one_in(12) else ""
        return texts.padded(dice, dice.pick(PREFIXES[: 4 if sort else 1]) + zeros + str(dice.pick(there)))
    if sort == 3:
        return dice.pick(PREFIXES) + digits(dice)
    if sort == 4:
        return dice.pick(PREFIXES) + dice.pick(texts.GO_SPACES) + digits(dice)
    if sort == 5:
        return dice.pick(texts.FALSE_SPACES) + "r" + digits(dice)
    if sort == 6:
        return texts.padded(dice, dice.pick(ODD))
    if sort == 7:
        return texts.blank(dice)
    return texts.padded(dice, dice.pick(("r", "", "R", "rR")) + digits(dice))
