"""The Python port as a candidate: its tools, run against a fake Go that serves the journal's own blocks."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

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
from replay.candidates.interface import THROUGH_GO, Actual, CandidateCrashed, CandidateNotReadyError, Identity
from replay.candidates.kept_images import KeptImagesCase
from replay.journal.model import KEEPIMG, MEMORY, RECALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from parity.facade.transport import Transport
    from parity.images.store import ImageStore
    from parity.stores.memory import StoredMemory
    from parity.tools.interface import Tracker
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

HTTP: Final = "http"
IN_MEMORY: Final = "memory"

KINDS: Final = frozenset({RECALL, MEMORY, KEEPIMG})
"""The kinds of journal whose tools are ported."""

FAULTS: Final = (Exception, SystemExit, GeneratorExit)
"""What a port may raise that is its own fault. An exit is one: it would end the judge, and its 0 would be a green."""

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

    def __init__(self, transport: str = HTTP) -> None:
        """``transport`` is ``http`` or ``memory``."""
        self.identity = Identity("port", transport, module_hashes())
        self.fake = FakeGo()
        self._resources = contextlib.ExitStack()
        self._transport: Transport | None = None
        self._folders = itertools.count(1)
        self._root = Path()

    def __enter__(self) -> Self:
        """Start the fake Go and make a folder for memories; both go with :meth:`__exit__`.

        Raises CandidateNotReadyError when the system refuses one of them.
        """
        with _refusals("the port cannot be started"), contextlib.ExitStack() as resources:
            self._root = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="loki-parity-")))
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
        self._resources.close()

    def offers(self, kind: str) -> bool:
        """Whether the tools of a kind of journal are ported."""
        return kind in KINDS

    def session(self, journal: Journal) -> PortSession:
        """A fresh session on the journal's initial state. Raises CandidateNotReadyError when the system refuses it."""
        if self._transport is None:
            message = "the candidate was not started"
            raise LookupError(message)
        with _refusals(_NO_MEMORY):
            return PortSession(journal, self.fake, self._transport, self._root / str(next(self._folders)))


class PortSession:
    """One run of the port through one journal. Sessions share the server: a new one loads its journal's blocks."""

    def __init__(self, journal: Journal, fake: FakeGo, transport: Transport, root: Path) -> None:
        """Open the memory, if the journal has one, below ``root``."""
        self.journal = journal
        self.fake = fake
        self.root = root
        self.case: KeptImagesCase | None = None
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
        with _refusals(_NO_MEMORY):
            if files is None or trackers is None:
                own = self.memory.snapshot()
                files = own.files if files is None else files
                trackers = own.trackers if trackers is None else trackers
            self.memory.restore(State(files, trackers))

    def call(self, step: Step) -> Actual:
        """Run one step on the state as it stands. Raises CandidateCrashed when the port raises."""
        env = self.env if step.now_ns is None else self._at(step.now_ns)
        try:
            args = json.unmarshal_args(step.raw_args, env.target)
            answer = registry.TOOLS[step.tool](args, env)
            fields: dict[str, Value] = {
                named.RESULT: answer.result,
                named.LABEL: answer.label,
                named.DIFF: named.diff_value(answer.diff),
            }
            system_error = answer.system_error
        except GoPanic as panic:
            announced = label(step.tool, args, env.target)
            return Actual(self._shown({named.PANIC: panic.text, named.LABEL: announced, named.DIFF: ()}))
        except GoUnavailable as unavailable:
            return Actual(self._shown({}), route=THROUGH_GO, reason=unavailable.reason)
        except FAULTS as error:
            self.fake.take_requests()  # they are not the next step's
            raise crash(error) from error
        return Actual(self._shown(fields), system_error=system_error)

    def _at(self, now_ns: int) -> Env:
        env = self.env
        return Env(env.target, now_ns, env.zone, env.archive, env.memory)

    def _shown(self, fields: dict[str, Value]) -> Fields:
        """The answer's fields, the requests that it took, and the memory as it really lies on disk."""
        if self.memory is None:
            fields[named.REQUESTS] = tuple(self.fake.take_requests())
        else:
            with _refusals(_NO_MEMORY):
                state = self.memory.snapshot()
            fields[named.FILES] = named.files_value(state.files, self.dek)
            fields[named.TRACKERS] = named.trackers_value(state.trackers)
        return fields

    def begin(self, case: KeepimgCase) -> None:
        """Start a case of kept images with a store of its own. Raises CandidateCrashed when the port raises."""
        nonces = itertools.count(1)
        root = self.root / f"case-{case.index}"
        with _crashes():
            store = files.on_disk(
                root, Settings(), nonces=lambda: next(nonces).to_bytes(NONCE_SIZE, "big"), durable=False
            )
            self.case = self._started(case, store)

    def _started(self, case: KeepimgCase, store: ImageStore) -> KeptImagesCase:
        """A case at its start, its images in ``store``."""
        return KeptImagesCase(case, store)

    def visible(self, after: Fields) -> None:
        """Give the case the visible state of a record. Raises CandidateCrashed when the port raises."""
        with _crashes():
            self._begun().restore_visible(after)

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of the case. Raises CandidateCrashed when the port raises."""
        with _crashes():
            return Actual(self._begun().operate(step.step))

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


@contextlib.contextmanager
def _crashes() -> Iterator[None]:
    """Turn whatever the port raises inside into its outcome."""
    try:
        yield
    except CandidateCrashed:
        raise
    except FAULTS as error:
        raise crash(error) from error


def crash(error: BaseException) -> CandidateCrashed:
    """What the port raised, in one line, and where: the innermost of its own frames."""
    frames = traceback.extract_tb(error.__traceback__)
    root = str(Path(parity.__path__[0]).parent)
    own = [frame for frame in frames if frame.filename.startswith(root)]
    last = (own or list(frames))[-1]
    where = f"{Path(last.filename).name}:{last.lineno} in {last.name}"
    if own:
        where = f"{Path(last.filename).relative_to(root).as_posix()}:{last.lineno} in {last.name}"
    return CandidateCrashed(f"{type(error).__name__}: {error}", where)
