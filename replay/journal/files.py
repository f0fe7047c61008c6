"""A journal's file, from its path to its bytes, and whether these can be a journal at all.

Nothing that stands at the path can make this hang, and everything that goes wrong is a JournalError.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.journal.defects import Defect, Kind
from replay.journal.drawing import drawn
from replay.journal.errors import JournalError
from replay.journal.model import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

A_JOURNAL: Final = "a journal (a JSON object in UTF-8)"

_SORTS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_READ_AT_LEAST: Final = 1 << 16

_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_BEGINNING: Final = 1024

_BEGINNINGS: Final = (
    (b"\x1f\x8b", Kind.COMPRESSED, "gzip data"),
    (b"PK\x03\x04", Kind.COMPRESSED, "a zip archive"),
    (b"BZh", Kind.COMPRESSED, "bzip2 data"),
    (b"\xfd7zXZ\x00", Kind.COMPRESSED, "xz data"),
    (b"\x28\xb5\x2f\xfd", Kind.COMPRESSED, "zstandard data"),
    (b"\xff\xfe\x00\x00", Kind.UTF_32, "UTF-32 with a byte order mark"),
    (b"\x00\x00\xfe\xff", Kind.UTF_32, "UTF-32 with a byte order mark"),
    (b"\xff\xfe", Kind.UTF_16, "UTF-16 with a byte order mark"),
    (b"\xfe\xff", Kind.UTF_16, "UTF-16 with a byte order mark"),
    (b"\xef\xbb\xbf", Kind.BOM, "a byte order mark before the JSON"),
    (b"{\x00\x00\x00", Kind.UTF_32, "UTF-32"),
    (b"\x00\x00\x00{", Kind.UTF_32, "UTF-32"),
    (b"{\x00", Kind.UTF_16, "UTF-16"),
    (b"\x00{", Kind.UTF_16, "UTF-16"),
)
"""How files begin that are no journals; the longer beginning stands before the shorter one that it holds."""


def read(source: Path | str, file: str, limit: int) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes. Raises JournalError, whose place calls it ``file``."""
    with refusals(file):
        return _read(source, limit)


def opened(source: Path | str, file: str) -> int:
    """A regular file, open for reading. Raises as :func:`read` does."""
    with refusals(file):
        return _opened(source)


@contextlib.contextmanager
def refusals(file: str) -> Iterator[None]:
    """What goes wrong with a file, inside, is a JournalError whose place calls it ``file``."""
    try:
        yield
    except Defect as defect:
        raise JournalError(defect.kind.value, Place(file, "", 0), defect.found, defect.expected) from None
    except (FileNotFoundError, NotADirectoryError):
        kind, found = Kind.MISSING_FILE, "no such file"
    except OSError as error:
        kind, found = Kind.UNREADABLE, f"a file that the system refuses to read ({drawn(error.strerror or str(error))})"
    except ValueError:
        kind, found = Kind.MISSING_FILE, "a path that no file can have"
    else:
        return
    raise JournalError(kind.value, Place(file, "", 0), found, A_JOURNAL)


def _read(source: Path | str, limit: int) -> bytes:
    descriptor = _opened(source)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        state = os.fstat(descriptor)
        check_size(state.st_size, limit)
        pieces: list[bytes] = []
        length = 0
        while piece := file.read(max(state.st_size - length + 1, _READ_AT_LEAST)):
            pieces.append(piece)
            length += len(piece)
            check_size(length, limit)
    return b"".join(pieces)


def _opened(source: Path | str) -> int:
    # The first look comes before the opening, since to open a device can move it; the second is at what was opened.
    _check_regular(Path(source).stat())
    descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _check_regular(os.fstat(descriptor))
    except Defect:
        os.close(descriptor)
        raise
    return descriptor


def _check_regular(state: os.stat_result) -> None:
    if not stat.S_ISREG(state.st_mode):
        found = next((name for is_one, name in _SORTS if is_one(state.st_mode)), "no regular file")
        raise Defect(Kind.NOT_A_FILE, found, A_JOURNAL, offset=0)


def check_size(size: int, limit: int) -> None:
    """Raises Defect for more bytes than a limit."""
    if size > limit:
        raise Defect(Kind.TOO_LARGE, "a larger file", f"at most {limit} bytes", offset=0)


def check_beginning(data: bytes) -> None:
    """Raises Defect, its offset known, for bytes that by their beginning are no JSON object in UTF-8."""
    if not data:
        raise Defect(Kind.EMPTY, "an empty file", A_JOURNAL, offset=0)
    for beginning, kind, found in _BEGINNINGS:
        if data.startswith(beginning):
            raise Defect(kind, found, A_JOURNAL, offset=0)
    at = data.find(b"\0", 0, _BEGINNING)
    if at >= 0:
        raise Defect(Kind.BINARY, "binary data (the byte 0x00)", A_JOURNAL, offset=at)
    at = _after_space(data, 0)
    if at == len(data):
        raise Defect(Kind.BLANK, "nothing but white space", A_JOURNAL, offset=0)
    if data.startswith(b"<", at):
        raise Defect(Kind.MARKUP, "markup, as of HTML", A_JOURNAL, offset=at)
    if data.startswith(b"[", at):
        raise Defect(Kind.NOT_AN_OBJECT, "an array", A_JOURNAL, offset=at)
    second = _second_line(data, at)
    if second is not None:
        expected = "a single JSON object (a journal of lines has a name that ends in .jsonl)"
        raise Defect(Kind.JSON_LINES, "one JSON object a line", expected, offset=second)


def is_report(beginning: bytes) -> bool:
    """Whether a file that begins like this is the report of a run, which is JSON lines too."""
    return _REPORT.match(beginning) is not None


_REPORT: Final = re.compile(rb'\{[ ]*"type"[ ]*:[ ]*"header"[ ]*,[ ]*"schema"[ ]*:[ ]*"loki-parity-run/')


def _second_line(data: bytes, at: int) -> int | None:
    """Where a second object begins, if the first ends with its line; no JSON that is one value goes on like that."""
    end = data.find(b"\n", at)
    brace = data.rfind(b"}", at, max(end, at))
    if brace < 0 or _after_space(data, brace + 1) <= end:
        return None
    second = _after_space(data, end)
    return second if data.startswith(b"{", second) else None


def _after_space(data: bytes, at: int) -> int:
    found = _SPACE.match(data, at)
    return at if found is None else found.end()
