"""The reading half of Go's ``encoding/json``, rule by rule: our own reader, without recursion.

It takes every document and gives Go's answer to the traps of go-semantics.md, 2.10: bytes that are not UTF-8, lone
halves of surrogate pairs, numbers beyond float64, 10,000 containers one inside the other. The text of a syntax error is
Go 1.25's (``scanner.go``); Go 1.27 words it otherwise, and the tools ignore it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NoReturn

from parity.gostd import strconv, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

_GREATEST_DEPTH: Final = 10000

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_TEXT: Final = re.compile(rb'(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}')
"""A stretch of a text; bounded, for the engine keeps a note of every repetition until the end of the match."""
_HEXADECIMAL: Final = re.compile(rb"[0-9a-fA-F]*")
_WHOLE: Final = re.compile(rb"0|[1-9][0-9]*")
_DIGITS: Final = re.compile(rb"[0-9]+")

_PAIR: Final = r"\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
_ESCAPES: Final = re.compile(rf"{_PAIR}|\\u(?P<code>[0-9a-fA-F]{{4}})|\\(?P<short>.)")
_SHORT: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

_QUOTE: Final = ord('"')
_BACKSLASH: Final = ord("\\")
_NUMBER_STARTS: Final = frozenset(b"-0123456789")
_LITERALS: Final[dict[int, tuple[bytes, bool | None]]] = {
    ord("t"): (b"true", True),
    ord("f"): (b"false", False),
    ord("n"): (b"null", None),
}

_QUOTED: Final = {"'": r"\'", '"': '"'}
"""The characters that Go quotes otherwise here than ``strconv.Quote`` does."""

_END: Final = -1
"""What stands after the last byte."""

_OPENED: Final = object()
"""Instead of a value: a container was opened, and its first value comes next."""


class JSONSyntaxError(ValueError):
    """Go's ``SyntaxError``: the document is not JSON. The message is Go 1.25's."""


class Reader:
    """Reads one document. ``error`` becomes Go 1.25's text for the first number beyond float64, if there is one."""

    def __init__(self, raw: bytes, target: GoTarget) -> None:
        self.error: str | None = None
        self._raw = raw
        self._target = target
        self._at = 0
        self._opened: list[list[object] | dict[str, object]] = []
        self._keys: list[str] = []  # of each open object: the key whose value comes next

    def read(self) -> object:
        """The document's value. Raises :class:`JSONSyntaxError`."""
        while True:
            value = self._begin_value()
            while value is not _OPENED:
                if not self._opened:
                    return self._end(value)
                value = self._put(value)

    def _begin_value(self) -> object:
        """A scalar or an empty container; :data:`_OPENED` after the opening of any other."""
        byte = self._next()
        if byte == _QUOTE:
            return self._text()
        if byte in _NUMBER_STARTS:
            return self._number()
        if byte == ord("{"):
            return self._open({}, ord("}"))
        if byte == ord("["):
            return self._open([], ord("]"))
        if byte not in _LITERALS:
            self._fail("looking for beginning of value")
        return self._literal(*_LITERALS[byte])

    def _open(self, container: list[object] | dict[str, object], close: int) -> object:
        if len(self._opened) == _GREATEST_DEPTH:
            self._fail("exceeded max depth")
        self._at += 1
        if self._next() == close:
            self._at += 1
            return container
        self._opened.append(container)
        if isinstance(container, dict):
            self._key()
        return _OPENED

    def _put(self, value: object) -> object:
        """Put a value into the open container: that container if it ends here, :data:`_OPENED` if more is to come."""
        container = self._opened[-1]
        if isinstance(container, list):
            container.append(value)
            if self._comma_or(ord("]"), "after array element"):
                return _OPENED
        else:
            container[self._keys.pop()] = value
            if self._comma_or(ord("}"), "after object key:value pair"):
                self._key()
                return _OPENED
        return self._opened.pop()

    def _comma_or(self, close: int, context: str) -> bool:
        """Whether a comma stands here, not the end of the container."""
        byte = self._next()
        if byte not in {ord(","), close}:
            self._fail(context)
        self._at += 1
        return byte != close

    def _key(self) -> None:
        """A key and the colon after it."""
        if self._next() != _QUOTE:
            self._fail("looking for beginning of object key string")
        self._keys.append(self._text())
        if self._next() != ord(":"):
            self._fail("after object key")
        self._at += 1

    def _end(self, value: object) -> object:
        if self._next() != _END:
            self._fail("after top-level value")
        return value

    def _text(self) -> str:
        start = self._at = self._at + 1
        while self._skip(_TEXT):
            pass
        end = self._at
        if self._byte() == _BACKSLASH:
            self._fail_in_escape()
        if self._byte() != _QUOTE:
            self._fail("in string literal")
        self._at += 1
        return _unescaped(utf8.decode(self._raw[start:end]))

    def _fail_in_escape(self) -> NoReturn:
        self._at += 1
        if self._byte() != ord("u"):
            self._fail_inside("in string escape code")
        self._at += 1
        self._skip(_HEXADECIMAL)
        self._fail_inside(r"in \u hexadecimal character escape")

    def _number(self) -> float | None:
        start = self._at
        if self._byte() == ord("-"):
            self._at += 1
        self._digits(_WHOLE, "in numeric literal")
        if self._byte() == ord("."):
            self._at += 1
            self._digits(_DIGITS, "after decimal point in numeric literal")
        if self._byte() in {ord("e"), ord("E")}:
            self._at += 1
            if self._byte() in {ord("+"), ord("-")}:
                self._at += 1
            self._digits(_DIGITS, "in exponent of numeric literal")
        literal = self._raw[start : self._at]
        number = float(literal)
        return self._beyond_float64(literal) if math.isinf(number) else number

    def _digits(self, digits: re.Pattern[bytes], context: str) -> None:
        if not self._skip(digits):
            self._fail_inside(context)

    def _beyond_float64(self, literal: bytes) -> float | None:
        """A number without a float64: an error that stops nothing, and an empty slot."""
        if self.error is None:
            self.error = f"json: cannot unmarshal number {literal.decode()} into Go value of type float64"
        return 0.0 if self._target.json_v2 else None

    def _literal(self, word: bytes, value: bool | None) -> bool | None:  # noqa: FBT001 - a value of the document
        for byte in word:
            if self._byte() != byte:
                self._fail_inside(f"in literal {word.decode()} (expecting '{chr(byte)}')")
            self._at += 1
        return value

    def _byte(self) -> int:
        return self._raw[self._at] if self._at < len(self._raw) else _END

    def _next(self) -> int:
        """The byte after the space that stands here."""
        self._skip(_SPACE)
        return self._byte()

    def _skip(self, pattern: re.Pattern[bytes]) -> bool:
        found = pattern.match(self._raw, self._at)
        if found is not None:
            self._at = found.end()
        return found is not None

    def _fail(self, context: str) -> NoReturn:
        if self._byte() == _END:
            message = "unexpected end of JSON input"
            raise JSONSyntaxError(message)
        self._fail_inside(context)

    def _fail_inside(self, context: str) -> NoReturn:
        """The same inside a number, a literal or an escape, where Go tries a space at the end of the input."""
        byte = self._byte()
        character = " " if byte == _END else chr(byte)
        quoted = _QUOTED.get(character) or strconv.quote(character, self._target)[1:-1]
        message = f"invalid character '{quoted}' {context}"
        raise JSONSyntaxError(message)


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    """What an escape stands for; half of a surrogate pair without the other stands for U+FFFD."""
    high, low, code, short = escape.group("high", "low", "code", "short")
    if short is not None:
        return _SHORT[short]
    if code is None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    point = int(code, 16)
    return utf8.REPLACEMENT if 0xD800 <= point <= 0xDFFF else chr(point)
