"""Whatever stands in the place of a value of a journal: the loader refuses it, or the journal can be replayed.

Every value of a small journal of each kind is replaced by every sort of JSON value, one at a time. A candidate that
crashes over what a journal holds would be the loader's fault: it let a value in that the contract does not allow.
"""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import RAM

from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import Judging, replay
from replay.journal import JournalError, loads
from replay.outcome import Crashed, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES: Final = ("null", "0", '""', "[]", "{}", "true", "1e400", '[{"a": [null, {"b": 1.5}]}]')

PART: Final = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
IMAGE: Final = {"role": "user", "content": [{"type": "text", "text": "a"}, PART], "img_relay": True, "img_tokens": 20}
CALL: Final = {"id": "1", "type": "function", "function": {"name": "see_image", "arguments": "{}"}}
ASKED: Final = {"role": "assistant", "content": "a", "tool_calls": [CALL], "tool_call_id": "1"}
SHORT: Final = {"role": "user"}
AFTER: Final = {"messages": [SHORT], "extra": [], "active": True, "budget": 100, "kept_tokens": 20}
STATE: Final = {"stopped": False, "on_trial": 1, "requests": 1}
STORED: Final = {"stored": True, "weight": 8, "message": SHORT}
OBSERVED: Final = {"op": "observe", "complete": True, "prompt_tokens": 9, "gen_tokens": 1, "reasoning_tokens": 0}
KEEPIMG: Final[dict[str, Any]] = {
    "format": "loki-parity-journal/1",
    "kind": "keepimg",
    "cases": [
        {
            "name": "a",
            "ctx_window": 1000,
            "keep_turn_images": "on",
            "thread": "main",
            "conversation": "c1",
            "vision": True,
            "messages": [ASKED, IMAGE],
            "steps": [
                {
                    "step": {"op": "relay", "message": IMAGE, "from": 1, "store_fails": False},
                    "after": AFTER | STATE,
                },
                {"step": OBSERVED | {"reasoning_echoed": False}, "after": AFTER | STATE},
                {"step": {"op": "store", "message": SHORT}, "after": AFTER | STATE | STORED},
                {"step": {"op": "publishable"}, "after": AFTER | STATE | {"published": [SHORT]}},
                {"step": {"op": "drop"}, "after": AFTER | STATE | {"freed": 20}},
            ],
        }
    ],
}

TRACKER: Final = {"name": "Poids", "events": [{"id": "1", "ts": 1, "text": "80", "date_only": True}]}
FILES: Final = {"MEMORY.md": "# Index\n", "a.md": {"base64": "/w=="}}
MEMORY: Final = small_journals.memory(
    small_journals.step("mem_read", {"file": "a"}, "x", note="n", label="l", files=FILES, trackers={"g/p": TRACKER}),
    small_journals.step("tracker", {"action": "list"}, "x", diff=[{"op": "+", "text": "t"}], files={}, trackers={}),
    {"tool": "mem_search", "args": {"query": "a"}, "panic": "boom", "now": "2026-10-16T09:30:00Z"},
    about="a",
    go={"version": "go1.25.5", "unicode": "15.0.0", "goarch": "amd64"},
    project={"slug": "generale", "name": "Générale"},
    clock={"tz": "UTC"},
    config={"MEM_ENCRYPTED": "oui"},
    dek="00" * 32,
    locked=False,
    initial={"files": FILES, "trackers": {"g/p": TRACKER}},
)
RECALL: Final = small_journals.recall(small_journals.right(), small_journals.searched(), source="model")


def replaced(tree: object) -> Iterator[tuple[str, str]]:
    """Each way to write the tree with one value of it replaced: the place of the value, the whole."""
    for at, whole in _marked(tree):
        written = json.dumps(whole)
        for value in VALUES:
            yield f"{at} = {value}", written.replace(f'"{_MARK}"', value)


_MARK: Final = "the value that is replaced"


def _marked(tree: object) -> Iterator[tuple[str, object]]:
    yield "", _MARK
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from ((f".{key}{at}", {**tree, key: marked}) for at, marked in _marked(value))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from (
                (f"[{index}]{at}", [*tree[:index], marked, *tree[index + 1 :]]) for at, marked in _marked(value)
            )


@pytest.mark.parametrize("journal", [RECALL, MEMORY, KEEPIMG], ids=["recall", "memory", "keepimg"])
def test_any_value_in_any_place_is_refused_or_replayed(
    journal: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if RAM is not None:
        monkeypatch.setattr(tempfile, "tempdir", str(RAM))
    refused = judged = 0
    with PortCandidate(IN_MEMORY) as port:
        for at, written in replaced(journal):
            try:
                loaded = loads(written.encode(), "a.json")
            except JournalError:
                refused += 1
                continue
            outcomes = [one for mode in Mode for one in replay(loaded, port, Judging(mode))]
            assert not [one for one in outcomes if isinstance(one, Crashed)], at
            judged += 1
    assert judged > 40
    assert refused > judged / 2
