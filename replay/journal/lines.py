"""A journal as JSON lines: a head, a step (or a case) on each line after it, and an end that counts them.

Such a journal is never held whole. It is read once from front to back, and every line is checked; the steps are then
read again, each when it is asked for, and a line that has changed in the meantime is an error.

The head is what a journal is without its steps, and says ``"follow":"steps"`` (or ``"cases"``). The last line is
``{"end":{"steps":3}}``: without it the file was cut off.
"""

from __future__ import annotations

import hashlib
import os
import re
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.journal import files, kinds, octets, shapes
from replay.journal.aliases import COUNT, END, HEAD
from replay.journal.cases import Cases
from replay.journal.clocks import Clock
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.line_file import LineFile, Lines
from replay.journal.model import CARRIED, KEEPIMG, NEW_ID, RECORDED, REDUCED
from replay.journal.newer import newer_format
from replay.journal.scan import Scanner
from replay.journal.states import States
from replay.journal.steps import Steps, finished
from replay.journal.top import OF_THE_RECORDING, Top, nothing
from replay.journal.unsaid import may_hold_a_key, without_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from replay.journal.errors import JournalError
    from replay.journal.limits import Limits
    from replay.journal.model import Journal, KeepimgCase, Step
    from replay.journal.steps import Draft

ENDING: Final = ".jsonl"

A_HEAD: Final = 'the head of a journal of lines, whole on the first line, with "format", "kind" and "follow"'

_THE_END: Final = re.compile(rb'[ \t\r]*\{[ \t\r]*"end"')
_FORGETS_AFTER: Final = 1000
"""So many lines are read before what is held to recognise what repeats is let go."""


def load_lines(source: Path | str, file: str, limits: Limits, *, inputs_only: bool = False) -> Journal:
    """The journal in a file of lines; ``file`` is what it and its places call it. Raises JournalError."""
    descriptor = files.opened(source, file)
    return _Reader(LineFile(descriptor, file), file, limits, inputs_only=inputs_only).journal(descriptor)


class _Carried:
    """The clocks of the steps that name none, from one to the next that has another."""

    def __init__(self) -> None:
        self._from = array("Q")
        self._clocks: list[int] = []
        self._new = bytearray()

    def put(self, at: int, now: int, clock_from: str) -> None:
        """Steps come in order."""
        new = clock_from == NEW_ID
        if new or not self._clocks or self._clocks[-1] != now or self._new[-1]:
            self._from.append(at)
            self._clocks.append(now)
            self._new.append(new)

    def at(self, at: int) -> tuple[int, str]:
        """The clock of a step that was put, and whence it is."""
        found = bisect_right(self._from, at) - 1
        return self._clocks[found], NEW_ID if self._new[found] else CARRIED


