"""The engine: each outcome is that of its step alone, in either mode, whatever a candidate does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from fake_candidates import (
    Drifting,
    Truthful,
    Vicious,
    crashes,
    goes_through_go,
    off_by_one_character,
    panics,
    reads_twice,
    writes_a_file_too_many,
)
from real_command import LOGS

from replay import fields as named
from replay.candidates.interface import Actual, Capabilities
from replay.engine import Judging, references, replay
from replay.journal import load, loads
from replay.outcome import Crashed, Diverged, Match, Mode, WentThroughGo, name

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.journal.model import Journal
    from replay.outcome import Outcome

RECALL: Final = load(LOGS / "recall.json", file_name="recall.json")
MEMORY: Final = load(LOGS / "outils.json", file_name="outils.json")
SEALED: Final = load(LOGS / "scelles.json", file_name="scelles.json")
MODES: Final = list(Mode)


def made(journal: dict[str, Any]) -> Journal:
    return loads(json.dumps(journal).encode(), "journal.json")


def outcomes(journal: Journal, candidate: Truthful, mode: Mode = Mode.ISOLATED, **judging: Any) -> list[Outcome]:  # noqa: ANN401 - Judging's own
    return list(replay(journal, candidate, Judging(mode, **judging)))


def unequal(found: list[Outcome]) -> list[str]:
    return [one.step.number for one in found if not isinstance(one, Match)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("journal", [RECALL, MEMORY, SEALED], ids=lambda journal: journal.file)
def test_who_answers_as_go_did_matches_in_every_step_and_every_field(journal: Journal, mode: Mode) -> None:
    found = outcomes(journal, Truthful(journal), mode)
    assert [one.step for one in found] == list(references(journal, mode))
    for one, step in zip(found, journal.steps, strict=True):
        assert isinstance(one, Match)
        expected = named.expected_fields(step.expected, None)
        requests = {named.REQUESTS} if journal is RECALL else set()
        assert set(one.compared.fields) == set(expected) | requests
    if journal is RECALL:
        assert sum(one.requests for one in found) == 25


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("journal", "vice", "kind", "fields"),
    [
        (RECALL, off_by_one_character, Diverged, ["result"]),
        (MEMORY, off_by_one_character, Diverged, ["result"]),
        (MEMORY, writes_a_file_too_many, Diverged, ["files['extra.md']"]),
        (RECALL, reads_twice, Diverged, ["requests[1]"]),
        (RECALL, panics, Diverged, ["result", "panic"]),
        (RECALL, crashes, Crashed, []),
        (MEMORY, crashes, Crashed, []),
        (RECALL, goes_through_go, WentThroughGo, []),
    ],
)
def test_a_vice_is_found_in_its_step_and_in_no_other(
    journal: Journal,
    vice: Callable[[Actual], Actual],
    kind: type[Outcome],
    fields: list[str],
    mode: Mode,
) -> None:
    found = outcomes(journal, Vicious(journal, vice, 17), mode)
    assert unequal(found) == ["17"]
    one = found[16]
    assert isinstance(one, kind)
    assert not isinstance(one, Match)
    differences = one.differences if isinstance(one, Diverged) else ()
    assert [difference.field for difference in differences] == fields
    assert one.inherited is None


def test_a_crash_says_what_and_where_and_a_call_through_go_says_why() -> None:
    crashed = outcomes(RECALL, Vicious(RECALL, crashes, 5))[4]
    assert isinstance(crashed, Crashed)
    assert (crashed.what, crashed.where) == ("KeyError: 'seq'", "tool.py:3 in call")
    through = outcomes(RECALL, Vicious(RECALL, goes_through_go, 5))[4]
    assert isinstance(through, WentThroughGo)
    assert (through.reason, through.requests) == ("Go answered with status 500", 1)


def test_a_chained_divergence_is_inherited_when_the_step_matches_from_go_s_own_state() -> None:
    candidate = Drifting(MEMORY, first=40)
    found = outcomes(MEMORY, candidate, Mode.CHAINED)
    assert unequal(found) == [str(number) for number in range(40, 58)]
    assert [one.inherited for one in found[39:] if isinstance(one, Diverged)] == [None] + [True] * 17
    assert candidate.log.count("session") == candidate.log.count("close") == 2
    assert unequal(outcomes(MEMORY, candidate, Mode.ISOLATED)) == []


def test_a_chained_divergence_is_the_step_s_own_when_it_differs_from_go_s_state_too() -> None:
    found = outcomes(MEMORY, Vicious(MEMORY, off_by_one_character, 10, 20), Mode.CHAINED)
    assert [one.inherited for one in found if isinstance(one, Diverged)] == [None, False]


def test_whose_a_divergence_is_is_not_asked_of_a_candidate_with_one_session_at_a_time() -> None:
    candidate = Vicious(MEMORY, off_by_one_character, 10, 20)
    candidate.identity = replace(candidate.identity, can=Capabilities(side_by_side=False))
    found = outcomes(MEMORY, candidate, Mode.CHAINED)
    assert [one.inherited for one in found if isinstance(one, Diverged)] == [None, None]


def test_a_selection_chooses_what_runs_when_isolated_and_what_is_judged_when_chained() -> None:
    candidate = Truthful(RECALL)
    chosen = outcomes(RECALL, candidate, select=lambda step: step.number == "7")
    assert [one.step.number for one in chosen] == ["7"]
    assert candidate.log == ["session", "restore", "7", "close"]
    candidate = Truthful(RECALL)
    chosen = outcomes(RECALL, candidate, Mode.CHAINED, select=lambda step: step.number == "7")
    assert [one.step.number for one in chosen] == ["7"]
    assert candidate.log == ["session", *[str(number) for number in range(1, 42)], "close"]
    unchosen = outcomes(RECALL, Vicious(RECALL, crashes, 3), Mode.CHAINED, select=lambda step: step.number == "7")
    assert [name(one) for one in unchosen] == ["match"]


def test_a_step_that_leaves_its_own_state_runs_although_nobody_chose_it() -> None:
    journal = made(
        small_journals.memory(
            small_journals.step("mem_read", {"file": "a"}, "x", files={}),
            small_journals.step("mem_read", {"file": "a"}, "x", files={}, trackers={}),
            small_journals.step("mem_read", {"file": "a"}, "x"),
            small_journals.step("mem_read", {"file": "a"}, "x"),
        )
    )
    candidate = Truthful(journal)
    outcomes(journal, candidate, select=lambda step: step.number == "4")
    assert [entry for entry in candidate.log if entry.isdigit()] == ["1", "3", "4"]


def test_a_panic_that_was_recorded_and_a_result_that_was_given_are_two_differences() -> None:
    journal = made(small_journals.memory({"tool": "mem_search", "args": {}, "panic": "runtime error: recorded"}))

    def answers(right: Actual) -> Actual:
        return replace(right, fields={named.RESULT: "given", named.LABEL: "", named.DIFF: ()})

    (found,) = outcomes(journal, Vicious(journal, answers, 1))
    assert isinstance(found, Diverged)
    assert [(one.field, one.kind) for one in found.differences] == [("panic", "missing"), ("result", "extra")]
    (found,) = outcomes(journal, Vicious(journal, answers, 1), fields=frozenset({"diff"}))
    assert isinstance(found, Match)  # neither ending is asked for, so neither is compared


def test_reads_that_cannot_be_watched_are_not_compared() -> None:
    candidate = Truthful(RECALL, reads_seen=False)
    assert all(
        set(one.compared.fields) == {"result", "diff"} for one in outcomes(RECALL, candidate) if isinstance(one, Match)
    )
    requests = outcomes(RECALL, Truthful(RECALL), extra_requests=("GET /planted",))
    assert len(unequal(requests)) == 41


def test_fields_that_nobody_asked_for_are_neither_missing_nor_too_many() -> None:
    candidate = Vicious(MEMORY, off_by_one_character, 10)
    assert unequal(outcomes(MEMORY, candidate, fields=frozenset({"label", "files"}))) == []
    assert unequal(outcomes(MEMORY, candidate, fields=frozenset({"result"}))) == ["10"]


def test_every_outcome_has_a_name() -> None:
    found = [outcomes(RECALL, Vicious(RECALL, vice, 5))[4] for vice in (crashes, goes_through_go, reads_twice)]
    assert [name(one) for one in found] == ["crashed", "went-through-go", "diverged"]
