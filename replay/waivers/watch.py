"""The waivers of one candidate in one run: which outcomes they turn into waived ones, and which of them are no good."""

from __future__ import annotations

import os
from copy import copy
from typing import TYPE_CHECKING

from replay.counted import counted, named
from replay.fields import is_chosen
from replay.outcome import Diverged, Match, Waived, WaivedBy
from replay.waivers.digest import digests

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path
    from typing import TypeAlias

    from replay.outcome import Mode, Outcome
    from replay.waivers.waiver import Waiver, Waivers

    Seen: TypeAlias = tuple[set[tuple[str, Mode]], dict[Path, str], list[str]]
    """Which waivers were found at their step, in which mode; the real paths of the journals; and the complaints."""


class Watch:
    """Told of every outcome in turn, and at the end of what was judged."""

    def __init__(self, waivers: Waivers, candidate: str, today: str | None, fields: frozenset[str] | None) -> None:
        """``fields`` are those that are compared; None: all of them."""
        self._waivers = waivers.of(candidate)
        self._today = today
        self._fields = fields
        self._seen: set[tuple[str, Mode]] = set()
        self._real: dict[Path, str] = {}
        self.complaints: list[str] = []
        """What was found wrong with a waiver when its step was judged, a sentence each."""

    def judged(self, file: Path, outcome: Outcome) -> Outcome:
        """The outcome, or a waived one if a waiver accepts this very divergence."""
        if not self._waivers:
            return outcome
        journal = self._real.get(file)
        if journal is None:
            journal = self._real[file] = os.path.realpath(file)
        waiver = self._waivers.get((journal, outcome.step.number))
        mode = outcome.step.mode
        if waiver is None or mode not in waiver.modes:
            return outcome
        self._seen.add((waiver.file, mode))
        named = f"{waiver.file}, for step {waiver.step} of {waiver.journal} ({mode})"
        wanted = {name: one for name, one in waiver.modes[mode].items() if is_chosen(name, self._fields)}
        if not wanted:
            return outcome
        if isinstance(outcome, Match):
            self.complaints.append(f"a waiver is stale: {named}: the step matches now, so the file must go")
        elif not isinstance(outcome, Diverged) or digests(outcome.differences) != wanted:
            self.complaints.append(f"a waiver is for another output: {named}: what differs is not what was accepted")
        elif waiver.expired(self._today):
            self.complaints.append(f"a waiver has expired: {named}: it held until {waiver.until} ({waiver.reason})")
        else:
            by = WaivedBy(waiver.file, waiver.reason, waiver.until)
            return Waived(outcome.step, outcome.compared, outcome.differences, by, outcome.inherited, outcome.requests)
        return outcome

    def shares(self, file: Path, has: Callable[[str], bool]) -> None:
        """Only a part of a journal is judged here; another part judges the other steps that the journal ``has``."""
        journal = self._real[file] = os.path.realpath(file)
        for (path, step), waiver in self._waivers.items():
            if path == journal and has(step):
                self._seen.update((waiver.file, mode) for mode in waiver.modes)

    def apart(self) -> Watch:
        """One that watches over some of the outcomes, in another process, and has seen none of them."""
        other = copy(self)
        other._seen, other._real, other.complaints = set(), {}, []  # noqa: SLF001 - it is one of its own
        return other

    def seen(self) -> Seen:
        """What was seen, to be joined with what others see."""
        return self._seen, self._real, self.complaints

    def join(self, seen: Seen) -> None:
        """Add what was seen apart."""
        waivers, real, complaints = seen
        self._seen |= waivers
        self._real |= real
        self.complaints += complaints

    def problems(self, modes: Collection[Mode], *, whole: bool, everything: bool) -> Iterator[str]:
        """What is wrong with the waivers, a sentence each, once the run is over.

        ``modes`` were judged. ``whole``: of the journals that were judged every step was; ``everything``: and these
        were all the journals that there are.
        """
        yield from self.complaints
        at_work = [one for (journal, _), one in self._waivers.items() if everything or journal in self._real.values()]
        if whole:
            for (journal, _), one in self._waivers.items():
                yield from self._unseen(journal, one, modes, everything=everything)
        if at_work and self._today is None:
            there = f"{counted(len(at_work), 'waiver is', 'waivers are')} there"
            whether = f"whether {named(len(at_work), 'it has', 'they have')} expired was not judged"
            yield f"{there}, and {whether}: name the day with --today YYYY-MM-DD"

    def _unseen(self, journal: str, waiver: Waiver, modes: Collection[Mode], *, everything: bool) -> Iterator[str]:
        if journal not in self._real.values():
            if everything:
                yield f"a waiver is stale: {waiver.file}: {waiver.journal} is none of the journals that were judged"
            return
        for mode in waiver.modes:
            if mode in modes and (waiver.file, mode) not in self._seen:
                yield f"a waiver is stale: {waiver.file}: {waiver.journal} has no step {waiver.step} ({mode})"
