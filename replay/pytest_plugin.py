"""``pytest logs/`` is the gate too: one item per step, one per chained run, one per drill.

The ini key ``parity_journals`` holds the patterns of the journals, relative to the root folder. Ids are made to be
typed after ``-k``: ``isolated-12-recall``, ``isolated-3-case``, ``chained``, ``drill``. In a journal of more than 2,000
steps an isolated item is a chunk of steps: ``isolated-201-to-300``.

pytest loads this module with every run of whoever has installed the package, and before coverage is measured: it holds
the hooks alone, and what they do is in :mod:`replay.pytest_items`, which is loaded when the first journal is met.
"""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

INI: Final = "parity_journals"
OPTION: Final = "--parity-transport"
TODAY: Final = "--parity-today"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini key and the option."""
    parser.addini(
        INI,
        "patterns of the journals to judge, relative to the root folder",
        type="linelist",
        default=["logs/*.json", "logs/*.jsonl"],
    )
    parser.addoption(OPTION, choices=["http", "memory"], default="http", help="how the port reaches the fake Go")
    parser.addoption(TODAY, metavar="DATE", help="the day, on which waivers may have expired: 2026-12-31")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file that a pattern names is a journal."""
    try:
        below = file_path.relative_to(parent.config.rootpath)
    except ValueError:
        return None
    patterns = map(PurePath, parent.config.getini(INI))
    if not any(len(below.parts) == len(pattern.parts) and below.match(str(pattern)) for pattern in patterns):
        return None
    from replay.journal.files import is_report  # noqa: PLC0415 - see the top of the file
    from replay.pytest_items import JournalFile  # noqa: PLC0415 - as above

    with file_path.open("rb") as file:
        if is_report(file.read(256)):
            parent.warn(pytest.PytestCollectionWarning(f"{below} is the report of a run, not a journal: passed over"))
            return None
    return JournalFile.from_parent(parent, path=file_path)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop what was started."""
    items = sys.modules.get("replay.pytest_items")
    if items is not None:
        items.stop(config)
