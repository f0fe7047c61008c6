"""The words in which boundaries are told: tests of what a call was given and of what the port showed.

``seen`` is what a subject lets boundaries look at: the decoded ``args`` of a call, or the fields of a question, and the
state before. ``actual`` is what the port showed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from parity.gostd import utf8
from replay.fuzz.trial import OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.fields import Fields, Value

    Seen: TypeAlias = Mapping[str, object]
    Reached: TypeAlias = Callable[[Seen, Fields], object]


def all_of(*tests: Reached) -> Reached:
    """All of these hold."""
    return lambda seen, actual: all(test(seen, actual) for test in tests)


def any_of(*tests: Reached) -> Reached:
    """One of these holds."""
    return lambda seen, actual: any(test(seen, actual) for test in tests)


def none_of(*tests: Reached) -> Reached:
    """None of these holds."""
    return lambda seen, actual: not any(test(seen, actual) for test in tests)


def args(seen: Seen) -> Mapping[str, object]:
    """The decoded arguments of a call."""
    return cast("Mapping[str, object]", seen["args"])


def argument(name: str, test: Callable[[str], object]) -> Reached:
    """An argument is text of which something holds."""

    def reached(seen: Seen, _: Fields) -> object:
        value = args(seen).get(name)
        return isinstance(value, str) and test(value)

    return reached


def number(name: str, test: Callable[[float], object]) -> Reached:
    """An argument is a number of which something holds."""

    def reached(seen: Seen, _: Fields) -> object:
        value = args(seen).get(name)
        return isinstance(value, float) and test(value)

    return reached


def of_type(name: str, *types: type) -> Reached:
    """An argument is of one of these types."""
    return lambda seen, _: isinstance(args(seen).get(name, ...), types)


def raw_holds(part: bytes) -> Reached:
    """The raw arguments hold this."""
    return lambda seen, _: part in cast("bytes", seen["raw"])


def seen_is(name: str, test: Callable[[object], object]) -> Reached:
    """Something that the subject lets be seen is so."""
    return lambda seen, _: test(seen[name])


def result(test: Callable[[str], object]) -> Reached:
    """The result is a text of which something holds."""

    def reached(_: Seen, actual: Fields) -> object:
        value = actual.get("result")
        return isinstance(value, str) and test(value)

    return reached


def answers(text: str) -> Reached:
    """The result is this text."""
    return result(lambda value: value == text)


def holds(*parts: str) -> Reached:
    """The result holds all of these."""
    return result(lambda value: all(part in value for part in parts))


def lacks(*parts: str) -> Reached:
    """The result holds none of these."""
    return result(lambda value: not any(part in value for part in parts))


def shows(field: str, test: Callable[[Value], object]) -> Reached:
    """The port shows a field of which something holds."""
    return lambda _, actual: field in actual and test(actual[field])


# --- questions about functions ---


def given(test: Callable[[bytes], object], key: str = "s") -> Reached:
    """The bytes that a function was given are so."""
    return lambda seen, _: test(cast("bytes", seen[key]))


def has(*needles: str) -> Reached:
    """The text that a function was given holds one of these."""
    wanted = [utf8.encode(needle) for needle in needles]
    return given(lambda raw: any(needle in raw for needle in wanted))


def starts(text: str) -> Reached:
    """The text that a function was given starts so."""
    return given(lambda raw: raw.startswith(text.encode()))


def bad_bytes(key: str = "s") -> Reached:
    """The bytes that a function was given are not UTF-8."""
    return given(lambda raw: not utf8.valid(raw), key)


def out(test: Callable[[Value], object]) -> Reached:
    """What a function answers is so."""
    return shows(OUT, test)


def says(*parts: str) -> Reached:
    """What a function answers holds one of these, written out."""
    return out(lambda value: any(part in str(value) for part in parts))


def member(name: str, test: Callable[[Value], object]) -> Reached:
    """A member of what a function answers is so."""
    return out(lambda value: test(cast("Mapping[str, Value]", value)[name]))


def bits(*patterns: str) -> Reached:
    """The float64 that a function was given has one of these patterns."""
    return lambda seen, _: seen["bits"] in patterns
