"""A change as a value: which step, in which fields, and the rules of the contract that it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.compare import ABSENT, Difference, compare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replay.fields import Fields

ADDED: Final = "added"
REMOVED: Final = "removed"
CHANGED: Final = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One step that is not as it was. ``old`` and ``new`` are its numbers, None on the side that lacks it.

    ``secret``: the journal holds the key of a sealed memory, so its texts are shown only when that is asked for.
    """

    kind: str
    tool: str
    note: str
    old: str | None
    new: str | None
    differences: tuple[Difference, ...] = ()
    rules: tuple[str, ...] = ()
    secret: bool = False


def differences(old: Fields, new: Fields) -> tuple[Difference, ...]:
    """How two sides differ, the fields that only the new one has included."""
    only_new = [Difference(name, "extra", ABSENT, value, (name,)) for name, value in new.items() if name not in old]
    return (*compare(old, new).differences, *only_new)


def touched(changed: Iterable[str], tool: str, exercised: Iterable[str]) -> tuple[str, ...]:
    """Of the rules that a step exercises those that can have to do with a change in such fields, sorted."""
    starts: set[str] = set()
    for field in changed:
        starts.update(_BY_FIELD.get(field, _BY_TOOL.get(tool, _KEPT_IMAGES)))
    return tuple(sorted(name for name in exercised if name.startswith(tuple(starts))))


_KEPT_IMAGES: Final = ("keepimg/",)
_BY_TOOL: Final = {
    "recall": ("recall/",),
    "recall_search": ("recall_search/",),
    "mem_search": ("memory/mem_search/", "memory/arguments/", "memory/listing/", "memory/result/"),
    "mem_read": ("memory/mem_read/", "memory/arguments/", "memory/names/", "memory/result/"),
    "mem_add": ("memory/mem_add/", "memory/arguments/", "memory/names/"),
    "mem_edit": ("memory/mem_edit/", "memory/arguments/", "memory/names/"),
    "tracker": ("tracker/", "memory/trackers/"),
}
"""Which rules can have to do with what a tool says."""

_BY_FIELD: Final = {
    "note": (),
    "label": ("labels/",),
    "diff": ("memory/diff/", "memory/mem_add/diff"),
    "files": (
        "memory/index/",
        "memory/writing/",
        "memory/sealed/",
        "memory/encrypted/",
        "memory/names/",
        "memory/mem_add/body",
        "memory/mem_edit/occurrences",
    ),
    "trackers": (
        "tracker/add/",
        "tracker/edit",
        "tracker/delete",
        "tracker/save/",
        "tracker/slug",
        "tracker/when/",
        "memory/trackers/",
    ),
}
"""Which rules can have to do with a field, whatever the tool; the other fields go by the tool."""
