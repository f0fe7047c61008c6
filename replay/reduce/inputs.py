"""What a journal holds beside its steps, and what of it may be taken away: blocks, or pages and trackers at the start.

What the diverging step's record, arguments or answer name stays: without it the record would speak of what is not
there. So does a page or a tracker that the step changed: its record says what became of it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from parity.stores.state import State
from replay.compare.texts import as_text
from replay.outcome import Diverged

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from parity.tools.interface import Tracker
    from replay.journal.model import Journal
    from replay.outcome import Outcome

V = TypeVar("V")

Part: TypeAlias = tuple[str, str]
"""What it is (``block``, ``page``, ``tracker``) and its id, name or key."""

BLOCK: Final = "block"
PAGE: Final = "page"
TRACKER: Final = "tracker"

_STATE: Final = ("files", "trackers")


def parts(journal: Journal) -> tuple[Part, ...]:
    """All of a journal's inputs."""
    found = [(BLOCK, block.id) for block in journal.blocks]
    if journal.initial is not None:
        found += [(PAGE, name) for name in journal.initial.files]
        found += [(TRACKER, key) for key in journal.initial.trackers]
    return tuple(found)


def removable(journal: Journal, outcome: Outcome) -> tuple[Part, ...]:
    """Those that may be taken away from a journal whose last step is the diverging one, with this outcome."""
    said = "\n".join(_said(journal, outcome)).casefold()
    return tuple(one for one in parts(journal) if not _named(one, said, journal) and not _changed(one, journal))


def without(journal: Journal, gone: Collection[Part]) -> Journal:
    """A journal without some inputs: they are neither at the start nor in the last step's record."""
    last = journal.steps[-1]
    expected = last.expected
    if expected.files is not None:
        expected = replace(expected, files=_left(expected.files, PAGE, gone))
    if expected.trackers is not None:
        expected = replace(expected, trackers=_left(expected.trackers, TRACKER, gone))
    initial = journal.initial
    if initial is not None:
        initial = State(_left(initial.files, PAGE, gone), _left(initial.trackers, TRACKER, gone))
    blocks = tuple(block for block in journal.blocks if (BLOCK, block.id) not in gone)
    steps = (*journal.steps[:-1], replace(last, expected=expected))
    return replace(journal, blocks=blocks, initial=initial, steps=steps)


def _left(members: Mapping[str, V], sort: str, gone: Collection[Part]) -> dict[str, V]:
    return {name: value for name, value in members.items() if (sort, name) not in gone}


def _said(journal: Journal, outcome: Outcome) -> Iterator[str]:
    """The texts in which an input that matters is named: arguments, record and answer, but not the pages themselves."""
    last = journal.steps[-1]
    expected = last.expected
    yield as_text(last.raw_args)
    yield from (text for text in (expected.result, expected.label, expected.panic) if text is not None)
    yield from (line.text for line in expected.diff or ())
    if isinstance(outcome, Diverged):
        for one in outcome.differences:
            if isinstance(one.actual, str) and not one.field.startswith(_STATE):
                yield one.actual


def _named(part: Part, said: str, journal: Journal) -> bool:
    sort, name = part
    if sort == BLOCK:
        return re.search(rf"(?<![0-9a-z]){re.escape(name)}(?![0-9a-z])", said) is not None
    if sort == PAGE:
        return (name.partition(".")[0] or name).casefold() in said
    assert journal.initial is not None  # noqa: S101 - a tracker was in it
    tracker: Tracker = journal.initial.trackers[name]
    return name.rpartition("/")[2].casefold() in said or tracker.name.casefold() in said


def _changed(part: Part, journal: Journal) -> bool:
    """Whether the last step's record says that a page or a tracker became another, or went."""
    sort, name = part
    if sort == BLOCK or journal.initial is None:
        return False
    before: Mapping[str, object] = journal.initial.files if sort == PAGE else journal.initial.trackers
    expected = journal.steps[-1].expected
    after: Mapping[str, object] | None = expected.files if sort == PAGE else expected.trackers
    return after is not None and after.get(name) != before[name]
