"""What a scanned value must look like: each function takes a tree and gives the value, or raises Defect.

Integers stay exact and never pass through a float. Text is read as Go's decoder reads it (go-semantics.md, 2.10).
"""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from replay.journal import octets
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import drawn, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.journal.aliases import Names
    from replay.journal.model import Json
    from replay.journal.walk import Tree

T = TypeVar("T")

INT64: Final = (-(2**63), 2**63 - 1)
UINT64: Final = (0, 2**64 - 1)

_WORDS: Final = {None: "null", True: "true", False: "false"}
_INTEGER: Final = re.compile(rb"-?[0-9]+")
_LONGEST_INTEGER: Final = 309
"""Digits of the largest double: a longer integer is beyond what Go's decoder reads into any value."""


def described(tree: Tree) -> str:
    """A value as an error shows it."""
    if isinstance(tree, str):
        return f"the string {quoted(octets.shown(tree[:400]))}"
    if isinstance(tree, bytes):
        return f"the number {drawn(tree.decode('ascii'))}"
    if isinstance(tree, list):
        return "an array"
    return "an object" if isinstance(tree, tuple) else _WORDS[tree]


def wrong_type(tree: Tree, expected: str) -> Defect:
    """The defect of a value of another JSON type."""
    return Defect(Kind.WRONG_TYPE, described(tree), expected)


def wrong_value(tree: Tree, expected: str) -> Defect:
    """The defect of a value of the right JSON type that is none of those that are possible."""
    return Defect(Kind.WRONG_VALUE, described(tree), expected)


def text(tree: Tree) -> str:
    """A string."""
    if not isinstance(tree, str):
        raise wrong_type(tree, "a string")
    return octets.text(tree)


def boolean(tree: Tree) -> bool:
    """True or false."""
    if not isinstance(tree, bool):
        raise wrong_type(tree, "true or false")
    return tree


def integer(tree: Tree, bounds: tuple[int, int]) -> int:
    """An integer between two bounds, written as one: neither ``1.0`` nor ``1e3``."""
    if not isinstance(tree, bytes) or _INTEGER.fullmatch(tree) is None:
        raise wrong_type(tree, "an integer")
    value = int(tree) if len(tree) <= _LONGEST_INTEGER else None
    if value is None or not bounds[0] <= value <= bounds[1]:
        raise Defect(Kind.OUT_OF_RANGE, described(tree), f"an integer from {bounds[0]} to {bounds[1]}")
    return value


def int64(tree: Tree) -> int:
    """A signed integer of 64 bits."""
    return integer(tree, INT64)


def uint64(tree: Tree) -> int:
    """An unsigned integer of 64 bits."""
    return integer(tree, UINT64)


def array(tree: Tree) -> list[Tree]:
    """An array."""
    if not isinstance(tree, list):
        raise wrong_type(tree, "an array")
    return tree


def each(tree: Tree, convert: Callable[[Tree], T]) -> tuple[T, ...]:
    """An array, each element converted; null is an empty one, as Go writes an empty slice."""
    elements = [] if tree is None else array(tree)
    values: list[T] = []
    try:
        for element in elements:
            values.append(convert(element))  # noqa: PERF401 - its length says where a defect is
    except Defect as defect:
        raise defect.inside(len(values)) from None
    return tuple(values)


def members(tree: Tree) -> tuple[tuple[str, Tree], ...]:
    """The members of an object."""
    if not isinstance(tree, tuple):
        raise wrong_type(tree, "an object")
    return tree


def key(name: str) -> str:
    """The text of an object's key."""
    try:
        return octets.text(name)
    except Defect as defect:
        defect.at_key = True
        raise


def duplicate(name: str) -> Defect:
    """The defect of a key that an object has twice."""
    return Defect(Kind.DUPLICATE_KEY, f"the key {quoted(name)} a second time", "each key once", at_key=True)


class Fields:
    """The members of an object that has fixed keys."""

    def __init__(self, tree: Tree, names: Names) -> None:
        """Raises Defect: no object, an unknown key, a key twice or under two names."""
        self.names = names
        self._written: dict[str, str] = {}
        self._values: dict[str, Tree] = {}
        for octets_of_key, value in members(tree):
            try:
                written = key(octets_of_key)
                name = place(written, names, self._written)
            except Defect as defect:
                raise defect.inside(octets.shown(octets_of_key)) from None
            self._written[name] = written
            self._values[name] = value

    def items(self) -> list[tuple[str, Tree]]:
        """The members by their own names, as they stand there."""
        return list(self._values.items())

    def need(self, name: str, convert: Callable[[Tree], T]) -> T:
        """A member that must be there."""
        if name not in self._values:
            raise missing(self.names, name)
        return self._converted(name, convert)

    def get(self, name: str, convert: Callable[[Tree], T], default: T) -> T:
        """A member, or a default where it is absent or null."""
        return default if self._values.get(name) is None else self._converted(name, convert)

    def _converted(self, name: str, convert: Callable[[Tree], T]) -> T:
        try:
            return convert(self._values[name])
        except Defect as defect:
            raise defect.inside(self._written[name]) from None


def place(written: str, names: Names, taken: Mapping[str, str]) -> str:
    """The name of a key as it is written; ``taken`` holds those that the object has already, and how it writes them."""
    name = names.canonical(written)
    if name is None:
        found = f"the unknown key {quoted(written)}"
        raise Defect(Kind.UNKNOWN_KEY, found, names.expected(written), at_key=True)
    if name not in taken:
        return name
    if taken[name] == written:
        raise duplicate(written)
    found = f"{quoted(written)} beside {quoted(taken[name])}, which means the same"
    raise Defect(Kind.TWO_NAMES, found, "one of them", at_key=True)


def missing(names: Names, name: str) -> Defect:
    """The defect of an object that lacks a key."""
    return Defect(Kind.MISSING_KEY, f"{names.of} without {quoted(name)}", names.or_else(name))


class Freezer:
    """Makes frozen trees: integers exact, other numbers as floats, equal texts held once."""

    def __init__(self, depth: int) -> None:
        """``depth`` is how many levels one value may have."""
        self._depth = depth
        self._texts: dict[str, str] = {}

    def value(self, tree: Tree, above: int = 0) -> Json:
        """A value that ``above`` levels enclose. Raises Defect: too deep, a key twice, a number beyond a double."""
        return self._frozen(tree, self._depth - above)

    def _frozen(self, tree: Tree, depth: int) -> Json:
        if isinstance(tree, str):
            return self._texts.setdefault(tree, octets.text(tree))
        if isinstance(tree, bytes):
            return _number(tree)
        if isinstance(tree, (list, tuple)) and depth == 0:
            raise Defect(Kind.TOO_DEEP, f"level {self._depth + 1}", f"at most {self._depth} levels")
        if isinstance(tree, list):
            return each(tree, lambda element: self._frozen(element, depth - 1))
        return self._object(tree, depth) if isinstance(tree, tuple) else tree

    def _object(self, tree: tuple[tuple[str, Tree], ...], depth: int) -> Json:
        values: dict[str, Json] = {}
        for octets_of_key, value in tree:
            try:
                name = key(octets_of_key)
                if name in values:
                    raise duplicate(name)
                values[name] = self._frozen(value, depth - 1)
            except Defect as defect:
                raise defect.inside(octets.shown(octets_of_key)) from None
        return MappingProxyType(values)


def _number(literal: bytes) -> int | float:
    value = float(literal)
    if not math.isfinite(value):
        raise Defect(Kind.OUT_OF_RANGE, described(literal), "a number that a double can hold")
    return int(literal) if _INTEGER.fullmatch(literal) and literal != b"-0" else value
