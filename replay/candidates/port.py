"""The Python port as a candidate: its tools, run against a fake Go that serves the journal's own blocks."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import tempfile
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, cast

import parity
from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity import zones
from parity.facade.go_client import GoClient
from parity.facade.transport import HttpTransport, MemoryTransport
from parity.gostd import json
from parity.images import files
from parity.stores.disk import DiskMemory
from parity.stores.seal import NONCE_SIZE
from parity.stores.state import Settings, State
from parity.tools import registry
from parity.tools.interface import Env, GoPanic, GoUnavailable, WriteRefused
from parity.tools.labels import label
from replay import fields as named
from replay.candidates.exact import exact_fields, exact_mapping, exact_text
from replay.candidates.interface import THROUGH_GO, Actual, CandidateCrashed, CandidateNotReadyError, Identity
from replay.candidates.kept_images import KeptImagesCase
from replay.journal.drawing import visible
from replay.journal.model import KEEPIMG, MEMORY, RECALL
from replay.surroundings import spare
from replay.whereabouts import DEADLINE, HERE, At

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from parity.facade.transport import Transport
    from parity.images.store import ImageStore
    from parity.stores.memory import StoredMemory
    from parity.tools.interface import Tracker
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

HTTP: Final = "http"
IN_MEMORY: Final = "memory"

KINDS: Final = frozenset({RECALL, MEMORY, KEEPIMG})
"""The kinds of journal whose tools are ported."""

_CONNECT: Final = 2.0
_READ: Final = 5.0
_TOTAL: Final = 20.0
"""Seconds that a read of the fake Go may take; it is in this process, so only a fault comes near them."""


def module_hashes() -> dict[str, str]:
    """The sha256 of every module of the port, by dotted name: what a receipt means by 'this candidate'."""
    root = Path(parity.__path__[0])
    found = {}
    for file in sorted(root.rglob("*.py")):
        dotted = ".".join(("parity", *file.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        found[dotted] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


class PortCandidate:
    """The port, over real HTTP or, quicker and proving less, by direct calls."""

    def __init__(self, transport: str = HTTP, *, deadline: float = DEADLINE) -> None:
        """``transport`` is ``http`` or ``memory``; ``deadline`` in seconds, for whoever watches over this process."""
        self.identity = Identity("port", transport, module_hashes())
        self._deadline = deadline
        self.fake = FakeGo()
        self._resources = contextlib.ExitStack()
        self._transport: Transport | None = None
        self._folders = itertools.count(1)
        self._root = Path()

    def __enter__(self) -> Self:
        """Start the fake Go and make a folder for memories; both go with :meth:`__exit__`.

        Raises CandidateNotReadyError when the system refuses one of them.
        """
        with starting(self._deadline), contextlib.ExitStack() as resources:
            self._root = resources.enter_context(folder_for_memories())
            self.identity = replace(self.identity, folder=self._root)
            if self.identity.transport == HTTP:
                server = resources.enter_context(FakeGoServer(self.fake))
                self._transport = resources.enter_context(
                    HttpTransport(server.url, connect=_CONNECT, read=_READ, total=_TOTAL)
                )
            else:
                self._transport = MemoryTransport(self.fake)
            self._resources = resources.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop and remove."""
        with around("the port's end"):
            self._resources.close()

    def offers(self, kind: str) -> bool:
        """Whether the tools of a kind of journal are ported."""
        return kind in KINDS

    def session(self, journal: Journal) -> PortSession:
        """A fresh session on the journal's initial state.

        Raises CandidateNotReadyError when the system refuses it, when the port lacks a tool, or when it cannot begin.
        """
        if self._transport is None:
            message = "the candidate was not started"
            raise LookupError(message)
        unported = sorted({step.tool for step in journal.steps} - registry.TOOLS.keys())
        if unported:
            message = f"not ported yet, so the journal was not judged: {', '.join(unported)}"
            raise CandidateNotReadyError(message)
        with beginning(journal):
            return PortSession(journal, self.fake, self._transport, self._root / str(next(self._folders)))


