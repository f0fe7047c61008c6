"""Holds tests/vectors/NEEDED.toml, the files it speaks of, the port and the tests together."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest
from vectors_reader import FOLDER, TARGETS, header, sections, tables

from parity.gostd.target import GoTarget, parse

if TYPE_CHECKING:
    from pathlib import Path

Section: TypeAlias = dict[str, dict[str, list[str]]]

NEEDED: Final[dict[str, Section]] = tomllib.loads((FOLDER / "NEEDED.toml").read_text("utf-8"))
TESTS: Final = {path: path.read_text("utf-8") for path in sorted(FOLDER.parent.rglob("test_*.py"))}

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)
every_section = pytest.mark.parametrize("section", NEEDED)


def fields_in_file(target: GoTarget) -> dict[str, set[str]]:
    found = {name: set(chain.from_iterable(entries)) for name, entries in sections(target).items()}
    return found | {"header": set(header(target)), "tables": set(tables(target))}


def ported(section: str) -> dict[str, list[str]]:
    return NEEDED[section].get("ported", {})


def not_needed(section: str) -> dict[str, list[str]]:
    return NEEDED[section].get("not_needed", {})


def readers(section: str) -> dict[Path, str]:
    """The test files that read a section, and their texts."""
    if section in {"header", "tables"}:
        call = re.compile(rf"\b{section}\(")
    else:
        call = re.compile(rf"\b(?:vectors|every_vector)\(\"{section}\"[,)]")
    return {path: text for path, text in TESTS.items() if call.search(text)}


@every_target
def test_the_table_speaks_of_every_section_and_field_of_the_files_and_of_no_other(target: GoTarget) -> None:
    spoken_of = {
        section: set(chain.from_iterable([*ported(section).values(), *not_needed(section).values()]))
        for section in NEEDED
    }

    assert spoken_of == fields_in_file(target)


@every_section
def test_a_field_stands_in_one_place_of_the_table(section: str) -> None:
    fields = list(chain.from_iterable([*ported(section).values(), *not_needed(section).values()]))

    assert sorted(fields) == sorted(set(fields))
    assert NEEDED[section].keys() <= {"ported", "not_needed"}


@pytest.mark.parametrize("dotted", sorted({function for section in NEEDED for function in ported(section)}))
def test_every_function_of_the_table_is_there(dotted: str) -> None:
    assert callable(resolve_name(dotted))


@pytest.mark.parametrize(
    ("section", "field"),
    [(section, field) for section in NEEDED for fields in ported(section).values() for field in fields],
)
def test_every_ported_field_is_read_by_a_test_of_its_section(section: str, field: str) -> None:
    assert [path.name for path, text in readers(section).items() if f'"{field}"' in text]


@every_target
def test_each_file_is_of_the_go_that_it_is_read_as(target: GoTarget) -> None:
    heading = header(target)

    assert parse(heading["_go"], heading["_arch"]) == target
    assert heading["_unicode"] == target.unicode == tables(target)["unicode_version"]
