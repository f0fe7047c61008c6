"""``loki-parity rules``: which steps of the journals exercise which rule of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from replay.counted import counted
from replay.engine import numbers
from replay.loaded import NoUsableJournalError, journals
from replay.rules.book import BookError, book, disagreements
from replay.rules.by_step import rules_of_steps, steps_of_rules
from replay.rules.listing import Coverage, as_json, lines, of_steps
from replay.run import Exit

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from replay.journal.model import Journal
    from replay.rules.book import PortRule


def rules(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb.

    0: every rule is exercised by a step or a test. 1: some rule is not, or PORT.toml and the code disagree. 2: a
    journal or a rule that cannot be used. 3: no journal, or no PORT.toml.
    """
    try:
        known = book()
        read = journals(options.paths)
    except BookError as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    chosen = [one for one in known.rules.values() if not options.rule or one.id.startswith(tuple(options.rule))]
    for start in options.rule:
        if not any(one.id.startswith(start) for one in chosen):
            complain(f"no rule begins with {start!a}")
            return Exit.BAD_INPUT
    if options.step:
        return _of_steps(options, read, chosen, out, complain)
    found = Coverage(read, chosen, steps_of_rules(rules_of_steps(read)), [] if options.rule else disagreements(known))
    out.writelines(f"{line}\n" for line in ([as_json(found)] if options.json else lines(found)))
    return Exit.MATCH if found.holds else Exit.DIVERGED


def _of_steps(
    options: Namespace,
    read: Sequence[Journal],
    chosen: Sequence[PortRule],
    out: TextIO,
    complain: Callable[[str], None],
) -> int:
    """The rules that some steps exercise, in the order of PORT.toml."""
    wanted = frozenset(options.step)
    there = {one for each in read for one in numbers(each)}
    missing = sorted(wanted - there)
    if missing:
        complain(f"no step {', '.join(missing)} in {counted(len(read), 'journal')}")
        return Exit.BAD_INPUT
    steps = steps_of_rules(rules_of_steps(read, lambda step: step.number in wanted))
    found = Coverage(read, [one for one in chosen if one.id in steps], steps)
    out.writelines(f"{line}\n" for line in ([as_json(found)] if options.json else of_steps(found)))
    return Exit.MATCH
