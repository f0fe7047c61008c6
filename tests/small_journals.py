"""Journals of a few steps, written by hand from the contract (recall.md, memory.md)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS: Final = [
    {"id": "r1", "seq": 1, "label": "note: été", "role": "tool", "content": "à la plage\n", "created": 1790000000},
    {"id": "r2", "seq": 2, "label": "note: hiver", "role": "tool", "content": "à la neige\n", "created": 1790000060},
]
FOUND: Final = "[r1 — note: été, rappelé verbatim]\nà la plage\n"
MISSING: Final = "[erreur] id manquant"
NONE: Final = "[aucun bloc archivé ne correspond]"


def step(tool: str, args: dict[str, Any], result: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"tool": tool, "args": args, "result": result, **more}


def right() -> dict[str, Any]:
    """A step that the port answers as recorded, with one read."""
    return step("recall", {"id": "r1"}, FOUND, note="un bloc")


def wrong() -> dict[str, Any]:
    """A step that it does not: the contract has another character there."""
    return step("recall", {"id": "r1"}, FOUND.replace("plage", "plaje"), note="un bloc, mal noté")


def unread() -> dict[str, Any]:
    """A step that it answers as recorded without reading anything."""
    return step("recall", {}, MISSING, note="sans id")


def searched() -> dict[str, Any]:
    """A search that it answers as recorded: nothing is found."""
    return step("recall_search", {"query": "automne"}, NONE, note="rien")


def recall(*steps: dict[str, Any], **head: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A journal of the kind recall."""
    return {"kind": "recall", **head, "blocks": BLOCKS, "steps": list(steps)}


def memory(*steps: dict[str, Any], **head: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """A journal of the kind memory."""
    return {"kind": "memory", **head, "steps": list(steps)}


def write(folder: Path, journal: dict[str, Any], name: str = "journal.json") -> Path:
    """Write a journal; its path."""
    file = folder / name
    file.write_text(json.dumps(journal, ensure_ascii=False), encoding="utf-8")
    return file
