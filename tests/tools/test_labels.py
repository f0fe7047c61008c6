from __future__ import annotations

from typing import Any

import pytest
from vectors_reader import TARGETS

from parity.gostd.target import GO_1_25, GoTarget
from parity.tools.labels import label


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("mem_search", "query"),
        ("recall_search", "query"),
        ("mem_read", "file"),
        ("mem_add", "file"),
        ("mem_edit", "file"),
        ("recall", "id"),
    ],
)
def test_a_tool_is_announced_by_one_argument_as_received(tool: str, argument: str, target: GoTarget) -> None:
    given = dict.fromkeys(("query", "file", "id", "name", "action", ""), "other") | {argument: " \u00a0Été\n "}
    assert label(tool, given, target) == " \u00a0Été\n "


@pytest.mark.parametrize("tool", ["mem_search", "recall_search", "mem_read", "mem_add", "mem_edit", "recall"])
@pytest.mark.parametrize("value", [None, True, 12.0, ["notes"], {"id": "r1"}])
def test_an_argument_that_is_no_string_announces_nothing(tool: str, value: object) -> None:
    assert label(tool, {"query": value, "file": value, "id": value}, GO_1_25) == ""
    assert label(tool, {}, GO_1_25) == ""


@pytest.mark.parametrize("tool", ["", "bash", "TRACKER", "mem_delete"])
def test_another_tool_announces_nothing(tool: str) -> None:
    given = dict.fromkeys(("query", "file", "id", "name", "action", ""), "other")
    assert label(tool, given, GO_1_25) == ""


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, ""),
        ({"action": "ADD", "name": "poids"}, "ADD poids"),
        ({"action": "add"}, "add"),
        ({"name": "POIDS"}, "POIDS"),
        ({"action": None, "name": None}, ""),
        ({"action": " add ", "name": " poids\u00a0"}, "add   poids"),
        ({"action": "\u001cadd", "name": ""}, "\u001cadd"),
        ({"action": "add", "name": 2026.0}, "add 2026"),
        ({"action": 1e6, "name": 12.5}, "1000000 12"),
        ({"action": True, "name": ["a", 1.0, None]}, "true [a 1 <nil>]"),
        ({"action": [1e6], "name": {"b": 1.0, "a": [None]}}, "[1e+06] map[a:[<nil>] b:1]"),
        ({"action": "add\nlist", "name": "x"}, "add\nlist x"),
    ],
)
def test_the_tracker_is_announced_by_action_and_name_as_text(args: dict[str, Any], expected: str) -> None:
    assert label("tracker", args, GO_1_25) == expected
