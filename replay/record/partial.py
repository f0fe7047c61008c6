"""A recording that is not whole yet: ``FILE.partial``, from which ``--resume`` goes on.

After a first line, records: ``sha256 length``, a line end, so many bytes, a line end. Each hash is over the one before
and the bytes, so that what was changed is found; a record that was cut off, by a kill or a full disk, is dropped. The
first record says what is being recorded: a partial recording of anything else is refused.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import stat
from typing import TYPE_CHECKING, Final, Self

from replay.record.refusal import RecordingRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

ENDING: Final = ".partial"

_FIRST_LINE: Final = b"loki-parity-partial/1\n"
_RECORD: Final = re.compile(rb"([0-9a-f]{64}) ([0-9]{1,12})\n")
_CUT_OFF: Final = re.compile(rb"[0-9a-f]{0,64}|[0-9a-f]{64} [0-9]{0,12}")
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Partial:
    """The file, open and locked. ``kept`` are the records that it held when it was opened, without the first."""

    def __init__(self, path: Path, about: Mapping[str, object], *, resume: bool) -> None:
        """``about`` is what is being recorded. Raises RecordingRefusedError."""
        self._path = path
        self._link = b""
        self.kept: list[bytes] = []
        self.records = -1  # the first is none
        with self._reporting():
            self._descriptor = self._opened(resume=resume)
        try:
            said = json.dumps(about, sort_keys=True).encode()
            with self._reporting():
                self._begin(said, resume=resume)
        except BaseException:
            os.close(self._descriptor)
            if not resume:
                self.remove()
            raise
        self.records = len(self.kept)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it, which lets the lock go."""
        os.close(self._descriptor)

    def add(self, record: bytes) -> None:
        """Append a record. Raises RecordingRefusedError; the records before it are whole then."""
        link = hashlib.sha256(self._link + record).digest()
        left = memoryview(b"%b %d\n%b\n" % (link.hex().encode(), len(record), record))
        with self._reporting():
            while left:
                left = left[os.write(self._descriptor, left) :]
        self._link = link
        self.records += 1

    def remove(self) -> None:
        """It is not needed any more."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _opened(self, *, resume: bool) -> int:
        try:
            descriptor = os.open(self._path, _OLD if resume else _NEW, 0o644)
        except FileExistsError:
            message = f"{self._path} is there: --resume goes on from it; remove it to record from the start"
            raise RecordingRefusedError(message) from None
        except FileNotFoundError:
            if not resume:
                raise
            message = f"{self._path} is not there: nothing to resume"
            raise RecordingRefusedError(message) from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            message = f"{self._path} is no file"
            raise RecordingRefusedError(message)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            message = f"{self._path} is being written by another recording"
            raise RecordingRefusedError(message) from None
        return descriptor

    def _begin(self, said: bytes, *, resume: bool) -> None:
        if not resume:
            os.write(self._descriptor, _FIRST_LINE)
            self.add(said)
            return
        with open(self._descriptor, "rb", closefd=False) as stream:
            raw = stream.read()
        end = len(_FIRST_LINE)
        if not raw.startswith(_FIRST_LINE[: len(raw)]):
            message = f"{self._path} is no partial recording: remove it to record from the start"
            raise RecordingRefusedError(message)
        for record, after in self._records(raw, end):
            self.kept.append(record)
            end = after
        first = self.kept.pop(0) if self.kept else None
        if first is None:
            message = f"{self._path} holds nothing to resume: remove it to record from the start"
            raise RecordingRefusedError(message)
        if first != said:
            message = f"{self._path} is of another recording: {_other(first, said)}"
            raise RecordingRefusedError(message)
        os.ftruncate(self._descriptor, end)
        os.lseek(self._descriptor, end, os.SEEK_SET)

    def _records(self, raw: bytes, at: int) -> Iterator[tuple[bytes, int]]:
        """The whole records, and where each ends."""
        while at < len(raw):
            head = _RECORD.match(raw, at)
            if head is None and _CUT_OFF.fullmatch(raw, at) is None:
                raise self._changed()
            end = len(raw) if head is None else head.end() + int(head[2])
            if head is None or end >= len(raw):
                return  # it was cut off
            record = raw[head.end() : end]
            link = hashlib.sha256(self._link + record).digest()
            if link.hex().encode() != head[1] or raw[end : end + 1] != b"\n":
                raise self._changed()
            self._link = link
            at = end + 1
            yield record, at

    def _changed(self) -> RecordingRefusedError:
        return RecordingRefusedError(f"{self._path} was changed: remove it to record from the start")

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            message = f"{self._path} cannot be written: {reason}"
            raise RecordingRefusedError(message) from None


def _other(first: bytes, said: bytes) -> str:
    """What two recordings differ in."""
    theirs, ours = json.loads(first), json.loads(said)
    names = [name for name in ours if not isinstance(theirs, dict) or theirs.get(name) != ours[name]]
    return f"its {' and '.join(names)} differ; remove it to record from the start"
