"""A group of changes as text: how many, in which steps, one of them drawn as the gate draws a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.counted import counted
from replay.report import terminal_difference
from replay.report.terminal_difference import PLACE, STEP
from replay.report.value_text import cut
from replay.review.pending import ENDS
from replay.run import order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.review.pending import Group, Pending

_NAME: Final = 200
_NOTE: Final = 200
_MOST_RANGES: Final = 12


def heading(pending: Pending) -> str:
    """Which file, how much waits, and what the two words of a drawn difference mean here."""
    name = cut(pending.name, _NAME)
    changes = sum(len(group.changes) for group in pending.groups)
    if not changes:
        return f"{name}{ENDS}"
    waits = f"{counted(changes, 'change')} in {counted(len(pending.groups), 'group')}"
    return f'{name}{ENDS}: {waits} ("recorded" is what {name} holds, "candidate" what waits)'


def group_lines(number: int, group: Group, *, reveal: bool) -> Iterator[str]:
    """A group, its first change drawn; what is sealed only if it is asked for."""
    yield f"{number:>3}  {group.what}{_where(group)}"
    if not group.changes:
        return
    example = group.changes[0]
    step = example.step
    if step.tool:
        note = f" — {cut(step.note, _NOTE)}" if step.note else ""
        yield f"     step {step.number} {cut(step.tool, _NAME)}{note}"
    yield f"     at {cut(str(step.at), _NAME)}"
    for kind, line in terminal_difference.lines(step, example.differences, reveal=reveal):
        if kind not in {STEP, PLACE}:
            yield f"   {line}"


def _where(group: Group) -> str:
    """In which steps, and of which tools; in a text, at which lines."""
    numbers = sorted({one.number for one in group.changes if one.number}, key=order)
    if not numbers:
        return f": {counted(len(group.changes), 'place')}" if len(group.changes) > 1 else ""
    tools = sorted({one.step.tool for one in group.changes if one.step.tool})
    where = f"{counted(len(numbers), 'step' if tools else 'place')} ({_ranges(numbers)})"
    return f": {where} of {', '.join(map(cut, tools))}" if tools else f": {where}"


def _ranges(numbers: Sequence[str]) -> str:
    """Numbers in few words: ``3, 7-12, 40``."""
    found: list[list[str]] = []
    for number in numbers:
        if found and "." not in number and "." not in found[-1][-1] and int(number) == int(found[-1][-1]) + 1:
            found[-1].append(number)
        else:
            found.append([number])
    named = [one[0] if len(one) == 1 else f"{one[0]}-{one[-1]}" for one in found]
    return ", ".join(named[:_MOST_RANGES]) + (", …" if len(named) > _MOST_RANGES else "")
