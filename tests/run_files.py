"""Files of runs as JSON lines, written by hand from the schema: one line each of what a run can say."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Line = dict[str, Any]


def header(**more: Any) -> Line:  # noqa: ANN401 - JSON
    return {
        "type": "header",
        "schema": "loki-parity-run/1",
        "version": "0.1.0",
        "candidate": {"name": "port", "transport": "http", "modules": {"parity": "0" * 64}},
        "journals": ["logs/a.json"],
        "modes": ["isolated"],
        "selection": {"tools": [], "steps": [], "fields": None},
        "floors": {"journals": 1, "steps": 1},
        **more,
    }


def side(text: str, length: int | None = None, start: int = 0, **more: Any) -> Line:  # noqa: ANN401 - JSON
    return {"type": "text", "text": text, "from": start, "length": len(text) if length is None else length, **more}


def spot(at: int, recorded: str, candidate: str) -> Line:
    """The place where two texts of one line part, told as the run tells it; the names of a few characters only."""
    names = {"\u00e9": "LATIN SMALL LETTER E WITH ACUTE", "e": "LATIN SMALL LETTER E", "o": "LATIN SMALL LETTER O"}

    def called(text: str) -> str:
        return f"U+{ord(text[at]):04X} {names.get(text[at], 'A CHARACTER')}" if at < len(text) else "end of text"

    return {
        "line": 1,
        "column": at + 1,
        "byte": at,
        "rune": at,
        "utf16": at,
        "recorded": called(recorded),
        "candidate": called(candidate),
    }


def difference(**more: Any) -> Line:  # noqa: ANN401 - JSON
    return {
        "field": "result",
        "kind": "changed",
        "sealed": False,
        "recorded": side("one"),
        "candidate": side("two"),
        "causes": [],
        **more,
    }


def step(number: int, outcome: str = "match", *, path: str = "steps[0]", **more: Any) -> Line:  # noqa: ANN401 - JSON
    """A step; what belongs to its outcome is there unless it is given."""
    line: Line = {
        "type": "step",
        "journal": "logs/a.json",
        "mode": "isolated",
        "step": str(number),
        "tool": "recall_search",
        "note": "",
        "at": {"path": path, "line": number},
        "outcome": outcome,
        "requests": 0,
    }
    if outcome in {"match", "diverged"}:
        line |= {"compared": {"result": 3}, "absent": [], "tolerated": []}
    if outcome != "match":
        line |= {"inherited": None, "sealed": False, "shown": [f"logs/a.json {outcome}", f"step {number} …"]}
    if outcome == "diverged":
        line |= {"differences": [difference()]}
    if outcome == "crashed":
        line |= {"crash": {"what": "ValueError: no", "where": "parity/a.py:3 in f"}}
    if outcome == "went-through-go":
        line |= {"reason": "not ported"}
    line |= more
    if outcome == "diverged":
        found = [place_in_shown(one) for one in line["differences"]]
        line["shown"] = (
            [*line["shown"], *(text for lines in found for text in lines)] if "shown" not in more else more["shown"]
        )
        line.setdefault("differences_total", len(line["differences"]))
    return line


def place_in_shown(one: Line) -> list[str]:
    """A few lines of what a terminal shows of a difference."""
    place = one.get("place")
    return [f"  {one['field']}: differs", *([f"    recorded   {place['recorded']}"] if place else [])]


def footer(steps: Sequence[Line], **more: Any) -> Line:  # noqa: ANN401 - JSON
    """The footer that counts these steps rightly."""
    counts = Counter(one["outcome"] for one in steps)
    unequal = len(steps) - counts["match"]
    return {
        "type": "footer",
        "exit": 1 if unequal else 0,
        "interrupted": False,
        "stopped": False,
        "steps": len(steps),
        "counts": {name: counts[name] for name in ("match", "diverged", "crashed", "went-through-go")},
        "journals": [receipt([one for one in steps if one["journal"] == name]) for name in _names(steps)],
        "refusals": [],
        "problems": [],
        **more,
    }


def receipt(steps: Sequence[Line], **more: Any) -> Line:  # noqa: ANN401 - JSON
    """What the footer says of the journal of these steps."""
    modes = {}
    for mode in dict.fromkeys(one["mode"] for one in steps):
        of_mode = [one for one in steps if one["mode"] == mode]
        modes[mode] = {
            "steps": len(of_mode),
            "outcomes": dict(Counter(one["outcome"] for one in of_mode)),
            "fields": {"result": len(of_mode)},
            "absent": {"label": len(of_mode)},
            "characters": {"result": 3 * len(of_mode)},
            "requests": 0,
            "tolerances": {"tracker-order": {"times": 1, "characters": 2}},
        }
    return {
        "journal": steps[0]["journal"],
        "sha256": "ab" * 32,
        "kind": "recall",
        "source": "recorded",
        "go": {"version": "go1.25.5", "unicode": "15.0.0", "goarch": "amd64"},
        "modes": modes,
        "drill": [
            {"class": "character", "outcome": "found", "step": "1", "field": "result", "why": ""},
            {"class": "label", "outcome": "not plantable", "step": "", "field": "", "why": ""},
        ],
        "problems": [],
        "left_out": [],
        **more,
    }


def _names(steps: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(one["journal"] for one in steps))


def run_file(file: Path, lines: Sequence[Line]) -> Path:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8", newline="\n")
    return file
