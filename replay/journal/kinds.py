"""The three kinds of journal: which keys and which tools each has, and how one that names none is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.journal.model import KEEPIMG, MEMORY, RECALL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FORMAT: Final = "loki-parity-journal/1"
KINDS: Final = (RECALL, MEMORY, KEEPIMG)

_RECORDED: Final = ("signed", "redacted", "unstable")
_HEADER: Final = ("format", "kind", "about", "source", "reduced_from", "go")
_OWN_MEMORY: Final = ("project", "clock", "config", "dek", "locked", "initial")

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    RECALL: (*_HEADER, *_RECORDED, "blocks", "steps"),
    MEMORY: (*_HEADER, *_RECORDED, *_OWN_MEMORY, "steps"),
    KEEPIMG: (*_HEADER, "cases"),
}
"""Kind to the keys of its top level."""

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    RECALL: ("blocks", "steps"),
    MEMORY: ("steps",),
    KEEPIMG: ("cases",),
}
"""Kind to the keys that its top level must have."""

MEMORY_ONLY: Final = ("files", "trackers")
"""Keys of a step that belong to journals of the kind memory."""

TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    RECALL: ("recall", "recall_search"),
    MEMORY: ("mem_search", "mem_read", "mem_add", "mem_edit", "tracker"),
}
"""Kind to the tools whose calls it records."""

KIND_OF: Final = {tool: kind for kind, tools in TOOLS.items() for tool in tools}


def inferred(keys: Collection[str], tools: Iterable[str], step_keys: Iterable[str]) -> tuple[str, str] | None:
    """The kind of a journal that names none, and by what it was told; None if it cannot be told.

    ``keys`` are those of the top level, ``tools`` and ``step_keys`` those of all its steps.
    """
    for kind, telling in ((KEEPIMG, ("cases",)), (RECALL, ("blocks",)), (MEMORY, _OWN_MEMORY)):
        for key in telling:
            if key in keys:
                return kind, key
    for key in MEMORY_ONLY:
        if key in step_keys:
            return MEMORY, key
    return next(((KIND_OF[tool], tool) for tool in tools), None)
