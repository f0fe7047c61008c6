"""``loki-parity show``: what stands in a journal, on a terminal. Every character is drawn and none is obeyed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, TextIO, cast

from replay.compare.texts import as_text
from replay.counted import counted
from replay.fields import page_value
from replay.loaded import NoUsableJournalError, journal
from replay.report.drawing import draw
from replay.report.point_table import moment
from replay.report.secrets import HIDDEN
from replay.report.value_text import cut
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping

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
        view = _View(read, reveal=options.reveal)
        lines = list(view.whole(options.step, options.page) if options.step else view.listed(options.tool))
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except NoSuchError as error:
        complain(f"{options.journal}: {error}")
        return Exit.BAD_INPUT
    out.writelines(f"{line}\n" for line in lines)
    return Exit.MATCH


class _View:
    """One journal, with the texts of a sealed memory or without."""

    def __init__(self, read: Journal, *, reveal: bool) -> None:
        self._journal = read
        settings = read.settings
        self._dek = None if settings is None else settings.dek
        self._hidden = self._dek is not None and not reveal

    def listed(self, tools: list[str]) -> Iterator[str]:
        """The journal in a few lines, then each step in one. Raises :class:`NoSuchError`: a tool without a step."""
        steps = [step for step in self._journal.steps if not tools or step.tool in tools]
        cases = [(case, one) for case in self._journal.cases for one in case.steps if not tools or one.op in tools]
        if tools and not steps and not cases:
            message = f"no step of {', '.join(map(cut, tools))}"
            raise NoSuchError(message)
        yield from self._about()
        for step in steps:
            yield f"{step.index:>6}  {step.tool:<14}  {self._ends(step):<24}  {cut(step.note, _NOTE)}"
        for case, operation in cases:
            number = f"{case.index}.{operation.index}"
            yield f"{number:>6}  {cut(operation.op):<14}  {cut(case.name, _NOTE)}"

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
        steps = {str(step.index): step for step in self._journal.steps}
        cases = {f"{case.index}.{one.index}": (case, one) for case in self._journal.cases for one in case.steps}
        for number in numbers:
            if number in steps:
                yield from self._step(steps[number], pages)
            elif number in cases:
                yield from self._operation(*cases[number])
            else:
                message = f"no step {number}: {len(steps) or len(cases):,} are there"
                raise NoSuchError(message)

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
