"""Two journals side by side: what their heads say otherwise, which steps came, went, or changed, and in which field."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import utf8
from replay.compare import pair_up
from replay.drift.change import ADDED, CHANGED, REMOVED, Change, differences, touched
from replay.engine import references
from replay.fields import expected_fields, files_value, trackers_value
from replay.journal.model import RECORDED
from replay.outcome import Mode
from replay.rules.by_step import rules_of_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.compare import Difference
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, KeepimgCase, Step
    from replay.outcome import StepRef


_STRING_OR_BLANK: Final = re.compile(rb'("(?:[^"\\]|\\.)*+")|[ \t\n\r]++', re.DOTALL)


@dataclass(frozen=True, slots=True)
class JournalDrift:
    """What moved between two journals of one kind."""

    old: Journal
    new: Journal
    head: tuple[Difference, ...]
    changes: tuple[Change, ...]
    same: int

    @property
    def moved(self) -> bool:
        """Whether anything did."""
        return bool(self.head or self.changes)


@dataclass(frozen=True, slots=True)
class Entry:
    """A step, or an operation of a case: what it is called by, what was asked, what was recorded."""

    step: StepRef
    asked: Fields
    recorded: Fields = field(default_factory=dict)


def journal_drift(old: Journal, new: Journal) -> JournalDrift:
    """Everything that differs. Both are of one kind."""
    ours, theirs = list(entries(old)), list(entries(new))
    exercised = {id(one): {each.step.number: each.rules for each in rules_of_steps([one])} for one in (old, new)}
    changes = []
    same = 0
    for before, after in pairs(ours, theirs):
        change = _change(before, after, exercised[id(old)], exercised[id(new)])
        if change is None:
            same += 1
        else:
            changes.append(change)
    return JournalDrift(old, new, differences(head(old), head(new)), tuple(changes), same)


def pairs(ours: Sequence[Entry], theirs: Sequence[Entry]) -> Iterator[tuple[Entry | None, Entry | None]]:
    """Which step answers which: those that ask the same, then those of one tool and note, then by position."""
    for pair in pair_up([_asked(one) for one in ours], [_asked(one) for one in theirs]):
        before = None if pair.expected is None else ours[pair.expected]
        after = None if pair.actual is None else theirs[pair.actual]
        if before is not None and after is not None and before.step.tool != after.step.tool:
            yield before, None
            yield None, after
        else:
            yield before, after


def _asked(entry: Entry) -> Value:
    """What two steps share that are the same call; ``id`` is by what a step is known when its arguments changed."""
    return {**entry.asked, "id": f"{entry.step.tool}\n{entry.step.note}"}


def entries(journal: Journal) -> Iterator[Entry]:
    """Every step or operation, in the order of :func:`replay.engine.references`."""
    named = references(journal, Mode.ISOLATED)
    dek = None if journal.settings is None else journal.settings.dek
    for step in journal.steps:
        yield Entry(next(named), _asked_of(step), expected_fields(step.expected, dek))
    for case in journal.cases:
        begins = start(case)
        for operation in case.steps:
            yield Entry(next(named), {"case": begins, "step": operation.step}, operation.after)


def _asked_of(step: Step) -> dict[str, Value]:
    """The arguments as written but for the blanks between them, and the clock where the journal has one."""
    asked: dict[str, Value] = {"args": utf8.text(_STRING_OR_BLANK.sub(rb"\1", step.raw_args))}
    if step.clock_from == RECORDED:
        asked["now"] = step.now_ns
    return asked


def start(case: KeepimgCase) -> Fields:
    """What a case of kept images starts from."""
    return {
        "ctx_window": case.ctx_window,
        "keep_turn_images": case.keep_turn_images,
        "thread": case.thread,
        "conversation": case.conversation,
        "vision": case.vision,
        "messages": case.messages,
    }


def _change(
    before: Entry | None,
    after: Entry | None,
    exercised_before: Mapping[str, frozenset[str]],
    exercised_after: Mapping[str, frozenset[str]],
) -> Change | None:
    """What became of a step; None where nothing did."""
    found: tuple[Difference, ...] = ()
    if before is None or after is None:
        kind = ADDED if before is None else REMOVED
        fields = list(_WHOLE_STEP)
    else:
        kind = CHANGED
        found = differences(whole(before), whole(after))
        fields = [str(one.path[0]) for one in found]
        if not found:
            return None
    shown = cast("Entry", before if after is None else after)
    exercised = exercised_before if after is None else exercised_after
    return Change(
        kind=kind,
        tool=shown.step.tool,
        note=shown.step.note,
        old=None if before is None else before.step.number,
        new=None if after is None else after.step.number,
        differences=found,
        rules=touched(fields, shown.step.tool, exercised.get(shown.step.number, ())),
        secret=any(one is not None and one.step.secret for one in (before, after)),
    )


_WHOLE_STEP: Final = ("result", "label", "diff", "files", "trackers")
"""The fields whose rules a step touches that came or went whole."""


def whole(entry: Entry) -> Fields:
    """What a journal says of a step: its note, what was asked, what was recorded."""
    return {"note": entry.step.note, **entry.asked, **entry.recorded}


def head(journal: Journal) -> Fields:
    """What a journal says before its steps."""
    target = journal.target
    said: dict[str, Value] = {
        "about": journal.about,
        "source": journal.source,
        "go": {"version": target.version, "unicode": target.unicode, "goarch": target.goarch},
        "blocks": {block.id: cast("Value", asdict(block)) for block in journal.blocks},
    }
    if journal.settings is not None and journal.initial is not None:
        settings = journal.settings
        said |= {
            "zone": journal.zone,
            "project": {"slug": settings.project_slug, "name": settings.project_name},
            "config": dict(settings.config),
            "locked": settings.locked,
            "dek": None if settings.dek is None else hashlib.sha256(settings.dek).hexdigest(),
            "files": files_value(journal.initial.files, settings.dek),
            "trackers": trackers_value(journal.initial.trackers),
        }
    return said
