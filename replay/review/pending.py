"""Files that wait for a decision: ``NAME.pending`` beside ``NAME``, a re-recorded journal or a regenerated snapshot."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from replay.journal import JournalError, files
from replay.journal.limits import DEFAULT
from replay.journal.load import loads
from replay.review.changes import Change, JournalChanges
from replay.review.outline import Document
from replay.review.text_changes import TextChanges
from replay.run import Exit, exit_of
from replay.sources import ENDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ENDS: Final = ".pending"
_NO_VALUE: Final = "written otherwise, and no value differs"
SIGNED: Final = "signed"
"""The key of a journal's head that says that a hash chain holds it together."""


class NotReviewableError(Exception):
    """A file that cannot be reviewed; one sentence, and the exit status that it leads to."""

    def __init__(self, sentence: str, exit_: Exit = Exit.BAD_INPUT) -> None:
        super().__init__(sentence)
        self.exit = exit_


class Changes(Protocol):
    """What two files say otherwise."""

    @property
    def all(self) -> tuple[Change, ...]:
        """Every change, in the order of the files."""
        ...

    def rewritten(self, side: int, applied: Iterable[Change]) -> bytes:
        """The old file (side 0) or the new one (side 1) with some changes as the other has them."""
        ...


@dataclass(frozen=True, slots=True)
class Group:
    """Changes that are one decision; none: the file as a whole, ``what`` says what that means."""

    what: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """A file and the one that waits beside it. ``whole`` says why it can be taken as a whole only; "": it need not.

    ``digests`` are the sha256 of both files as they were read; an empty one: there is no old file.
    """

    name: str
    file: Path
    digests: tuple[str, str]
    groups: tuple[Group, ...]
    changes: Changes | None = None
    journal: bool = True
    whole: str = ""

    @property
    def path(self) -> Path:
        """The file that waits."""
        return Path(f"{self.file}{ENDS}")


def found(paths: Sequence[str]) -> list[tuple[Path, str]]:
    """The files for which something waits, and what they are called: those named, or all those in a folder named.

    A path may name the file or what waits beside it. Raises :class:`NotReviewableError`: nothing waits for a file.
    """
    return list({os.path.realpath(file): (file, name) for path in paths for file, name in _found(path)}.values())


def _found(path: str) -> Iterator[tuple[Path, str]]:
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        yield from ((file, os.path.relpath(file) if Path(path).is_absolute() else str(file)) for file in _waiting(path))
        return
    file = path.removesuffix(ENDS)
    if not os.path.lexists(f"{file}{ENDS}"):
        message = f"{path}: nothing waits here ({file}{ENDS} does not exist)"
        raise NotReviewableError(message)
    yield Path(file), os.path.relpath(file) if Path(file).is_absolute() else file


def _waiting(folder: str) -> list[Path]:
    def refused(error: OSError) -> None:
        message = f"{folder}: a folder in it cannot be read: {error.strerror}"
        raise NotReviewableError(message) from error

    names: list[str] = []
    for root, folders, below in os.walk(folder, onerror=refused):
        folders[:] = [one for one in folders if not one.startswith(".")]
        names.extend(os.path.join(root, one) for one in below if one.endswith(ENDS) and not one.startswith("."))  # noqa: PTH118 - names may be no text
    return [Path(one.removesuffix(ENDS)) for one in sorted(names, key=os.fsencode)]


def read(file: Path, name: str) -> Pending:
    """What waits for a file. Raises :class:`NotReviewableError`."""
    try:
        new = files.read(f"{file}{ENDS}", f"{name}{ENDS}", DEFAULT.size)
        old = files.read(file, name, DEFAULT.size) if os.path.lexists(file) else None
        digests = ("" if old is None else _digest(old), _digest(new))
        if old == new:
            return Pending(name, file, digests, (Group("the same to the byte"),), whole="nothing differs")
        journal = name.endswith(ENDING)
        if old is None:
            what = f"a new journal of {_steps(loads(new, f'{name}{ENDS}')):,} steps" if journal else "a new file"
            return Pending(name, file, digests, (Group(what),), journal=journal, whole="it is new")
        return _journal(file, name, digests, (old, new)) if journal else _text(file, name, digests, (old, new))
    except JournalError as error:
        raise NotReviewableError(str(error), exit_of(error)) from None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _steps(journal: object) -> int:
    cases = getattr(journal, "cases", ())
    return len(getattr(journal, "steps", ())) + sum(len(case.steps) for case in cases)


def _journal(file: Path, name: str, digests: tuple[str, str], data: tuple[bytes, bytes]) -> Pending:
    old, new = loads(data[0], name), loads(data[1], f"{name}{ENDS}")
    if old.kind != new.kind:
        message = f"{name} is a journal of the kind {old.kind} and {name}{ENDS} of the kind {new.kind}: another journal"
        raise NotReviewableError(message)
    documents = (Document(data[0]), Document(data[1]))
    signed = any(document.at((SIGNED,)) is not None for document in documents)
    whole = "it is signed: its hash chain holds all of it or nothing" if signed else ""
    changes = JournalChanges(old, new, documents)
    return Pending(name, file, digests, _groups(changes), changes, whole=whole)


def _text(file: Path, name: str, digests: tuple[str, str], data: tuple[bytes, bytes]) -> Pending:
    changes = TextChanges(name, *data)
    return Pending(name, file, digests, _groups(changes), changes, journal=False)


def _groups(changes: Changes) -> tuple[Group, ...]:
    groups: dict[object, list[Change]] = {}
    for one in changes.all:
        groups.setdefault(one.key, []).append(one)
    if not groups:
        return (Group(_NO_VALUE),)
    return tuple(Group(several[0].what, tuple(several)) for several in groups.values())
