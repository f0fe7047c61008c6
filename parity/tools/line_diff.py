"""The diff of two texts, line by line, as a person is shown it (contract: memory.md, Diff)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.rules import rule
from parity.tools.interface import DiffLine

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT: Final = " "
REMOVED: Final = "-"
ADDED: Final = "+"
MORE: Final = "…({cut} lignes de plus)"

MOST_COMPARED: Final = 400
MOST_SHOWN: Final = 120


@rule("memory/diff/lines")
def lines_of(text: str) -> list[str]:
    r"""The lines of a text: ``\r\n`` is ``\n``; empty text has none; a trailing newline gives a last, empty one."""
    return text.replace("\r\n", "\n").split("\n") if text else []


@rule("memory/diff/long")
def whole(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    """All old lines removed, then all new ones added: what is shown when either side has over 400 lines."""
    return [DiffLine(REMOVED, line) for line in old] + [DiffLine(ADDED, line) for line in new]


@rule("memory/diff/common")
def common_lengths(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """At ``[i][j]`` the length of the longest common subsequence of ``old[i:]`` and ``new[j:]``."""
    below = [0] * (len(new) + 1)
    rows = [below]
    for line in reversed(old):
        row = [0] * (len(new) + 1)
        for j in range(len(new) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if line == new[j] else max(below[j], row[j + 1])
        rows.append(row)
        below = row
    rows.reverse()
    return rows


@rule("memory/diff/walk")
def walked(old: Sequence[str], new: Sequence[str]) -> list[DiffLine]:
    """From the start: equal lines are kept; else the old one goes if that loses nothing, else the new one comes."""
    lengths = common_lengths(old, new)
    diff = []
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            diff.append(DiffLine(KEPT, old[i]))
            i += 1
            j += 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            diff.append(DiffLine(REMOVED, old[i]))
            i += 1
        else:
            diff.append(DiffLine(ADDED, new[j]))
            j += 1
    return diff + whole(old[i:], new[j:])


@rule("memory/diff/cut")
def cut(diff: Sequence[DiffLine]) -> tuple[DiffLine, ...]:
    """Over 120 entries: the first 120, and one that says how many were cut."""
    if len(diff) <= MOST_SHOWN:
        return tuple(diff)
    return (*diff[:MOST_SHOWN], DiffLine(KEPT, MORE.format(cut=len(diff) - MOST_SHOWN)))


def line_diff(old: str, new: str) -> tuple[DiffLine, ...]:
    """The diff that turns ``old`` into ``new``, as shown."""
    before, after = lines_of(old), lines_of(new)
    if max(len(before), len(after)) > MOST_COMPARED:
        return cut(whole(before, after))
    return cut(walked(before, after))
