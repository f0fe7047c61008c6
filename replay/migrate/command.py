"""``loki-parity migrate``: a journal in the named format, its values and the bytes of its arguments as they were."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from replay.counted import counted
from replay.interrupts import HELD, holdable
from replay.journal import JournalError, files, load, loads, octets
from replay.journal.kinds import FORMAT
from replay.journal.limits import DEFAULT
from replay.journal.lines import ENDING
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

    from replay.journal.model import Journal

_NAME: Final = 200
_BEGINNING: Final = 256
_HEADER: Final = b'{"type":"header"'


class _RefusedError(Exception):
    """The file cannot be migrated; one sentence, and the exit status that it leads to."""

    def __init__(self, sentence: str, exit_: Exit) -> None:
        super().__init__(sentence)
        self.exit = exit_


def migrate(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb. 0: written, or nothing to do. 2: a file that cannot be used or written. 3: not the same values."""
    name = cut(os.fspath(options.file), _NAME)
    try:
        fresh, changes, what, was = _fresh(options)
        if not changes and options.out is None:
            out.write(f"{name} is {what} already: nothing to do\n")
            return Exit.MATCH
        target = _target(options, what)
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
        out.write(f"it was     {name} · sha256 {was}: a reviewed hash of it holds no more\n")
    return Exit.MATCH


def _fresh(options: Namespace) -> tuple[bytes, list[str], str, str]:
    """What is to be written, what was changed, a line each, the format, and the hash of the file as it is."""
    lines = _of_lines(options)
    if lines is not None:
        return *_in_one_object(lines), FORMAT, lines.sha256
    raw = files.read(options.file, os.fspath(options.file), DEFAULT.size)
    was = hashlib.sha256(raw).hexdigest()
    if raw.startswith(_HEADER):
        read(options.file)
        return raw, [], SCHEMA, was
    return *_migrated(raw, os.fspath(options.file)), FORMAT, was


def _migrated(raw: bytes, file: str) -> tuple[bytes, list[str]]:
    """The journal in the named format, and what was changed, a line each; the same bytes where nothing is."""
    before = loads(raw, file)
    changes = [] if named_format(octets.seen(raw)) is not None else [f"no format was named: it is {FORMAT}"]
    changes += before.notes
    if not changes:
        return raw, []
    return _written(before), [cut(one, _NAME) for one in changes]


def _written(journal: Journal) -> bytes:
    """The journal in one object, read again and held against what it was."""
    fresh = written(journal)
    if values(loads(fresh, journal.file)) != values(journal):
        message = f"{cut(journal.file, _NAME)}: written again its values would be others, so nothing was written"
        raise _RefusedError(message, Exit.NOT_JUDGED)
    return fresh


def _of_lines(options: Namespace) -> Journal | None:
    """The journal of lines that the file is; None for any other file."""
    if options.file.suffix != ENDING:
        return None
    name = os.fspath(options.file)
    with files.refusals(name), os.fdopen(files.opened(options.file, name), "rb") as stream:
        if files.is_report(stream.read(_BEGINNING)):
            return None
    if options.in_place:
        message = f"{cut(name, _NAME)}: a journal of lines becomes one JSON object in another file: name it with --out"
        raise _RefusedError(message, Exit.BAD_INPUT)
    return load(options.file)


def _in_one_object(journal: Journal) -> tuple[bytes, list[str]]:
    """The journal in one object, and what was changed, a line each."""
    many = len(journal.cases or journal.steps)
    return _written(journal), [
        f"{counted(many, 'line')} in one JSON object",
        *(cut(one, _NAME) for one in journal.notes),
    ]


def _target(options: Namespace, what: str) -> Path:
    source: Path = options.file
    if options.in_place:
        return source
    target: Path = options.out or Path(f"{source.stem}-migrated.json")
    if what == FORMAT and target.suffix == ENDING:
        message = f"{target}: what is written is one JSON object, and {ENDING} is the name of a journal of lines"
        raise _RefusedError(message, Exit.BAD_INPUT)
    if os.path.lexists(target):
        message = f"{target} is there already: it is not replaced"
        raise _RefusedError(message, Exit.BAD_INPUT)
    return target


def _mode(source: Path) -> int:
    """Who may read the file may read the new one, and nobody else: a journal can hold a key."""
    return stat.S_IMODE(source.stat().st_mode)
