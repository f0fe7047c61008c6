"""A journal as frozen values: what Go recorded, nothing decided yet (contract: journal.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.journal.drawing import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parity.gostd.target import GoTarget
    from parity.stores.state import Settings, State
    from parity.tools.interface import Block, DiffLine, Tracker

RECALL: Final = "recall"
MEMORY: Final = "memory"
KEEPIMG: Final = "keepimg"

RECORDED: Final = "recorded"
NEW_ID: Final = "new-id"
CARRIED: Final = "carried"

REDUCED: Final = "reduced"
"""The source of a journal that was made smaller: no recording, whatever its record was taken from."""

Json: TypeAlias = "bool | int | float | str | tuple[Json, ...] | Mapping[str, Json] | None"
"""A frozen JSON tree; integers stay exact."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the file as the person named it, the path inside it, the line (from 1).

    ``line`` is 0 where no line is meant: a file that cannot be read. ``column`` counts characters from 1; 0: not known.
    """

    file: str
    path: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        """The place on one line, such as ``logs/a.json:12:5 at steps[3].note``; nothing in it obeyed by a terminal."""
        numbers = "".join(f":{number}" for number in (self.line, self.column) if number)
        where = f" at {self.path}" if self.path else ""
        return f"{visible(self.file)}{numbers}{where}"


@dataclass(frozen=True, slots=True)
class Expected:
    """What the journal recorded of one step. None: the journal does not say, so it is not compared."""

    result: str | None = None
    panic: str | None = None
    label: str | None = None
    diff: tuple[DiffLine, ...] | None = None
    files: Mapping[str, bytes] | None = None
    trackers: Mapping[str, Tracker] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One call. ``index`` counts from 1; ``raw_args`` is the JSON as written, ``{}`` where there is none.

    ``now_ns`` is the clock in nanoseconds since 1970, never None as the loader gives it; ``clock_from`` says whence it
    is (journal.md, What is nondeterministic is an input): ``recorded``, the id of a ``new-id``, or ``carried`` over
    from the step before (0 at the start).
    """

    index: int
    tool: str
    note: str
    raw_args: bytes
    now_ns: int | None
    expected: Expected
    at: Place
    clock_from: str = RECORDED


@dataclass(frozen=True, slots=True)
class KeepimgStep:
    """One operation on a turn's kept images and what stands after it (keepimg.md), both as recorded."""

    index: int
    op: str
    step: Mapping[str, Json]
    after: Mapping[str, Json]
    at: Place


@dataclass(frozen=True, slots=True)
class KeepimgCase:
    """One turn, from its start. ``index`` counts from 1."""

    index: int
    name: str
    ctx_window: int
    keep_turn_images: str
    thread: str
    conversation: str
    vision: bool
    messages: tuple[Json, ...]
    steps: tuple[KeepimgStep, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Signature:
    """What a recorder wrote of its own recording: the Go it asked, and the hash chain (:mod:`.signing`).

    ``head`` and ``steps`` are hashes in hex; ``count`` is how many steps there were.
    """

    go_version: str
    go_commit: str
    recorder: str
    count: int
    head: str = ""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LooseField:
    """A field of a step that is not compared whole: a rule left text out of it, or Go itself does not repeat it.

    ``field`` is such as ``result`` or ``files['a.md']``. ``rule``, ``times`` and ``characters`` say what was left out.
    """

    step: int
    field: str
    rule: str = ""
    times: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class ReducedFrom:
    """What a reduced journal was made from: the file's name, the hex digest of its bytes, the step that diverged."""

    journal: str
    sha256: str
    step: str


@dataclass(frozen=True, slots=True)
class Journal:
    """A whole journal. ``file`` is the path as the person named it, ``sha256`` the hex digest of its bytes.

    ``steps`` and ``cases`` may be read from the file each time one is asked for: whoever needs one again keeps it.
    ``source`` is ``recorded`` (Loki's Go), ``model`` (our own Go program, as fuzzing writes) or ``reduced`` (made
    smaller from another journal, which ``reduced_from`` names; its steps may hold no record: they only run). ``notes``
    are what the loader had to infer, a clause each: a kind that no header names, keys read under other names.
    """

    file: str
    sha256: str
    kind: str
    about: str
    target: GoTarget
    source: str = "recorded"
    blocks: tuple[Block, ...] = ()
    settings: Settings | None = None
    zone: str = "UTC"
    initial: State | None = None
    steps: Sequence[Step] = ()
    cases: Sequence[KeepimgCase] = ()
    notes: tuple[str, ...] = field(default=())
    signed: Signature | None = None
    redacted: tuple[LooseField, ...] = ()
    unstable: tuple[LooseField, ...] = ()
    reduced_from: ReducedFrom | None = None
