"""A journal's values as a candidate outside this process is handed them: as journals write them, in plain JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from parity.gostd import utf8
from parity.stores.state import Settings, State
from replay import fields as named
from replay.journal.model import MEMORY, RECALL

if TYPE_CHECKING:
    from parity.tools.interface import Tracker
    from replay.fields import Value
    from replay.journal.model import Journal, Json, KeepimgCase


def head(journal: Journal) -> dict[str, object]:
    """What a journal says before its first step: its blocks, or project, clock, config, key and initial state."""
    if journal.kind == RECALL:
        return {
            "blocks": [
                {
                    "id": block.id,
                    "seq": block.seq,
                    "label": block.label,
                    "role": block.role,
                    "content": block.content,
                    "created": block.created,
                }
                for block in journal.blocks
            ]
        }
    assert journal.kind == MEMORY  # noqa: S101 - a case of kept images has a head of its own
    settings = journal.settings or Settings()
    initial = journal.initial or State()
    return {
        "project": {"slug": settings.project_slug, "name": settings.project_name},
        "clock": {"tz": journal.zone},
        "config": dict(settings.config),
        "dek": "" if settings.dek is None else settings.dek.hex(),
        "locked": settings.locked,
        "initial": {"files": files_written(initial.files), "trackers": trackers_written(initial.trackers)},
    }


def files_written(files: Mapping[str, bytes]) -> dict[str, object]:
    """Files as journals write them."""
    return {
        name: raw.decode("utf-8") if utf8.valid(raw) else {"base64": base64.b64encode(raw).decode("ascii")}
        for name, raw in files.items()
    }


def trackers_written(trackers: Mapping[str, Tracker]) -> dict[str, object]:
    """Trackers as journals write them."""
    return {key: named.tracker_value(tracker) for key, tracker in trackers.items()}


def case_head(case: KeepimgCase) -> dict[str, object]:
    """What a case of kept images says before its first operation."""
    return {
        "name": case.name,
        "ctx_window": case.ctx_window,
        "keep_turn_images": case.keep_turn_images,
        "thread": case.thread,
        "conversation": case.conversation,
        "vision": case.vision,
        "messages": plain(case.messages),
    }


def plain(tree: Value | Json) -> object:
    """A frozen tree as the JSON encoder takes it."""
    if isinstance(tree, Mapping):
        return {key: plain(value) for key, value in tree.items()}
    if isinstance(tree, tuple):
        return [plain(value) for value in tree]
    return tree


def frozen(tree: object) -> Value:
    """A decoded JSON tree as a journal's own values are held."""
    if isinstance(tree, dict):
        return {key: frozen(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return tuple(map(frozen, tree))
    return cast("Value", tree)
