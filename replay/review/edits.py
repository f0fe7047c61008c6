"""The edits by which two values part, as keys: what is the same edit in forty steps is one decision.

An edit is the sort of field, the words that were replaced, the words that replace them, and the sort of character on
either side. Places (which step, which line, which page, which element of a list) are no part of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.compare import ABSENT, pair_up
from replay.compare.align import exact
from replay.compare.texts import as_texts, common_prefix, common_suffix

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from replay.compare import Absent, Difference, Pair
    from replay.fields import Value

Edit: TypeAlias = "tuple[Hashable, ...]"

_WORD: Final = re.compile("[A-Za-z0-9_\u00c0-\u024f]+|.", re.DOTALL)
_LETTER: Final = re.compile("[A-Za-z_\u00c0-\u024f]")
_DIGIT: Final = re.compile("[0-9]")
_NAMED: Final = frozenset({"files", "trackers", "blocks", "config"})
"""Fields whose keys are names: they are no part of what an edit is."""


def edits(difference: Difference) -> Iterator[Edit]:
    """The edits of one difference."""
    field = sort(difference)
    one, other = difference.expected, difference.actual
    if isinstance(one, bytes) and isinstance(other, bytes):
        one, other = as_texts(one, other)
    if isinstance(one, str) and isinstance(other, str):
        for edit in _replaced(one, other):
            yield (field, *edit)
    else:
        # What came or went whole is told by its name too: the same page that came in forty steps.
        yield field, difference.path[1:2] if field in _NAMED else (), _key(one), _key(other)


def sort(difference: Difference) -> str:
    """The field without its places: ``files.content`` of ``files['a.md'].content``."""
    path = difference.path
    kept = [path[0], *path[2:]] if path[0] in _NAMED else path
    return ".".join(one for one in kept if isinstance(one, str))


def _key(value: Value | Absent) -> Hashable:
    return "absent" if value is ABSENT else (exact(value),)


def _replaced(one: str, other: str) -> Iterator[tuple[str, str, str, str]]:
    """What is replaced by what, and the sorts of the characters around it, once for each place."""
    start = common_prefix(one, other)
    end = common_suffix(one, other, min(len(one), len(other)) - start)
    start = _word_start(one, other, start)
    end = _word_end(one, other, end)
    ours, theirs = (_WORD.findall(text[start : len(text) - end]) for text in (one, other))
    before = one[start - 1 : start]
    after = one[len(one) - end :][:1]
    pairs = pair_up(ours, theirs)
    at = 0
    while at < len(pairs):
        stop = at
        while stop < len(pairs) and not pairs[stop].equal:
            stop += 1
        if stop > at:
            left = _at(ours, pairs[at - 1])[-1:] if at else before
            right = _at(ours, pairs[stop])[:1] if stop < len(pairs) else after
            removed, inserted = _joined(ours, theirs, pairs[at:stop])
            yield removed, inserted, _class(left), _class(right)
        at = stop + 1


def _at(words: Sequence[str], pair: Pair) -> str:
    return "" if pair.expected is None else words[pair.expected]


def _joined(ours: Sequence[str], theirs: Sequence[str], pairs: Sequence[Pair]) -> tuple[str, str]:
    removed = "".join(ours[pair.expected] for pair in pairs if pair.expected is not None)
    return removed, "".join(theirs[pair.actual] for pair in pairs if pair.actual is not None)


def _word_start(one: str, other: str, at: int) -> int:
    """Back to the beginning of a word that the place is inside of, on either side."""
    if any(at < len(text) and _in_word(text[at]) for text in (one, other)):
        while at and _in_word(one[at - 1]):
            at -= 1
    return at


def _word_end(one: str, other: str, left: int) -> int:
    """The same for the end; counted from the end of the texts."""
    if any(left < len(text) and _in_word(text[len(text) - left - 1]) for text in (one, other)):
        while left and _in_word(one[len(one) - left]):
            left -= 1
    return left


def _in_word(character: str) -> bool:
    return _class(character) in {"a", "9"}


def _class(character: str) -> str:
    """Letter, digit, or neither (an end of the text too): an ellipsis after any word is one edit."""
    if _LETTER.match(character):
        return "a"
    return "9" if _DIGIT.match(character) else ""
