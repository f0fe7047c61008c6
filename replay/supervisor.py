"""A verdict comes from a run that came to its end: another process watches over the one that calls the port.

The port runs in the judge's own process, and can end it, hang it or write where it likes. So the command forks before
anything of the port is loaded: the child judges; the parent waits, and takes the child's exit status for a verdict only
if the child has told it the same over a pipe when all was done. A call of the port that does not end is ended, with the
child; and what the child could not remove, the parent does.

The parent loads nothing of the port. Where there is no fork, nobody watches over the run.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import select
import signal
import sys
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TextIO

from replay.interrupts import HELD
from replay.lifeline import die_with
from replay.whereabouts import DEADLINE, END, HERE, LOADING, SIZE, TEMPORARY, VERDICT, At, CallClock, Whereabouts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

VERBS: Final = ("run", "rules", "reduce")
"""The verbs whose exit status says something of the port."""

NO_VERDICT: Final = 3
INTERRUPTED: Final = 130

GRACE: Final = 10.0
"""Seconds that a call of the port has after an interrupt."""

_DUMB: Final = 1.0
"""Seconds that the child has after its end of the pipe was closed: it may be ending, and can tell no verdict."""

_PIPE_CLOSED: Final = -1
_POLL: Final = 0.2
_TO_HAND_ON: Final = ("SIGINT", "SIGTERM", "SIGHUP")
"""What ends a run early. It may come to both processes, from a terminal say: only what the parent hands on counts."""

_INTERRUPT: Final = "SIGUSR1"
"""How an interrupt is handed on to the child."""


def command() -> int:
    """The command ``loki-parity``; its exit status."""
    if sys.argv[1:2] and sys.argv[1] in VERBS and hasattr(os, "fork"):
        return _watched_over()
    from replay.cli import main  # noqa: PLC0415 - it loads part of the port

    return main()


def _watched_over() -> int:
    _occupy_standard_streams()
    signals = [getattr(signal, name) for name in (*_TO_HAND_ON, _INTERRUPT)]
    between = _Between(*os.pipe(), *os.pipe(), mmap.mmap(-1, SIZE))
    parent = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    child = os.fork() or _child(parent, between, before)
    os.close(between.telling)
    os.close(between.lifeline)
    where = Whereabouts()
    where.share(between.memory)
    with _signals_seen() as seen:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return Watch(child, between.told, where, seen).to_the_end()


class _Between(NamedTuple):
    """What parent and child share: two pipes, the reading end first, and the memory."""

    told: int
    telling: int
    lifeline: int
    alive: int
    memory: mmap.mmap


def _occupy_standard_streams() -> None:
    """Where a standard stream is closed, nothing else may get its number: the port would write into it."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)  # noqa: FBT003 - as a standard stream is
    os.close(number)


# The child.


def _child(parent: int, between: _Between, before: Iterable[int]) -> NoReturn:
    os.close(between.told)
    os.close(between.alive)
    _take_interrupts_from_the_parent()
    die_with(parent, between.lifeline, NO_VERDICT)
    HERE.share(between.memory, between.telling)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _judge()


def _take_interrupts_from_the_parent() -> None:
    for name in _TO_HAND_ON:
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _nothing)  # not SIG_IGN, which programs that are started would inherit
    signal.signal(getattr(signal, _INTERRUPT), HELD.interrupted)


def _nothing(*_: object) -> None:
    pass


def _judge() -> NoReturn:
    """Run the command, tell the verdict, end. Nothing that the port left behind (a thread, say) runs after that."""
    status = NO_VERDICT
    try:
        own = os.getpid()
        status = _status()
        _conclude(own, status)
    except OSError as error:  # the port has closed the pipe
        _complain(f"the verdict cannot be told: {error.strerror}")
        status = NO_VERDICT
    except BaseException:  # noqa: BLE001 - whatever it is, it is no verdict, and the parent says so
        with contextlib.suppress(BaseException):
            import traceback  # noqa: PLC0415 - nearly never

            traceback.print_exc()
    finally:
        os._exit(status)


def _conclude(own: int, status: int) -> None:
    if os.getpid() == own:  # and no fork of the port's
        HERE.concludes(status)


def _status() -> int:
    try:
        out = _for_the_report_alone()
        HERE.set_deadline(DEADLINE)
        try:
            with At(LOADING):
                from replay.cli import main  # noqa: PLC0415 - it loads a part of the port, which must find all this done
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module of the port's raises
            _complain(f"the port cannot be loaded: {type(error).__name__}: {error}")
            return NO_VERDICT
        status = _returned(lambda: main(stream=out))
        signal.signal(getattr(signal, _INTERRUPT), signal.SIG_IGN)
    except KeyboardInterrupt:  # main gives a status for those that come to it
        _complain("interrupted")
        return INTERRUPTED
    return status


def _returned(main: Callable[[], int]) -> int:
    try:
        return main()
    except SystemExit as end:  # help, or a word on the arguments
        return end.code if isinstance(end.code, int) else 0


