"""The drill on kept images: what it plants is found by a judge that works, and what it does not find is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

import pytest
from real_command import LOGS

from replay.candidates.interface import Actual, Identity
from replay.case_drill import drill_cases
from replay.case_plants import CASE_CLASSES
from replay.exercise import FOUND, MISSED, NOT_PLANTABLE, Exercise
from replay.journal import load
from replay.journal.model import KEEPIMG, Journal, KeepimgCase, KeepimgStep

if TYPE_CHECKING:
    from types import TracebackType

    from replay.candidates.interface import Session
    from replay.case_plants import After, Planted
    from replay.fields import Fields
    from replay.journal.model import Json

KEPT: Final = load(LOGS / "keepimg.json", file_name="keepimg.json")
PLANTS: Final = {kind.name: kind.plant for kind in CASE_CLASSES}


def numbers(journal: Journal) -> frozenset[str]:
    return frozenset(f"{case.index}.{step.index}" for case in journal.cases for step in case.steps)


class Truthful:
    """Shows what stands after each operation of one journal, whatever is planted in copies of it."""

    identity = Identity("truthful", "memory")

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def offers(self, kind: str) -> bool:
        return kind == KEEPIMG

    def session(self, journal: Journal) -> Session:
        del journal
        return _Session(self)

    def after(self, case: KeepimgCase, step: KeepimgStep) -> Fields:
        return self.journal.cases[case.index - 1].steps[step.index - 1].after

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _Session:
    def __init__(self, candidate: Truthful) -> None:
        self.candidate = candidate
        self.case = KEPT.cases[0]

    def restore(self, files: object, trackers: object) -> None:
        raise AssertionError(files, trackers)

    def call(self, step: object) -> Actual:
        raise AssertionError(step)

    def begin(self, case: KeepimgCase) -> None:
        self.case = case

    def visible(self, after: Fields) -> None:
        pass

    def operate(self, step: KeepimgStep) -> Actual:
        return Actual(self.candidate.after(self.case, step))

    def close(self) -> None:
        pass


class Echo(Truthful):
    """Peeks at the record, and so can never be found wrong by what is planted there."""

    def after(self, case: KeepimgCase, step: KeepimgStep) -> Fields:
        del case
        return step.after


def drilled(candidate: Truthful, fields: frozenset[str] | None = None) -> dict[str, Exercise]:
    journal = candidate.journal
    return {one.name: one for one in drill_cases(journal, candidate, numbers(journal), fields)}


def test_everything_that_can_be_planted_into_the_golden_cases_is_found() -> None:
    found = drilled(Truthful(KEPT))
    assert {one.outcome for one in found.values()} == {FOUND}, found
    assert found.keys() == {*PLANTS, "missing-step", "not-recorded"}


def test_who_repeats_the_record_is_found_out() -> None:
    found = drilled(Echo(KEPT))
    assert {name for name, one in found.items() if one.outcome == MISSED} == set(PLANTS)
    assert {one.why for one in found.values() if one.outcome == MISSED} == {"the step matched"}


def test_an_extra_field_that_the_judge_passes_over_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.engine._not_recorded", lambda *_: ())
    found = drilled(Truthful(KEPT))
    assert (found["not-recorded"].outcome, found["not-recorded"].why) == (MISSED, "the step matched")
    assert [name for name, one in found.items() if one.outcome == MISSED] == ["not-recorded"]


def test_a_class_that_no_operation_can_hold_is_not_planted() -> None:
    case = KEPT.cases[0]
    found = drilled(Truthful(replace(KEPT, cases=(replace(case, steps=case.steps[:1]),))))
    assert case.steps[0].op == "relay"
    assert {found[name].outcome for name in ("published", "freed", "stored", "weight")} == {NOT_PLANTABLE}


def test_nothing_is_planted_in_fields_that_are_not_judged_or_where_nothing_matched() -> None:
    found = drilled(Truthful(KEPT), frozenset({"budget"}))
    assert {name for name, one in found.items() if one.outcome == FOUND} == {"budget", "number-type", "missing-step"}
    assert MISSED not in {one.outcome for one in found.values()}
    assert {one.outcome for one in drill_cases(KEPT, Truthful(KEPT), frozenset())} == {NOT_PLANTABLE}


def planted(name: str, after: After) -> Planted:
    return PLANTS[name](after)


MESSAGE: Final = {"role": "user", "content": "a"}


def test_two_messages_that_are_alike_cannot_change_places_to_any_effect() -> None:
    other = {"role": "user", "content": "b"}
    assert planted("swapped-messages", {"messages": (MESSAGE, MESSAGE)}) is None
    assert planted("swapped-messages", {"messages": (MESSAGE,)}) is None
    swapped = {"messages": (MESSAGE, other, MESSAGE)}
    assert planted("swapped-messages", {"messages": (MESSAGE, MESSAGE, other)}) == (swapped, "messages")


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("message-text", {"messages": ({"role": "user", "content": ()},)}),
        ("message-text", {"messages": ()}),
        ("mark", {"messages": (MESSAGE,)}),
        ("cost", {"messages": ()}),
        ("reference", {"messages": (MESSAGE, {"content": ({"type": "text", "text": "a"},)})}),
        ("reference", {"messages": ({"content": ({"image_url": {"url": ""}},)},)}),
        ("lost-message", {"messages": ()}),
        ("published", {"messages": (MESSAGE,)}),
    ],
)
def test_what_is_not_there_cannot_be_changed(name: str, after: After) -> None:
    assert planted(name, after) is None


def test_a_plant_in_a_message_goes_into_the_first_that_can_hold_it() -> None:
    parts: Json = {"role": "user", "content": ({"type": "text", "text": "a"},)}
    changed: After = {"messages": (parts, {**MESSAGE, "content": "a."})}
    assert planted("message-text", {"messages": (parts, MESSAGE)}) == (changed, "messages[1].content")


def showing(url: str) -> Json:
    return {"content": ({"type": "image_url", "image_url": {"url": url}},)}


def test_the_last_character_of_an_url_becomes_another_one_whatever_it_was() -> None:
    for last, other in (("A", "B"), ("B", "A")):
        before, after = (showing(f"loki-img:{end}") for end in (last, other))
        field = "messages[0].content[0].image_url.url"
        assert planted("reference", {"messages": (before,)}) == ({"messages": (after,)}, field)
