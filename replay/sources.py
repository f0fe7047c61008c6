"""Which journals a run judges: the paths that a person named, or those of the project's own configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
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
    found: bool = False
    """Whether fuzzing found it: such a journal was never recorded, and cannot be signed."""
    recording: bool = field(default=False, compare=False)
    """It is named as one of the gate's own journals, where only what Go recorded belongs."""


def named(paths: Iterable[str]) -> list[Source]:
    """The journals that paths name: a file is itself, a folder every ``*.json`` in it and below, sorted by bytes.

    Raises :class:`NoJournalError` for a folder without journals and for an empty path. A path that does not exist is
    left to the loader.
    """
    return [source for path in paths for source in _sources(Path(path), path)]


def configured(configuration: Configuration) -> list[Source]:
    """The journals that the configuration names, then those that fuzzing wrote, if there are any.

    Raises :class:`NoJournalError` as :func:`named` does.
    """
    found = [source for path in configuration.journals for source in _sources(configuration.folder / path, path)]
    return [*(replace(one, recording=True) for one in found), *_regressions(configuration)]


def _regressions(configuration: Configuration) -> list[Source]:
    folder = configuration.folder / configuration.regressions
    if not configuration.regressions or not any(folder.glob(f"[!.]*{ENDING}")):
        return []
    return [replace(source, found=True) for source in _sources(folder, configuration.regressions)]


def _sources(path: Path, name: str) -> list[Source]:
    if not name:
        message = "an empty path names no journal"
        raise NoJournalError(message)
    shown = _shown(name)
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        return [Source(path, shown)]
    found = sorted(_files(path, shown), key=os.fsencode)
    if not found:
        message = f"{shown}: this folder holds no journal (no {ENDING} file)"
        raise NoJournalError(message)
    return [Source(path / below, f"{shown.rstrip('/')}/{_text(below)}") for below in found]


def _shown(name: str) -> str:
    """What a report calls a path: no absolute one, so that another checkout writes the same bytes."""
    if not Path(name).is_absolute():
        return _text(name)
    try:
        return _text(os.path.relpath(name))
    except OSError:  # the working folder is gone
        return _text(name)


def _text(name: str) -> str:
    r"""A file's name as clean text: a byte that is not UTF-8 as ``\xff``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _files(folder: Path, shown: str) -> Iterator[str]:
    def refused(error: OSError) -> None:
        message = f"{shown}: a folder in it cannot be read: {error.strerror}"
        raise NoJournalError(message) from error

    for root, folders, files in os.walk(folder, onerror=refused):
        folders[:] = [one for one in folders if not one.startswith(".")]
        for file in files:
            if file.endswith(ENDING) and not file.startswith("."):
                yield (Path(root) / file).relative_to(folder).as_posix()
