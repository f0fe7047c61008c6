"""``loki-parity review``: what waits beside a journal, and taking it over, or not."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TextIO

from replay.configuration import ConfigurationError, nearest
from replay.interrupts import HELD, holdable
from replay.review.asking import NobodyThereError, ask
from replay.review.listing import group_lines, heading
from replay.review.pending import NotReviewableError, found, read
from replay.review.settle import check, settle
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from replay.review.pending import Group, Pending

ACCEPT: Final = "a"
REJECT: Final = "r"
SKIP: Final = "s"
QUIT: Final = "q"
_ANSWERS: Final = {ACCEPT: "accept", REJECT: "reject", SKIP: "skip", QUIT: "quit"}
_QUESTION: Final = "     a accept, r reject, s skip, q quit? "


@dataclass(slots=True)
class _Case:
    """A file that waits, its groups by their numbers, and what was decided about each."""

    pending: Pending
    first: int
    decisions: dict[int, str] = field(default_factory=dict)

    def numbered(self) -> Iterator[tuple[int, Group]]:
        yield from enumerate(self.pending.groups, start=self.first)

    def decided(self, what: str) -> list[Group]:
        return [group for number, group in self.numbered() if self.decisions.get(number) == what]


def review(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb."""
    try:
        cases = _cases(_named(options.paths))
        if not cases:
            out.write("nothing waits for a review\n")
            return Exit.MATCH
        return _Review(cases, out, reveal=options.reveal).run(options)
    except ConfigurationError as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    except NotReviewableError as error:
        complain(str(error))
        return error.exit
    except NobodyThereError:
        complain("the terminal is gone: nothing was decided, and nothing has changed")
        return Exit.INTERRUPTED


def _named(paths: Sequence[str]) -> list[tuple[Path, str]]:
    """What waits where a person named it, or beside the configured journals."""
    if paths:
        return found(paths)
    configuration = nearest()
    folders = {(configuration.folder / path).parent: None for path in configuration.journals}
    return found([os.path.relpath(folder) for folder in folders if folder.is_dir()])


def _cases(named: Sequence[tuple[Path, str]]) -> list[_Case]:
    cases: list[_Case] = []
    first = 1
    for file, name in named:
        pending = read(file, name)
        cases.append(_Case(pending, first))
        first += len(pending.groups)
    return cases


class _Review:
    """One review of some files."""

    def __init__(self, cases: Sequence[_Case], out: TextIO, *, reveal: bool) -> None:
        self._cases = cases
        self._out = out
        self._reveal = reveal

    def run(self, options: Namespace) -> int:
        """Decide as the options say, or ask, or only list; then carry out what was decided, if all of it can be."""
        if options.accept_all or options.reject_all or options.accept or options.reject:
            self._as_told(options)
        elif not options.list and self._out.isatty() and _is_terminal():
            self._asked()
        else:
            self._listed()
        for case in self._cases:
            check(case.pending, case.decided(ACCEPT), case.decided(REJECT))
        with holdable():
            self._carried_out()
        return Exit.MATCH if all(self._open(case) == 0 for case in self._cases) else Exit.DIVERGED

    def _carried_out(self) -> None:
        """File by file; an interrupt comes between two of them."""
        for case in self._cases:
            if case.decided(ACCEPT) or case.decided(REJECT):
                with HELD:
                    self._settled(case)

    def _as_told(self, options: Namespace) -> None:
        accepted = {number for several in options.accept for number in several}
        rejected = {number for several in options.reject for number in several}
        known = {number for case in self._cases for number, _ in case.numbered()}
        if options.accept_all + options.reject_all + bool(accepted or rejected) > 1:
            message = "decide in one way: --accept-all, or --reject-all, or --accept and --reject with numbers"
            raise NotReviewableError(message)
        for number in sorted(accepted | rejected):
            if number not in known:
                message = f"there is no group {number}: {len(known)} wait"
                raise NotReviewableError(message)
            if number in accepted and number in rejected:
                message = f"group {number} is both accepted and rejected"
                raise NotReviewableError(message)
        for case in self._cases:
            for number, _ in case.numbered():
                if options.accept_all or number in accepted:
                    case.decisions[number] = ACCEPT
                elif options.reject_all or number in rejected:
                    case.decisions[number] = REJECT

    def _asked(self) -> None:
        """Ask about each group; who quits leaves the others as they are."""
        for case in self._cases:
            self._say(heading(case.pending))
            for number, group in case.numbered():
                self._group(number, group)
                answer = ask(_QUESTION, _ANSWERS, self._out, sys.stdin.fileno())
                if answer == QUIT:
                    return
                case.decisions[number] = answer

    def _listed(self) -> None:
        for case in self._cases:
            self._say(heading(case.pending))
            for number, group in case.numbered():
                self._group(number, group)

    def _group(self, number: int, group: Group) -> None:
        for line in group_lines(number, group, reveal=self._reveal):
            self._say(line)

    def _settled(self, case: _Case) -> None:
        accepted, rejected = case.decided(ACCEPT), case.decided(REJECT)
        settle(case.pending, accepted, rejected)
        counted = f"{len(accepted):,} accepted, {len(rejected):,} rejected, {self._open(case):,} still waiting"
        self._say(f"{case.pending.name}: {counted}")

    def _open(self, case: _Case) -> int:
        return len(case.pending.groups) - len(case.decided(ACCEPT)) - len(case.decided(REJECT))

    def _say(self, line: str) -> None:
        self._out.write(f"{line}\n")


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
