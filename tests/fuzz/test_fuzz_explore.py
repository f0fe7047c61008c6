"""The same rules driven by hypothesis, and its state machines, against an oracle that is right and one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from honest_model import FAULTS, HonestModel, absent, counting, creating, quoting
from hypothesis.stateful import run_state_machine_as_test

from parity.gostd.target import GO_1_25
from replay.fuzz import explore, machine
from replay.fuzz.campaign import judged
from replay.fuzz.dice import RecordedDice
from replay.fuzz.smallest import smallest as made_small
from replay.fuzz.subjects import chosen
from replay.oracle.errors import OracleDiedError

if TYPE_CHECKING:
    from replay.fuzz.trial import Trial
    from replay.oracle.client import Answer


@pytest.mark.parametrize(
    "name", ["strings.EqualFold", "json.Unmarshal", "recall_search", "mem_edit", "memory", "keepimg"]
)
def test_nothing_is_found_where_nothing_is_wrong(name: str) -> None:
    model = HonestModel()
    (subject,) = chosen([name])
    assert explore.explore(subject, model.oracle, model.target, 5, 1) is None
    assert model.asked >= 5


@pytest.mark.parametrize(
    ("name", "fault", "smallest"),
    [
        ("strconv.Quote", quoting, "{'q': 'quote', 's': 'Z'}"),
        ("recall", absent, "{'q': 'exec', 'tool': 'recall'"),
        ("memory", creating, "{'q': 'exec', 'tool': 'mem_add'"),
        ("keepimg", counting, "{'q': 'exec', 'step': {'op': 'sending'}}"),
    ],
)
def test_what_hypothesis_finds_is_small(
    name: str, fault: object, smallest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "PATIENCE", 1.5)
    model = HonestModel(fault=FAULTS[fault.__name__])  # type: ignore[attr-defined]
    (subject,) = chosen([name])
    finding = explore.explore(subject, model.oracle, model.target, 400, 3)
    assert finding is not None
    assert finding.origin == "hypothesis"
    small = made_small(finding, model.oracle, model.target)
    assert str(small.trial.questions[-1]).startswith(smallest)
    assert len(small.trial.questions) <= 3


def test_hypothesis_is_ended_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "PATIENCE", 0.0)
    model = HonestModel(fault=counting)
    (subject,) = chosen(["keepimg"])
    assert explore.explore(subject, model.oracle, model.target, 100, 3) is not None


def test_an_oracle_that_breaks_meanwhile_is_told() -> None:
    def dies(*_: object) -> Answer:
        message = "the oracle died"
        raise OracleDiedError(message)

    for name in ("strconv.Quote", "memory"):
        (subject,) = chosen([name])
        with pytest.raises(OracleDiedError):
            explore.explore(subject, HonestModel(fault=dies).oracle, GO_1_25, 5, 1)


def test_hypothesis_is_there_to_be_found() -> None:
    assert explore.available()


@pytest.mark.parametrize("make", [machine.memory_machine, machine.turn_machine])
def test_a_machine_that_made_no_call_judges_nothing(make: object) -> None:
    seen: list[Trial] = []
    made = make(lambda trial, _: seen.append(trial), GO_1_25)()  # type: ignore[operator]
    made.teardown()
    assert seen == []


@pytest.mark.parametrize("make", [machine.memory_machine, machine.turn_machine])
def test_a_machines_calls_are_judged_when_it_ends_and_can_be_made_again_by_its_subject(make: object) -> None:
    model = HonestModel()
    (subject,) = chosen(["memory" if make is machine.memory_machine else "keepimg"])
    lengths: list[int] = []

    def judge(trial: Trial, dice: RecordedDice) -> None:
        lengths.append(len(trial.calls))
        assert judged(trial, list(model.ask(trial.questions))) is None
        again = subject.trial(RecordedDice(dice.drawn), GO_1_25)
        assert again.questions == trial.questions

    run_state_machine_as_test(make(judge, GO_1_25), settings=explore.plain_settings(8))  # type: ignore[operator]
    assert max(lengths) > 1
