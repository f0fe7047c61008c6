"""Journals of lines, written for tests: what stands in one JSON object, a step or a case on each line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from real_command import LOGS

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = "loki-parity-journal/1"


def lines(journal: dict[str, Any], **head: Any) -> list[str]:  # noqa: ANN401 - JSON
    """A journal as lines."""
    follow = "cases" if "cases" in journal else "steps"
    top = {key: value for key, value in journal.items() if key != follow}
    top = {"format": FORMAT, "kind": "memory", **top, "follow": follow, **head}
    each = journal[follow]
    return [json.dumps(one, ensure_ascii=False) for one in (top, *each, {"end": {follow: len(each)}})]


def write(folder: Path, text: list[str], name: str = "journal.jsonl", ending: str = "\n") -> Path:
    """Write lines; their path."""
    file = folder / name
    file.write_bytes("".join(f"{line}{ending}" for line in text).encode())
    return file


def golden(name: str) -> dict[str, Any]:
    """A golden journal, its steps and its kind under their own names."""
    found: dict[str, Any] = json.loads((LOGS / f"{name}.json").read_text(encoding="utf-8"))
    steps = next((key for key in ("steps", "appels", "etapes", "étapes") if key in found), None)
    if steps is not None:
        found["steps"] = found.pop(steps)
    kind = "keepimg" if "cases" in found else "recall" if "blocks" in found or "blocs" in found else "memory"
    return {"kind": kind, **found}
