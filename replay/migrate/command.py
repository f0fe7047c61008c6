"""``loki-parity migrate``: a journal in the named format, its values and the bytes of its arguments as they were."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from replay.interrupts import HELD, holdable
from replay.journal import JournalError, files, loads, octets
from replay.journal.kinds import FORMAT
from replay.journal.limits import DEFAULT
from replay.journal.newer import named_format
from replay.report.defects import RunFileError
from replay.report.jsonl import SCHEMA
from replay.report.read import read
from replay.report.value_text import cut
from replay.run import Exit, exit_of
from replay.written_file import WriteError, write_whole
from replay.written_journal import values, written

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

_NAME: Final = 200
_HEADER: Final = b'{"type":"header"'
_NOTHING: Final[list[str]] = []


class _RefusedError(Exception):
    """The file cannot be migrated; one sentence, and the exit status that it leads to."""

    def __init__(self, sentence: str, exit_: Exit) -> None:
        super().__init__(sentence)
        self.exit = exit_


def migrate(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb. 0: written, or nothing to do. 2: a file that cannot be used or written. 3: not the same values."""
    name = cut(os.fspath(options.file), _NAME)
    try:
        raw = files.read(options.file, os.fspath(options.file), DEFAULT.size)
        if raw.startswith(_HEADER):
            read(options.file)
            (fresh, changes), what = (raw, _NOTHING), SCHEMA
        else:
            (fresh, changes), what = _migrated(raw, os.fspath(options.file)), FORMAT
        if not changes and options.out is None:
            out.write(f"{name} is {what} already: nothing to do\n")
            return Exit.MATCH
        target = _target(options)
        with holdable(), HELD:
            write_whole(target, fresh, _mode(options.file))
    except JournalError as error:
        complain(str(error))
        return exit_of(error)
    except (RunFileError, WriteError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except _RefusedError as error:
        complain(str(error))
        return error.exit
    out.writelines(f"{line}\n" for line in changes or [f"{name} is {what} already: the same bytes"])
    out.write(f"written    {cut(os.fspath(target), _NAME)} · sha256 {hashlib.sha256(fresh).hexdigest()}\n")
    if changes:
        out.write(
            f"it was     {name} · sha256 {hashlib.sha256(raw).hexdigest()}: a reviewed hash of it holds no more\n"
        )
    return Exit.MATCH


def _migrated(raw: bytes, file: str) -> tuple[bytes, list[str]]:
    """The journal in the named format, and what was changed, a line each; the same bytes where nothing is."""
    before = loads(raw, file)
    changes = [] if named_format(octets.seen(raw)) is not None else [f"no format was named: it is {FORMAT}"]
    changes += before.notes
    if not changes:
        return raw, []
    fresh = written(before)
    if values(loads(fresh, file)) != values(before):
        message = f"{cut(file, _NAME)}: written again its values would be others, so nothing was written"
        raise _RefusedError(message, Exit.NOT_JUDGED)
    return fresh, [cut(one, _NAME) for one in changes]


def _target(options: Namespace) -> Path:
    source: Path = options.file
    if options.in_place:
        return source
    target: Path = options.out or Path(f"{source.stem}-migrated.json")
    if os.path.lexists(target):
        message = f"{target} is there already: it is not replaced"
        raise _RefusedError(message, Exit.BAD_INPUT)
    return target


def _mode(source: Path) -> int:
    """Who may read the file may read the new one, and nobody else: a journal can hold a key."""
    return stat.S_IMODE(source.stat().st_mode)
