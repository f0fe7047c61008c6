"""Shards of one run, put together: what they counted adds up, and what they lack is said."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.counted import counted, named
from replay.exercise import FOUND, MISSED
from replay.report.defects import Defect, RunFileError
from replay.report.run_values import JournalTold, ModeTally, ToldRun
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.report.run_values import Exercise

_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)
_SEVERITY: Final = tuple(int(one) for one in Exit)


def merge(runs: Sequence[tuple[str, ToldRun]]) -> ToldRun:
    """The one run that files, each with its name, are shards of.

    Raises :class:`RunFileError`: files of different runs, a step or a shard that is there twice.
    """
    first_name, first = runs[0]
    if len(runs) == 1 and not first.header.shard:
        return first
    seen: dict[tuple[str, str, str, str], str] = {}
    for name, run in runs:
        if run.header != first.header:
            sentence = f"another run than {first_name}: shards have candidate, modes, selection and floors alike"
            raise RunFileError(Defect.MIXED, name, 1, sentence)
        for step in run.steps:
            if step.key in seen:
                sentence = f"{step.named} is in {seen[step.key]} too"
                raise RunFileError(Defect.DUPLICATED, name, 0, sentence)
            seen[step.key] = name
    merged = ToldRun(
        header=replace(first.header, shard=", ".join(run.header.shard for _, run in runs if run.header.shard)),
        steps=tuple(step for _, run in runs for step in run.steps),
        journals=tuple(_journals(runs)),
        refusals=tuple(dict.fromkeys(one for _, run in runs for one in run.refusals)),
        problems=tuple(dict.fromkeys(one for _, run in runs for one in run.problems)),
        exit=Exit.MATCH,
        interrupted=any(run.interrupted for _, run in runs),
        stopped=any(run.stopped for _, run in runs),
    )
    missing = tuple(_missing(runs))
    problems = (*merged.problems, *missing, *(() if missing else _unjudged(merged)), *_short_of_floors(merged))
    exits = [run.exit for _, run in runs] + [Exit.NOT_JUDGED] * bool(problems)
    return replace(merged, problems=problems, exit=max(map(int, exits), key=_SEVERITY.index))


class _OtherPartsError(Exception):
    """Two shards divide a journal of another length."""


def _journals(runs: Sequence[tuple[str, ToldRun]]) -> Iterator[JournalTold]:
    """Each journal once, in the order in which they come first."""
    found: dict[tuple[str, str], JournalTold] = {}
    for name, run in runs:
        for one in run.journals:
            key = one.candidate, one.journal
            before = found.get(key)
            if before is not None and before.sha256 != one.sha256:
                sentence = f"{one.journal} is another journal here than in the files before"
                raise RunFileError(Defect.MIXED, name, 0, sentence)
            try:
                found[key] = one if before is None else _both(before, one)
            except _OtherPartsError as error:
                raise RunFileError(Defect.MIXED, name, 0, str(error)) from None
    yield from found.values()


def _both(one: JournalTold, other: JournalTold) -> JournalTold:
    modes = dict(one.modes)
    for mode, tally in other.modes.items():
        if mode in modes and modes[mode].of != tally.of:
            message = f"{one.journal} ({mode}) has {tally.of} steps here and {modes[mode].of} in the files before"
            raise _OtherPartsError(message)
        modes[mode] = _sum(modes[mode], tally) if mode in modes else tally
    return replace(
        one,
        modes=modes,
        drill=tuple(_drills([*one.drill, *other.drill])),
        problems=tuple(dict.fromkeys([*one.problems, *other.problems])),
        left_out=tuple(dict.fromkeys([*one.left_out, *other.left_out])),
    )


def _sum(one: ModeTally, other: ModeTally) -> ModeTally:
    tolerances = {
        name: (
            one.tolerances.get(name, (0, 0))[0] + other.tolerances.get(name, (0, 0))[0],
            one.tolerances.get(name, (0, 0))[1] + other.tolerances.get(name, (0, 0))[1],
        )
        for name in sorted({*one.tolerances, *other.tolerances})
    }
    return ModeTally(
        steps=one.steps + other.steps,
        outcomes=_added(one.outcomes, other.outcomes),
        fields=_added(one.fields, other.fields),
        absent=_added(one.absent, other.absent),
        characters=one.characters + other.characters,
        requests=one.requests + other.requests,
        tolerances=tolerances,
        of=one.of,
    )


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    return dict(sorted((Counter(one) + Counter(other)).items()))


def _drills(exercises: Iterable[Exercise]) -> Iterator[Exercise]:
    """Each class once: missed if any shard missed it, else found if any found it."""
    ranks = {MISSED: 2, FOUND: 1}
    best: dict[str, Exercise] = {}
    for one in exercises:
        if one.name not in best or ranks.get(one.outcome, 0) > ranks.get(best[one.name].outcome, 0):
            best[one.name] = one
    yield from best.values()


def _missing(runs: Sequence[tuple[str, ToldRun]]) -> Iterator[str]:
    """Which shards are not there, in a sentence; a shard that is there twice is an error."""
    numbers: dict[str, str] = {}
    for name, run in runs:
        shard = run.header.shard
        if shard in numbers and shard:
            raise RunFileError(Defect.DUPLICATED, name, 1, f"shard {shard} is in {numbers[shard]} too")
        numbers[shard] = name
    found = [(int(match[1]), int(match[2])) for match in map(_SHARD.fullmatch, numbers) if match]
    totals = sorted({total for _, total in found})
    if len(totals) > 1:
        sentence = f"these are shards of {totals[0]} and of {totals[1]}: of two runs"
        raise RunFileError(Defect.MIXED, runs[-1][0], 1, sentence)
    for total in totals:
        absent = sorted({*range(1, min(total, 10_000) + 1)}.difference(one for one, of in found if of == total))
        if absent:
            which = ", ".join(map(str, absent[:10])) + (", …" if len(absent) > 10 else "")
            yield f"{len(absent)} of {counted(total, 'shard')} {named(len(absent), 'is', 'are')} missing: {which}"


def _unjudged(run: ToldRun) -> Iterator[str]:
    """Steps that no shard judged, though all are there: one was refused, or divided the run otherwise."""
    for one in run.journals:
        for mode, tally in one.modes.items():
            if tally.of is not None and tally.steps != tally.of:
                of = counted(tally.of, "step")
                was = named(tally.of, "was", "were")
                yield f"{tally.steps} of {of} of {one.journal} ({mode}) {was} due in the shards"


def _short_of_floors(run: ToldRun) -> Iterator[str]:
    journals, steps = run.header.floors
    if run.files < journals:
        yield f"{counted(run.files, 'journal was', 'journals were')} judged, fewer than the floor of {journals}"
    if run.judged < steps:
        yield f"{counted(run.judged, 'step was', 'steps were')} judged, fewer than the floor of {steps}"
    if any(one.left_out for one in run.journals):
        return
    for name, least in run.header.least_compared:
        for candidate in sorted({one.candidate for one in run.journals}):
            count = sum(_compared(one, name) for one in run.journals if one.candidate == candidate)
            if count < least:
                judged = counted(count, "step")
                yield f"{name} was compared in {judged} that Go recorded, fewer than the floor of {least:,}"


def _compared(one: JournalTold, name: str) -> int:
    """In how many steps of a recorded journal a field was compared, as a run counts it."""
    unanswered = ("crashed", "went-through-go")
    found = [
        tally.fields.get(name, 0) + sum(tally.outcomes.get(outcome, 0) for outcome in unanswered)
        for tally in one.modes.values()
    ]
    return min(found, default=0) if one.source == "recorded" else 0
