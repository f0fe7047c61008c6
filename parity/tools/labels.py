"""What the turn announces when it calls a tool (contract: memory.md, Labels)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings
from parity.rules import rule
from parity.tools.arguments import as_text

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args

ANNOUNCED: Final = {
    "mem_search": "query",
    "recall_search": "query",
    "mem_read": "file",
    "mem_add": "file",
    "mem_edit": "file",
    "recall": "id",
}
"""Which argument a tool is announced by."""

TRACKER: Final = "tracker"


def label(tool: str, args: Args, target: GoTarget) -> str:  # noqa: ARG001 - every Go so far gives one and the same label
    """The label of a call, for every tool; empty for a tool that has none."""
    return tracker_label(args) if tool == TRACKER else argument_label(tool, args)


@rule("labels/argument")
def argument_label(tool: str, args: Args) -> str:
    """The argument the tool is announced by, as received, if it is a string; else nothing."""
    given = args.get(ANNOUNCED.get(tool, ""))
    return given if tool in ANNOUNCED and isinstance(given, str) else ""


@rule("labels/tracker")
def tracker_label(args: Args) -> str:
    """The action and the name as text, a space between, trimmed together: neither is trimmed or lowered alone."""
    return strings.trim_space(f"{as_text(args.get('action'))} {as_text(args.get('name'))}")
