"""Ids of blocks, right and wrong (recall.md, recall(id); go-semantics.md, 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.fuzz import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from replay.fuzz.dice import Dice

AROUND: Final = (
    "18446744073709551615", "18446744073709551616", "18446744073709551614", "18446744073709551620",
    "99999999999999999999", "99999999999999999999x", "184467440737095516150", "1844674407370955161",
    "9223372036854775807", "9223372036854775808", "00018446744073709551615", "00018446744073709551616",
    "20000000000000000000", "18446744073709551616x", "1844674407370955161x",
)  # fmt: skip
"""Around 2^63 and 2^64, and where a syntax error comes after the overflow."""

PREFIXES: Final = ("r", "", "R", "rR", "Rr", "rr", "RR", "r R", "R r", "rRr", "ʀ", "ｒ", "rRR")
SIGNS: Final = ("+", "-", "+-", "0x", "0b", "0o", "_", ".", ",", "−")
AFTER: Final = ("x", "_0", ".0", "e0", ",", "r", "R", "\x00", "_", " 8", "\n", "°", "²")
ODD: Final = (
    "",
    "r",
    "R",
    "rR",
    "r ",
    " R ",
    "rrr",
    "r7 r8",
    "7 8",
    '"r2" ou \\r3\\',
    "null",
    "r\n",
    "-0",
    "+0",
    "1_000",
    "0",
    "00",
    "r0",
)
_ZEROS: Final = (1, 5, 40, 300, 5000)


def digits(dice: Dice) -> str:
    """A number in decimal, or nearly."""
    return dice.pick(_DIGITS)(dice)


def _small(dice: Dice) -> str:
    return str(dice.below(60))


def _around(dice: Dice) -> str:
    return dice.pick(AROUND)


def _with_zeros(dice: Dice) -> str:
    return "0" * dice.pick(_ZEROS) + _small(dice)


def _of_any_size(dice: Dice) -> str:
    bound = int(2.0 ** dice.between(1, 66))
    return str(dice.below(bound))


def _signed(dice: Dice) -> str:
    return dice.pick(SIGNS) + _small(dice)


def _followed(dice: Dice) -> str:
    return _small(dice) + dice.pick(_AFTER_OR_SPACE)


def _foreign(dice: Dice) -> str:
    number = str(dice.below(2000))
    at = dice.below(len(number))
    return number[:at] + dice.pick(texts.foreign_digits()) + number[at + dice.below(2) :]


def _hostile(dice: Dice) -> str:
    return texts.hostile(dice, 3)


_AFTER_OR_SPACE: Final[tuple[str, ...]] = (*AFTER, *texts.FALSE_SPACES)
_DIGITS: Final[tuple[Callable[[Dice], str], ...]] = (
    _small, _small, _around, _with_zeros, _of_any_size, _signed, _followed, _foreign, _hostile
)  # fmt: skip


def identifier(dice: Dice, there: Sequence[int]) -> str:
    """An id as a call may hold it; ``there`` are the seqs of blocks that are there."""
    if there and dice.below(3) < 2:
        zeros = "0" * dice.pick(_ZEROS) if dice.one_in(12) else ""
        return texts.padded(dice, dice.pick(("r", "r", "", "R", "rR")) + zeros + str(dice.pick(there)))
    return dice.pick(_OTHERS)(dice)


def _prefixed(dice: Dice) -> str:
    return dice.pick(PREFIXES) + digits(dice)


def _spaced(dice: Dice) -> str:
    return dice.pick(PREFIXES) + dice.pick(texts.GO_SPACES) + digits(dice)


def _falsely_spaced(dice: Dice) -> str:
    return dice.pick(texts.FALSE_SPACES) + "r" + digits(dice)


def _odd(dice: Dice) -> str:
    return texts.padded(dice, dice.pick(ODD))


def _padded(dice: Dice) -> str:
    return texts.padded(dice, dice.pick(("r", "", "R", "rR")) + digits(dice))


_OTHERS: Final[tuple[Callable[[Dice], str], ...]] = (
    _prefixed, _spaced, _falsely_spaced, _odd, texts.blank, _padded
)  # fmt: skip
