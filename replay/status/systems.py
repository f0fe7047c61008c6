"""SYSTEMS.toml as frozen values: every system of the migration, and what proves it.

The file lies in the package ``parity`` beside PORT.toml and is installed with it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final, NoReturn

import parity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from replay.rules.book import Book, PortRule

FILE: Final = "SYSTEMS.toml"

_TEXTS: Final = ("id", "what", "contract")
_LISTS: Final = ("journals", "tools", "rules", "tests", "not_judged")
_CHOSEN: Final = ("candidate", "transport")
"""Keys that may be absent."""


class SystemsError(Exception):
    """SYSTEMS.toml cannot be used; one sentence that says why."""


@dataclass(frozen=True, slots=True)
class System:
    """One system, as the file says; ``candidate`` and ``transport`` are empty where any will do."""

    id: str
    what: str
    contract: str
    candidate: str
    transport: str
    fields: tuple[str, ...]
    journals: tuple[str, ...]
    tools: tuple[str, ...]
    rules: tuple[str, ...]
    tests: tuple[str, ...]
    not_judged: tuple[str, ...]

    @property
    def lot(self) -> str:
        """The lot that it belongs to."""
        return self.id.partition("/")[0]

    def its_rules(self, known: Book) -> list[PortRule]:
        """Its rules in PORT.toml."""
        return [one for one in known.rules.values() if one.id.startswith(self.rules)]


def systems(file: Traversable | None = None) -> tuple[System, ...]:
    """What the installed SYSTEMS.toml, or another file, says, in its order. Raises :class:`SystemsError`."""
    place = resources.files(parity).joinpath(FILE) if file is None else file
    try:
        document = tomllib.loads(place.read_bytes().decode("utf-8"))
    except OSError as error:
        _fail(f"cannot be read: {error.strerror}")
    except ValueError as error:  # not UTF-8, or not TOML
        _fail(f"is no TOML: {error}")
    tables = document.get("system")
    if set(document) != {"system"} or not isinstance(tables, list) or not tables:
        _fail("holds [[system]] tables, and nothing else")
    return tuple(map(_system, tables))


def _fail(clause: str) -> NoReturn:
    message = f"{FILE} {clause}"
    raise SystemsError(message)


def _system(table: object) -> System:
    if not isinstance(table, dict) or set(table).difference(_CHOSEN, ("fields",)) != {*_TEXTS, *_LISTS}:
        _fail(f"has {', '.join((*_TEXTS, *_LISTS))} in each system, perhaps candidate, transport, fields; nothing else")
    return System(
        id=_text(table, "id"),
        what=_text(table, "what"),
        contract=_text(table, "contract"),
        candidate=_text(table, "candidate") if "candidate" in table else "",
        transport=_text(table, "transport") if "transport" in table else "",
        fields=_texts(table, "fields") if "fields" in table else (),
        journals=_texts(table, "journals"),
        tools=_texts(table, "tools"),
        rules=_texts(table, "rules"),
        tests=_texts(table, "tests"),
        not_judged=_texts(table, "not_judged"),
    )


def _text(table: Mapping[str, object], name: str) -> str:
    value = table[name]
    if not isinstance(value, str) or not value:
        _fail(f"has a system whose {name} is not a text")
    return value


def _texts(table: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = table[name]
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        _fail(f"has no list of texts as the {name} of {table['id']!a}")
    return tuple(value)
