"""Decisions carried out: a file appears whole under its name, or what stood there stays. Never a mixture.

Everything is written beside its place, synced, and renamed; the folder is locked meanwhile and synced after. First the
file gets what was accepted, then what waits loses what was decided: whoever is killed in between finds the accepted
changes in place and the others still waiting.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.journal import JournalError
from replay.journal.load import loads
from replay.review.pending import ENDS, NotReviewableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from replay.review.pending import Group, Pending

_MODE: Final = 0o644


def check(pending: Pending, accepted: Collection[Group], rejected: Collection[Group]) -> None:
    """Raises :class:`NotReviewableError` for decisions that cannot be carried out; better before the first is."""
    decided = bool(accepted or rejected)
    if decided and pending.whole and max(len(accepted), len(rejected)) < len(pending.groups):
        message = f"{pending.name} can only be accepted or rejected as a whole, for {pending.whole}; it stays as it is"
        raise NotReviewableError(message)


def settle(pending: Pending, accepted: Collection[Group], rejected: Collection[Group]) -> None:
    """Carry out what was decided about one file.

    Raises :class:`NotReviewableError`; then the file holds what it held before, or all that was accepted.
    """
    check(pending, accepted, rejected)
    try:
        with _locked(pending):
            if len(accepted) == len(pending.groups):
                _rename(pending)
                return
            journal = _rewritten(pending, 0, accepted) if accepted else None
            undecided = len(accepted) + len(rejected) < len(pending.groups)
            waiting = _rewritten(pending, 1, rejected) if undecided and rejected else None
            if journal is not None:
                _place(pending.file, journal)
            if waiting is not None:
                _place(pending.path, waiting)
            elif not undecided:
                pending.path.unlink()
    except OSError as error:
        message = f"{pending.name} cannot be settled: {error.strerror or error}"
        raise NotReviewableError(message) from error


def _rewritten(pending: Pending, side: int, groups: Collection[Group]) -> bytes:
    assert pending.changes is not None  # noqa: S101 - a file that is new is taken as a whole
    data = pending.changes.rewritten(side, [change for group in groups for change in group.changes])
    if pending.journal:
        try:
            loads(data, pending.name)
        except JournalError as error:
            message = f"{pending.name} cannot be taken in these parts, for it would be no journal: {error}"
            raise NotReviewableError(message) from None
    return data


@contextlib.contextmanager
def _locked(pending: Pending) -> Iterator[None]:
    """Both files as they were read, and nobody else who settles anything in their folder."""
    folder = os.open(_folder(pending.file), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        for file, digest in zip((pending.file, pending.path), pending.digests, strict=True):
            if _digest(file) != digest:
                message = f"{pending.name}: {file.name} has changed since it was read, so nothing was decided about it"
                raise NotReviewableError(message)
        for leftover in (_beside(pending.file), _beside(pending.path)):
            leftover.unlink(missing_ok=True)  # of one that was killed
        yield
        os.fsync(folder)
    finally:
        os.close(folder)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if os.path.lexists(file) else ""


def _real(file: Path) -> Path:
    """Where a file lies: a link stays a link to it."""
    return Path(os.path.realpath(file))


def _folder(file: Path) -> Path:
    return _real(file).parent


def _beside(file: Path) -> Path:
    """Where a file is written before it is renamed: hidden, and no journal by its name."""
    real = _real(file)
    return real.with_name(f".{real.name.removesuffix(ENDS)}.{'waiting' if real.name.endswith(ENDS) else 'reviewed'}")


def _rename(pending: Pending) -> None:
    descriptor = os.open(pending.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, _mode(pending.file))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    _real(pending.path).replace(_real(pending.file))


def _place(file: Path, data: bytes) -> None:
    beside = _beside(file)
    try:
        with beside.open("xb") as stream:
            os.fchmod(stream.fileno(), _mode(file))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(_real(file))
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _mode(file: Path) -> int:
    """A file keeps its mode; a new one is for everyone who may read the folder."""
    try:
        return stat.S_IMODE(file.stat().st_mode)
    except OSError:
        return _MODE