class PortSession:
    """One run of the port through one journal. Sessions share the server: a new one loads its journal's blocks."""

    def __init__(self, journal: Journal, fake: FakeGo, transport: Transport, root: Path) -> None:
        """Open the memory, if the journal has one, below ``root``."""
        self.journal = journal
        self.fake = fake
        self.root = root
        self.name = visible(journal.file)
        self.case: KeptImagesCase | None = None
        self.number = 0
        self.dek = None if journal.settings is None else journal.settings.dek
        self.memory: StoredMemory | None = None
        if journal.kind == MEMORY:
            nonces = itertools.count(1)
            settings = journal.settings or Settings()
            # Not synced: the folder goes when the run ends, and a busy disk would make the gate wait hundreds of times.
            self.memory = DiskMemory(
                root, settings, nonces=lambda: next(nonces).to_bytes(NONCE_SIZE, "big"), durable=False
            )
            self.memory.restore(journal.initial or State())
        self.env = Env(
            target=journal.target,
            zone=zones.zone(journal.zone),
            archive=GoClient(transport),
            memory=self.memory,
        )
        fake.load(journal.blocks, journal.target)

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Make the memory equal to a recorded state; a half that was not recorded stays as it is.

        Raises CandidateNotReadyError when the system refuses it.
        """
        if self.memory is None or (files is None and trackers is None):
            return
        with PortCall(f"{self.name}, before a step"), _refusals(_NO_MEMORY):
            if files is None or trackers is None:
                own = self.memory.snapshot()
                files = own.files if files is None else files
                trackers = own.trackers if trackers is None else trackers
            self.memory.restore(State(files, trackers))

    def call(self, step: Step) -> Actual:
        """Run one step on the state as it stands. Raises CandidateCrashed when the port raises."""
        HERE.enters(f"{self.name}, step {step.index} {step.tool}")  # what PortCall does, in half of its time
        try:
            return self._called(step)
        except BaseException as error:
            self.fake.take_requests()  # they are not the next step's
            if isinstance(error, _NOT_THE_PORT):
                raise
            raise crash(error) from error
        finally:
            HERE.leaves()

    def _called(self, step: Step) -> Actual:
        env = self.env if step.now_ns is None else self._at(step.now_ns)
        args = json.unmarshal_args(step.raw_args, env.target)
        try:
            answer = registry.TOOLS[step.tool](args, env)
        except GoPanic as panic:
            announced = label(step.tool, args, env.target)
            return Actual(self._shown({named.PANIC: panic.text, named.LABEL: announced, named.DIFF: ()}))
        except GoUnavailable as unavailable:
            return Actual(self._shown({}), route=THROUGH_GO, reason=exact_text("reason", unavailable.reason))
        fields: dict[str, object] = {
            named.RESULT: answer.result,
            named.LABEL: answer.label,
            named.DIFF: named.diff_value(answer.diff),
        }
        return Actual(self._shown(fields), system_error=answer.system_error is True)

    def _at(self, now_ns: int) -> Env:
        env = self.env
        return Env(env.target, now_ns, env.zone, env.archive, env.memory)

    def _shown(self, answered: dict[str, object]) -> Fields:
        """The answer's fields, the requests that it took, and the memory as it really lies on disk."""
        fields = exact_fields(answered)
        if self.memory is None:
            fields[named.REQUESTS] = tuple(self.fake.take_requests())
        else:
            with _refusals(_NO_MEMORY):
                state = self.memory.snapshot()
            files = cast("Mapping[str, bytes]", exact_mapping(named.FILES, state.files))
            fields[named.FILES] = named.files_value(files, self.dek)
            fields[named.TRACKERS] = exact_mapping(named.TRACKERS, named.trackers_value(state.trackers))
        return fields

    def begin(self, case: KeepimgCase) -> None:
        """Start a case of kept images with a store of its own. Raises CandidateCrashed when the port raises."""
        nonces = itertools.count(1)
        root = self.root / f"case-{case.index}"
        with PortCall(f"{self.name}, the start of case {case.index}"):
            store = files.on_disk(
                root, Settings(), nonces=lambda: next(nonces).to_bytes(NONCE_SIZE, "big"), durable=False
            )
            self.case = self._started(case, store)
            self.number = case.index

    def _started(self, case: KeepimgCase, store: ImageStore) -> KeptImagesCase:
        """A case at its start, its images in ``store``."""
        return KeptImagesCase(case, store)

    def visible(self, after: Fields) -> None:
        """Give the case the visible state of a record. Raises CandidateCrashed when the port raises."""
        with PortCall(f"{self.name}, before a step of case {self.number}"):
            self._begun().restore_visible(after)

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of the case. Raises CandidateCrashed when the port raises."""
        with PortCall(f"{self.name}, step {self.number}.{step.index} {step.op}"):
            return Actual(exact_mapping(step.op, self._begun().operate(step.step)))

    def _begun(self) -> KeptImagesCase:
        if self.case is None:
            message = "no case of kept images was begun"
            raise LookupError(message)
        return self.case

    def close(self) -> None:
        """Nothing to give back: the candidate owns the server and the folders."""


_NO_MEMORY: Final = "the port's memory cannot be kept"


@contextlib.contextmanager
def _refusals(what: str) -> Iterator[None]:
    """What the system refuses (a full disk, say) is no answer of the port's: it cannot be judged here."""
    try:
        yield
    except (OSError, WriteRefused) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        message = f"{what}: {reason or error}"
        raise CandidateNotReadyError(message) from error