def _for_the_report_alone() -> TextIO | None:
    """Standard output, under another number; what is written to number 1 from now on goes to standard error."""
    former = sys.stdout
    if not isinstance(former, io.TextIOWrapper):
        return former
    raw = io.FileIO(os.dup(1), "w", closefd=False)  # never closed: no warning of that
    os.dup2(2, 1)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), former.encoding, former.errors, None, former.line_buffering, former.write_through
    )


# The parent.


@contextlib.contextmanager
def _signals_seen() -> Iterator[int]:
    """What signals come is read, a byte each, from the pipe that is given."""
    seen, seeing = os.pipe()
    for end in (seen, seeing):
        os.set_blocking(end, False)
    former = {}
    for name in (*_TO_HAND_ON, "SIGCHLD"):
        number = getattr(signal, name)
        if signal.getsignal(number) is not signal.SIG_IGN or name == "SIGCHLD":
            former[number] = signal.signal(number, _nothing)
    wakeup = signal.set_wakeup_fd(seeing, warn_on_full_buffer=False)
    try:
        yield seen
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in former.items():
            signal.signal(number, handler)
        os.close(seen)
        os.close(seeing)


class Watch:
    """Over one child, until it has ended."""

    def __init__(self, child: int, told: int, where: Whereabouts, seen: int) -> None:
        """``told`` is the pipe that the child tells through, ``where`` the memory, ``seen`` gives signals."""
        self._child = child
        self._told = told
        self._where = where
        self._seen = seen
        self._said = b""
        self._open = True
        self._interrupted = False
        self._clock = CallClock()
        self._why = ""

    def to_the_end(self) -> int:
        """Wait, and judge the end: a verdict, or 3 (after an interrupt 130) and a sentence that says why."""
        while (ended := self._ended()) is None:
            ready, _, _ = select.select([self._seen, *([self._told] if self._open else [])], [], [], _POLL)
            if self._seen in ready:
                self._hand_on(os.read(self._seen, 4096))
            if self._told in ready:
                self._listen()
            self._look_at_the_clock()
        while self._open and select.select([self._told], [], [], 0)[0]:
            self._listen()
        os.close(self._told)
        return self._conclusion(ended)

    def _ended(self) -> int | None:
        """How the child ended, as ``subprocess`` says it: minus the signal."""
        pid, how = os.waitpid(self._child, os.WNOHANG)
        return os.waitstatus_to_exitcode(how) if pid else None

    def _hand_on(self, numbers: bytes) -> None:
        for number in numbers:
            if signal.Signals(number).name in _TO_HAND_ON:
                self._interrupted = True
                os.kill(self._child, getattr(signal, _INTERRUPT))

    def _listen(self) -> None:
        said = os.read(self._told, 1 << 16)
        self._open = bool(said)
        self._said += said

    def _look_at_the_clock(self) -> None:
        """End the child when a call of the port takes too long, or when it cannot tell a verdict any more."""
        waited = self._clock.waited(self._where.call if self._open else _PIPE_CLOSED)
        limit = self._where.deadline if self._open else _DUMB
        if self._interrupted:
            limit = min(limit or GRACE, GRACE)
        if limit is not None and waited > limit:
            self._why = (
                f"the port did not come back within {limit:g} s" if self._open else "its pipe to the judge was closed"
            )
            os.kill(self._child, signal.SIGKILL)

    def _conclusion(self, ended: int) -> int:
        """The verdict, if there is one."""
        *whole, _ = self._said.split(END)
        verdicts = [one.removeprefix(VERDICT) for one in whole if one.startswith(VERDICT)]
        if verdicts == [str(ended).encode()]:
            return ended
        for path in whole:
            if path.startswith(TEMPORARY):
                _remove(os.fsdecode(path.removeprefix(TEMPORARY)))
        why = self._why or f"the process that judges {_how(ended)}"
        place = self._where.place
        if place:
            why = f"{'in' if self._where.call else 'after'} {place}: {why}"
        _complain(f"{why}, so there is no verdict")
        return INTERRUPTED if self._interrupted else NO_VERDICT


def _how(ended: int) -> str:
    if ended >= 0:
        return f"ended with status {ended} before it was done"
    number = -ended
    name = signal.Signals(number).name if number in set(signal.Signals) else "unknown"
    return f"was ended by signal {number} ({name})"


def _remove(path: str) -> None:
    """Remove what the child made and could not remove: a folder for memories, a report that is not whole."""
    name = os.path.basename(path)  # noqa: PTH119 - pathlib costs more than it gives here
    if name.startswith("loki-parity-"):
        import shutil  # noqa: PLC0415 - nearly never

        shutil.rmtree(path, ignore_errors=True)
    elif name.startswith("."):
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - as above


def _complain(sentence: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # it may be closed, or not there
        sys.stderr.write(f"loki-parity: {sentence}\n")
        sys.stderr.flush()
