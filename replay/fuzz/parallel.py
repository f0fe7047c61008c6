"""A campaign in several processes: each makes every n-th batch of inputs and asks an oracle of its own.

The batches are the same however many processes share them, so a campaign without differences judges the same inputs.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from parity.gostd.target import parse
from replay.fuzz.campaign import Budget, Campaign
from replay.fuzz.subjects import chosen
from replay.oracle.errors import OracleDiedError, OracleError
from replay.oracle.start import oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from pathlib import Path

    from replay.fuzz.campaign import Tally

_CONTEXT: Final = multiprocessing.get_context("spawn")
PATIENCE: Final = 20
"""Seconds that an interrupted process has to say what it did so far."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one of ``of`` processes does: the batches ``number``, ``number + of`` and so on."""

    version: str
    names: tuple[str, ...]
    seed: int
    budget: Budget
    number: int
    of: int
    go: Path | None = None
    cache: Path | None = None
    rarity: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """What was done with one subject: inputs, how many reached each bucket, the first difference as batch and index."""

    inputs: int
    reached: tuple[int, ...]
    found: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Done:
    """What a process did."""

    counted: tuple[Counted, ...]
    questions: int
    interrupted: bool

    @property
    def differs(self) -> bool:
        """Whether there is a difference."""
        return any(one.found is not None for one in self.counted)


Said: TypeAlias = "Done | str"
"""What a process says at its end: what it did, or why its oracle is broken."""


def work(share: Share) -> Said:
    """Do a share, in whatever process."""
    subjects = chosen(share.names)
    interrupted = False
    try:
        with oracle(share.version, go=share.go, cache=share.cache) as asked:
            target = parse(asked.hello().version)
            campaign = Campaign(subjects, target, share.seed, (share.number, share.of), rarity=share.rarity)
            try:
                campaign.run(asked, share.budget)
            except KeyboardInterrupt:
                interrupted = True
    except OracleError as error:
        return str(error)
    return Done(tuple(map(_counted, campaign.tallies)), campaign.questions, interrupted)


def _counted(tally: Tally) -> Counted:
    return Counted(tally.inputs, tuple(tally.reached), tally.place)


def share_out(campaign: Campaign, shares: Sequence[Share]) -> bool:
    """Do all shares at once and count them together in ``campaign``. Whether that was interrupted.

    Raises an OracleError when one of the oracles breaks, or one of the processes ends before its time.
    """
    start = time.monotonic()
    running = [_Process(share) for share in shares]
    try:
        said = _until_one_differs(running) if shares[0].budget.first else [one.said() for one in running]
        interrupted = False
    except KeyboardInterrupt:
        said = [done for one in running if (done := one.said_at_once()) is not None]
        interrupted = True
    finally:
        for one in running:
            one.end()
        campaign.seconds += time.monotonic() - start
    for done in said:
        if isinstance(done, str):
            raise OracleError(done)
        campaign.questions += done.questions
        interrupted = interrupted or done.interrupted
        for tally, counted in zip(campaign.tallies, done.counted, strict=True):
            tally.absorb(counted.inputs, counted.reached, counted.found)
    # Who was told to stop because another one had found something was not interrupted by anybody else.
    return interrupted and not (shares[0].budget.first and campaign.differs)


def _until_one_differs(running: Sequence[_Process]) -> list[Said]:
    """What every process says at its end; all others are told to stop once one has a difference."""
    waiting = {one.mine: one for one in running}
    said: list[Said] = []
    while waiting:
        for ready in connection.wait(list(waiting)):
            done = waiting.pop(cast("Connection", ready)).said()
            said.append(done)
            if isinstance(done, Done) and done.differs:
                return [*said, *(more for one in waiting.values() if (more := one.said_at_once()) is not None)]
    return said


class _Process:
    def __init__(self, share: Share) -> None:
        self.mine, theirs = _CONTEXT.Pipe(duplex=False)
        self._process: SpawnProcess = _CONTEXT.Process(target=REPORT, args=(share, theirs), daemon=True)
        # What is ignored here is ignored there too, until it is ready to be interrupted.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self._process.start()
        finally:
            signal.signal(signal.SIGINT, before)
        theirs.close()

    def said(self) -> Said:
        """What it did. Raises OracleDiedError when it ends without a word."""
        try:
            said: Said = self.mine.recv()
        except (EOFError, OSError):
            message = "a process that was fuzzing ended before its time"
            raise OracleDiedError(message) from None
        return said

    def said_at_once(self) -> Said | None:
        """What it did so far: it is interrupted until it says so, for so many seconds. None if it does not."""
        for _ in range(PATIENCE):
            with contextlib.suppress(OSError):
                os.kill(self._process.pid or 0, signal.SIGINT)
            if self.mine.poll(1.0):
                with contextlib.suppress(OracleDiedError):
                    return self.said()
                return None
        return None

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.terminate()
        self._process.join()
        self.mine.close()


def _report(share: Share, theirs: Connection) -> None:
    """The body of a process; once it has something to say, further interrupts come too late."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    said = work(share)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    theirs.send(said)
    theirs.close()


REPORT: Final[Callable[[Share, Connection], None]] = _report
"""What a process does."""
