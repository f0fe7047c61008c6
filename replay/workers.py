"""A journal shared out to several processes: what comes of it is what one process makes of it, in the same order.

The workers are copies of this process, made while no candidate runs in it; each starts a candidate of its own, takes
the next piece of work from a pipe, and leaves what came of it in files. This process joins the pieces in their order.
A worker that is told to end stops its candidate and ends; one whose parent is gone ends at once; and one whose call of
the port does not come back is ended by this process.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import select
import signal
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, TypeAlias, runtime_checkable

from replay.candidates.interface import CandidateNotReadyError
from replay.engine import doubted, replay
from replay.interrupts import HELD
from replay.journal import JournalError
from replay.lifeline import die_with
from replay.outcome import Match, Waived
from replay.whereabouts import HERE, SIZE, CallClock, Whereabouts
from replay.work import Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import FrameType

    from replay.candidates.interface import Candidate
    from replay.candidates.resting import Resting
    from replay.journal.model import Journal
    from replay.numbering import Numbering
    from replay.outcome import Outcome
    from replay.tally import Counted, Tally
    from replay.waivers.watch import Seen, Watch

WORTH_SHARING: Final = 2000
"""Fewer outcomes than this are there sooner than the workers are."""

_LEAST: Final = 500
_MOST: Final = 10_000
_MOST_PIECES: Final = 5_000
"""Of a mode: the numbers of all pieces must fit into a pipe at once."""

_PIECES_A_WORKER: Final = 8
_PATIENCE: Final = 5.0
"""Seconds that a worker has to stop its candidate."""

_POLLED: Final = 0.1
_TOKEN: Final = 4
_NO_FAULT: Final = "ended with status 0"
_NO_VERDICT: Final = 1
"""The status of a worker whose work is not done; nobody takes it for a verdict."""

_INTERRUPTS: Final = frozenset({signal.SIGINT, signal.SIGUSR1})
"""What a person sends, and what the process that watches over this one hands on."""


_TO_NO_END: Final = "the journal was not judged to its end"

CameOf: TypeAlias = "tuple[Counted, Seen]"
"""What came of a piece: what was counted, and which waivers were seen."""


class WorkerDiedError(Exception):
    """A worker ended before its work was done; one sentence."""


class UnusableJournalError(Exception):
    """A worker found that the journal cannot be used; one sentence."""


@runtime_checkable
class Reports(Protocol):
    """Somebody who can be told outcomes in another process."""

    def apart(self, file: Path) -> AbstractContextManager[Told]:
        """Somebody who is told outcomes in a worker, and leaves them in a file."""
        ...

    def joined(self, file: Path) -> None:
        """Be told what was left in a file."""
        ...


class Told(Protocol):
    """Who is told outcomes in a worker."""

    def outcome(self, outcome: Outcome) -> None:
        """One step was judged."""
        ...


class _Ended(BaseException):
    """The worker shall end."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What can be shared out: a journal, its pieces in the order of a report, and a tally for each mode."""

    journal: Journal
    file: Path
    """Where the journal is: a waiver names it."""
    numbering: Numbering
    work: Sequence[tuple[Tally, Piece]]
    candidate: Candidate
    waivers: Watch
    stop_at_first: bool

    def share_out(self, workers: int, candidate: Resting, reporters: Sequence[Reports]) -> bool:
        """Judge everything. Whether that was stopped at the first step that does not match.

        Raises CandidateNotReadyError or UnusableJournalError where a worker cannot judge, WorkerDiedError where one is
        gone.
        """
        candidate.rest()
        tasks = [(tally, piece) for tally, whole in self.work for piece in self._split(whole, workers)]
        with tempfile.TemporaryDirectory(prefix="loki-parity-") as folder, contextlib.ExitStack() as ends:
            HERE.makes(folder)
            crew = _Crew(self, candidate, reporters, tasks, Path(folder))
            ends.callback(crew.end)
            crew.start(min(workers, len(tasks)))
            for at, (tally, _) in enumerate(tasks):
                counted, seen = crew.came_of(at)
                with HELD:
                    tally.join(counted)
                    self.waivers.join(seen)
                    for number, reporter in enumerate(reporters):
                        reporter.joined(crew.file(at, str(number)))
                if self.stop_at_first and counted.unequal:
                    return True
        return False

    def _split(self, whole: Piece, workers: int) -> Iterator[Piece]:
        """A piece in smaller ones. A chained run of steps is one."""
        if not whole.divisible(self.journal):
            yield whole
            return
        steps = whole.steps(self.numbering)
        size = max(_LEAST, min(_MOST, len(steps) // (workers * _PIECES_A_WORKER)), len(steps) // _MOST_PIECES)
        first = whole.units.start
        while first < whole.units.stop:
            end = self.numbering.unit(self.numbering.start(first) + size)
            end = min(max(end, first + 1), whole.units.stop)
            yield Piece(whole.scope, range(first, end))
            first = end

    def do(self, tally: Tally, piece: Piece, told: Sequence[Told], goes_on: Callable[[], None]) -> CameOf:
        """Judge one piece, in a worker; ``goes_on`` is asked before anything is done with an outcome."""
        part, judging = piece.part(self.journal, self.numbering)
        mine = tally.apart(piece.steps(self.numbering))
        waivers = self.waivers.apart()
        for judged in doubted(replay(part, self.candidate, judging), part, self.candidate):
            goes_on()
            outcome = waivers.judged(self.file, judged)
            mine.add(outcome)
            for one in told:
                one.outcome(outcome)
            if self.stop_at_first and not isinstance(outcome, (Match, Waived)):
                break
        return mine.counted(), waivers.seen()


@dataclass(frozen=True, slots=True)
class _Worker:
    """A worker as its parent sees it: its number, the parent's end of its lifeline, and where it stands."""

    number: int
    alive: int
    where: Whereabouts
    clock: CallClock


class _Crew:
    """The workers, and what they have done."""

    def __init__(
        self,
        shared: Shared,
        candidate: Resting,
        reporters: Sequence[Reports],
        tasks: Sequence[tuple[Tally, Piece]],
        folder: Path,
    ) -> None:
        self._shared = shared
        self._candidate = candidate
        self._reporters = reporters
        self._parent = self._own = os.getpid()
        self._works = True
        self._tasks = tasks
        self._folder = folder
        self._running: list[_Worker] = []
        self._done: set[int] = set()
        self._said, self._says = os.pipe()
        self._order, ordered = os.pipe()
        longest_first = sorted(range(len(tasks)), key=lambda at: tasks[at][1].divisible(shared.journal))
        os.write(ordered, b"".join(at.to_bytes(_TOKEN, "big") for at in longest_first))
        os.close(ordered)

    def file(self, at: int, name: str) -> Path:
        """A file that belongs to a task."""
        return self._folder / f"{at}-{name}"

    def start(self, count: int) -> None:
        """Start the workers."""
        for _ in range(count):
            memory = mmap.mmap(-1, SIZE)
            where = Whereabouts()
            where.share(memory)
            lifeline, alive = os.pipe()
            signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)  # none may reach a worker that does not know its work
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # a progress bar's thread: no worker touches it
                number = os.fork() or self._work(memory, lifeline, alive)
            self._running.append(_Worker(number, alive, where, CallClock()))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
            os.close(lifeline)

    def _work(self, memory: mmap.mmap, lifeline: int, alive: int) -> NoReturn:
        """What a worker does; it ends here, whatever happens, and leaves what its parent holds alone."""
        status = _NO_VERDICT
        try:
            for one in (alive, *(other.alive for other in self._running)):
                os.close(one)
            die_with(self._parent, lifeline, _NO_VERDICT)
            HERE.share_apart(memory)
            self._own = os.getpid()
            signal.signal(signal.SIGTERM, self._ends)
            signal.signal(signal.SIGINT, _nothing)  # the parent is interrupted, and ends its workers
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTS)
            tempfile.tempdir = tempfile.mkdtemp(dir=self._folder)
            try:
                while token := os.read(self._order, _TOKEN):
                    self._do(int.from_bytes(token, "big"))
                    os.write(self._says, token)
            finally:
                self._candidate.rest()
            status = 0
            self._works = False
        except _Ended:
            pass
        finally:
            os._exit(status)

    def _ends(self, _number: int, _frame: FrameType | None) -> None:
        """End a worker, once: what it holds is given back. No exception may leave :meth:`_work`."""
        if not self._works:
            os._exit(1)
        self._works = False
        raise _Ended

    def _do(self, at: int) -> None:
        tally, piece = self._tasks[at]
        said: CameOf | Exception
        try:
            with contextlib.ExitStack() as files:
                told = [
                    files.enter_context(reporter.apart(self.file(at, str(number))))
                    for number, reporter in enumerate(self._reporters)
                ]
                said = self._shared.do(tally, piece, told, self._goes_on)
        except JournalError as error:
            said = UnusableJournalError(str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent must say it
            said = CandidateNotReadyError(str(error) or type(error).__name__)
        with self.file(at, "counted").open("wb") as file:
            pickle.dump(said, file)

    def _goes_on(self) -> None:
        """End a copy that the port made of a worker."""
        if os.getpid() != self._own:
            os._exit(_NO_VERDICT)

    def came_of(self, at: int) -> CameOf:
        """What a task came to, once it is done. Raises as :meth:`Shared.share_out` says."""
        while at not in self._done:
            nobody_is_left = not self._running
            ready, _, _ = select.select([self._said], [], [], _POLLED)
            tokens = os.read(self._said, _TOKEN * 1024) if ready else b""
            self._done.update(
                int.from_bytes(tokens[first : first + _TOKEN], "big") for first in range(0, len(tokens), _TOKEN)
            )
            if nobody_is_left and not tokens:  # a port may end its process with status 0, too
                raise _died(_NO_FAULT)
            self._look_after()
        with self.file(at, "counted").open("rb") as file:
            said: CameOf | Exception = pickle.load(file)  # noqa: S301 - our own copy wrote it, into a folder of our own
        if isinstance(said, Exception):
            raise said
        return said

    def _look_after(self) -> None:
        """Is everybody still there, and at work?"""
        for worker in list(self._running):
            status = self._gone(worker)
            if status:
                raise _died(f"was killed by signal {-status}" if status < 0 else f"ended with status {status}", worker)
            limit = worker.where.deadline
            if status is None and limit is not None and worker.clock.waited(worker.where.call) > limit:
                os.kill(worker.number, signal.SIGKILL)
                message = f"in {worker.where.place}: the port did not come back within {limit:g} s: {_TO_NO_END}"
                raise WorkerDiedError(message)

    def _gone(self, worker: _Worker) -> int | None:
        """How a worker ended, as ``subprocess`` says it; None: it has not."""
        number, status = os.waitpid(worker.number, os.WNOHANG)
        if not number:
            return None
        self._running.remove(worker)
        os.close(worker.alive)
        return os.waitstatus_to_exitcode(status)

    def end(self) -> None:
        """End every worker, whatever it does, and whoever interrupts that."""
        with HELD:
            self._end()

    def _end(self) -> None:
        """As :meth:`end`; a worker that has nothing left to do ends by itself."""
        if len(self._done) == len(self._tasks):
            self._wait(_PATIENCE)
        for number, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, None)):
            for worker in self._running:
                os.kill(worker.number, number)
            self._wait(patience)
        for descriptor in (self._said, self._says, self._order):
            os.close(descriptor)

    def _wait(self, patience: float | None) -> None:
        until = None if patience is None else time.monotonic() + patience
        while self._running:
            for worker in list(self._running):
                self._gone(worker)
            if not self._running or (until is not None and time.monotonic() > until):
                return
            time.sleep(0.01)


def _died(how: str, worker: _Worker | None = None) -> WorkerDiedError:
    where = f"in {worker.where.place}: " if worker is not None and worker.where.call is not None else ""
    return WorkerDiedError(f"{where}a worker process {how} before its work was done: {_TO_NO_END}")


def _nothing(*_: object) -> None:
    """What an interrupt does to a worker; not SIG_IGN, which programs that are started would inherit."""
