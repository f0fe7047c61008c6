"""What a tool is given and what it gives back.

A tool is a function ``(args, env) -> ToolAnswer``. It touches no file, socket, clock or random source: all of these
reach it through :class:`Env`. Text is ``str``: argument text has been cleaned by Go's JSON decoder and holds no lone
surrogate. Page contents are ``bytes``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from parity.gostd.target import GoTarget
    from parity.gostd.time import Zone

Args: TypeAlias = "Mapping[str, object]"
"""Decoded arguments: None, bool, float, str, list and dict, as Go's ``map[string]any`` holds them."""


class GoPanic(Exception):  # noqa: N818 - it is Go's word for an outcome, not an error of ours
    """Go would crash here, with this text (without ``panic: `` before it)."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class GoUnavailable(Exception):  # noqa: N818 - an outcome that the host acts upon, not an error of ours
    """Go did not answer a read: the whole call must go through Go instead. ``reason`` is one clear clause."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class WriteRefused(Exception):  # noqa: N818 - the contract's word
    """A page or a tracker could not be written; ``text`` is what the tool prints after ``[erreur] ``.

    ``system`` tells a text of the operating system (tolerance ``system-error-text``) from one of the contract.
    """

    def __init__(self, text: str, *, system: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.system = system


class PageUnreadable(Exception):  # noqa: N818 - an answer of the store, not an error of ours
    """A page is absent, damaged, refused by the system, or its name leaves the folder."""


class PageLocked(PageUnreadable):
    """A page is sealed and there is no key."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff (memory.md, Diff): ``op`` is ``" "``, ``"-"`` or ``"+"``."""

    op: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gives back: the text the model reads, the diff shown to the person, the label the turn announces.

    ``result`` is as JSON carries it: U+FFFD stands for each byte that was not UTF-8. ``system_error`` says that it
    holds a text of the operating system, which is the port's own (tolerance ``system-error-text``).
    """

    result: str
    label: str = ""
    diff: tuple[DiffLine, ...] = ()
    system_error: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """An archived block (recall.md). ``seq`` is an unsigned 64-bit integer, ``created`` in seconds since 1970."""

    id: str
    seq: int
    label: str
    role: str
    content: str
    created: int


class Blocks(Protocol):
    """Every readable block of the archive, ascending ``seq``; what was worked out for one answer's bytes is kept."""

    @property
    def items(self) -> Sequence[Block]:
        """The blocks themselves."""
        ...

    @property
    def memo(self) -> dict[object, object]:
        """Where a tool keeps what it worked out from these very blocks (an index); it dies with them."""
        ...


class Archive(Protocol):
    """The archive's two reads (facade.md). Both raise :class:`GoUnavailable` when Go does not answer."""

    def block(self, seq: int) -> Block | None:
        """The block ``seq``, or None if it is absent (or sealed under a locked memory)."""
        ...

    def blocks(self) -> Blocks:
        """Every readable block."""
        ...


@dataclass(frozen=True, slots=True)
class TrackerEvent:
    """One point (tracker.md): ``ts`` in milliseconds since 1970."""

    id: str
    ts: int
    text: str
    date_only: bool = False


@dataclass(frozen=True, slots=True)
class Tracker:
    """A tracker (tracker.md); events stand in the order they were stored in."""

    name: str
    events: tuple[TrackerEvent, ...] = ()


class PageStore(Protocol):
    """The folder of one project's pages. Names are text; a byte of a name that is not UTF-8 is a lone surrogate."""

    def names(self) -> Sequence[str]:
        """Every entry that is not a folder, sorted by bytes. No folder: none."""
        ...

    def exists(self, name: str) -> bool:
        """Whether a file of that name is there, readable or not."""
        ...

    def read(self, name: str) -> bytes:
        """The page, opened if it is sealed. Raises :class:`PageLocked` or :class:`PageUnreadable`."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Write as memory.md, Writing a page, says. Raises :class:`WriteRefused`."""
        ...


class TrackerStore(Protocol):
    """The trackers of one project, by slug."""

    def all(self) -> Mapping[str, Tracker]:
        """Every readable tracker of the project, in slug order."""
        ...

    def get(self, slug: str) -> Tracker | None:
        """One tracker, or None if absent, damaged, or sealed under a locked memory."""
        ...

    def put(self, slug: str, tracker: Tracker) -> None:
        """Store it as given. Raises :class:`WriteRefused`."""
        ...


class Memory(Protocol):
    """A project's memory: what the tools and the façade's own routes share."""

    @property
    def project_name(self) -> str:
        """The project's name as a person reads it, such as ``Générale``."""
        ...

    @property
    def pages(self) -> PageStore:
        """The pages."""
        ...

    @property
    def trackers(self) -> TrackerStore:
        """The trackers."""
        ...

    @property
    def memo(self) -> dict[object, object]:
        """Where a tool keeps what it worked out, keyed by content (never by date); it lives as long as the memory."""
        ...

    def exclusive(self) -> AbstractContextManager[None]:
        """While held, no other thread or process changes this memory: it spans a read and the write drawn from it.

        The same thread may take it again. Raises :class:`WriteRefused` when another one does not let go in time.
        """
        ...


@dataclass(frozen=True, slots=True)
class Env:
    """All that a tool may know besides its arguments. ``now_ns`` is nanoseconds since 1970, UTC."""

    target: GoTarget
    now_ns: int = 0
    zone: Zone | None = None
    archive: Archive | None = None
    memory: Memory | None = None

    def need_archive(self) -> Archive:
        """The archive. Raises LookupError, a fault of the caller, when the environment was built without one."""
        if self.archive is None:
            message = "this tool reads the archive, and its environment holds none"
            raise LookupError(message)
        return self.archive

    def need_memory(self) -> Memory:
        """The memory. Raises LookupError, a fault of the caller, when the environment was built without one."""
        if self.memory is None:
            message = "this tool works on a memory, and its environment holds none"
            raise LookupError(message)
        return self.memory


Tool: TypeAlias = "Callable[[Args, Env], ToolAnswer]"
