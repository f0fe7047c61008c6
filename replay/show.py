"""``loki-parity show``: what stands in a journal, on a terminal. Every character is drawn and none is obeyed."""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, cast

from replay.compare.texts import as_text
from replay.counted import counted
from replay.fields import page_value
from replay.journal.as_lines import as_lines
from replay.journal.line_file import Lines
from replay.loaded import NoUsableJournalError, journal
from replay.numbering import Numbering
from replay.report.drawing import draw
from replay.report.point_table import moment
from replay.report.secrets import HIDDEN
from replay.report.value_text import cut
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from parity.stores.state import State
    from parity.tools.interface import Tracker
    from replay.journal.model import Journal, Json, KeepimgCase, KeepimgStep, Step

_NOTE: Final = 100
_NAME: Final = 200


class NoSuchError(Exception):
    """A step or a page that the journal does not have; one sentence."""


def show(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb."""
    if options.page and not options.step:
        complain("--page opens a page as it is after a step: name the step with --step")
        return Exit.BAD_INPUT
    try:
        read = journal(options.journal)
        if options.as_lines:
            return _as_lines(read, options.journal, out, complain)
        view = _View(read, reveal=options.reveal)
        if options.step:
            lines: Iterable[str] = list(view.whole(options.step, options.page))
        else:
            view.check(options.tool)
            lines = view.listed(options.tool)
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except NoSuchError as error:
        complain(f"{options.journal}: {error}")
        return Exit.BAD_INPUT
    out.writelines(f"{line}\n" for line in lines)
    return Exit.MATCH


def _as_lines(read: Journal, path: str, out: TextIO, complain: Callable[[str], None]) -> int:
    """Write a journal as JSON lines, each value as it is written."""
    data = Path(path).read_bytes() if Path(path).is_file() else b""
    if hashlib.sha256(data).hexdigest() != read.sha256 or isinstance(read.steps or read.cases, Lines):
        complain(f"{path}: this is a journal of lines already, or a folder: name the file of a journal in one object")
        return Exit.BAD_INPUT
    if read.signed is not None:
        complain(f"{path}: it is signed, and a journal of lines cannot be")
        return Exit.BAD_INPUT
    try:
        lines = [line.decode("utf-8") for line in as_lines(data, read)]
    except UnicodeDecodeError:
        complain(f"{path}: its args hold bytes that are not UTF-8, which cannot be written as text")
        return Exit.BAD_INPUT
    out.writelines(lines)
    return Exit.MATCH


class _View:
    """One journal, with the texts of a sealed memory or without."""

    def __init__(self, read: Journal, *, reveal: bool) -> None:
        self._journal = read
        settings = read.settings
        self._dek = None if settings is None else settings.dek
        self._hidden = self._dek is not None and not reveal

    def listed(self, tools: list[str]) -> Iterator[str]:
        """The journal in a few lines, then each step in one."""
        yield from self._about()
        for step in self._journal.steps:
            if not tools or step.tool in tools:
                yield f"{step.index:>6}  {step.tool:<14}  {self._ends(step):<24}  {cut(step.note, _NOTE)}"
        for case in self._journal.cases:
            for operation in case.steps:
                if not tools or operation.op in tools:
                    number = f"{case.index}.{operation.index}"
                    yield f"{number:>6}  {cut(operation.op):<14}  {cut(case.name, _NOTE)}"

    def check(self, tools: list[str]) -> None:
        """Raise :class:`NoSuchError` where none of some tools has a step."""
        if not tools:
            return
        named = (step.tool for step in self._journal.steps)
        operations = (operation.op for case in self._journal.cases for operation in case.steps)
        if not any(one in tools for one in chain(named, operations)):
            message = f"no step of {', '.join(map(cut, tools))}"
            raise NoSuchError(message)

    def _about(self) -> Iterator[str]:
        read = self._journal
        target = read.target
        yield f"{cut(read.file, _NAME)}  {read.kind} · {target.version}, Unicode {target.unicode}, {target.goarch}"
        origin = read.reduced_from
        made = "" if origin is None else f" from step {origin.step} of {cut(origin.journal, _NAME)} ({origin.sha256})"
        yield f"  sha256 {read.sha256} · {read.source}{made}"
        if read.signed is not None:
            signed = read.signed
            yield f"  signed: {cut(signed.go_version)}, commit {cut(signed.go_commit)}, by {cut(signed.recorder)}"
        yield from (
            f"  redacted: step {one.step}, {cut(one.field)}, by the rule {cut(one.rule)}" for one in read.redacted
        )
        yield from (f"  unstable in Go: step {one.step}, {cut(one.field)}" for one in read.unstable)
        if read.about:
            yield f"  {cut(read.about, _NAME)}"
        yield from (f"  {note}" for note in read.notes)
        if read.blocks:
            yield f"  {counted(len(read.blocks), 'block')}"
        if read.settings is not None:
            memory = "locked" if read.settings.locked else "its key is there" if self._dek is not None else "no key"
            yield f"  project {cut(read.settings.project_slug, _NAME)} · zone {cut(read.zone)} · {memory}"
        if self._hidden:
            yield f"  texts: {HIDDEN}"
        yield ""

    def _ends(self, step: Step) -> str:
        expected = step.expected
        if expected.panic is not None:
            return "panic"
        if expected.result is None:
            return "only runs"
        ends = counted(len(expected.result), "character")
        return f"{ends}, {counted(len(expected.diff), 'diff line')}" if expected.diff else ends

    def whole(self, numbers: list[str], pages: list[str]) -> Iterator[str]:
        """Steps whole. Raises :class:`NoSuchError` for one that is not there."""
        numbering = Numbering(self._journal)
        for number in numbers:
            if numbering.position(number) is None:
                message = f"no step {number}: {len(numbering):,} are there"
                raise NoSuchError(message)
            if self._journal.cases:
                at, _, operation = number.partition(".")
                case = self._journal.cases[int(at) - 1]
                yield from self._operation(case, case.steps[int(operation) - 1])
            else:
                yield from self._step(self._journal.steps[int(number) - 1], pages)

    def _step(self, step: Step, pages: list[str]) -> Iterator[str]:
        yield f"step {step.index} {step.tool}" + (f" — {draw(step.note)}" if step.note else "")
        yield f"  at {step.at}"
        if self._journal.settings is not None and step.now_ns is not None:
            yield f"  clock      {step.now_ns} ({moment(step.now_ns // 1_000_000)} UTC, {step.clock_from})"
        yield from self._text("arguments", step.raw_args)
        expected = step.expected
        for name, text in (("label", expected.label), ("result", expected.result), ("panic", expected.panic)):
            if text is not None:
                yield from self._text(name, text)
        if expected.diff:
            yield f"  diff       {counted(len(expected.diff), 'line')}"
            if not self._hidden:
                yield from (f"    {draw(line.op)} {draw(line.text)}" for line in expected.diff)
        if expected.files is not None:
            yield from self._files(expected.files, self._before(step))
        if expected.trackers is not None:
            yield from self._trackers(expected.trackers)
        for name in pages:
            yield from self._page(name, expected.files or {}, step)

    def _text(self, name: str, text: str | bytes) -> Iterator[str]:
        """A text with its line numbers; a page of a sealed memory by its length."""
        if self._hidden:
            yield f"  {name:<10} {counted(len(text), 'character')}, {HIDDEN}"
            return
        yield f"  {name:<10} {counted(len(text), 'byte' if isinstance(text, bytes) else 'character')}"
        lines = as_text(text).split("\n")
        last = len(lines) - 1
        digits = len(str(len(lines)))
        for at, line in enumerate(lines):
            if at < last or line:
                yield f"    {at + 1:>{digits}} │ {draw(line)}"

    def _before(self, step: Step) -> Mapping[str, bytes]:
        """The files before a step, as far as the journal says them."""
        if step.index > 1:
            return self._journal.steps[step.index - 2].expected.files or {}
        initial: State | None = self._journal.initial
        return {} if initial is None else initial.files

    def _files(self, files: Mapping[str, bytes], before: Mapping[str, bytes]) -> Iterator[str]:
        yield f"  files      {len(files):,}"
        for name, raw in files.items():
            sealed, content = self._opened(raw)
            change = "" if raw == before.get(name) else "  changed" if name in before else "  new"
            kind = "sealed" if sealed else "plain"
            yield f"    {cut(name, _NAME)}  {kind}, {counted(len(content), 'byte')}{change}"
        yield from (f"    {cut(name, _NAME)}  gone" for name in before if name not in files)

    def _trackers(self, trackers: Mapping[str, Tracker]) -> Iterator[str]:
        yield f"  trackers   {len(trackers):,}"
        for key, tracker in trackers.items():
            yield f"    {cut(key, _NAME)}  {counted(len(tracker.events), 'point')}"
            if not self._hidden:
                yield from (
                    f"      {draw(event.id)}  {event.ts} ({moment(event.ts)} UTC)  {draw(event.text)}"
                    for event in tracker.events
                )

    def _page(self, name: str, files: Mapping[str, bytes], step: Step) -> Iterator[str]:
        if name not in files:
            message = f"no page {cut(name)} after step {step.index}"
            raise NoSuchError(message)
        yield from self._text(f"page {cut(name, _NAME)}", self._opened(files[name])[1])

    def _opened(self, raw: bytes) -> tuple[bool, bytes]:
        """Whether a file is sealed, and its contents, opened where the key is there."""
        page = page_value(raw, self._dek)
        return page["sealed"] is True, cast("bytes", page["content"])

    def _operation(self, case: KeepimgCase, operation: KeepimgStep) -> Iterator[str]:
        yield f"step {case.index}.{operation.index} {draw(operation.op)} — {draw(case.name)}"
        yield f"  at {operation.at}"
        yield from (f"  {line}" for line in _tree("operation", operation.step))
        yield from (f"  {line}" for line in _tree("after", operation.after))


def _tree(name: str, value: Mapping[str, Json]) -> Iterator[str]:
    """A frozen JSON tree, indented."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=dict)
    yield name
    yield from (f"  {draw(line)}" for line in text.split("\n"))
