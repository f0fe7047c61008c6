"""What moved, as one JSON object: whole, in a fixed order."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from replay.report.value_text import outline, typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.compare import Difference
    from replay.drift.change import Change
    from replay.drift.journals import JournalDrift
    from replay.drift.real_go import Beside
    from replay.drift.tables import Moved
    from replay.drift.three_way import Place
    from replay.drift.versions import VersionDrift


def of_journals(drift: JournalDrift, places: Sequence[Place] | None = None, *, reveal: bool) -> str:
    """Two journals; ``places`` are the steps as a candidate stands to both, if one was asked."""
    secret = any(change.secret for change in drift.changes) and not reveal
    return _written(
        {
            "old": {"file": drift.old.file, "sha256": drift.old.sha256},
            "new": {"file": drift.new.file, "sha256": drift.new.sha256},
            "head": _differences(drift.head, hidden=secret),
            "changes": [_change(change, reveal=reveal) for change in drift.changes],
            "same": drift.same,
            **({} if places is None else {"three_way": [asdict(one) for one in places]}),
        }
    )


def of_versions(drift: VersionDrift, beside: Beside | None, *, reveal: bool) -> str:
    """Two versions of Go."""
    return _written(
        {
            "old": {"version": drift.old.version, "unicode": drift.old.unicode},
            "new": {"version": drift.new.version, "unicode": drift.new.unicode},
            "tables": {one.name: _points(one) for one in drift.tables},
            "matters": {one.name: {"rules": list(one.rules), "points": _points(one)} for one in drift.matters},
            "probes": [{"about": one.about, "old": one.old, "new": one.new} for one in drift.probes],
            "steps": drift.steps,
            "changes": [{"journal": one.journal, **_change(one.change, reveal=reveal)} for one in drift.changes],
            "real_go": None if beside is None else _beside(beside),
        }
    )


def _points(one: Moved) -> list[str]:
    return [f"U+{point:04X}" for point in one.points]


def _change(change: Change, *, reveal: bool) -> dict[str, object]:
    return {
        "kind": change.kind,
        "tool": change.tool,
        "note": change.note,
        "old": change.old,
        "new": change.new,
        "differences": _differences(change.differences, hidden=change.secret and not reveal),
        "rules": list(change.rules),
    }


def _differences(found: Iterable[Difference], *, hidden: bool) -> list[dict[str, str]]:
    """Values in outline: nesting and length are bounded."""
    shown = outline if hidden else typed
    return [
        {"field": one.field, "kind": one.kind, "old": shown(one.expected), "new": shown(one.actual)} for one in found
    ]


def _beside(beside: Beside) -> dict[str, object]:
    return {
        "asked": [
            {
                "version": one.version,
                "code_points": one.asked,
                "disagreements": list(one.disagreements),
                "missing": one.missing,
            }
            for one in beside.sweeps
        ],
        "steps_agree": beside.steps_agree,
    }


def _written(document: dict[str, object]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
