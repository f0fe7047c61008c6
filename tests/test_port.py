"""PORT.toml, the rules as data: it, the code and the tests say the same."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import parity
from parity import rules

TOP = Path(__file__).parent.parent
PORT: dict[str, Any] = tomllib.loads((TOP / "parity" / "PORT.toml").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = PORT["rule"]


@lru_cache
def _registered() -> dict[str, str]:
    for module in pkgutil.walk_packages(parity.__path__, "parity."):
        importlib.import_module(module.name)
    return {name: f"{one.__module__}.{one.__qualname__}" for name, one in rules.registered().items()}


@lru_cache
def _test_names(file: str) -> frozenset[str]:
    tree = ast.parse((TOP / file).read_text(encoding="utf-8"))
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


def test_port_toml_lists_exactly_the_rules_that_the_code_marks() -> None:
    assert {one["id"] for one in RULES} == set(_registered())


def test_no_rule_is_listed_twice_and_the_list_is_sorted() -> None:
    ids = [one["id"] for one in RULES]
    assert ids == sorted(set(ids))


@pytest.mark.parametrize("one", RULES, ids=lambda one: one["id"])
def test_a_rule_names_its_function(one: dict[str, Any]) -> None:
    assert one["function"] == _registered()[one["id"]]


@pytest.mark.parametrize("one", RULES, ids=lambda one: one["id"])
def test_a_rule_names_its_section_and_tests_that_exist(one: dict[str, Any]) -> None:
    assert one["section"].split(",")[0].endswith(".md")
    assert one["tests"]
    for test in one["tests"]:
        file, _, name = test.partition("::")
        assert name in _test_names(file), test


def test_two_functions_cannot_claim_one_rule() -> None:
    name = next(iter(_registered()))
    with pytest.raises(ValueError, match=name):
        rules.rule(name)(print)
