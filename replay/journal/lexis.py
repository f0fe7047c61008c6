"""The smallest parts of JSON, as Go's decoder reads them, each from an offset: white space, strings, numbers, words.

All functions take octets (:mod:`replay.journal.octets`) and raise :class:`replay.journal.defects.Defect`: ``cut-off``
where the file ends too early, ``not-json`` where something stands that cannot stand there.
"""

from __future__ import annotations

import re
from typing import Final

from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.octets import shown

_SPACE: Final = re.compile("[ \t\n\r]*")
_STOP_IN_STRING: Final = re.compile('["\\\\\x00-\x1f]')
_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_ESCAPE_CUT: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_NUMBER_CUT: Final = re.compile(r"-|-?(?:0|[1-9][0-9]*)(?:\.|(?:\.[0-9]+)?[eE][-+]?)")
_WORDS: Final = ("true", "false", "null")


def after_space(octets: str, at: int) -> int:
    """The first offset from ``at`` on that is not white space; the end of the file if there is none."""
    found = _SPACE.match(octets, at)
    return at if found is None else found.end()


def unexpected(octets: str, at: int, expected: str) -> Defect:
    """The defect of what stands at an offset, where something else was expected."""
    if at >= len(octets):
        return Defect(Kind.CUT_OFF, "the end of the file", expected, offset=len(octets))
    return Defect(Kind.NOT_JSON, character(octets, at), expected, offset=at)


def character(octets: str, at: int) -> str:
    """The character at an offset as an error shows it; the byte, where it is not UTF-8."""
    one = shown(octets[at : at + 4])[0]
    return f"the byte 0x{ord(octets[at]):02x}" if one == "\ufffd" else quoted(one)


def string_end(octets: str, at: int) -> int:
    """The offset after the string whose first quote stands at ``at``."""
    at += 1
    while True:
        stop = _STOP_IN_STRING.search(octets, at)
        if stop is None:
            raise unexpected(octets, len(octets), "the rest of a string")
        at = stop.start()
        if stop[0] == '"':
            return at + 1
        if stop[0] != "\\":
            raise unexpected(octets, at, "the rest of a string (a control character must be escaped)")
        at = _escape_end(octets, at)


def scalar_end(octets: str, at: int) -> int:
    """The offset after the string, the number or the word that begins at ``at``."""
    if octets.startswith('"', at):
        return string_end(octets, at)
    number = _NUMBER.match(octets, at)
    if _NUMBER_CUT.fullmatch(octets, at):
        raise unexpected(octets, len(octets), "the rest of a number")
    if number is not None:
        return number.end()
    for word in _WORDS:
        if octets.startswith(word, at):
            return at + len(word)
        if at + len(word) > len(octets) > at and word.startswith(octets[at:]):
            raise unexpected(octets, len(octets), f"the rest of {word}")
    raise unexpected(octets, at, "a value")


def key_end(octets: str, at: int) -> tuple[int, int]:
    """The offset after the key that begins at ``at``, and that of the value after its colon."""
    if not octets.startswith('"', at):
        raise unexpected(octets, at, "a key")
    end = string_end(octets, at)
    colon = after_space(octets, end)
    if not octets.startswith(":", colon):
        raise unexpected(octets, colon, '":"')
    return end, after_space(octets, colon + 1)


def _escape_end(octets: str, at: int) -> int:
    escape = _ESCAPE.match(octets, at)
    if escape is not None:
        return escape.end()
    if _ESCAPE_CUT.fullmatch(octets, at):
        raise unexpected(octets, len(octets), "the rest of a string")
    raise Defect(Kind.NOT_JSON, f"the escape {quoted(shown(octets[at : at + 6]))}", "an escape of JSON", offset=at)
