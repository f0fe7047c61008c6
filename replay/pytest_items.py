"""What pytest judges in a journal: each step (a case, in a journal of kept images), the chained run, the drill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.port import KINDS, PortCandidate
from replay.compare import ALL as TOLERANCES
from replay.configuration import ConfigurationError, nearest, policy
from replay.counted import counted
from replay.drill import drill
from replay.engine import Judging, doubted, references, replay
from replay.exercise import MISSED
from replay.journal import JournalError, load
from replay.journal.model import REDUCED
from replay.journal.window import window
from replay.outcome import Match, Mode, Waived
from replay.pytest_plugin import OPTION, TODAY
from replay.report.outcome_text import render, rules_of
from replay.report.styles import Plain
from replay.tally import Tally
from replay.waivers.waiver import WaiverError, Waivers, is_date
from replay.waivers.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from replay.journal.model import Journal
    from replay.outcome import Outcome

MOST_ITEMS: Final = 2000
CHUNK: Final = 100
_SHOWN: Final = 5
"""How many differences a failing item shows in full."""
_DRILLED: Final = 400
"""How many steps a drill item replays to know where it may plant."""


class ParityFailure(Exception):  # noqa: N818 - a verdict, not an error of the plugin
    """What a failing item found, rendered as the command renders it."""


@dataclass(frozen=True, slots=True)
class Part:
    """What an isolated item judges: its id, a journal of its own, and the numbers of the steps that are judged."""

    name: str
    journal: Journal
    due: frozenset[str]


def parts(journal: Journal) -> Iterator[Part]:
    """A journal step by step, or case by case; in chunks where there are more than pytest handles well."""
    units = len(journal.cases or journal.steps)
    size = 1 if units <= MOST_ITEMS else CHUNK
    for first in range(0, units, size):
        end = min(first + size, units)
        yield _case_part(journal, first, end) if journal.cases else _step_part(journal, first, end)


def _step_part(journal: Journal, first: int, end: int) -> Part:
    chosen = journal.steps[first:end]
    due = frozenset(str(step.index) for step in chosen)
    name = f"isolated-{chosen[0].index}-{chosen[0].tool}"
    if len(chosen) > 1:
        name = f"isolated-{chosen[0].index}-to-{chosen[-1].index}"
    return Part(name, window(journal, first, end), due)


def _case_part(journal: Journal, first: int, end: int) -> Part:
    chosen = replace(journal, cases=journal.cases[first:end])
    due = frozenset(reference.number for reference in references(chosen, Mode.ISOLATED))
    name = f"isolated-{chosen.cases[0].index}-case"
    if len(chosen.cases) > 1:
        name = f"isolated-{chosen.cases[0].index}-to-{chosen.cases[-1].index}"
    return Part(name, chosen, due)


_CANDIDATE: Final = pytest.StashKey[PortCandidate]()


def _started(config: pytest.Config) -> PortCandidate:
    """The one candidate of this process, started when the first item runs."""
    if _CANDIDATE not in config.stash:
        config.stash[_CANDIDATE] = PortCandidate(config.getoption(OPTION)).__enter__()
    return config.stash[_CANDIDATE]


_WAIVERS: Final = pytest.StashKey[Waivers]()


def _watch(config: pytest.Config) -> Watch:
    """The project's waivers, none of them seen. Raises :class:`ParityFailure` for a file or a day that is none."""
    today = config.getoption(TODAY)
    if today is not None and not is_date(today):
        message = f"{TODAY}: {today!a} is no date such as 2026-12-31"
        raise ParityFailure(message)
    if _WAIVERS not in config.stash:
        try:
            project = nearest(config.rootpath)
            config.stash[_WAIVERS] = Waivers.read(project.folder, project.waivers)
        except ConfigurationError:
            config.stash[_WAIVERS] = Waivers()
        except WaiverError as error:
            raise ParityFailure(str(error)) from None
    return Watch(config.stash[_WAIVERS], "port", today, None)


def stop(config: pytest.Config) -> None:
    """Stop the candidate if it was started."""
    if _CANDIDATE in config.stash:
        config.stash[_CANDIDATE].__exit__(None, None, None)
        del config.stash[_CANDIDATE]


def _require_signed(config: pytest.Config) -> bool:
    """What the project asks for. Raises CollectError where it cannot be read."""
    try:
        return policy(config.rootpath).require_signed
    except ConfigurationError as error:
        raise pytest.Collector.CollectError(str(error)) from error


