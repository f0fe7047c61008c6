"""From a journal's bytes to frozen values: the top level of the file, and what the kind of the journal adds.

Shape, names of keys and defaults are those of the contract (journal.md, Shape). A null stands for an absent value, or
for an empty one where a list or a map belongs: that is how Go writes a nil.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from parity.stores.state import Settings, State
from parity.tools.interface import Block
from replay.journal import files, header, kinds, octets, shapes, signing, walk
from replay.journal.aliases import BLOCK, TOP
from replay.journal.cases import Cases
from replay.journal.clocks import clocks
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.limits import DEFAULT
from replay.journal.model import MEMORY, REDUCED, Expected, Journal, ReducedFrom, Step
from replay.journal.newer import newer_format
from replay.journal.scan import Scanner
from replay.journal.shapes import Fields, described
from replay.journal.states import States
from replay.journal.steps import Steps, unknown_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from parity.gostd.target import GoTarget
    from replay.journal.limits import Limits
    from replay.journal.model import LooseField, Signature
    from replay.journal.steps import Draft
    from replay.journal.walk import Tree


def load(
    source: Path | str, *, limits: Limits = DEFAULT, file_name: str | None = None, inputs_only: bool = False
) -> Journal:
    """The journal in a file. ``file_name`` is what it and its places call the file; by default the path as given.

    ``inputs_only`` reads it as a scenario: what was recorded, by which Go and how it was signed is not looked at.

    Raises :class:`replay.journal.errors.JournalError` for every defect of the file, and if it cannot be read.
    """
    file = os.fspath(source) if file_name is None else file_name
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
            raise scanner.error(_without_texts(defect, scanner)) from None
        scanner.trail.clear()
        raise scanner.error(newer) from None


_HOLDS_A_KEY: Final = re.compile(r'"(?!sha256")[^"\n]{1,16}"[ \t\n\r]*:[ \t\n\r]*"[0-9a-fA-F]{64}"')
_OF_THE_HEAD: Final = 2
"""What stands no deeper is said all the same: a version of Go, a time zone."""
_A_TEXT: Final = "the string "


def _without_texts(defect: Defect, scanner: Scanner) -> Defect:
    """A defect of a file that may hold the key of a sealed memory says nothing of the texts in it."""
    deep = len(scanner.trail) + len(defect.path) > _OF_THE_HEAD
    if deep and defect.found.startswith(_A_TEXT) and _HOLDS_A_KEY.search(scanner.text) is not None:
        defect.found = "a string (not shown: the file may hold the key of a sealed memory)"
    return defect


_OF_THE_RECORDING: Final = ("go", "source", "signed", "redacted", "unstable")
"""What a scenario may hold because it is somebody's recording: it is passed over."""


@dataclass(slots=True)
class _Top:
    """The top level as far as it has been read, by the keys' own names, and what is taken where there is none."""

    format: str = kinds.FORMAT
    kind: str | None = None
    about: str = ""
    source: str = header.RECORDED
    reduced_from: ReducedFrom | None = None
    go: GoTarget = header.DEFAULT_GO
    project: tuple[str, str] = header.DEFAULT_PROJECT
    clock: str = header.DEFAULT_ZONE
    config: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dek: bytes | None = None
    locked: bool = False
    initial: State = field(default_factory=State)
    signed: Signature | None = None
    redacted: tuple[LooseField, ...] = ()
    unstable: tuple[LooseField, ...] = ()


