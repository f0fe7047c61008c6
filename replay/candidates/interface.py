"""Who is judged: a candidate opens a session for a journal, and the session answers its steps one by one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

NATIVE: Final = "native"
THROUGH_GO: Final = "go"


@dataclass(frozen=True, slots=True)
class Actual:
    """What a candidate answered: the fields it can show, which way the call went and why.

    ``system_error`` says that the result holds a text of the operating system (tolerance ``system-error-text``).
    """

    fields: Fields
    route: str = NATIVE
    reason: str = ""
    system_error: bool = False


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a candidate can do beside running a call; what it cannot do is not judged, and a receipt says so.

    ``reset``: begin a session on a given state, and be put on a recorded one; ``read_state``: show its files and
    trackers; ``set_clock``: take the time of a step for the present; ``side_by_side``: hold two sessions at once.
    """

    reset: bool = True
    read_state: bool = True
    set_clock: bool = True
    side_by_side: bool = True


EVERYTHING: Final = Capabilities()


@dataclass(frozen=True, slots=True)
class Identity:
    """Which candidate ran: its name, how it was reached, and the hashes of what it is made of (name to sha256).

    ``reads_seen`` says whether its reads of the archive can be watched; if not, they are not judged. ``can`` is known
    once the candidate was started. ``folder`` is where it keeps its memory on the judge's own disk, if it does.
    """

    name: str
    transport: str
    modules: Mapping[str, str] = field(default_factory=dict)
    reads_seen: bool = True
    can: Capabilities = EVERYTHING
    folder: Path | None = None

    def digest(self) -> str:
        """One sha256 over all modules: names and hashes, in name order."""
        lines = "".join(f"{name} {digest}\n" for name, digest in sorted(self.modules.items()))
        return hashlib.sha256(lines.encode()).hexdigest()


class CandidateCrashed(Exception):  # noqa: N818 - an outcome of the candidate, not an error of the harness
    """The candidate raised, died or answered nonsense: ``what`` in one line, ``where`` as ``file:line in function``."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where


class CandidateNotReadyError(Exception):
    """The candidate cannot be judged at all: it does not start, or does not say what it can; one sentence."""


class Session(Protocol):
    """One run through one journal. Every method may raise :class:`CandidateCrashed`."""

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Make the memory equal to a recorded state; None leaves that half as it is."""
        ...

    def call(self, step: Step) -> Actual:
        """Run one step on the state as it stands."""
        ...

    def begin(self, case: KeepimgCase) -> None:
        """Start a case of kept images."""
        ...

    def visible(self, after: Fields) -> None:
        """Give the case the visible state that was recorded after its last step."""
        ...

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of the case."""
        ...

    def close(self) -> None:
        """Give back what the session holds."""
        ...


class Candidate(Protocol):
    """A thing that can be judged."""

    @property
    def identity(self) -> Identity:
        """Which candidate this is."""
        ...

    def offers(self, kind: str) -> bool:
        """Whether it can be judged on journals of a kind."""
        ...

    def session(self, journal: Journal) -> Session:
        """Open a session on a fresh state: the journal's initial one."""
        ...

    def __enter__(self) -> Self:
        """Start what it needs."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, whatever happened."""
        ...
