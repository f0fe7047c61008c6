"""``loki-parity drift``: what moved between two journals, or between two versions of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from parity.gostd.target import TargetNotOfferedError
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.table import Means, made
from replay.counted import counted
from replay.drift import as_json, listing
from replay.drift.journals import journal_drift
from replay.drift.real_go import beside
from replay.drift.three_way import NEITHER, listed, three_way
from replay.drift.versions import version_drift
from replay.go_version import NoVersionError, target_of
from replay.loaded import NoUsableJournalError, journal, journals
from replay.oracle.errors import OracleError
from replay.report.value_text import cut
from replay.rules.book import BookError, book
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from replay.drift.three_way import Place
    from replay.journal.model import Journal
    from replay.rules.book import Book


def drift(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: nothing moved. 1: something did, or real Go says otherwise than the port. 2: a journal or a version that cannot
    be used. 3: no journal, a Go that is not offered, or an oracle that is broken.
    """
    try:
        if options.go_version:
            return _versions(options, book(), out, complain)
        return _journals(options, out, complain)
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except NoVersionError as error:
        complain(str(error))
        return Exit.BAD_INPUT
    except (BookError, CandidateNotReadyError, OracleError, TargetNotOfferedError) as error:
        complain(str(error))
        return Exit.NOT_JUDGED


def _journals(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    if len(options.paths) != 2:
        given = counted(len(options.paths), "journal was", "journals were")
        complain(f"drift takes two journals, or --go-version twice; {given} given")
        return Exit.BAD_INPUT
    old, new = map(journal, options.paths)
    if old.kind != new.kind:
        complain(f"{cut(old.file)} is a journal of the kind {old.kind} and {cut(new.file)} of the kind {new.kind}")
        return Exit.BAD_INPUT
    places: tuple[Place, ...] = ()
    if options.candidate is not None:
        with made(options.candidate, Means(go=options.go[0] if options.go else None, cache=options.cache)) as candidate:
            places = three_way(old, new, candidate)
    found = journal_drift(old, new)
    if options.json:
        out.write(as_json.of_journals(found, places if options.candidate else None, reveal=options.reveal))
    else:
        out.writelines(f"{line}\n" for line in listing.of_journals(found, reveal=options.reveal))
    if options.candidate is not None and not options.json:
        out.writelines(f"{line}\n" for line in listed(places, options.candidate))
    return Exit.DIVERGED if found.moved or any(one.sort == NEITHER for one in places) else Exit.MATCH


def _versions(options: Namespace, known: Book, out: TextIO, complain: Callable[[str], None]) -> int:
    if options.candidate is not None:
        complain("--candidate stands between two journals, and not between two versions of Go")
        return Exit.BAD_INPUT
    if len(options.go_version) != 2:
        complain("drift takes --go-version twice: the old version, then the new one")
        return Exit.BAD_INPUT
    old, new = map(target_of, options.go_version)
    read, missing = _to_run(options)
    found = version_drift(old, new, read)
    if not options.json:
        out.writelines(f"{line}\n" for line in listing.of_versions(found, known, reveal=options.reveal))
        if missing:
            out.write(f"  {missing}\n")
    said = None if options.no_go else beside(found, read or (), options.go, options.cache)
    if options.json:
        out.write(as_json.of_versions(found, said, reveal=options.reveal))
    elif said is None:
        out.write("real Go was not asked\n")
    else:
        out.writelines(f"{line}\n" for line in listing.of_real_go(said))
    return Exit.DIVERGED if found.moved or (said is not None and not said.agrees) else Exit.MATCH


def _to_run(options: Namespace) -> tuple[list[Journal] | None, str]:
    """The journals to run; none, and why, where no project is configured here: the tables can be told all the same."""
    try:
        return journals(options.paths), ""
    except NoUsableJournalError as error:
        if options.paths or error.exit is not Exit.NOT_JUDGED:
            raise
        return None, str(error)