class _Reader:
    """Checks a journal, and makes its steps whenever they are asked for."""

    def __init__(self, lines: LineFile, file: str, limits: Limits, *, inputs_only: bool) -> None:
        self._inputs_only = inputs_only
        self._file = file
        self._limits = limits
        self._lines = lines
        self._scanner = Scanner("", file, limits)
        self._states = States(self._scanner)
        self._top = Top(self._scanner, self._states)
        self._steps = Steps(self._scanner, self._states, inputs_only=inputs_only)
        self._cases = Cases(self._scanner)
        self._offsets: dict[str, int] = {}
        self._kind = ""
        self._follow = ""
        self._clock = Clock({})
        self._carried = _Carried()
        self._read = 0
        self._ended: int | None = None
        self._keyed = False
        """Whether the head may hold the key of a sealed memory."""

    def journal(self, descriptor: int) -> Journal:
        """The journal, once every line of it has been checked."""
        digest = hashlib.sha256()
        offset = 0
        number = 0
        for number, line in enumerate(self._all(descriptor), start=1):
            digest.update(line)
            try:
                self._check(number, offset, line)
            except Defect as defect:
                raise self._told(defect, number, line) from None
            offset += len(line)
        self._check_whole(number)
        everything = range(len(self._lines))
        notes = [f"{quoted(key)} is read as {quoted(name)}" for key, name in self._scanner.renamed.items()]
        steps = () if self._kind == KEEPIMG else Lines(self._lines, self._step, everything)
        cases = Lines(self._lines, self._case, everything) if self._kind == KEEPIMG else ()
        return self._top.journal(self._kind, digest.hexdigest(), steps, cases, notes)

    def _told(self, defect: Defect, number: int, line: bytes) -> JournalError:
        """What a person is told of a defect in a line."""
        scanner = self._scanner
        newer = newer_format(scanner.text) if number == 1 else None
        if newer is not None:
            scanner.trail.clear()
            return scanner.error(newer)
        keyed = self._keyed or may_hold_a_key(scanner.text)
        return scanner.error(without_texts(_within_a_line(defect, number, line), scanner, keyed=keyed))

    def _all(self, descriptor: int) -> Iterator[bytes]:
        with files.refusals(self._file), os.fdopen(descriptor, "rb", buffering=1 << 20, closefd=False) as stream:
            limit = self._limits.size
            while line := stream.readline(limit + 1):
                yield line
                limit = self._limits.line

    def _check(self, number: int, offset: int, line: bytes) -> None:
        limit = self._limits.size if number == 1 else self._limits.line
        self._scanner.restart("", number)
        if len(line) > limit:
            raise Defect(Kind.TOO_LARGE, "a longer line", f"at most {limit} bytes", offset=0)
        if number == 1:
            files.check_beginning(line)
            if files.is_report(line):
                raise Defect(Kind.A_REPORT, "the report of a run", "a journal", offset=0)
            self._scanner.restart(octets.seen(line.removesuffix(b"\n")), 1)
            self._check_head()
        elif self._ended is not None:
            raise Defect(Kind.TRAILING, "a line after the end of the journal", "the end of the file", offset=0)
        elif _THE_END.match(line):
            self._scanner.restart(octets.seen(line.removesuffix(b"\n")), number)
            self._scanner.object(END, lambda _: self._check_end(number))
            self._scanner.end()
        else:
            self._check_line(number - 2, line)
            self._lines.add(offset, line)

    def _check_head(self) -> None:
        self._keyed = may_hold_a_key(self._scanner.text)
        written = self._scanner.object(HEAD, self._member)
        self._scanner.end()
        for name in ("format", "kind", "follow"):
            if name not in written or self._scanner.text.startswith("null", self._offsets[name]):
                found = f"the head of a journal of lines without {quoted(name)}"
                raise Defect(Kind.MISSING_KEY, found, HEAD.or_else(name))
        values = self._top.values
        self._steps.may_only_run = self._cases.may_only_run = values.source == REDUCED
        self._kind = values.kind or ""
        self._follow = values.follow
        self._top.check_keys(self._kind, {**written, kinds.NEEDED[self._kind][-1]: ""}, self._offsets, "follow")
        if self._follow != kinds.NEEDED[self._kind][-1]:
            found = f"{quoted(self._follow)} in a journal of the kind {self._kind}"
            expected = quoted(kinds.NEEDED[self._kind][-1])
            defect = Defect(Kind.WRONG_VALUE, found, expected, offset=self._offsets["follow"])
            raise defect.inside(written["follow"])
        self._clock = Clock(values.initial.trackers)

    def _member(self, name: str) -> None:
        if name in ("steps", "cases"):
            found = f"the key {quoted(name)} in the head of a journal of lines"
            raise Defect(Kind.MISPLACED_KEY, found, f'"follow":"{name}", and one of them on each line', at_key=True)
        self._offsets[name] = self._scanner.at
        if self._inputs_only and name in OF_THE_RECORDING:
            self._scanner.leaf(nothing)
        elif name in ("signed", "redacted", "unstable"):
            found = f"the key {quoted(name)} in the head of a journal of lines"
            raise Defect(Kind.MISPLACED_KEY, found, "a signed journal in one JSON object (.json)", at_key=True)
        elif not self._scanner.null():
            self._top.read(name)

    def _check_line(self, at: int, line: bytes) -> None:
        if not line.strip(b" \t\r\n"):
            raise Defect(Kind.EMPTY_LINE, "an empty line", f"one of the {self._follow}, or the end", offset=0)
        if self._kind == KEEPIMG:
            self._case(at, line)
        else:
            draft = self._draft(at, line)
            clock = self._clock.of(draft)
            finished(draft, self._kind, at, clock, self._scanner.text)
            if draft.now is None:
                self._carried.put(at, *clock)
        self._scanner.end()

    def _check_end(self, number: int) -> None:
        written = self._scanner.object(COUNT, self._count)
        if self._follow not in written:
            raise shapes.missing(COUNT, self._follow)
        if self._ended != number - 2:
            found = counted(number - 2, self._follow.removesuffix("s"))
            raise Defect(Kind.COUNT, found, f"{self._ended}, as this line says")

    def _count(self, name: str) -> None:
        if name != self._follow:
            found = f"the key {quoted(name)} in a journal of {self._follow}"
            raise Defect(Kind.MISPLACED_KEY, found, quoted(self._follow), at_key=True)
        self._ended = self._scanner.leaf(shapes.uint64)

    def _check_whole(self, number: int) -> None:
        self._scanner.restart("", max(number, 1))
        expected = f'the last line, {{"end":{{"{self._follow}":{len(self._lines)}}}}}'
        if not number:
            defect = Defect(Kind.EMPTY, "an empty file", A_HEAD, offset=0)
        elif self._ended is None:
            defect = Defect(Kind.CUT_OFF, "the end of the file", expected, offset=0)
        elif not self._ended:
            defect = Defect(Kind.NO_STEPS, f"no {self._follow}", "at least one", offset=0)
        else:
            return
        raise self._scanner.error(defect)

    def _begin(self, at: int, line: bytes) -> None:
        self._scanner.restart(octets.seen(line.removesuffix(b"\n")), at + 2, self._follow, at)
        self._read += 1
        if self._read % _FORGETS_AFTER == 0:
            self._states.forget()
            self._cases.forget()

    def _draft(self, at: int, line: bytes) -> Draft:
        self._begin(at, line)
        return self._steps.draft()

    def _step(self, at: int, line: bytes) -> Step:
        draft = self._draft(at, line)
        clock = self._carried.at(at) if draft.now is None else (draft.now, RECORDED)
        return finished(draft, self._kind, at, clock, self._scanner.text)

    def _case(self, at: int, line: bytes) -> KeepimgCase:
        self._begin(at, line)
        return self._cases.case(at)


def _within_a_line(defect: Defect, number: int, line: bytes) -> Defect:
    """A defect in the words of a file of lines: what ends in the middle of the file is a line."""
    if defect.kind is Kind.CUT_OFF and line.endswith(b"\n"):
        defect.kind = Kind.NOT_JSON
        defect.found = "the end of the line"
        if number == 1:
            defect.expected = A_HEAD
    if defect.kind is Kind.TRAILING and defect.offset:
        defect.expected = "the end of the line"
    return defect
