"""What each class looks like to a tool that knows no journals: two sequences of answers to the same calls.

``golden`` is what was recorded, ``actual`` what the candidate answers; since the unchanged journals are green, that is
what they hold. A class that changes neither an answer nor how it comes reaches no peer, and is not applicable to it.
The scenes are plain JSON: the peers run in environments of their own, which have nothing of this project.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import habits
import planting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planting import Row, Tree

SHOWN: Final = ("result", "panic", "label", "diff", "files", "trackers")
ENDS: Final = frozenset({"hangs", "raises", "exits", "is-killed"})
"""What happens in the place of an answer."""

MOST: Final = 3
"""How many steps of a scene a peer is given: the first that differs, and those beside it."""

READS: Final = {
    "reads-twice": ["GET /internal/v1/recall/block?seq=2", "GET /internal/v1/recall/block?seq=2"],
    "reads-nothing": [],
    "reads-another": ["GET /internal/v1/recall/block?seq=3"],
    "asks-go": ["GET /internal/v1/recall/block?seq=2", "POST /internal/v1/tool/exec"],
}
READ: Final = ["GET /internal/v1/recall/block?seq=2"]


def scene(table: str, row: Row) -> dict[str, Any]:
    """A class as the peers are given it; ``nothing`` is true where nothing of it reaches them."""
    made: dict[str, Any] = {"table": table, "name": row.name, "habit": "", "ends": "", "nothing": False}
    if row.format_only or "text" in row.written:
        return made | {"nothing": True, "golden": [], "actual": []}
    before, after = answers(planting.recorded(row), row), answers(planting.planted(row), row)
    length = min(len(before), len(after))
    if row.vice or row.served:
        return made | with_a_candidate(row, before, after)
    different = [at for at in range(length) if json.dumps(before[at]) != json.dumps(after[at])]
    if row.written:
        chosen = range(4, 7) if row.journal == "recall" else range(2)
        golden = [given(after[at], planting.written(after[at][1], row.written).decode()) for at in chosen]
        return made | {"golden": golden, "actual": [given(before[at]) for at in chosen]}
    if not any(json.dumps(before[at][1]) != json.dumps(after[at][1]) for at in different):
        return made | {"nothing": True, "golden": [], "actual": []}
    first = max(0, different[0] - 1)
    chosen = range(first, min(length, first + MOST))
    golden = [given(after[at]) for at in chosen]
    return made | {"golden": golden, "actual": [given(before[at]) for at in chosen]}


def with_a_candidate(row: Row, before: list[Any], after: list[Any]) -> dict[str, Any]:
    """The scene of a candidate with a vice or a habit."""
    if row.served:
        kind, _, habit = row.served.partition(":")
        chosen = (25, 26, 40) if row.journal == "recall" else range(2)
        whole = [(call, {"result": "", "label": "", "diff": [], "panic": None, **answer}) for call, answer in before]
        actual = [
            given(whole[at], habits.body_of(habits.answered(whole[at][1], habit), habit).decode()) for at in chosen
        ]
        transport = habit if kind == "http" and habit in habits.TRANSPORT else ""
        nothing = kind == "cmd" and habit in habits.TRANSPORT
        return {"golden": [given(whole[at]) for at in chosen], "actual": actual, "habit": transport, "nothing": nothing}
    own = planting.place(row)[-1]
    chosen = range(max(0, own - 1), own + 1)
    golden = [given(after[at]) for at in chosen]
    actual = [given(before[at]) for at in chosen]
    if row.vice in READS:
        golden[-1]["reads"], actual[-1]["reads"] = READ, READS[row.vice]
        return {"golden": golden, "actual": actual}
    if row.vice in ENDS:
        return {"golden": golden, "actual": actual, "ends": row.vice}
    actual[-1] = given((before[own][0], wrong(row.vice, before, own)))
    return {"golden": golden, "actual": actual}


def wrong(vice: str, steps: list[Any], own: int) -> Tree:
    """What candidate.py answers in that step."""
    answer = json.loads(json.dumps(steps[own][1]))
    match vice:
        case "shows-more-of-a-point":
            answer["trackers"]["generale/poids"]["events"][0]["unit"] = "kg"
        case "shows-fractions":
            event = answer["trackers"]["generale/poids"]["events"][0]
            event["ts"] = float(event["ts"])
        case "leaves-label-out":
            del answer["label"]
        case "gives-a-list":
            answer["result"] = [answer["result"]]
        case "panics":
            del answer["result"]
            answer["panic"] = "runtime error: index out of range [3] with length 3"
        case "remembers-views":
            answer["result"] = steps[0][1]["result"]
        case "wears-out":
            answer["result"] = answer["result"].replace("(id ", "(id  ")
        case _:
            raise ValueError(vice)
    return answer


def answers(tree: Tree, row: Row) -> list[tuple[Mapping[str, Any], Tree]]:
    """Every step of a journal, or of the row's case, as its call and its answer."""
    if row.journal == "keepimg":
        number = int(row.step.partition(".")[0] or 13) - 1
        return [
            ({"name": one["step"]["op"], "arguments": one["step"]}, one["after"])
            for one in tree["cases"][number]["steps"]
        ]
    return [
        ({"name": one["tool"], "arguments": one.get("args")}, {key: one[key] for key in SHOWN if key in one})
        for one in tree["steps"]
    ]


def given(step: tuple[Mapping[str, Any], Tree], body: str | None = None) -> dict[str, Any]:
    """A step as a peer is given it: the call, the answer as an object, the answer as JSON text."""
    call, answer = step
    return {"call": call, "answer": answer, "body": json.dumps(answer) if body is None else body}


def every() -> list[dict[str, Any]]:
    """The scene of every class, and one of each table's kind in which nothing is planted."""
    made = [scene(table, row) for table in ("divergences", "harmless") for row in planting.rows(table)]
    control = next(one for one in made if one["name"] == "character")
    return [*made, control | {"table": "control", "name": "nothing-planted", "golden": control["actual"]}]
