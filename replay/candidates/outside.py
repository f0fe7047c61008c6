"""A candidate outside this process, whatever carries the calls: what its sessions ask, in which order.

It is told the URL of a fake Go that serves the journal's blocks, so that its reads can be watched; what it said it can
do decides what it is asked beside the calls themselves.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from fake_go.server import FakeGoServer
from parity.stores.state import Settings
from replay import fields as named
from replay.candidates import answers
from replay.candidates.interface import NATIVE, THROUGH_GO, Actual, CandidateCrashed
from replay.candidates.written import files_written, head, trackers_written
from replay.journal.model import MEMORY, RECALL
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fake_go.app import FakeGo
    from parity.tools.interface import Tracker
    from replay.candidates.interface import Identity
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

KINDS: Final = frozenset({RECALL, MEMORY})
"""The kinds of journal whose steps are calls of a tool."""

DEADLINE: Final = 10.0
"""Seconds that an answer may take, unless another deadline is given."""

MOST_HANGS: Final = 3
"""A candidate that let so many deadlines pass is asked nothing more: the run must end."""

_EXEC: Final = "POST /internal/v1/tool/exec"


class Patience:
    """How long an answer may take, and how often it may fail to come."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        """``deadline`` in seconds."""
        self.deadline = deadline
        self._hangs = 0

    def hung(self) -> CandidateCrashed:
        """A deadline passed: the outcome of the step."""
        self._hangs += 1
        return CandidateCrashed(f"it hangs: no answer within {self.deadline:g} s")

    def check(self) -> None:
        """Raises CandidateCrashed when there is none left."""
        if self._hangs >= MOST_HANGS:
            message = f"not asked: it has let {MOST_HANGS} deadlines of {self.deadline:g} s pass"
            raise CandidateCrashed(message)


class Line(Protocol):
    """What carries the questions of one session. Every method may raise CandidateCrashed."""

    def begin(self) -> bool:
        """Make sure that somebody is there to answer; True if nobody was, so that what follows starts from nothing."""
        ...

    def tell(self, what: str, said: Mapping[str, object]) -> Mapping[str, object]:
        """A question beside the calls: reset, restore or state."""
        ...

    def call(self, tool: str, raw_args: bytes, now: str | None) -> Mapping[str, Value]:
        """Run a call with the arguments as they stand in the journal; ``now`` is told to who can set the clock."""
        ...

    def close(self) -> None:
        """The session is over."""
        ...


@contextmanager
def serving(fake: FakeGo, port: int | None) -> Iterator[str]:
    """Serve ``fake`` on loopback and give its URL. What a candidate asks beside the point is not our error.

    Raises OSError if the port is taken.
    """
    server = FakeGoServer(fake, port=port or 0)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


class OutsideSession:
    """One run through one journal."""

    def __init__(self, journal: Journal, line: Line, fake: FakeGo, identity: Identity, go: str) -> None:
        """``go`` is the URL of ``fake``, from now on with the journal's blocks. Nothing is asked yet."""
        self._journal = journal
        self._line = line
        self._fake = fake
        self._identity = identity
        self._go = go
        self._dek = (journal.settings or Settings()).dek
        self._began = False
        self._lost = False
        fake.load(journal.blocks, journal.target)

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Make the memory equal to a recorded state; a half that was not recorded stays as it is."""
        state: dict[str, object] = {}
        if files is not None:
            state[named.FILES] = files_written(files)
        if trackers is not None:
            state[named.TRACKERS] = trackers_written(trackers)
        if state:
            self._begin()
            self._line.tell("restore", state)
            self._lost = self._lost and len(state) == 1

    def call(self, step: Step) -> Actual:
        """Run one step on the state as it stands."""
        self._begin()
        if self._lost:
            message = "not asked: what it remembered went with the program that ended before"
            raise CandidateCrashed(message)
        self._fake.take_requests()
        fields = dict(self._line.call(step.tool, step.raw_args, self._now(step)))
        requests = self._fake.take_requests()
        if self._journal.kind == MEMORY and self._identity.can.read_state:
            fields |= self._state()
        if self._journal.kind == RECALL and self._identity.reads_seen:
            fields[named.REQUESTS] = tuple(requests)
        return Actual(fields, *_way(requests))

    def _begin(self) -> None:
        if self._line.begin():
            if self._identity.can.reset:
                self._line.tell("reset", self._head())
            self._lost = self._began and self._journal.kind == MEMORY
            self._began = True

    def _head(self) -> dict[str, object]:
        """How a session starts: blocks are handed over only to who does not read them from the fake Go."""
        start = {"kind": self._journal.kind, "go": self._go, "target": self._journal.target.version}
        if self._journal.kind == RECALL and self._identity.reads_seen:
            return dict(start)
        return start | head(self._journal)

    def _now(self, step: Step) -> str | None:
        if self._journal.kind == RECALL or step.now_ns is None or not self._identity.can.set_clock:
            return None
        return wire.moment(step.now_ns)

    def _state(self) -> Fields:
        said = self._line.tell("state", {})
        try:
            return answers.state(said, self._dek)
        except answers.NonsenseError as nonsense:
            raise CandidateCrashed(str(nonsense)) from None

    def begin(self, case: KeepimgCase) -> None:
        """Never asked: no kind of journal that is offered has cases."""
        raise CandidateCrashed(case.name)

    def visible(self, after: Fields) -> None:
        """As :meth:`begin`."""
        raise CandidateCrashed(repr(after))

    def operate(self, step: KeepimgStep) -> Actual:
        """As :meth:`begin`."""
        raise CandidateCrashed(step.op)

    def close(self) -> None:
        """The session is over."""
        self._line.close()


def _way(requests: Sequence[str]) -> tuple[str, str]:
    """Which way a call went, and why."""
    return (THROUGH_GO, "it passed the call on to Go's tool/exec") if _EXEC in requests else (NATIVE, "")
