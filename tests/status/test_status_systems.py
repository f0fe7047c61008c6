"""SYSTEMS.toml, PORT.toml, the registry of tools, pyproject.toml, logs/ and the tests say the same."""

from __future__ import annotations

import ast
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest
from real_command import PROJECT

from parity.tools import registry
from replay.fields import COMPARED
from replay.journal import load
from replay.journal.cases import OPERATIONS
from replay.rules.book import book
from replay.status.judged import steps_of
from replay.status.systems import System, SystemsError, systems

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = systems()


@lru_cache
def test_names(file: str) -> frozenset[str]:
    tree = ast.parse((PROJECT / file).read_text(encoding="utf-8"))
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


test_names.__test__ = False  # type: ignore[attr-defined]


def test_each_lot_has_as_many_systems_as_the_contract() -> None:
    assert {lot: sum(one.lot == lot for one in SYSTEMS) for lot in ("46", "40", "32")} == {"46": 6, "40": 7, "32": 3}
    assert len({one.id for one in SYSTEMS}) == len(SYSTEMS) == 16


def test_every_rule_belongs_to_a_system() -> None:
    starts = tuple(start for one in SYSTEMS for start in one.rules)
    assert [rule for rule in book().rules if not rule.startswith(starts)] == []


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.id)
def test_what_a_system_names_is_there(system: System) -> None:
    for start in system.rules:
        assert any(rule.startswith(start) for rule in book().rules), start
    for test in system.tests:
        file, _, name = test.partition("::")
        assert name in test_names(file), test
    assert set(system.fields) <= set(COMPARED)
    assert set(system.tools) <= {*registry.TOOLS, *OPERATIONS}
    assert bool(system.tools) == bool(system.journals)
    assert system.journals or system.tests or system.rules


def test_every_journal_of_the_gate_and_every_tool_belongs_to_a_system() -> None:
    gate = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["loki-parity"]["journals"]
    assert {name for one in SYSTEMS for name in one.journals} == set(gate)
    assert {*registry.TOOLS, *OPERATIONS} == {tool for one in SYSTEMS for tool in one.tools}


@pytest.mark.parametrize("system", [one for one in SYSTEMS if one.journals], ids=lambda one: one.id)
def test_every_journal_of_a_system_has_steps_of_it(system: System) -> None:
    for name in system.journals:
        assert steps_of(system, load(PROJECT / name)), name


def test_the_calls_that_the_contract_counts_are_the_steps_that_judge() -> None:
    counted = {"46/journal": ("logs/recall.json", 41), "40/journal": ("logs/outils.json", 57)}
    for system in SYSTEMS:
        if system.id in counted:
            name, calls = counted[system.id]
            assert len(steps_of(system, load(PROJECT / name))) == calls


GOOD = """[[system]]
id = "46/a"
what = "a"
contract = "a.md"
journals = []
tools = []
rules = ["a/"]
tests = []
not_judged = []
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"SYSTEMS\.toml holds \[\[system\]\] tables, and nothing else"),
        ("[system]\n", r"SYSTEMS\.toml holds"),
        (f"a = 1\n{GOOD}", r"SYSTEMS\.toml holds"),
        ("[[system]", r"SYSTEMS\.toml is no TOML: "),
        ("system = [1]\n", r"SYSTEMS\.toml has id, what, contract, .* and nothing else|nothing else"),
        (f"{GOOD}x = 1\n", r"nothing else"),
        (GOOD.replace('"a.md"', "1"), r"has a system whose contract is not a text"),
        (f"{GOOD}candidate = 1\n", r"has a system whose candidate is not a text"),
        (GOOD.replace('["a/"]', "[1]"), r"has no list of texts as the rules of '46/a'"),
        (GOOD.replace('["a/"]', '"a/"'), r"has no list of texts as the rules of '46/a'"),
    ],
)
def test_a_file_that_says_something_else_is_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "SYSTEMS.toml"
    file.write_text(text)
    with pytest.raises(SystemsError, match=said):
        systems(file)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemsError, match=r"SYSTEMS\.toml cannot be read: No such file"):
        systems(tmp_path / "none")


def test_what_may_be_absent_is_read(tmp_path: Path) -> None:
    file = tmp_path / "SYSTEMS.toml"
    file.write_text(f'{GOOD}candidate = "facade"\ntransport = "http"\nfields = ["requests"]\n')
    (one,) = systems(file)
    assert (one.candidate, one.transport, one.fields) == ("facade", "http", ("requests",))