class _Reader:
    def __init__(self, scanner: Scanner, *, inputs_only: bool) -> None:
        states = States(scanner)
        self._scanner = scanner
        self._inputs_only = inputs_only
        self._top = _Top()
        self._blocks: dict[int, Block] = {}
        self._steps = Steps(scanner, states, inputs_only=inputs_only)
        self._cases = Cases(scanner)
        self._offsets: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        leaf = scanner.leaf
        self._values: Mapping[str, Callable[[], object]] = {
            "format": partial(leaf, header.format_),
            "kind": partial(leaf, header.kind),
            "about": partial(leaf, shapes.text),
            "source": partial(leaf, header.source),
            "reduced_from": partial(leaf, header.reduced_from),
            "go": partial(leaf, header.go),
            "signed": partial(leaf, signing.signature),
            "redacted": partial(leaf, signing.redacted),
            "unstable": partial(leaf, signing.unstable),
            "project": partial(leaf, header.project),
            "clock": partial(leaf, header.zone),
            "config": self._config,
            "dek": partial(leaf, header.dek),
            "locked": partial(leaf, shapes.boolean),
            "initial": states.initial,
        }
        self._arrays: Mapping[str, Callable[[int], None]] = {
            "blocks": self._block,
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
        top = self._top
        memory = kind == MEMORY
        return Journal(
            file=scanner.file,
            sha256=digest,
            kind=kind,
            about=top.about,
            target=top.go,
            source=top.source,
            reduced_from=top.reduced_from,
            blocks=tuple(block for _, block in sorted(self._blocks.items())),
            settings=Settings(*top.project, top.config, top.dek, top.locked) if memory else None,
            zone=top.clock,
            initial=top.initial if memory else None,
            steps=tuple(self._finished_steps(kind, written)),
            cases=tuple(self._cases.cases),
            notes=tuple(self._notes(written)),
            signed=top.signed,
            redacted=top.redacted,
            unstable=top.unstable,
        )

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
        if self._inputs_only and name in _OF_THE_RECORDING:
            self._scanner.leaf(_nothing)
        elif name in self._arrays:
            self._scanner.array(self._arrays[name])
        else:
            setattr(self._top, name, self._values[name]())
            self._steps.may_only_run = self._cases.may_only_run = self._top.source == REDUCED

    def _config(self) -> Mapping[str, str]:
        config: dict[str, str] = {}

        def member(key: str) -> None:
            config[key] = self._scanner.leaf(shapes.text)

        self._scanner.mapping(member)
        return MappingProxyType(config)

    def _block(self, _: int) -> None:
        block = self._scanner.leaf(self._new_block)
        self._blocks[block.seq] = block

    def _new_block(self, tree: Tree) -> Block:
        fields = Fields(tree, BLOCK)
        seq = fields.need("seq", self._new_seq)
        return Block(
            id=fields.need("id", partial(_block_id, seq)),
            seq=seq,
            label=fields.need("label", shapes.text),
            role=fields.get("role", shapes.text, ""),
            content=fields.need("content", shapes.text),
            created=fields.get("created", shapes.int64, 0),
        )

    def _new_seq(self, tree: Tree) -> int:
        seq = shapes.uint64(tree)
        if seq in self._blocks:
            raise Defect(Kind.DUPLICATE_BLOCK, f"a second block with the seq {seq}", "each seq once")
        return seq

    def _kind(self, written: Mapping[str, str]) -> str:
        """The kind that is named, or the one that the shape tells."""
        if self._top.kind is not None:
            return self._top.kind
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
        for name, key in written.items():
            if name not in kinds.KEYS[kind]:
                found = f"the key {quoted(key)} in a journal of the kind {kind}"
                expected = f"only {', '.join(kinds.KEYS[kind])}"
                raise Defect(Kind.MISPLACED_KEY, found, expected, offset=self._offsets[name]).inside(key)
        reduced = self._top.source == REDUCED
        if "reduced_from" in written and not reduced:
            found = f"the key {quoted('reduced_from')} in a journal whose source is {self._top.source}"
            defect = Defect(Kind.MISPLACED_KEY, found, f"it where the source is {REDUCED}")
            defect.offset = self._offsets["reduced_from"]
            raise defect.inside(written["reduced_from"])
        for name in (*kinds.NEEDED[kind], *(("reduced_from",) * reduced)):
            if name not in written:
                found = f"a journal of the kind {kind} without {quoted(name)}"
                raise Defect(Kind.MISSING_KEY, found, TOP.or_else(name))
        if not self._steps.drafts and not self._cases.cases:
            last = kinds.NEEDED[kind][-1]
            defect = Defect(Kind.NO_STEPS, f"no {last}", "at least one", offset=self._offsets[last])
            raise defect.inside(written[last])

    def _check_signature(self, written: Mapping[str, str]) -> None:
        """That the head and every step are those that were signed, and that only a signed head loosens a field."""
        signature = self._top.signed
        if signature is None:
            for name in ("redacted", "unstable"):
                if getattr(self._top, name):
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
        for index, (draft, (now_ns, clock_from)) in enumerate(
            zip(drafts, clocks(drafts, self._top.initial.trackers), strict=True)
        ):
            self._check_step(kind, draft, written["steps"], index)
            yield Step(
                index=index + 1,
                tool=draft.tool,
                note=draft.note or "",
                raw_args=draft.args,
                now_ns=now_ns,
                expected=_expected(draft),
                at=draft.at,
                clock_from=clock_from,
            )

    def _check_step(self, kind: str, draft: Draft, steps: str, index: int) -> None:
        """What a step must not hold, its journal being of a kind."""
        tools = kinds.TOOLS[kind]
        misplaced = next((key for key in kinds.MEMORY_ONLY if kind != MEMORY and key in draft.written), None)
        if draft.tool not in tools:
            key = draft.written["tool"]
            defect = unknown_tool(draft.tool, tools)
        elif misplaced is not None:
            key = draft.written[misplaced]
            found = f"the key {quoted(key)} in a step of the kind {kind}"
            defect = Defect(Kind.MISPLACED_KEY, found, f"it in journals of the kind {MEMORY} only", at_key=True)
        else:
            return
        defect.offset = walk.find(self._scanner.text, draft.offset, [key], key=defect.at_key)
        raise defect.inside(steps, index, key)

    def _notes(self, written: Mapping[str, str]) -> Iterator[str]:
        """What had to be inferred."""
        inferred = None if self._top.kind is not None else self._inferred(written)
        if inferred is not None:
            yield f"no kind is named: {inferred[0]}, as {quoted(inferred[1])} tells"
        for key, name in self._scanner.renamed.items():
            yield f"{quoted(key)} is read as {quoted(name)}"


def _expected(draft: Draft) -> Expected:
    if draft.result is None and draft.panic is None:
        return Expected()  # a step of a reduced journal that only runs
    # No diff is an empty one, but beside a crash, where what is absent is not compared (journal.md, Shape).
    diff = () if draft.diff is None and draft.panic is None else draft.diff
    return Expected(draft.result, draft.panic, draft.label, diff, draft.files, draft.trackers)


def _block_id(seq: int, tree: Tree) -> str:
    block_id = shapes.text(tree)
    if block_id != f"r{seq}":
        raise Defect(Kind.BLOCK_ID, described(tree), f'"r{seq}", r and the seq')
    return block_id


def _nothing(_: Tree) -> None:
    """What a scenario does not look at."""


def _no_object(tree: Tree) -> NoReturn:
    raise Defect(Kind.NOT_AN_OBJECT, described(tree), files.A_JOURNAL)
