"""Go's ``strconv``: texts of numbers, numbers of texts, quoted texts (contract: go-semantics.md, 2.4 to 2.6)."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from parity.gostd import unicode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.gostd.target import GoTarget

SHORTEST: Final = -1
"""The precision that asks for the fewest digits that read back as the same float64."""

_LEAST_PLAIN_EXPONENT: Final = -4
_FIRST_LARGE_EXPONENT: Final = 6

MAX_UINT64: Final = 2**64 - 1
"""The largest value of Go's ``uint64``."""

_DIGITS: Final = "0123456789"
_DIGITS_ENOUGH: Final = len(str(MAX_UINT64)) + 1  # so many, the first not zero, are too large whatever follows

_NEEDS_NO_ESCAPE: Final = re.compile(r"[ !#-\[\]-~]*")
_SHORT_ESCAPES: Final = {
    "\a": r"\a",
    "\b": r"\b",
    "\t": r"\t",
    "\n": r"\n",
    "\v": r"\v",
    "\f": r"\f",
    "\r": r"\r",
    '"': r"\"",
    "\\": r"\\",
}


class NumError(ValueError):
    """Go's ``strconv.NumError`` of ``ParseUint``: a text is not a number, or the number is too large.

    ``num`` is the text as given, ``kind`` is ``"syntax"`` or ``"range"``, ``value`` what Go returns beside the error.
    """

    def __init__(self, num: str, kind: Literal["syntax", "range"], value: int) -> None:
        """An error about the text ``num``."""
        super().__init__(num, kind, value)
        self.num = num
        self.kind = kind
        self.value = value

    def text(self, target: GoTarget) -> str:
        """Go's text of the error, such as ``strconv.ParseUint: parsing "r12": invalid syntax``."""
        reason = "invalid syntax" if self.kind == "syntax" else "value out of range"
        return f"strconv.ParseUint: parsing {quote(self.num, target)}: {reason}"


def parse_uint(s: str) -> int:
    """The number that a text writes in decimal: Go's ``strconv.ParseUint(s, 10, 64)``.

    ASCII digits only, at least one; leading zeros are fine. Raises :class:`NumError`: ``range`` as soon as the digits
    pass 2^64 - 1, whatever follows them, with that number as the value; ``syntax`` for anything else, with 0.
    """
    rest = s.lstrip(_DIGITS)
    digits = s[: len(s) - len(rest)].lstrip("0")
    value = int(digits[:_DIGITS_ENOUGH] or "0")
    if value > MAX_UINT64:
        raise NumError(s, "range", MAX_UINT64)
    if rest or not s:
        raise NumError(s, "syntax", 0)
    return value


def quote(s: str, target: GoTarget) -> str:
    r"""A text in double quotes: Go's ``strconv.Quote`` and ``%q``.

    What ``strconv.IsPrint`` does not hold is escaped, each bad byte of ``utf8.text`` as ``\xff``; U+FFFD is printed.
    """
    if _NEEDS_NO_ESCAPE.fullmatch(s):
        return f'"{s}"'
    return f'"{s.translate(_escapes(target))}"'


def format_float(f: float, fmt: str, prec: int) -> str:
    """A float64 as ``strconv.FormatFloat(f, fmt, prec, 64)`` writes it.

    ``fmt`` is ``"e"`` (exponent form), ``"f"`` (plain form) or ``"g"`` (exponent form when the decimal exponent is
    below -4 or at least 6, else plain: what ``%v`` uses). ``prec`` counts the digits after the point; ``SHORTEST`` asks
    for as few digits as read back the same. ``"g"`` is offered at ``SHORTEST`` only.

    Raises ValueError for another ``fmt`` or ``prec``.
    """
    if fmt not in {"e", "f", "g"} or prec < SHORTEST or (fmt == "g" and prec != SHORTEST):
        message = f"format_float does not offer the format {fmt!r} with precision {prec}"
        raise ValueError(message)
    if math.isnan(f):
        return "NaN"
    if math.isinf(f):
        return "+Inf" if f > 0 else "-Inf"
    if prec != SHORTEST:
        # Python rounds the exact binary value half to even and writes two exponent digits at least, as Go does.
        return format(f, f".{prec}{fmt}")
    negative, digits, exponent = shortest_digits(f)
    sign = "-" if negative else ""
    if fmt == "e" or (fmt == "g" and not _LEAST_PLAIN_EXPONENT <= exponent < _FIRST_LARGE_EXPONENT):
        return sign + _exponent_form(digits, exponent)
    return sign + _plain_form(digits, exponent)


def shortest_digits(f: float) -> tuple[bool, str, int]:
    """The fewest decimal digits that read back as ``f``: ``(negative, digits, exponent)``.

    The value is ``d.ddd`` times ten to the ``exponent``, with ``digits`` free of zeros at either end. Zero has the
    digits ``"0"`` and the exponent 0; the sign of a negative zero counts. Raises ValueError if ``f`` is not finite.
    """
    if not math.isfinite(f):
        message = f"{f!r} has no digits"
        raise ValueError(message)
    # repr gives the same digits as Go's shortest form (go-semantics.md, 2.6); only its layout is Python's own.
    mantissa, _, power = repr(abs(f)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    significant = (whole + fraction).lstrip("0")
    leading_zeros = len(whole) + len(fraction) - len(significant)
    digits = significant.rstrip("0")
    if not digits:
        return math.copysign(1, f) < 0, "0", 0
    return f < 0, digits, int(power or "0") + len(whole) - 1 - leading_zeros


def _exponent_form(digits: str, exponent: int) -> str:
    point = "." if len(digits) > 1 else ""
    return f"{digits[0]}{point}{digits[1:]}e{exponent:+03d}"


def _plain_form(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


class _Escapes(dict[int, str]):
    """For ``str.translate``: the text of a code point inside quotes. What is not ASCII is worked out when asked."""

    def __init__(self, target: GoTarget) -> None:
        super().__init__({point: _escape(chr(point), target) for point in range(0x80)})
        self._target = target

    def __missing__(self, point: int) -> str:
        return _escape(chr(point), self._target)


@lru_cache
def _escapes(target: GoTarget) -> Mapping[int, str]:
    return _Escapes(target)


def _escape(c: str, target: GoTarget) -> str:
    short = _SHORT_ESCAPES.get(c)
    if short is not None:
        return short
    if unicode.is_print(c, target):
        return c
    point = ord(c)
    if point <= 0x7F:
        return f"\\x{point:02x}"
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"
