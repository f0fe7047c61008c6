"""Which journals a run judges: the paths that a person named, or those of the project's own configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.journal.files import is_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replay.configuration import Configuration

ENDING: Final = ".json"
ENDING_OF_LINES: Final = ".jsonl"
_BEGINNING: Final = 256


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


def _silently(_: str) -> None:
    """Say nothing."""


def named(paths: Iterable[str], say: Callable[[str], None] = _silently) -> list[Source]:
    """The journals that paths name: a file is itself, a folder every ``*.json`` and ``*.jsonl`` in it and below.

    They are sorted by bytes. The report of a run is JSON lines too: one that lies in a folder is passed over, and
    ``say`` is told so in a sentence. Raises :class:`NoJournalError` for a folder without journals and for an empty
    path. A path that does not exist is left to the loader.
    """
    return [source for path in paths for source in _sources(Path(path), path, say)]


def configured(configuration: Configuration, say: Callable[[str], None] = _silently) -> list[Source]:
    """The journals that the configuration names, then those that fuzzing wrote, if there are any.

    ``say`` and what is raised are those of :func:`named`.
    """
    found = [source for path in configuration.journals for source in _sources(configuration.folder / path, path, say)]
    return [*(replace(one, recording=True) for one in found), *_regressions(configuration, say)]


def _regressions(configuration: Configuration, say: Callable[[str], None]) -> list[Source]:
    folder = configuration.folder / configuration.regressions
    if not configuration.regressions or not any(folder.glob(f"[!.]*{ENDING}")):
        return []
    return [replace(source, found=True) for source in _sources(folder, configuration.regressions, say)]


def _sources(path: Path, name: str, say: Callable[[str], None]) -> list[Source]:
    if not name:
        message = "an empty path names no journal"
        raise NoJournalError(message)
    shown = _shown(name)
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        return [Source(path, shown)]
    found = [
        Source(path / below, f"{shown.rstrip('/')}/{_text(below)}")
        for below in sorted(_files(path, shown), key=os.fsencode)
    ]
    journals = [source for source in found if not _passed_over(source, say)]
    if not journals:
        message = f"{shown}: this folder holds no journal (no {ENDING} or {ENDING_OF_LINES} file)"
        raise NoJournalError(message)
    return journals


def _passed_over(source: Source, say: Callable[[str], None]) -> bool:
    """Whether a file is the report of a run. What cannot be read is left to the loader."""
    if source.path.suffix != ENDING_OF_LINES:
        return False
    try:
        with source.path.open("rb") as file:
            found = is_report(file.read(_BEGINNING))
    except OSError:
        return False
    if found:
        say(f"{source.name} is the report of a run, not a journal: passed over")
    return found


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
            if file.endswith((ENDING, ENDING_OF_LINES)) and not file.startswith("."):
                yield (Path(root) / file).relative_to(folder).as_posix()
