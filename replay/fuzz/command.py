"""``loki-parity fuzz``: inputs made by rules, given to the port and to real Go."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from parity.gostd.target import TargetNotOfferedError, parse
from replay.configuration import ConfigurationError, nearest
from replay.counted import counted
from replay.fuzz import explore as exploring
from replay.fuzz import rendered, report, saved
from replay.fuzz.arguments import DEFAULT_EXAMPLES, DEFAULT_VERSION
from replay.fuzz.campaign import Budget, Campaign
from replay.fuzz.parallel import Share, share_out
from replay.fuzz.smallest import smallest
from replay.fuzz.subjects import UnknownSubjectError, chosen
from replay.go_version import NoVersionError, target_of
from replay.oracle.errors import OracleError
from replay.oracle.start import oracle
from replay.report.styles import Plain, Styles
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from parity.gostd.target import GoTarget
    from replay.fuzz.campaign import Finding
    from replay.fuzz.trial import Subject
    from replay.oracle.client import Oracle

EVERY: Final = 20_000
"""How many inputs go by between two lines of progress on a terminal."""


def fuzz(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: no difference. 1: at least one. 2: an argument that cannot be used. 3: no Go, or an oracle that is broken.
    """
    versions = options.go_version or [DEFAULT_VERSION]
    try:
        subjects = chosen(options.tool)
        targets = [(version, target_of(version)) for version in versions]
    except (UnknownSubjectError, NoVersionError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except TargetNotOfferedError as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    if options.list:
        out.writelines(f"{line}\n" for line in report.listing(subjects))
        return Exit.MATCH
    statuses = set()
    for version, target in targets:
        try:
            statuses.add(_Run(options, out, complain, version, target).run(subjects))
        except OracleError as error:
            complain(str(error))
            return Exit.NOT_JUDGED
    return next((status for status in (Exit.DIVERGED, Exit.NOT_JUDGED) if status in statuses), Exit.MATCH)


class _Run:
    """One Go version."""

    def __init__(
        self, options: Namespace, out: TextIO, complain: Callable[[str], None], version: str, target: GoTarget
    ) -> None:
        self._options = options
        self._out = out
        self._complain = complain
        self._version = version
        self._target = target
        self._styles = _styles(out, options.color)
        self._found = 0

    def run(self, subjects: Sequence[Subject]) -> Exit:
        """The verdict. Raises an OracleError when the oracle breaks."""
        options = self._options
        with ExitStack() as started:
            asked = started.enter_context(self._oracle())
            # Another one, so that making a finding small does not wait for what was sent ahead.
            aside = started.enter_context(self._oracle())
            self._target = parse(asked.hello().version)
            campaign = Campaign(subjects, self._target, options.seed, rarity=options.rarity)
            try:
                self._run(campaign, asked)
                for finding in campaign.findings(aside):
                    self._show(smallest(finding, aside, self._target), aside)
                    if self._is_over:
                        break
                explored = "not after a difference" if self._is_over else self._explore(campaign, aside)
            except KeyboardInterrupt:
                self._say(report.summary(campaign, self._styles, interrupted=True))
                raise
        if options.rarity:
            self._say(report.rarity(campaign))
        self._say(report.summary(campaign, self._styles, explored=explored, found=self._found))
        sys.stderr.write(f"{report.speed(campaign)}\n")
        if self._found:
            return Exit.DIVERGED
        if options.every_boundary and campaign.never:
            self._complain(f"no input reached {len(campaign.never)} of the boundaries")
            return Exit.NOT_JUDGED
        return Exit.MATCH

    @property
    def _is_over(self) -> bool:
        """Whether nothing more is looked for."""
        return bool(self._options.exitfirst and self._found)

    def _oracle(self) -> AbstractContextManager[Oracle]:
        return oracle(self._version, go=self._options.go, cache=self._options.cache)

    def _run(self, campaign: Campaign, asked: Oracle) -> None:
        options = self._options
        examples = options.examples if options.examples or options.time else DEFAULT_EXAMPLES
        if options.jobs == 1:
            campaign.run(asked, Budget(examples, options.time, options.exitfirst), self._watch)
            return
        part = None if examples is None else -(-examples // options.jobs)
        names = tuple(tally.subject.name for tally in campaign.tallies)
        budget = Budget(part, options.time, options.exitfirst)
        first = Share(
            self._version, names, options.seed, budget, 0, options.jobs, options.go, options.cache, options.rarity
        )
        shares = [replace(first, number=number) for number in range(options.jobs)]
        if share_out(campaign, shares):
            raise KeyboardInterrupt

    def _explore(self, campaign: Campaign, aside: Oracle) -> str:
        """What hypothesis did besides, in a clause."""
        examples = self._options.explore
        if not examples:
            return "not asked for"
        if not exploring.available():
            return "hypothesis is not installed, so nothing was explored"
        sound = [tally.subject for tally in campaign.tallies if tally.place is None]
        for count, subject in enumerate(sound, 1):
            finding = exploring.explore(subject, aside, self._target, examples, self._options.seed)
            if finding is not None:
                self._show(smallest(finding, aside, self._target), aside)
            if self._is_over:
                return f"{counted(examples, 'example')} of each of {count} by hypothesis, which found a difference"
        return f"{counted(examples, 'example')} of each of {len(sound)} by hypothesis"

    def _show(self, finding: Finding, aside: Oracle) -> None:
        self._found += 1
        answers = list(aside.ask(finding.trial.questions))
        raw, ending = saved.content(finding, answers, self._target)
        folder = self._options.save or default_folder()
        try:
            name = str(_shown(saved.save(raw, ending, finding.subject.name, folder)))
        except saved.SaveError as error:
            self._complain(str(error))
            name = "(not saved)"
        self._say(rendered.lines(finding, raw, name, self._styles))

    def _say(self, lines: Iterable[str]) -> None:
        self._out.writelines(f"{line}\n" for line in lines)
        self._out.flush()

    def _watch(self, inputs: int) -> None:
        if sys.stderr.isatty() and inputs % EVERY < 256:
            sys.stderr.write(f"\r{counted(inputs, 'input')} ")


def _styles(out: TextIO, color: str) -> Plain:
    wanted = color == "always" or (color == "auto" and out.isatty() and not os.environ.get("NO_COLOR"))
    return Styles() if wanted else Plain()


def default_folder() -> Path:
    """The folder of regressions of the project that the working folder is in, or of none."""
    try:
        configuration = nearest()
    except ConfigurationError:
        return Path(saved.FOLDER)
    return configuration.folder / (configuration.regressions or saved.FOLDER)


def _shown(path: Path) -> Path:
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