class PortCall(At):
    """A call of the port: whatever is raised inside is the port's outcome.

    Raises CandidateCrashed. An interrupt is none of the port's, and what the system refuses is not either.
    """

    __slots__ = ()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """An exit is a crash like any other: it would end the judge, and its 0 would be a green."""
        HERE.leaves()
        if error is not None and not isinstance(error, _NOT_THE_PORT):
            raise crash(error) from error


_NOT_THE_PORT: Final = (KeyboardInterrupt, CandidateCrashed, CandidateNotReadyError)


@contextlib.contextmanager
def beginning(journal: Journal) -> Iterator[None]:
    """The start of a session. Raises CandidateNotReadyError whatever happens."""
    try:
        with PortCall(f"{visible(journal.file)}, its start"), _refusals(_NO_MEMORY):
            yield
    except CandidateCrashed as crashed:
        message = f"the port cannot begin: {crashed.what} ({crashed.where})"
        raise CandidateNotReadyError(message) from crashed


_FILES: Final = 32
"""So many files more can be open at once, at least, or a server would run out of them in the middle of an answer."""


@contextlib.contextmanager
def starting(deadline: float) -> Iterator[None]:
    """The start of a port. Raises CandidateNotReadyError when the system refuses it."""
    with around("the port's start"), _refusals("the port cannot be started"):
        spare(_FILES)
        yield
    HERE.set_deadline(deadline)


@contextlib.contextmanager
def around(place: str) -> Iterator[None]:
    """What is no answer, such as the start of a server, has a deadline that no answer shortens."""
    HERE.set_deadline(DEADLINE)
    with At(place):
        yield


@contextlib.contextmanager
def folder_for_memories() -> Iterator[Path]:
    """A folder that is removed in the end: by whoever watches over this process, if it comes to nothing."""
    with tempfile.TemporaryDirectory(prefix="loki-parity-", ignore_cleanup_errors=True) as folder:
        HERE.makes(folder)
        yield Path(folder)


def crash(error: BaseException) -> CandidateCrashed:
    """What the port raised, in one line, and where: the innermost of its own frames."""
    frames = traceback.extract_tb(error.__traceback__)
    root = str(Path(parity.__path__[0]).parent)
    own = [frame for frame in frames if frame.filename.startswith(root)]
    last = (own or list(frames))[-1]
    where = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
    if own:
        where = f"{Path(last.filename).relative_to(root).as_posix()}:{last.lineno} in {last.name}"
    try:
        what = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - its words are the port's too
        what = f"{type(error).__name__}, which does not say more"
    return CandidateCrashed(what, where)
