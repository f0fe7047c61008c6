"""What moves between two versions of Go, held against the tables and the notes that real Go wrote."""

from __future__ import annotations

import sys
from typing import Any, Final

import pytest
from vectors_reader import tables

from parity.gostd.target import GO_1_25, GO_1_27, parse
from parity.tools.recall_search import keywords
from replay.drift.tables import FOLD, LOWER, PRINT, READERS, SPACE, Moved, characters, matters, moved, otherwise

GO_1_26: Final = parse("go1.26.6")
GO_1_21: Final = parse("go1.21.13")
OLD, NEW = tables(GO_1_25), tables(GO_1_27)


@pytest.fixture(scope="module")
def found() -> dict[str, Moved]:
    return {one.name: one for one in moved(GO_1_25, GO_1_27)}


@pytest.fixture(scope="module")
def mattering(found: dict[str, Moved]) -> dict[str, Moved]:
    points = frozenset(point for one in found.values() for point in one.points)
    return {one.name: one for one in matters(GO_1_25, GO_1_27, points)}


def parted(old: list[Any], new: list[Any]) -> tuple[int, ...]:
    """The code points that two mappings of real Go send elsewhere."""
    before, after = dict(old), dict(new)
    return tuple(sorted(point for point in {*before, *after} if before.get(point) != after.get(point)))


def printable(ranges: list[list[int]]) -> set[int]:
    return {point for first, last in ranges for point in range(first, last + 1)}


def test_the_lower_cases_that_moved_are_those_of_the_tables(found: dict[str, Moved]) -> None:
    assert found[LOWER].points == parted(OLD["to_lower"], NEW["to_lower"])
    assert len(found[LOWER].points) == 55


def test_the_rings_that_moved_are_those_of_the_tables(found: dict[str, Moved]) -> None:
    assert found[FOLD].points == parted(OLD["simple_fold"], NEW["simple_fold"])
    assert len(found[FOLD].points) == 116


def test_the_printable_characters_that_moved_are_those_of_the_tables(found: dict[str, Moved]) -> None:
    before, after = printable(OLD["is_print"]), printable(NEW["is_print"])
    assert found[PRINT].points == tuple(sorted(before ^ after))
    assert (len(found[PRINT].points), found[PRINT].gone) == (10_615, len(before - after))
    assert found[PRINT].gone == 0


def test_no_space_moved_in_the_tables_either(found: dict[str, Moved]) -> None:
    assert OLD["is_space"] == NEW["is_space"]
    assert found[SPACE].points == ()


def test_backwards_the_same_points_move_and_what_came_goes() -> None:
    back = {one.name: one for one in moved(GO_1_27, GO_1_25)}
    assert (len(back[PRINT].points), back[PRINT].gone) == (10_615, 10_615)
    assert len(back[LOWER].points) == 55


def test_between_versions_of_one_unicode_nothing_moves() -> None:
    assert [one.points for one in moved(GO_1_25, GO_1_26)] == [(), (), (), ()]


def test_recall_search_keywords_are_untouched(mattering: dict[str, Moved]) -> None:
    # go-semantics.md, 2.3: the same answers for 1.25 and 1.27, the 55 new pairs land outside
    assert mattering["recall_search keywords"].points == ()
    assert mattering["recall_search keywords"].rules == ("recall_search/keywords",)


def test_what_is_quoted_otherwise_is_what_became_printable(
    found: dict[str, Moved], mattering: dict[str, Moved]
) -> None:
    assert mattering["%q"].points == found[PRINT].points


def test_trim_space_and_fields_are_untouched(mattering: dict[str, Moved]) -> None:
    assert mattering["TrimSpace and Fields"].points == ()


def test_equal_fold_moves_with_the_rings(found: dict[str, Moved], mattering: dict[str, Moved]) -> None:
    assert mattering["EqualFold"].points == found[FOLD].points
    assert [mattering[f"EqualFold with {word}"].points for word in ("MEMORY.md", "now", "maintenant")] == [(), (), ()]


def test_the_terms_of_mem_search_move_with_the_lower_cases(
    found: dict[str, Moved], mattering: dict[str, Moved]
) -> None:
    assert mattering["mem_search terms"].points == found[LOWER].points


def test_names_and_slugs_are_untouched(mattering: dict[str, Moved]) -> None:
    assert mattering["a name's .md"].points == ()
    assert mattering["a tracker's slug"].points == ()


def test_to_ask_about_the_points_that_moved_is_to_ask_about_all(mattering: dict[str, Moved]) -> None:
    """No rule answers otherwise for a code point that no table moved."""
    for name, _, answer in READERS:
        everywhere = [
            point
            for point in range(0, sys.maxunicode + 1, 31)
            if not 0xD800 <= point < 0xE000 and answer(chr(point), GO_1_25) != answer(chr(point), GO_1_27)
        ]
        assert everywhere == [point for point in mattering[name].points if point % 31 == 0]


def test_a_rule_that_a_table_does_reach_is_told() -> None:
    # if a moved point were lowered into the alphabet it would be found: A is, under both, and becomes aa
    assert keywords("AA", GO_1_25) == ("aa",)
    (first, *_) = matters(GO_1_25, GO_1_27, frozenset({ord("A"), 0x1C89}))
    assert first.points == ()


def test_every_code_point_is_asked_about_but_the_surrogates() -> None:
    points = list(characters())
    assert len(points) == 1_112_064
    assert 0xD7FF in points
    assert 0xD800 not in points


def test_json_and_query_strings_that_answer_otherwise_are_probed() -> None:
    # go-semantics.md, 2.10 to 2.12
    assert [(one.about, one.old, one.new) for one in otherwise(GO_1_25, GO_1_27)] == [
        ('an argument beyond float64, {"limit":1e400}', "map[limit:<nil>]", "map[limit:0]"),
        ('the same, repeated: {"limit":3,"limit":1e400}', "map[limit:<nil>]", "map[limit:0]"),
        ("a byte that is not UTF-8, written as JSON", '"\\ufffd"', '"\ufffd"'),
        ("a query string of 10,001 parameters", "1 keys", "0 keys"),
    ]
    assert [one.about for one in otherwise(GO_1_21, GO_1_25)] == ["U+0008 and U+000C, written as JSON"]
    assert otherwise(GO_1_25, parse("go1.24.11")) == ()