class JournalFile(pytest.File):
    """A journal: its steps are items."""

    def collect(self) -> Iterator[pytest.Item]:
        """Load it. A bad journal is a collection error of one sentence."""
        name = self.path.relative_to(self.config.rootpath).as_posix()
        try:
            journal = load(self.path, file_name=name)
        except JournalError as error:
            raise self.CollectError(str(error)) from error
        if journal.source == REDUCED:
            message = f"{name}: a reduced journal is no recording, so it was not judged"
            raise self.CollectError(message)
        if journal.kind not in KINDS:
            message = f"{name}: journals of the kind {journal.kind} are not ported yet, so it was not judged"
            raise self.CollectError(message)
        if journal.signed is None and _require_signed(self.config):
            message = f"{name}: it is not signed, and only signed journals are to be judged, so it was not judged"
            raise self.CollectError(message)
        for part in parts(journal):
            yield IsolatedItem.from_parent(self, name=part.name, journal=part.journal, due=part.due)
        yield ChainedItem.from_parent(self, name="chained", journal=journal)
        yield DrillItem.from_parent(self, name="drill", journal=journal)


class JournalItem(pytest.Item):
    """Something about a journal that holds or does not."""

    def __init__(self, *, journal: Journal, **rest: Any) -> None:  # noqa: ANN401 - pytest's own arguments
        super().__init__(**rest)
        self.journal = journal

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the item stands: the journal's file."""
        return self.path, None, f"{self.path.name}::{self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401 - pytest's own types
        """A verdict as the command shows it; anything else is a fault of the harness, with its traceback."""
        if isinstance(excinfo.value, (CandidateNotReadyError, ParityFailure)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def fail_unless_matched(self, outcomes: Iterable[Outcome], due: Collection[str]) -> None:
        """Raise :class:`ParityFailure` unless every step that was due has an outcome, and a match or a valid waiver.

        An item with a waived step is no match: pytest tells it as one that was expected to fail.
        """
        watch = _watch(self.config)
        waived: list[Waived] = []
        shown: list[str] = []
        seen: list[str] = []
        unequal = 0
        for judged in outcomes:
            outcome = watch.judged(self.path, judged)
            seen.append(outcome.step.number)
            if isinstance(outcome, Waived):
                waived.append(outcome)
            if isinstance(outcome, (Match, Waived)):
                continue
            unequal += 1
            if len(shown) < _SHOWN:
                shown.append(f"{render(outcome, Plain())}\n{rules_of(outcome, Plain())}")
        left = unequal - len(shown)
        if left:
            shown.append(f"… and {counted(left, 'more step that does', 'more steps that do')} not match")
        if sorted(seen) != sorted(due):
            shown.append(
                f"{counted(len(seen), 'outcome')} of {counted(len(set(seen)), 'step')}, and "
                f"{counted(len(due), 'step was', 'steps were')} to be judged"
            )
        shown.extend(watch.complaints)
        if waived and self.config.getoption(TODAY) is None:
            shown.append(
                f"whether {waived[0].by.file} has expired was not judged: name the day with {TODAY} YYYY-MM-DD"
            )
        if shown:
            raise ParityFailure("\n".join(shown))
        if waived:
            by = waived[0].by
            pytest.xfail(f"{len(waived)} waived, the first until {by.until}, {by.reason} ({by.file})")


class IsolatedItem(JournalItem):
    """One step or case, or a chunk of them, each from the state recorded before it."""

    def __init__(self, *, due: frozenset[str], **rest: Any) -> None:  # noqa: ANN401 - pytest's own arguments
        super().__init__(**rest)
        self.due = due

    def runtest(self) -> None:
        """Judge them."""
        judging = Judging(Mode.ISOLATED, lambda step: step.number in self.due, TOLERANCES)
        candidate = _started(self.config)
        outcomes = replay(self.journal, candidate, judging)
        self.fail_unless_matched(doubted(outcomes, self.journal, candidate), self.due)


class ChainedItem(JournalItem):
    """The whole journal, the port's own state running on."""

    def runtest(self) -> None:
        """Judge it."""
        due = [reference.number for reference in references(self.journal, Mode.CHAINED)]
        judging = Judging(Mode.CHAINED, tolerances=TOLERANCES)
        candidate = _started(self.config)
        outcomes = replay(self.journal, candidate, judging)
        self.fail_unless_matched(doubted(outcomes, self.journal, candidate), due)


class DrillItem(JournalItem):
    """Planted divergences: each must be found."""

    def runtest(self) -> None:
        """Plant and look, in steps that match."""
        candidate = _started(self.config)
        judging = Judging(Mode.ISOLATED, tolerances=TOLERANCES)
        part = window(self.journal, 0, _DRILLED)
        tally = Tally(part, Mode.ISOLATED)
        for outcome in replay(part, candidate, judging):
            tally.add(outcome)
        missed = [one for one in drill(part, candidate, tally.exact, TOLERANCES) if one.outcome == MISSED]
        if missed:
            sentences = [f"planted {one.name} in step {one.step}, {one.field}: not found, {one.why}" for one in missed]
            raise ParityFailure("\n".join(sentences))
