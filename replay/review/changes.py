"""What a re-recorded journal says otherwise, change by change, each with the part of the file that it is.

A change is as large as what Go wrote at once: a result, a label, a diff, one file, one tracker; a step that came, went
or moved; a member of the head, a block. So no journal ever holds a value that Go never gave. Changes that are the same
edit are one group: a decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from replay.compare import ABSENT, Difference, pair_up
from replay.compare.align import exact
from replay.drift.change import differences
from replay.drift.journals import entries, head, pairs, start, whole
from replay.journal.model import KEEPIMG, Place
from replay.outcome import Mode, StepRef
from replay.review.edits import edits, sort
from replay.review.rewrite import Elements, Member, Rewriting

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from replay.drift.journals import Entry
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase
    from replay.review.outline import Document, Path
    from replay.review.rewrite import Part, Row

Documents = tuple["Document", "Document"]
_BLOCKS: Final = "blocks"
_MOST_SHOWN: Final = ("args", "step", "result", "panic")
"""What is shown of a step that came or went."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change: ``key`` is that of its group, ``what`` the field or the event, ``number`` the step's ("" : none)."""

    key: Hashable
    what: str
    number: str
    step: StepRef
    differences: tuple[Difference, ...]
    part: Part


class JournalChanges:
    """Everything that a new journal says otherwise than an old one of the same kind."""

    def __init__(self, old: Journal, new: Journal, documents: Documents) -> None:
        self._journals = (old, new)
        self._documents = documents
        self._rows: dict[Path, Sequence[Row]] = {}
        self.all: tuple[Change, ...] = tuple(self._found())

    def rewritten(self, side: int, applied: Iterable[Change]) -> bytes:
        """The old journal (side 0) or the new one (side 1) with some changes as the other has them."""
        base, other = self._documents[side], self._documents[1 - side]
        return Rewriting(base, other, self._rows, side, [one.part for one in applied]).data()

    def _found(self) -> Iterator[Change]:
        yield from self._head()
        yield from self._cases() if self._journals[0].kind == KEEPIMG else self._steps()

    def _head(self) -> Iterator[Change]:
        old, new = self._journals
        secret = any(one.settings is not None and one.settings.dek is not None for one in self._journals)
        step = StepRef(old.file, "", "", "", Place(old.file, "", 1), Mode.ISOLATED, secret)
        found = differences(head(old), head(new))
        blocks = self._block_rows()
        taken_apart = [one for one in found if one.path[0] == _BLOCKS and blocks is not None]
        yield from self._members(step, ((), ()), [one for one in found if one not in taken_apart], _OF_HEAD)
        if blocks is not None:
            yield from self._changed_blocks(step, blocks, taken_apart)

    def _block_rows(self) -> dict[str, int] | None:
        """To each block the number of its row; None where the blocks cannot be taken one by one."""
        both = [document.opened((_BLOCKS,)) for document in self._documents]
        if any(one is None for one in both):
            return None
        ours, theirs = ([item.node.number for item in (one or {}).values()] for one in both)
        shared = set(ours) & set(theirs)
        if [one for one in ours if one in shared] != [one for one in theirs if one in shared]:
            return None
        rows: list[Row] = []
        numbers: dict[str, int] = {}
        at = 0
        for index, seq in enumerate(theirs):
            while seq in shared and ours[at] != seq:
                numbers[f"r{ours[at]}"] = len(rows)
                rows.append((at, None))
                at += 1
            numbers[f"r{seq}"] = len(rows)
            rows.append((at if seq in shared else None, index))
            at += seq in shared
        for left in range(at, len(ours)):
            numbers[f"r{ours[left]}"] = len(rows)
            rows.append((left, None))
        self._rows[(_BLOCKS,)] = rows
        return numbers

    def _changed_blocks(
        self, step: StepRef, numbers: Mapping[str, int], found: Sequence[Difference]
    ) -> Iterator[Change]:
        by_block: dict[str, list[Difference]] = {}
        for one in found:
            by_block.setdefault(str(one.path[1]), []).append(one)
        for name, several in by_block.items():
            row = numbers[name]
            ours, theirs = self._rows[(_BLOCKS,)][row]
            if ours is None or theirs is None:
                what = "a block that came" if ours is None else "a block that went"
                yield Change(what, what, "", step, tuple(several), Elements(((_BLOCKS,), (_BLOCKS,)), (row,)))
            else:
                member = Member(((_BLOCKS, ours), (_BLOCKS, theirs)))
                yield Change(_same_edits(several), _sorts(several), "", step, tuple(several), member)

    def _members(
        self,
        step: StepRef,
        bases: tuple[Path, Path],
        found: Iterable[Difference],
        below: Mapping[str, Path] | None = None,
        otherwise: Path = (),
    ) -> Iterator[Change]:
        """One change for each member that differs; ``below`` says under which key a field stands in the file."""
        by_member: dict[Member, list[Difference]] = {}
        for one in found:
            place = (below or {}).get(str(one.path[0]), otherwise)
            path = place if place in _WHOLE else (*place, *one.path)
            by_member.setdefault(self._member(bases, path), []).append(one)
        for member, several in by_member.items():
            # What neither file writes follows from something else: beside a crash no diff is not an empty one.
            if any(document.at(path) for document, path in zip(self._documents, member.paths, strict=True)):
                yield Change(_same_edits(several), _sorts(several), step.number, step, tuple(several), member)

    def _member(self, bases: tuple[Path, Path], path: Path) -> Member:
        """The smallest part that both files have a place for."""
        length = 1
        while length < len(path) and all(
            document.opened((*base, *path[:length])) is not None
            for document, base in zip(self._documents, bases, strict=True)
        ):
            length += 1
        return Member(((*bases[0], *path[:length]), (*bases[1], *path[:length])))

    def _steps(self) -> Iterator[Change]:
        sides = [list(entries(one)) for one in self._journals]
        indexes = [{id(entry): index for index, entry in enumerate(side)} for side in sides]
        found = list(pairs(*sides))
        self._rows[("steps",)] = [
            (None if one is None else indexes[0][id(one)], None if other is None else indexes[1][id(other)])
            for one, other in found
        ]
        yield from self._came_and_went((("steps",), ("steps",)), found)
        for (one, other), (ours, theirs) in zip(found, self._rows[("steps",)], strict=True):
            if one is not None and other is not None:
                bases: tuple[Path, Path] = (("steps", cast("int", ours)), ("steps", cast("int", theirs)))
                yield from self._members(one.step, bases, differences(whole(one), whole(other)))

    def _came_and_went(
        self, paths: tuple[Path, Path], found: Sequence[tuple[Entry | None, Entry | None]]
    ) -> Iterator[Change]:
        """Steps that one side lacks; one that went here and came there, otherwise the same, has moved."""
        came: dict[Hashable, list[int]] = {}
        for row, (one, other) in enumerate(found):
            if one is None and other is not None:
                came.setdefault(exact(_entry(other)), []).append(row)
        moved: set[int] = set()
        for row, (one, other) in enumerate(found):
            if one is not None and other is None:
                places = came.get(exact(_entry(one)))
                if places:
                    moved.add(places[0])
                    yield self._moved(paths, found, row, places.pop(0))
                else:
                    yield _whole_step("a step that went", one, paths, row)
        for row, (one, other) in enumerate(found):
            if one is None and other is not None and row not in moved:
                yield _whole_step("a step that came", other, paths, row)

    def _moved(
        self, paths: tuple[Path, Path], found: Sequence[tuple[Entry | None, Entry | None]], went: int, came: int
    ) -> Change:
        one, other = cast("Entry", found[went][0]), cast("Entry", found[came][1])
        what = "a step that moved"
        shown = (Difference("number", "changed", one.step.number, other.step.number, ("number",)),)
        return Change(what, what, one.step.number, one.step, shown, Elements(paths, (went, came)))

    def _cases(self) -> Iterator[Change]:
        old, new = self._journals
        sides = [{one.step.number: one for one in entries(journal)} for journal in self._journals]
        rows = [
            (pair.expected, pair.actual)
            for pair in _named_pairs([_case(one) for one in old.cases], [_case(one) for one in new.cases])
        ]
        self._rows[("cases",)] = rows
        for row, (ours, theirs) in enumerate(rows):
            if ours is None or theirs is None:
                case = new.cases[cast("int", theirs)] if ours is None else old.cases[ours]
                first = sides[0 if theirs is None else 1][f"{case.index}.1"] if case.steps else None
                yield self._whole_case(case, first, row, came=ours is None)
            else:
                yield from self._case(old.cases[ours], new.cases[theirs], sides)

    def _whole_case(self, case: KeepimgCase, first: Entry | None, row: int, *, came: bool) -> Change:
        what = "a case that came" if came else "a case that went"
        step = StepRef(self._journals[came].file, str(case.index), "case", case.name, case.at, Mode.ISOLATED)
        shown = () if first is None else tuple(_one_sided(first, came=came))
        return Change(what, what, step.number, step, shown, Elements((("cases",), ("cases",)), (row,)))

    def _case(self, old: KeepimgCase, new: KeepimgCase, sides: Sequence[Mapping[str, Entry]]) -> Iterator[Change]:
        bases: tuple[Path, Path] = (("cases", old.index - 1), ("cases", new.index - 1))
        step = StepRef(self._journals[0].file, str(old.index), "case", old.name, old.at, Mode.ISOLATED)
        yield from self._members(step, bases, differences(_case(old, "name"), _case(new, "name")))
        ours, theirs = (
            [side[f"{case.index}.{operation.index}"] for operation in case.steps]
            for side, case in zip(sides, (old, new), strict=True)
        )
        rows = [
            (pair.expected, pair.actual)
            for pair in _named_pairs([_operation(one) for one in ours], [_operation(one) for one in theirs])
        ]
        paths: tuple[Path, Path] = ((*bases[0], "steps"), (*bases[1], "steps"))
        self._rows[paths[0]] = rows
        found = [(None if one is None else ours[one], None if other is None else theirs[other]) for one, other in rows]
        yield from self._came_and_went(paths, found)
        for (one, other), (here, there) in zip(found, rows, strict=True):
            if one is not None and other is not None:
                places: tuple[Path, Path] = ((*paths[0], cast("int", here)), (*paths[1], cast("int", there)))
                asked = differences({"step": one.asked["step"]}, {"step": other.asked["step"]})
                yield from self._members(one.step, places, asked)
                yield from self._members(
                    one.step, places, differences(one.recorded, other.recorded), otherwise=("after",)
                )


