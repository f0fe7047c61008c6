"""The writing half of Go's ``encoding/json`` (contract: go-semantics.md, 2.11)."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

from parity.gostd import _tree, strconv, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

_GREATEST_DEPTH: Final = 10000
_LEAST_PLAIN: Final = 1e-6
_FIRST_LARGE: Final = 1e21

_HTML: Final = (("<", r"\u003c"), (">", r"\u003e"), ("&", r"\u0026"))
_LINE_ENDS: Final = (("\u2028", r"\u2028"), ("\u2029", r"\u2029"))
_ESCAPE: Final = re.compile(r"\\.")
_LONG_ESCAPES: Final = {r"\b": r"\u0008", r"\f": r"\u000c"}
_FIRST_MINOR_WITH_SHORT_ESCAPES: Final = 22
_BAD_BYTE: Final = re.compile("[\udc80-\udcff]")
_LITERALS: Final = {None: "null", False: "false", True: "true"}


class UnsupportedValueError(ValueError):
    """Go's ``Marshal`` refuses a value; the message is Go's."""


def marshal(value: object, target: GoTarget, *, escape_html: bool = True) -> bytes:
    r"""A value as Go's ``json.Marshal`` writes it; without ``escape_html``, as after ``SetEscapeHTML(false)``.

    None is null, an int is plain, a float has Go's form, the keys of a dict are sorted by their bytes, a ``Struct``
    keeps the order of its fields. A bad byte of ``utf8.text`` becomes the six characters ``\ufffd``, since Go 1.27
    U+FFFD itself. Any depth. No newline follows.

    Raises :class:`UnsupportedValueError` for NaN, an infinity and, since Go 1.27, more than 10,000 containers one
    inside the other; TypeError for any other type (bytes too: only the caller knows whether they are text or base64);
    UnicodeEncodeError for a surrogate that stands for no byte.
    """
    try:
        text = _writer(target, escape_html).write(value)
    except _tree.TooDeepError:
        message = "exceeded max depth"
        raise UnsupportedValueError(message) from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _without_bad_bytes(text, target).encode()


def _without_bad_bytes(text: str, target: GoTarget) -> str:
    # Bad bytes side by side may be UTF-8 together, such as when the halves of a cut character are joined again.
    text = _escaped(utf8.text(utf8.encode(text)), _LINE_ENDS)
    return utf8.clean(text) if target.json_v2 else _BAD_BYTE.sub(r"\\ufffd", text)


@lru_cache(maxsize=16)
def _writer(target: GoTarget, escape_html: bool) -> _tree.Writer:  # noqa: FBT001 - the cache goes by position
    escapes = _HTML if escape_html else ()
    long_escapes = target.minor < _FIRST_MINOR_WITH_SHORT_ESCAPES

    def text(held: str) -> str:
        quoted = _escaped(encode_basestring(held), escapes)
        if not quoted.isascii():
            quoted = _escaped(quoted, _LINE_ENDS)
        return _ESCAPE.sub(_lengthened, quoted) if long_escapes else quoted

    return _tree.Writer(
        list_marks=("[", ",", "]"),
        map_marks=("{", ",", "}"),
        colon=":",
        scalars={
            str: text,
            float: _float,
            int: str,
            bool: _LITERALS.__getitem__,
            type(None): _LITERALS.__getitem__,
        },
        key=text,
        depth=_GREATEST_DEPTH if target.json_v2 else None,
    )


def _lengthened(escape: re.Match[str]) -> str:
    return _LONG_ESCAPES.get(escape[0], escape[0])


def _escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    """The text with each of these characters as its escape. A search in C is cheaper than a pass over the text."""
    for character, escape in escapes:
        if character in text:
            text = text.replace(character, escape)
    return text


def _float(f: float) -> str:
    if not math.isfinite(f):
        message = f"json: unsupported value: {strconv.format_float(f, 'g', strconv.SHORTEST)}"
        raise UnsupportedValueError(message)
    if f == 0 or _LEAST_PLAIN <= abs(f) < _FIRST_LARGE:
        return strconv.format_float(f, "f", strconv.SHORTEST)
    text = strconv.format_float(f, "e", strconv.SHORTEST)
    # Go cuts the zero of an exponent of one digit, and only of a negative one: 1e-7, but 1e+21.
    return text[:-2] + text[-1] if text[-4:-1] == "e-0" else text
