"""``pytest logs/`` is the gate too: one item per step, one per chained run, one per drill.

The ini key ``parity_journals`` holds the patterns of the journals, relative to the root folder. Ids are made to be
typed after ``-k``: ``isolated-12-recall``, ``chained``, ``drill``. In a journal of more than 2,000 steps an isolated
item is a chunk of steps: ``isolated-201-to-300``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from replay.compare import ALL as TOLERANCES
from replay.drill import drill
from replay.engine import Judging, replay
from replay.exercise import MISSED
from replay.journal import JournalError, load
from replay.journal.window import window
from replay.outcome import Match, Mode
from replay.report.outcome_text import render
from replay.report.styles import Plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from replay.candidates.interface import Candidate
    from replay.journal.model import Journal
    from replay.outcome import Outcome

INI: Final = "parity_journals"
OPTION: Final = "--parity-transport"

MOST_ITEMS: Final = 2000
CHUNK: Final = 100
_SHOWN: Final = 5
"""How many differences a failing item shows in full."""
_DRILLED: Final = 400
"""How many steps a drill item replays to know where it may plant."""


class ParityFailure(Exception):  # noqa: N818 - a verdict, not an error of the plugin
    """What a failing item found, rendered as the command renders it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The ini key and the option."""
    parser.addini(
        INI, "patterns of the journals to judge, relative to the root folder", type="linelist", default=["logs/*.json"]
    )
    parser.addoption(OPTION, choices=["http", "memory"], default="http", help="how the port reaches the fake Go")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file that a pattern names is a journal."""
    patterns = parent.config.getini(INI)
    try:
        below = file_path.relative_to(parent.config.rootpath)
    except ValueError:
        return None
    if any(below.match(pattern) for pattern in patterns):
        return JournalFile.from_parent(parent, path=file_path)
    return None


_CANDIDATE: Final = pytest.StashKey["Candidate"]()


def _candidate(config: pytest.Config) -> Candidate:
    """The one candidate of this process, started when the first journal is met."""
    if _CANDIDATE not in config.stash:
        from replay.candidates.port import PortCandidate  # noqa: PLC0415 - a run that judges nothing loads no server

        config.stash[_CANDIDATE] = PortCandidate(config.getoption(OPTION)).__enter__()
    return config.stash[_CANDIDATE]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the candidate."""
    if _CANDIDATE in config.stash:
        config.stash[_CANDIDATE].__exit__(None, None, None)
        del config.stash[_CANDIDATE]


class JournalFile(pytest.File):
    """A journal: its steps are items."""

    def collect(self) -> Iterator[pytest.Item]:
        """Load it. A bad journal is a collection error of one sentence."""
        name = self.path.relative_to(self.config.rootpath).as_posix()
        try:
            journal = load(self.path, file_name=name)
        except JournalError as error:
            raise self.CollectError(str(error)) from error
        if not _candidate(self.config).offers(journal.kind):
            message = f"{name}: journals of the kind {journal.kind} are not ported yet, so it was not judged"
            raise self.CollectError(message)
        for first, end in _chunks(len(journal.steps)):
            yield IsolatedItem.from_parent(
                self, name=_isolated_name(journal, first, end), journal=journal, first=first, end=end
            )
        yield ChainedItem.from_parent(self, name="chained", journal=journal)
        yield DrillItem.from_parent(self, name="drill", journal=journal)


def _chunks(steps: int) -> Iterator[tuple[int, int]]:
    size = 1 if steps <= MOST_ITEMS else CHUNK
    for first in range(0, steps, size):
        yield first, min(first + size, steps)


def _isolated_name(journal: Journal, first: int, end: int) -> str:
    step = journal.steps[first]
    if end - first == 1:
        return f"isolated-{step.index}-{step.tool}"
    return f"isolated-{step.index}-to-{journal.steps[end - 1].index}"


class JournalItem(pytest.Item):
    """Something about a journal that holds or does not."""

    def __init__(self, *, journal: Journal, **rest: Any) -> None:  # noqa: ANN401 - pytest's own arguments
        super().__init__(**rest)
        self.journal = journal

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the item stands: the journal's file."""
        return self.path, None, f"{self.parent.name if self.parent else ''}::{self.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401 - pytest's own types
        """A verdict as the command shows it; anything else is a fault of the harness, with its traceback."""
        if isinstance(excinfo.value, ParityFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def _fail_unless_matched(self, outcomes: Iterable[Outcome], due: int) -> None:
        """Raise :class:`ParityFailure` unless every outcome that was due came, and matches."""
        shown: list[str] = []
        matched = unequal = 0
        for outcome in outcomes:
            if isinstance(outcome, Match):
                matched += 1
                continue
            unequal += 1
            if len(shown) < _SHOWN:
                shown.append(render(outcome, Plain()))
        if unequal > len(shown):
            shown.append(f"… and {unequal - len(shown)} more steps that do not match")
        if matched + unequal != due:
            shown.append(f"{matched + unequal} steps have an outcome, and {due} were to be judged")
        if shown:
            raise ParityFailure("\n".join(shown))


class IsolatedItem(JournalItem):
    """One step, or a chunk of steps, each from the state recorded before it."""

    def __init__(self, *, first: int, end: int, **rest: Any) -> None:  # noqa: ANN401 - pytest's own arguments
        super().__init__(**rest)
        self.first = first
        self.end = end

    def runtest(self) -> None:
        """Judge them."""
        part = window(self.journal, self.first, self.end)
        due = {str(step.index) for step in self.journal.steps[self.first : self.end]}
        judging = Judging(Mode.ISOLATED, lambda step: step.number in due, TOLERANCES)
        self._fail_unless_matched(replay(part, _candidate(self.config), judging), len(due))


class ChainedItem(JournalItem):
    """The whole journal, the port's own state running on."""

    def runtest(self) -> None:
        """Judge it."""
        judging = Judging(Mode.CHAINED, tolerances=TOLERANCES)
        self._fail_unless_matched(replay(self.journal, _candidate(self.config), judging), len(self.journal.steps))


class DrillItem(JournalItem):
    """Planted divergences: each must be found."""

    def runtest(self) -> None:
        """Plant and look, in steps that match."""
        candidate = _candidate(self.config)
        judging = Judging(Mode.ISOLATED, tolerances=TOLERANCES)
        part = window(self.journal, 0, _DRILLED)
        matched = {one.step.number for one in replay(part, candidate, judging) if isinstance(one, Match)}
        missed = [one for one in drill(part, candidate, matched, TOLERANCES) if one.outcome == MISSED]
        if missed:
            sentences = [f"planted {one.name} in step {one.step}, {one.field}: not found, {one.why}" for one in missed]
            raise ParityFailure("\n".join(sentences))