_OF_HEAD: Final[Mapping[str, Path]] = {
    "zone": ("clock",),
    "blocks": ("blocks",),
    "files": ("initial",),
    "trackers": ("initial",),
}
"""Under which key of the file something of the head stands."""

_WHOLE: Final[tuple[Path, ...]] = (("clock",), ("blocks",))
"""What is taken over with everything in it."""


def _named_pairs(ours: Sequence[Fields], theirs: Sequence[Fields]) -> Iterator[_Row]:
    """Which answer which; those of two names are two that do not."""
    for pair in pair_up(ours, theirs):
        if pair.expected is None or pair.actual is None or ours[pair.expected]["id"] == theirs[pair.actual]["id"]:
            yield _Row(pair.expected, pair.actual)
        else:
            yield _Row(pair.expected, None)
            yield _Row(None, pair.actual)


@dataclass(frozen=True, slots=True)
class _Row:
    expected: int | None
    actual: int | None


def _case(case: KeepimgCase, name: str = "id") -> Fields:
    return {**start(case), name: case.name}


def _operation(entry: Entry) -> Fields:
    return {"step": entry.asked["step"], "id": entry.step.tool}


def _entry(entry: Entry) -> Fields:
    return {**whole(entry), "tool": entry.step.tool}


def _whole_step(what: str, entry: Entry, paths: tuple[Path, Path], row: int) -> Change:
    shown = tuple(_one_sided(entry, came=what.endswith("came")))
    key = (what, entry.step.tool)
    return Change(key, what, entry.step.number, entry.step, shown, Elements(paths, (row,)))


def _one_sided(entry: Entry, *, came: bool) -> Iterator[Difference]:
    for name, value in whole(entry).items():
        if name in _MOST_SHOWN:
            one, other = (ABSENT, value) if came else (value, ABSENT)
            yield Difference(name, "extra" if came else "missing", one, other, (name,))


def _same_edits(found: Iterable[Difference]) -> Hashable:
    return frozenset(edit for one in found for edit in edits(one))


def _sorts(found: Iterable[Difference]) -> str:
    return ", ".join(dict.fromkeys(map(sort, found)))
