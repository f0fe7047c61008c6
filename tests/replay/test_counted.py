"""A number is followed by the singular where it is one, everywhere."""

from __future__ import annotations

import re
from typing import Final

import pytest
from real_command import PROJECT

from replay.counted import counted, named

_BY_HAND: Final = re.compile(
    r"\{(?:len\([^{}]*\)|[^{}]*:,|[a-z_.]*(?:count|total|unequal|judged|left|seen|files|steps))\} (?:more )?[a-z]+s\b"
)
"""A number and a plural in an f-string. What stands in a name of capitals is a constant, and more than one."""

NEVER_ONE: Final = {
    "replay/compare/causes.py: {count} newlines",
    "replay/doctor/looks.py: {len(zones.names())} zones",
    "replay/drift/tables.py: {len(url.parse_query(_MANY, go))} keys",
    "replay/explain/paging.py: {len(order)} pages",
    "replay/explain/recalling.py: {len(ids)} blocks",
    "replay/fuzz/tracker_buckets.py: {count} points",
    "replay/loaded.py: {len(found)} journals",
    "replay/report/value_text.py: {value.bit_length():,} bits",
    "replay/report/verdict.py: {outcomes:,} outcomes",
}
"""Where one is excluded by a condition beside it, or where Go's own text is meant."""


@pytest.mark.parametrize(("number", "text"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1204, "1,204 steps")])
def test_one_alone_is_singular_and_thousands_are_set_apart(number: int, text: str) -> None:
    assert counted(number, "step") == text


def test_a_plural_or_a_verb_of_its_own() -> None:
    assert (counted(1, "entry", "entries"), counted(3, "entry", "entries")) == ("1 entry", "3 entries")
    assert (named(1, "is", "are"), named(0, "is", "are")) == ("is", "are")


def test_nobody_writes_a_plural_behind_a_number_by_hand() -> None:
    assert _BY_HAND.search('f"{len(steps)} journals"')
    assert _BY_HAND.search('f"{total:,} more steps"')
    found = {
        f"{file.relative_to(PROJECT)}: {match[0]}"
        for file in sorted((PROJECT / "replay").rglob("*.py"))
        for match in _BY_HAND.finditer(file.read_text(encoding="utf-8"))
        if not re.search(r"\b[A-Z_]{4,}:,", match[0])
    }
    assert found == NEVER_ONE
