"""From a journal's bytes to frozen values: the top level of the file, and what the kind of the journal adds.

Shape, names of keys and defaults are those of the contract (journal.md, Shape). A null stands for an absent value, or
for an empty one where a list or a map belongs: that is how Go writes a nil.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn

from replay.journal import files, kinds, octets, signing
from replay.journal.aliases import TOP
from replay.journal.cases import Cases
from replay.journal.clocks import Clock
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.limits import DEFAULT
from replay.journal.lines import ENDING, load_lines
from replay.journal.model import REDUCED
from replay.journal.newer import newer_format
from replay.journal.scan import Scanner
from replay.journal.shapes import described
from replay.journal.states import States
from replay.journal.steps import Steps, finished
from replay.journal.top import OF_THE_RECORDING, Top, nothing
from replay.journal.unsaid import may_hold_a_key, without_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from replay.journal.limits import Limits
    from replay.journal.model import Journal, Step
    from replay.journal.walk import Tree


def load(
    source: Path | str, *, limits: Limits = DEFAULT, file_name: str | None = None, inputs_only: bool = False
) -> Journal:
    """The journal in a file. ``file_name`` is what it and its places call the file; by default the path as given.

    A file whose name ends in ``.jsonl`` holds a step a line, and its steps are read when they are asked for.
    ``inputs_only`` reads it as a scenario: what was recorded, by which Go and how it was signed is not looked at.

    Raises :class:`replay.journal.errors.JournalError` for every defect of the file, and if it cannot be read.
    """
    file = os.fspath(source) if file_name is None else file_name
    if PurePath(source).suffix == ENDING:
        return load_lines(source, file, limits, inputs_only=inputs_only)
    return loads(files.read(source, file, limits.size), file, limits=limits, inputs_only=inputs_only)


def loads(data: bytes, file: str, *, limits: Limits = DEFAULT, inputs_only: bool = False) -> Journal:
    """The journal that bytes are; ``file`` is what it and its places call them. Otherwise as :func:`load`."""
    scanner = Scanner(octets.seen(data), file, limits)
    try:
        files.check_size(len(data), limits.size)
        files.check_beginning(data)
        digest = hashlib.sha256(data).hexdigest()
        del data  # the octets are the same, and a journal can be large
        return _Reader(scanner, inputs_only=inputs_only).journal(digest)
    except Defect as defect:
        newer = newer_format(scanner.text)
        if newer is None:
            raise scanner.error(without_texts(defect, scanner, keyed=may_hold_a_key(scanner.text))) from None
        scanner.trail.clear()
        raise scanner.error(newer) from None


class _Reader:
    def __init__(self, scanner: Scanner, *, inputs_only: bool) -> None:
        states = States(scanner)
        self._scanner = scanner
        self._inputs_only = inputs_only
        self._top = Top(scanner, states)
        self._steps = Steps(scanner, states, inputs_only=inputs_only)
        self._cases = Cases(scanner)
        self._offsets: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._arrays: Mapping[str, Callable[[int], None]] = {
            "steps": self._steps.read,
            "cases": self._cases.read,
        }

    def journal(self, digest: str) -> Journal:
        scanner = self._scanner
        self._check_object()
        written = scanner.object(TOP, self._member)
        scanner.end()
        kind = self._kind(written)
        self._check_keys(kind, written)
        if not self._inputs_only:
            self._check_signature(written)
        notes = tuple(self._notes(written))
        steps = tuple(self._finished_steps(kind, written))
        return self._top.journal(kind, digest, steps, tuple(self._cases.cases), notes)

    def _check_object(self) -> None:
        """A file of anything else: other JSON, or a text that is none from its first character on."""
        start = self._scanner.at
        if self._scanner.text.startswith("{", start):
            return
        try:
            self._scanner.leaf(_no_object)
        except Defect as defect:
            if defect.offset == start:
                defect.expected = files.A_JOURNAL
            raise

    def _member(self, name: str) -> None:
        self._offsets[name] = self._scanner.at
        if not self._scanner.null():
            self._read(name)
        self._ends[name] = self._scanner.at

    def _read(self, name: str) -> None:
        if self._inputs_only and name in OF_THE_RECORDING:
            self._scanner.leaf(nothing)
        elif name in self._arrays:
            self._scanner.array(self._arrays[name])
        else:
            self._top.read(name)
            self._steps.may_only_run = self._cases.may_only_run = self._top.values.source == REDUCED

    def _kind(self, written: Mapping[str, str]) -> str:
        """The kind that is named, or the one that the shape tells."""
        if self._top.values.kind is not None:
            return self._top.values.kind
        inferred = self._inferred(written)
        if inferred is None:
            expected = f'"kind" ({", ".join(kinds.KINDS)}), or steps, blocks or cases that tell it'
            raise Defect(Kind.UNKNOWN_KIND, "no kind, and nothing that tells it", expected)
        return inferred[0]

    def _inferred(self, written: Mapping[str, str]) -> tuple[str, str] | None:
        drafts = self._steps.drafts
        return kinds.inferred(
            written, (draft.tool for draft in drafts), {key for draft in drafts for key in draft.written}
        )

    def _check_keys(self, kind: str, written: Mapping[str, str]) -> None:
        """What the top level must hold for its kind, and must not."""
        self._top.check_keys(kind, written, self._offsets)
        if not self._steps.drafts and not self._cases.cases:
            last = kinds.NEEDED[kind][-1]
            defect = Defect(Kind.NO_STEPS, f"no {last}", "at least one", offset=self._offsets[last])
            raise defect.inside(written[last])

    def _check_signature(self, written: Mapping[str, str]) -> None:
        """That the head and every step are those that were signed, and that only a signed head loosens a field."""
        signature = self._top.values.signed
        if signature is None:
            for name in ("redacted", "unstable"):
                if getattr(self._top.values, name):
                    expected = f"it only where {quoted('signed')} holds it: a recorder wrote both"
                    defect = Defect(Kind.NOT_SIGNED, "fields that are not to be compared", expected)
                    defect.offset = self._offsets[name]
                    raise defect.inside(written[name])
            return
        text = self._scanner.text
        members = [
            signing.Member(key, text[self._offsets[name] : self._ends[name]])
            for name, key in written.items()
            if name not in ("signed", "steps")
        ]
        drafts = self._steps.drafts
        hashes = signing.chain(signature, members, (text[draft.offset : draft.end] for draft in drafts))
        try:
            signing.check(signature, hashes, [draft.offset for draft in drafts], written["steps"])
        except Defect as defect:
            if defect.offset is None:
                defect.offset = self._offsets["signed"]
                raise defect.inside(written["signed"]) from None
            raise

    def _finished_steps(self, kind: str, written: Mapping[str, str]) -> Iterator[Step]:
        drafts = self._steps.drafts
        clock = Clock(self._top.values.initial.trackers)
        drafts.reverse()
        for index in range(len(drafts)):
            draft = drafts.pop()  # what was taken need not be held any longer
            try:
                yield finished(draft, kind, index, clock.of(draft), self._scanner.text)
            except Defect as defect:
                raise defect.inside(written["steps"], index) from None

    def _notes(self, written: Mapping[str, str]) -> Iterator[str]:
        """What had to be inferred."""
        inferred = None if self._top.values.kind is not None else self._inferred(written)
        if inferred is not None:
            yield f"no kind is named: {inferred[0]}, as {quoted(inferred[1])} tells"
        for key, name in self._scanner.renamed.items():
            yield f"{quoted(key)} is read as {quoted(name)}"


def _no_object(tree: Tree) -> NoReturn:
    raise Defect(Kind.NOT_AN_OBJECT, described(tree), files.A_JOURNAL)
