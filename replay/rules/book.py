"""PORT.toml as frozen values: every rule of the contract that is ported, every known deviation from Go.

The file lies in the package ``parity`` and is installed with it.
"""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final, cast

import parity
from parity import rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.resources.abc import Traversable

FILE: Final = "PORT.toml"

_RULE: Final = ("id", "section", "function", "tests")
_DEVIATION: Final = ("id", "section", "reason")


class BookError(Exception):
    """PORT.toml cannot be used; one sentence that says why."""


@dataclass(frozen=True, slots=True)
class PortRule:
    """One rule: where the contract has it, the dotted name of the function that is it, the tests that hold it."""

    id: str
    section: str
    function: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Something that the port knowingly does otherwise than Go, or leaves open."""

    id: str
    section: str
    reason: str


@dataclass(frozen=True, slots=True)
class Book:
    """The whole file, each part by id, in the file's order."""

    rules: Mapping[str, PortRule]
    deviations: Mapping[str, Deviation]

    def section(self, rule_id: str) -> str:
        """Where the contract has a rule; says so where PORT.toml lacks it."""
        found = self.rules.get(rule_id)
        return f"not in {FILE}" if found is None else found.section


def book(file: Traversable | None = None) -> Book:
    """What the installed PORT.toml, or another file, says. Raises :class:`BookError`."""
    place = resources.files(parity).joinpath(FILE) if file is None else file
    try:
        document = tomllib.loads(place.read_bytes().decode("utf-8"))
    except OSError as error:
        message = f"{FILE} cannot be read: {error.strerror}"
        raise BookError(message) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        message = f"{FILE} is no TOML: {error}"
        raise BookError(message) from None
    found = [
        PortRule(id=_text(one, "id"), section=_text(one, "section"), function=_text(one, "function"), tests=_tests(one))
        for one in _tables(document, "rule", _RULE)
    ]
    deviations = [
        Deviation(_text(one, "id"), _text(one, "section"), _text(one, "reason"))
        for one in _tables(document, "deviation", _DEVIATION)
    ]
    return Book({one.id: one for one in found}, {one.id: one for one in deviations})


@lru_cache(maxsize=1)
def marked() -> Mapping[str, Callable[..., object]]:
    """Every rule that the code marks, id to function: all modules of the port are imported for it."""
    for module in pkgutil.walk_packages(parity.__path__, "parity."):
        importlib.import_module(module.name)
    return rules.registered()


def disagreements(known: Book) -> list[str]:
    """Where PORT.toml and the code do not say the same, a sentence each."""
    functions = {name: f"{one.__module__}.{one.__qualname__}" for name, one in marked().items()}
    found = [f"{name} is marked in the code and not in {FILE}" for name in functions if name not in known.rules]
    for one in known.rules.values():
        if one.id not in functions:
            found.append(f"{one.id} is in {FILE} and no function carries it")
        elif one.function != functions[one.id]:
            found.append(f"{one.id} is {functions[one.id]}, and {FILE} says {one.function}")
    return found


def _tables(document: Mapping[str, object], name: str, keys: tuple[str, ...]) -> list[Mapping[str, object]]:
    tables = document.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) and sorted(one) == sorted(keys) for one in tables):
        message = f"{FILE}: each [[{name}]] has {', '.join(keys)} and nothing else"
        raise BookError(message)
    return cast("list[Mapping[str, object]]", tables)


def _text(table: Mapping[str, object], key: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value:
        message = f"{FILE}: the {key} of {table['id']!a} is not a text"
        raise BookError(message)
    return value


def _tests(table: Mapping[str, object]) -> tuple[str, ...]:
    value = table["tests"]
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        message = f"{FILE}: the tests of {table['id']!a} are not a list of texts"
        raise BookError(message)
    return tuple(value)
