"""What can be explained: a line for each kind. Nothing heavy is loaded here: ``--help`` reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: the texts it takes, what it tells, the tools whose steps show its rules."""

    texts: tuple[str, ...]
    tells: str
    tools: frozenset[str]


def _kind(texts: str, tells: str, tools: str) -> Kind:
    return Kind(tuple(texts.split()), tells, frozenset(tools.split()))


_MEMORY: Final = "mem_search mem_read mem_add mem_edit"

KINDS: Final[Mapping[str, Kind]] = {
    "id": _kind("ID", "which block an id names (--journal: the journal that holds the blocks)", "recall"),
    "query": _kind("QUERY", "the keywords that recall_search looks for", "recall_search"),
    "limit": _kind("JSON", "what each tool makes of a JSON value given as limit or offset", f"recall_search {_MEMORY}"),
    "quote": _kind("TEXT", "how %q writes a text, and why", "recall tracker"),
    "name": _kind("NAME", "the file that a page's name leads to", _MEMORY),
    "title": _kind("CONTENT", "the title of a page", _MEMORY),
    "slug": _kind("NAME", "what a tracker of such a name is stored under", "tracker"),
    "when": _kind("WHEN", "the moment that a date names, and what it selects (--zone, --now)", "tracker"),
    "score": _kind(
        "JOURNAL QUERY",
        "why a block (or page) of a journal ranks where it does (--limit, --of; --step: the state after it)",
        "recall_search mem_search",
    ),
    "snippet": _kind("CONTENT", "what a hit shows of a block, or with --query of a page", "recall_search mem_search"),
    "label": _kind("TOOL JSON", "what the turn announces when a tool is called with such arguments", ""),
    "diff": _kind("OLD NEW", "the diff of two texts as a person is shown it", "mem_add mem_edit"),
}
"""Kind to what it is. A kind without tools is shown by the steps of all of them."""
