"""The top level of a journal, value by value, and the journal that it and its steps or cases make."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from parity.stores.state import Settings, State
from parity.tools.interface import Block
from replay.journal import header, kinds, shapes, signing
from replay.journal.aliases import BLOCK, TOP
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.model import MEMORY, REDUCED, Journal
from replay.journal.shapes import Fields, described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.journal.model import KeepimgCase, LooseField, ReducedFrom, Signature, Step
    from replay.journal.scan import Scanner
    from replay.journal.states import States
    from replay.journal.walk import Tree


OF_THE_RECORDING: Final = ("go", "source", "signed", "redacted", "unstable")
"""What a scenario may hold because it is somebody's recording: it is passed over."""


@dataclass(slots=True)
class _Values:
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
    follow: str = ""
    signed: Signature | None = None
    redacted: tuple[LooseField, ...] = ()
    unstable: tuple[LooseField, ...] = ()


class Top:
    """Reads the values of the top level, but for its steps and cases."""

    def __init__(self, scanner: Scanner, states: States) -> None:
        """Nothing has been read."""
        self.values = _Values()
        self._scanner = scanner
        self._blocks: dict[int, Block] = {}
        leaf = scanner.leaf
        self._readers: Mapping[str, Callable[[], object]] = {
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
            "follow": partial(leaf, header.follow),
        }

    def read(self, name: str) -> None:
        """Read the value that stands here, that of a key."""
        if name == "blocks":
            self._scanner.array(self._block)
        else:
            setattr(self.values, name, self._readers[name]())

    def check_keys(self, kind: str, written: Mapping[str, str], offsets: Mapping[str, int], *besides: str) -> None:
        """What the top level must hold for its kind, and must not, ``besides`` apart. Raises Defect."""
        for name, key in written.items():
            if name not in kinds.KEYS[kind] and name not in besides:
                found = f"the key {quoted(key)} in a journal of the kind {kind}"
                expected = f"only {', '.join(kinds.KEYS[kind])}"
                raise Defect(Kind.MISPLACED_KEY, found, expected, offset=offsets[name]).inside(key)
        reduced = self.values.source == REDUCED
        if "reduced_from" in written and not reduced:
            found = f"the key {quoted('reduced_from')} in a journal whose source is {self.values.source}"
            defect = Defect(Kind.MISPLACED_KEY, found, f"it where the source is {REDUCED}")
            defect.offset = offsets["reduced_from"]
            raise defect.inside(written["reduced_from"])
        for name in (*kinds.NEEDED[kind], *(("reduced_from",) * reduced)):
            if name not in written:
                found = f"a journal of the kind {kind} without {quoted(name)}"
                raise Defect(Kind.MISSING_KEY, found, TOP.or_else(name))

    def journal(
        self, kind: str, digest: str, steps: Sequence[Step], cases: Sequence[KeepimgCase], notes: Iterable[str]
    ) -> Journal:
        """The journal of a kind that has these steps or cases."""
        top = self.values
        memory = kind == MEMORY
        return Journal(
            file=self._scanner.file,
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
            steps=steps,
            cases=cases,
            notes=tuple(notes),
            signed=top.signed,
            redacted=top.redacted,
            unstable=top.unstable,
        )

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


def nothing(_: Tree) -> None:
    """What a scenario does not look at."""


def _block_id(seq: int, tree: Tree) -> str:
    block_id = shapes.text(tree)
    if block_id != f"r{seq}":
        raise Defect(Kind.BLOCK_ID, described(tree), f'"r{seq}", r and the seq')
    return block_id
