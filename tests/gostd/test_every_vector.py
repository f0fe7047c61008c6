"""The decorator that holds a test against every vector: it must be able to fail, and say where."""

from __future__ import annotations

import pytest
from vectors_reader import TARGETS, Entry, every_vector, sections

from parity.gostd.target import GO_1_25, GoTarget


def test_every_entry_of_the_section_is_held_against_the_test() -> None:
    seen: list[Entry] = []

    @every_vector("slug")
    def slugs(target: GoTarget, entry: Entry) -> None:
        assert target in TARGETS
        seen.append(entry)

    slugs(target=GO_1_25)
    assert seen == sections(GO_1_25)["slug"]


def test_the_last_entry_can_fail_and_is_named() -> None:
    last = sections(GO_1_25)["slug"][-1]

    @every_vector("slug")
    def slugs(target: GoTarget, entry: Entry) -> None:
        del target
        assert entry is not last

    with pytest.raises(AssertionError) as caught:
        slugs(target=GO_1_25)
    place = f"go1.25.json, slug[{len(sections(GO_1_25)['slug']) - 1}]: "
    assert [note.startswith(place) for note in caught.value.__notes__] == [True]


def test_a_choice_that_leaves_nothing_is_an_error() -> None:
    with pytest.raises(AssertionError):
        every_vector("slug", lambda _: False)
