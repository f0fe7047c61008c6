"""Shards: together they judge every step of every journal once in each mode, each about as many, always the same."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from fake_candidates import Truthful
from real_command import LOGS

from replay.candidates.interface import Capabilities
from replay.engine import replay
from replay.journal import load, loads
from replay.journal.model import KEEPIMG
from replay.numbering import Numbering
from replay.outcome import Mode
from replay.scope import Scope, scope
from replay.work import Piece, Shard, pieces

if TYPE_CHECKING:
    from replay.journal.model import Journal

RECALL: Final = load(LOGS / "recall.json")
MEMORY: Final = load(LOGS / "outils.json")
KEPT: Final = load(LOGS / "keepimg.json")
BOTH: Final = (Mode.ISOLATED, Mode.CHAINED)


def scopes(*modes: Mode) -> list[Scope]:
    return [Scope(mode, judged=True, chooses=None) for mode in modes]


def shares(journal: Journal, of: int, *modes: Mode, turn: int = 0) -> list[list[range]]:
    """To each mode the positions of the steps that each shard judges."""
    numbering = Numbering(journal)
    made = [pieces(journal, numbering, scopes(*modes), Shard(number, of), turn) for number in range(1, of + 1)]
    return [[piece.steps(numbering) for piece in mode] for mode in zip(*made, strict=True)]


@pytest.mark.parametrize("turn", [0, 1, 5])
@pytest.mark.parametrize("of", [1, 2, 3, 16, 200])
@pytest.mark.parametrize("journal", [RECALL, KEPT], ids=["steps", "cases"])
def test_every_step_is_judged_once_in_each_mode(journal: Journal, of: int, turn: int) -> None:
    for mode in shares(journal, of, *BOTH, turn=turn):
        assert sorted(at for share in mode for at in share) == list(range(len(Numbering(journal))))


def test_the_chained_run_is_whole_and_its_shard_has_no_isolated_steps() -> None:
    for turn in range(4):
        isolated, chained = shares(RECALL, 4, *BOTH, turn=turn)
        assert sorted(map(len, chained)) == [0, 0, 0, 41]
        assert sorted(map(len, isolated)) == [0, 13, 14, 14]
        assert isolated[chained.index(range(41))] == range(0)
    owners = [shares(RECALL, 4, *BOTH, turn=turn)[1].index(range(41)) for turn in range(4)]
    assert sorted(owners) == [0, 1, 2, 3]


def test_where_only_isolated_steps_are_judged_all_shards_share_them() -> None:
    (isolated,) = shares(RECALL, 4, Mode.ISOLATED)
    assert sorted(map(len, isolated)) == [10, 10, 10, 11]


def test_cases_are_whole_in_both_modes_and_shards_have_about_as_many_operations() -> None:
    isolated, chained = shares(KEPT, 3, *BOTH)
    assert isolated == chained
    longest = max(len(case.steps) for case in KEPT.cases)
    assert all(abs(len(share) - len(Numbering(KEPT)) / 3) < longest for share in isolated)
    starts = [Numbering(KEPT).start(at) for at in range(len(KEPT.cases) + 1)]
    assert {share.start for share in isolated} <= set(starts)


def judged(journal: Journal, units: range, mode: Mode = Mode.ISOLATED) -> tuple[list[str], Journal]:
    piece = Piece(scopes(mode)[0], units)
    part, judging = piece.part(journal, Numbering(journal))
    return [outcome.step.number for outcome in replay(part, Truthful(journal), judging)], part


def test_a_piece_judges_its_own_steps_and_no_others() -> None:
    assert judged(RECALL, range(10, 13))[0] == ["11", "12", "13"]
    assert judged(RECALL, range(41), Mode.CHAINED)[1] is RECALL


def test_a_piece_begins_earlier_where_no_state_was_recorded() -> None:
    step = small_journals.step("mem_read", {}, "", files={}, trackers={})
    bare = small_journals.step("mem_read", {}, "")
    journal = loads(json.dumps(small_journals.memory(step, bare, bare, bare)).encode(), "a.json")
    numbers, part = judged(journal, range(3, 4))
    assert numbers == ["4"]
    assert [one.index for one in part.steps] == [2, 3, 4]


def test_a_piece_of_cases_holds_them_whole() -> None:
    _, judging = Piece(scopes(Mode.CHAINED)[0], range(2, 4)).part(KEPT, Numbering(KEPT))
    part, _ = Piece(scopes(Mode.CHAINED)[0], range(2, 4)).part(KEPT, Numbering(KEPT))
    assert part.kind == KEEPIMG
    assert [case.index for case in part.cases] == [3, 4]
    assert judging.mode is Mode.CHAINED


def test_parts_touch() -> None:
    (isolated,) = shares(replace(RECALL, steps=RECALL.steps[:40]), 7, Mode.ISOLATED)
    assert all(one.stop == other.start for one, other in pairwise(sorted(isolated, key=lambda share: share.start)))


@pytest.mark.parametrize("mode", BOTH)
def test_where_no_step_shows_the_time_a_clock_that_cannot_be_set_costs_nothing(mode: Mode) -> None:
    journal = loads(json.dumps(small_journals.memory(small_journals.step("mem_read", {}, "x"))).encode(), "a.json")
    found = scope(journal, mode, Capabilities(set_clock=False), None)
    assert (found.judged, found.left_out, found.chooses) == (True, (), None)
