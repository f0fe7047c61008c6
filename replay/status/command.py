"""``loki-parity status``: the systems of the migration, what proves each, and what a run proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from replay.candidates.port import module_hashes
from replay.configuration import ConfigurationError, nearest
from replay.journal import JournalError, load
from replay.report.defects import RunFileError
from replay.report.read import read
from replay.rules.book import BookError, book
from replay.run import Exit
from replay.sources import NoJournalError, configured
from replay.status.judged import State, steps_of, verdicts
from replay.status.listing import Standing, as_json, lines
from replay.status.systems import SystemsError, systems

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from replay.journal.model import Journal


def status(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: told, nothing red. 1: a run found a system red. 2: a report that cannot be read. 3: a system that journals judge
    was not judged, a journal is not here, or there is no project here.
    """
    try:
        chosen = [one for one in systems() if not options.lot or one.lot in options.lot]
        known = book()
        runs = [read(file) for file in options.report]
        here = _journals(complain)
    except RunFileError as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except (BookError, SystemsError, ConfigurationError, NoJournalError) as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    code = module_hashes()
    standings = [
        Standing(
            system=one,
            steps={name: len(steps_of(one, here[name])) if name in here else None for name in one.journals},
            rules=one.its_rules(known),
            verdicts=list(verdicts(one, runs, here, code)) if runs else None,
        )
        for one in chosen
    ]
    reports = [str(file) for file in options.report]
    out.writelines(
        f"{line}\n" for line in ([as_json(standings, reports)] if options.json else lines(standings, reports))
    )
    return _exit(standings)


def _journals(complain: Callable[[str], None]) -> dict[str, Journal]:
    """The gate's journals by name. One that cannot be read is said, and is not here."""
    found = {}
    for source in configured(nearest()):
        try:
            found[source.name] = load(source.path, file_name=source.name)
        except JournalError as error:
            complain(str(error))
    return found


def _exit(standings: Sequence[Standing]) -> Exit:
    states = {verdict.state for one in standings for verdict in one.verdicts or ()}
    if State.RED in states:
        return Exit.DIVERGED
    if State.NOT_JUDGED in states or any(None in one.steps.values() for one in standings):
        return Exit.NOT_JUDGED
    return Exit.MATCH
