"""``loki-parity reduce``: the fewest steps of a journal that still diverge in the same way, as a journal of its own."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from parity.gostd.target import TargetNotOfferedError
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.table import made
from replay.counted import counted
from replay.engine import numbers
from replay.interrupts import HELD, holdable
from replay.journal import JournalError, load, loads
from replay.journal.model import KEEPIMG, REDUCED, ReducedFrom
from replay.loaded import NoUsableJournalError, journal
from replay.oracle.errors import OracleError
from replay.reduce import inputs
from replay.reduce.reducing import NoSuchStepError, NothingToReduceError, Reducing
from replay.report.outcome_text import render
from replay.report.styles import Plain
from replay.report.value_text import cut
from replay.run import Exit
from replay.written_file import WriteError, write_whole
from replay.written_journal import written

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from replay.candidates.table import Means
    from replay.journal.model import Journal
    from replay.reduce.reducing import Reduced

_NAME: Final = 200
_MOST_NAMED: Final = 20


class _NotWrittenError(Exception):
    """The reduced journal must not be written there; one sentence."""


def reduce(options: Namespace, means: Means, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: the reduced journal was written. 2: a journal or a file that cannot be used. 3: nothing diverges, or the
    candidate cannot be judged on it.
    """
    try:
        read = journal(options.journal)
        target = _target(options.out, read)
        _check_secret(read, reveal=options.reveal)
        _check_target(target, Path(options.journal))
        with contextlib.ExitStack() as started:
            candidate = started.enter_context(made(options.candidate, means))
            named = options.witness or ("port" if options.candidate != "port" else None)
            witness = None if named is None else started.enter_context(made(named, means))
            reducing = Reducing(read, candidate, witness, options.most_runs)
            found = reducing.reduced(options.step)
            spoke = reducing.witness is not None
            told = _Told(read, found, "" if witness is None else witness.identity.name, spoke=spoke)
            raw = written(told.journal())
            outcome = reducing.confirmed(loads(raw, os.fspath(target)), found)
        with holdable(), HELD:
            write_whole(target, raw, stat.S_IMODE(Path(options.journal).stat().st_mode))
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except NothingToReduceError as error:
        complain(f"{cut(read.file, _NAME)}: {error}")
        return Exit.NOT_JUDGED
    except NoSuchStepError as error:
        complain(f"{cut(read.file, _NAME)}: {error}")
        return Exit.BAD_INPUT
    except (CandidateNotReadyError, OracleError, TargetNotOfferedError) as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    except (_NotWrittenError, WriteError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    out.write(render(outcome, Plain(), reveal=options.reveal) + "\n")
    out.writelines(f"{line}\n" for line in told.lines())
    out.write(f"written    {cut(os.fspath(target), _NAME)} · sha256 {hashlib.sha256(raw).hexdigest()[:16]}…\n")
    return Exit.MATCH


def _target(out: Path | None, read: Journal) -> Path:
    if out is not None:
        return out
    stem = re.sub("[^A-Za-z0-9._-]+", "-", Path(read.file).stem).strip(".-") or "journal"
    return Path(f"{stem}-reduced.json")


def _check_secret(read: Journal, *, reveal: bool) -> None:
    if read.settings is not None and read.settings.dek is not None and not reveal:
        message = (
            f"{cut(read.file, _NAME)} holds the key of a sealed memory, and so would the reduced journal: "
            "it is written with --reveal only"
        )
        raise _NotWrittenError(message)


def _check_target(target: Path, source: Path) -> None:
    """A reduced journal may replace another one, and nothing else: not the one that it comes from, no recording."""
    with contextlib.suppress(OSError, ValueError):
        if target.samefile(source):
            message = f"{target} is the journal that is to be reduced: it is not replaced"
            raise _NotWrittenError(message)
    if not os.path.lexists(target):
        return
    with contextlib.suppress(JournalError):
        if load(target).source == REDUCED:
            return
    message = f"{target} is there already and is no reduced journal: it is not replaced"
    raise _NotWrittenError(message)


class _Told:
    """What was kept, and what it proves: in the reduced journal and on the terminal."""

    def __init__(self, whole: Journal, found: Reduced, witness: str, *, spoke: bool) -> None:
        """``spoke``: the witness answers the step as recorded."""
        self._whole = whole
        self._found = found
        self._witness = witness
        self._spoke = spoke

    def journal(self) -> Journal:
        """The reduced journal, marked as such."""
        origin = ReducedFrom(Path(self._whole.file).name, self._whole.sha256, self._found.step)
        return replace(self._found.journal, source=REDUCED, reduced_from=origin, about=self._proves())

    def lines(self) -> Iterator[str]:
        """The same for a person."""
        found = self._found
        unit = "operation" if self._whole.kind == KEEPIMG else "step"
        total = len(list(numbers(self._whole)))
        yield f"kept       {len(found.steps):,} of {counted(total, unit)}: {_some(found.steps)}"
        for sort in (inputs.BLOCK, inputs.PAGE, inputs.TRACKER):
            before = [name for kind, name in inputs.parts(self._whole) if kind == sort]
            after = [name for kind, name in inputs.parts(found.journal) if kind == sort]
            if before or after:
                where = "" if sort == inputs.BLOCK else " at the start"
                yield f"           {counted(len(after), sort)}{where} ({len(before):,} before): {_some(after)}"
        yield f"runs       {found.runs:,}" + (", as many as allowed: it may get smaller" if found.spent else "")
        if self._witness:
            says = "answers" if self._spoke else "was not heard, for it does not answer"
            yield f"witness    {self._witness} {says} the step as recorded"
        yield f"proves     {self._proves()}"

    def _proves(self) -> str:
        """What Go's record is worth in the reduced journal."""
        found = self._found
        record = f"the record of step {found.step} is Go's"
        if self._whole.source != "recorded":
            record = f"the record of step {found.step} is that of the whole journal ({self._whole.source})"
        if found.untouched and found.from_record:
            return f"{record}, and so is the state before it, recorded after step {int(found.steps[0]) - 1}"
        if found.untouched:
            return f"{record}, and nothing that the answer rests on was taken away"
        also = f", though {self._witness} still gives the recorded one" if self._witness and self._spoke else ""
        return (
            f"{record} for the whole journal. What was taken away leaves the candidate's answer as it was; that Go's "
            f"would be the same is not proved{also}: run this journal with --candidate go:VERSION to ask our Go program"
        )


def _some(names: list[str] | tuple[str, ...]) -> str:
    left = len(names) - _MOST_NAMED
    more = f", and {left:,} more" if left > 0 else ""
    return ", ".join(cut(one, _NAME) for one in names[:_MOST_NAMED]) + more or "none"
