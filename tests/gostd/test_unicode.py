from __future__ import annotations

import sys
from typing import Final

import pytest
from vectors_reader import TARGETS, tables

from parity.gostd import _unicode_15_0, _unicode_17_0, unicode
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget

CODE_POINTS: Final = range(sys.maxunicode + 1)
MODULES: Final = {GO_1_25: _unicode_15_0, GO_1_27: _unicode_17_0}

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)


@every_target
def test_the_generated_module_carries_the_unicode_version_of_the_go_that_wrote_it(target: GoTarget) -> None:
    assert MODULES[target].UNICODE_VERSION == tables(target)["unicode_version"] == target.unicode
    assert target.unicode in str(MODULES[target].__doc__)
    assert "Generated, do not edit." in str(MODULES[target].__doc__)


@every_target
def test_every_code_point_lowers_as_go_says(target: GoTarget) -> None:
    changed = [[point, ord(unicode.to_lower(chr(point), target))] for point in CODE_POINTS]

    assert [pair for pair in changed if pair[0] != pair[1]] == tables(target)["to_lower"]


@every_target
def test_the_lower_pairs_are_go_s_table_in_order(target: GoTarget) -> None:
    assert list(map(list, unicode.lower_pairs(target))) == tables(target)["to_lower"]
    assert list(unicode.lower_table(target).items()) == list(unicode.lower_pairs(target))


@every_target
def test_no_lower_case_has_a_lower_case_of_its_own(target: GoTarget) -> None:
    table = unicode.lower_table(target)

    assert not table.keys() & set(table.values())


@every_target
def test_every_code_point_folds_to_the_next_as_go_says(target: GoTarget) -> None:
    changed = [[point, ord(unicode.simple_fold(chr(point), target))] for point in CODE_POINTS]

    assert [pair for pair in changed if pair[0] != pair[1]] == tables(target)["simple_fold"]


@every_target
def test_the_fold_table_gives_all_of_a_ring_its_first_character(target: GoTarget) -> None:
    table = unicode.fold_table(target)
    following = dict(tables(target)["simple_fold"])

    assert all(table.get(point, point) == table.get(other, other) <= point for point, other in following.items())
    # A ring has one first character only: where its last one goes back to, the smallest of it.
    firsts = [other for point, other in following.items() if other < point]
    assert sorted(set(table.values())) == sorted({table.get(first, first) for first in firsts})
    assert sorted(set(table) | set(table.values())) == sorted(following)


@every_target
def test_every_code_point_is_printable_as_go_says(target: GoTarget) -> None:
    ranges = tables(target)["is_print"]
    printable = {point for first, last in ranges for point in range(first, last + 1)}

    assert {point for point in CODE_POINTS if unicode.is_print(chr(point), target)} == printable


@every_target
def test_what_strconv_and_unicode_call_printable_is_the_same(target: GoTarget) -> None:
    assert tables(target)["is_print"] == tables(target)["unicode_is_print"]


@every_target
def test_every_code_point_is_a_space_as_go_says(target: GoTarget) -> None:
    spaces = [point for point in CODE_POINTS if unicode.is_space(chr(point))]

    assert spaces == tables(target)["is_space"] == list(map(ord, unicode.SPACES)) == list(MODULES[target].IS_SPACE)
