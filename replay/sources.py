"""Which journals a run judges: the paths that a person named, or those of the project's own configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replay.configuration import Configuration

ENDING: Final = ".json"


class NoJournalError(Exception):
    """A path leads to no journal; one sentence that names it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A journal's file: ``path`` opens it, ``name`` is what reports call it."""

    path: Path
    name: str


def named(paths: Iterable[str]) -> list[Source]:
    """The journals that paths name: a file is itself, a folder every ``*.json`` in it and below, sorted by bytes.

    Raises :class:`NoJournalError` for a folder without journals. A path that does not exist is left to the loader.
    """
    return [source for path in paths for source in _sources(Path(path), path)]


def configured(configuration: Configuration) -> list[Source]:
    """The journals that the configuration names. Raises :class:`NoJournalError` as :func:`named` does."""
    return [source for path in configuration.journals for source in _sources(configuration.folder / path, path)]


def _sources(path: Path, name: str) -> list[Source]:
    if path.is_absolute() and not Path(name).is_absolute():
        shown = name
    else:
        # A report holds no absolute path: the same run from another checkout writes the same bytes.
        shown = os.path.relpath(path) if path.is_absolute() else name
    if not path.is_dir():
        return [Source(path, shown)]
    found = sorted(_files(path), key=os.fsencode)
    if not found:
        message = f"{shown}: this folder holds no journal (no {ENDING} file)"
        raise NoJournalError(message)
    return [Source(path / below, f"{shown.rstrip('/')}/{below}") for below in found]


def _files(folder: Path) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".")]
        for file in files:
            if file.endswith(ENDING) and not file.startswith("."):
                yield (Path(root) / file).relative_to(folder).as_posix()
