"""The four tools against a Go program written from the contract and run by real Go (memory_model.json says how)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from parity.gostd import json as gojson
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import Env, GoPanic
from parity.tools.mem_add import mem_add
from parity.tools.mem_edit import mem_edit
from parity.tools.mem_read import mem_read
from parity.tools.mem_search import mem_search

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.tools.interface import Tool

TOOLS: Final[Mapping[str, Tool]] = {
    "mem_search": mem_search,
    "mem_read": mem_read,
    "mem_add": mem_add,
    "mem_edit": mem_edit,
}
CASES: Final = json.loads((Path(__file__).parent / "memory_model.json").read_bytes())["cases"]


def test_the_cases_are_there() -> None:
    assert len(CASES) >= 100
    assert {case["tool"] for case in CASES} == set(TOOLS)
    assert sum("panic" in case.get("answer", {}) for case in CASES) >= 5
    assert sum("answers" in case for case in CASES) >= 5


@pytest.mark.parametrize("target", [GO_1_25, GO_1_27], ids=lambda target: target.version)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["tool"])
def test_the_port_answers_and_writes_what_go_does(target: GoTarget, case: dict[str, Any]) -> None:
    files = raw(case["files"])
    expected = case["answer"] if "answer" in case else case["answers"][target.version]
    memory = RamMemory(Settings(), nonces=bytes)
    memory.restore(State(files))
    args = gojson.unmarshal_args(json.dumps(case["args"]).encode(), target)
    if "panic" in expected:
        with pytest.raises(GoPanic) as panic:
            TOOLS[case["tool"]](args, Env(target, memory=memory))
        assert panic.value.text == expected["panic"]
    else:
        answer = TOOLS[case["tool"]](args, Env(target, memory=memory))
        assert answer.result == expected["result"]
        assert [{"op": line.op, "text": line.text} for line in answer.diff] == expected.get("diff", [])
    assert memory.snapshot().files == files | raw(expected.get("written", {}))


def raw(files: dict[str, Any]) -> dict[str, bytes]:
    return {
        name: held.encode() if isinstance(held, str) else base64.b64decode(held["base64"], validate=True)
        for name, held in files.items()
    }
