"""Which function runs which tool. Adding a tool is one module, one line here, one journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.tools.mem_add import mem_add
from parity.tools.mem_edit import mem_edit
from parity.tools.mem_read import mem_read
from parity.tools.mem_search import mem_search
from parity.tools.recall import recall
from parity.tools.recall_search import recall_search
from parity.tools.tracker import tracker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.tools.interface import Tool

TOOLS: Final[Mapping[str, Tool]] = {
    "recall": recall,
    "recall_search": recall_search,
    "mem_search": mem_search,
    "mem_read": mem_read,
    "mem_add": mem_add,
    "mem_edit": mem_edit,
    "tracker": tracker,
}
"""Tool name to function."""
