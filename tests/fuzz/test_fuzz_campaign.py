"""Campaigns against an oracle that answers as the port does, and against one that does not."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from honest_model import FAULTS, HonestModel, absent, counting, crashing, creating, quoting

from parity.gostd.target import GO_1_25
from replay.fuzz.campaign import BATCH, Budget, Campaign, Finding, Tally, judged
from replay.fuzz.dice import RandomDice
from replay.fuzz.recall_calls import RecallCalls, recall_arguments
from replay.fuzz.smallest import smallest
from replay.fuzz.subjects import ALL, chosen
from replay.fuzz.trial import Bucket, Call
from replay.oracle.errors import OracleDiedError, OracleLiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replay.oracle.client import Answer, Question


def ran(names: list[str], model: HonestModel, inputs: int = 600, seed: int = 1) -> Campaign:
    campaign = Campaign(chosen(names), model.target, seed)
    campaign.run(model.oracle, Budget(inputs=inputs))
    return campaign


def found(name: str, fault: Callable[[Question, Answer], Answer], inputs: int = 3000) -> Finding:
    """The one difference of a subject, made small."""
    model = HonestModel(fault=fault)
    (finding,) = ran([name], model, inputs).findings(model.oracle)
    return smallest(finding, model.oracle, model.target, most=1500)


@pytest.mark.parametrize("version", ["go1.25.5", "go1.27.3"])
def test_an_oracle_that_answers_as_the_port_does_is_never_contradicted(version: str) -> None:
    campaign = ran([], HonestModel(version), inputs=1000)
    assert [tally.subject.name for tally in campaign.tallies if tally.place] == []
    assert campaign.inputs >= 1000
    assert campaign.questions > campaign.inputs


def test_every_subject_has_its_share_of_the_inputs() -> None:
    campaign = ran([], HonestModel(), inputs=len(ALL) * 40)
    assert all(40 <= tally.inputs < 40 + BATCH for tally in campaign.tallies)


def test_the_same_seed_asks_the_same_and_another_asks_other_questions() -> None:
    def asked(seed: int) -> list[Question]:
        seen: list[Question] = []

        def note(question: Question, answer: Answer) -> Answer:
            seen.append(question)
            return answer

        ran(["recall", "memory", "keepimg", "math.Log"], HonestModel(fault=note), 120, seed)
        return seen

    first = asked(1)
    assert first == asked(1)
    assert first != asked(2)


def test_a_campaign_ends_when_its_time_is_over() -> None:
    model = HonestModel()
    campaign = Campaign(chosen(["recall"]), model.target, 1)
    campaign.run(model.oracle, Budget(seconds=0.3))
    assert campaign.inputs > 0
    assert campaign.seconds < 10


def test_several_processes_share_the_batches() -> None:
    def batches(first: int, of: int) -> list[Question]:
        seen: list[Question] = []

        def note(question: Question, answer: Answer) -> Answer:
            seen.append(question)
            return answer

        model = HonestModel(fault=note)
        campaign = Campaign(chosen(["math.Log"]), model.target, 1, (first, of))
        campaign.run(model.oracle, Budget(inputs=2 * BATCH))
        return seen

    one, other = batches(0, 2), batches(1, 2)
    whole = batches(0, 1)
    assert one[:BATCH] == whole[:BATCH]
    assert other[:BATCH] == whole[BATCH:]


def test_a_subject_retires_at_its_first_difference_and_the_others_go_on() -> None:
    model = HonestModel(fault=absent)
    campaign = ran(["recall", "recall_search"], model, 2000)
    recall, search = campaign.tallies
    assert recall.place is not None
    assert recall.inputs < 1000
    assert search.place is None
    assert search.inputs >= 1000


# --- findings ---


def test_a_difference_in_a_result_becomes_one_call_on_nothing() -> None:
    finding = found("recall", absent)
    assert finding.judge == "model"
    assert [call.tool for call in finding.trial.calls] == ["recall"]
    assert finding.trial.questions[0]["blocks"] == []
    assert finding.differences[0].field == "result"
    assert "perdu" in str(finding.expected["result"])
    assert "introuvable" in str(finding.call.actual["result"])
    assert finding.origin.startswith("seed 1, batch 0, input ")


def test_a_difference_in_a_function_becomes_the_shortest_text_with_it() -> None:
    finding = found("strconv.Quote", quoting)
    assert finding.trial.questions == ({"q": "quote", "s": "Z"},)
    assert finding.judge == "stdlib"


def test_a_crash_of_go_that_is_none_of_the_ports_is_a_difference() -> None:
    finding = found("mem_read", crashing)
    assert {difference.field for difference in finding.differences} >= {"panic"}
    assert len(finding.trial.calls) == 1


def test_a_difference_after_a_change_keeps_the_change() -> None:
    finding = found("memory", creating, inputs=1500)
    assert [call.tool for call in finding.trial.calls][-1] == "mem_add"
    assert finding.differences[0].field == "result"


def test_a_difference_in_a_turn_becomes_a_short_turn() -> None:
    finding = found("keepimg", counting)
    assert [call.tool for call in finding.trial.calls] == ["sending"]


def test_the_ports_own_crash_is_a_finding_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise ZeroDivisionError

    sound = HonestModel()
    for name, place in (
        ("recall", "parity.tools.recall.absent_text"),
        ("keepimg", "parity.images.history.publishable"),
    ):
        campaign = Campaign(chosen([name]), sound.target, 1)
        trials = [campaign.tallies[0].subject.trial(RandomDice(str(seed)), sound.target) for seed in range(60)]
        said = [list(sound.ask(trial.questions)) for trial in trials]
        with monkeypatch.context() as patched:
            patched.setattr(place, broken)
            again = [campaign.tallies[0].subject.trial(RandomDice(str(seed)), sound.target) for seed in range(60)]
        found = [judged(trial, answers) for trial, answers in zip(again, said, strict=True)]
        crashes = [one for one in found if one is not None]
        assert crashes
        assert all("ZeroDivisionError" in str(call.actual["crash"]) for call, _, _, _ in crashes)


def test_without_choices_a_finding_stays_as_it_is() -> None:
    model = HonestModel(fault=absent)
    (finding,) = ran(["recall"], model).findings(model.oracle)
    bare = Finding(
        finding.subject, finding.trial, finding.call, finding.expected, finding.differences, finding.judge, "elsewhere"
    )
    assert smallest(bare, model.oracle, model.target) is bare


def test_an_oracle_that_cannot_be_asked_again_leaves_the_finding_as_it_was() -> None:
    model = HonestModel(fault=absent)
    (finding,) = ran(["recall"], model).findings(model.oracle)
    sound = HonestModel()
    assert smallest(finding, sound.oracle, model.target) is finding


def test_an_oracle_that_answers_otherwise_when_asked_again_lies() -> None:
    model = HonestModel(fault=absent)
    campaign = ran(["recall"], model)
    with pytest.raises(OracleLiedError, match=r"^the oracle lies: asked again about recall, it answers otherwise$"):
        list(campaign.findings(HonestModel().oracle))


def test_what_was_judged_before_the_oracle_broke_is_counted() -> None:
    class Dying(HonestModel):
        def ask(self, questions: Iterable[Question]) -> Iterator[Answer]:
            yield from itertools.islice(super().ask(questions), 100)
            message = "the oracle died"
            raise OracleDiedError(message)

    model = Dying()
    campaign = Campaign(chosen(["math.Log"]), model.target, 1)
    with pytest.raises(OracleDiedError):
        campaign.run(model.oracle, Budget(inputs=1000))
    assert campaign.inputs == 100
    assert campaign.seconds > 0


def test_progress_is_told_now_and_then() -> None:
    told: list[int] = []
    model = HonestModel()
    Campaign(chosen(["math.Log"]), model.target, 1).run(model.oracle, Budget(inputs=3 * BATCH), told.append)
    assert len(told) == 3
    assert told == sorted(told)


# --- tallies ---


def test_a_bucket_that_looks_at_what_is_not_there_is_not_reached() -> None:
    buckets = (
        Bucket("r", "missing", lambda seen, _: seen["nothing"]),
        Bucket("r", "wrong", lambda _, actual: actual["x"] < "y"),  # type: ignore[operator]
        Bucket("r", "there", lambda _, actual: actual["x"] == 7),
    )
    for rarity, reached in ((False, [0, 0, 1]), (True, [0, 0, 2])):
        tally = Tally(RecallCalls("recall", recall_arguments, buckets), rarity)
        tally.count(Call(0, "recall", {"x": 7}))
        tally.count(Call(0, "recall", {"x": 7}))
        assert [bucket.boundary for bucket in tally.left] == ["missing", "wrong"]
        assert tally.reached == reached
        assert tally.inputs == 2


def test_what_processes_did_adds_up() -> None:
    tally = Tally(chosen(["recall"])[0])
    others = (1,) * (len(tally.reached) - 3)
    tally.absorb(10, (0, 0, 0, *others), (3, 4))
    tally.absorb(5, (1, 0, 0, *others), (2, 9))
    tally.absorb(1, (0, 2, 0, *others), None)
    assert tally.inputs == 16
    assert tally.left == [tally.subject.buckets[2]]
    assert tally.reached[:4] == [1, 2, 0, 3]
    assert tally.place == (2, 9)


def test_every_fault_is_found() -> None:
    names = {"absent": "recall", "quoting": "strconv.Quote", "creating": "mem_add", "crashing": "mem_edit"}
    for fault, name in {**names, "counting": "keepimg"}.items():
        assert ran([name], HonestModel(fault=FAULTS[fault]), 2000).tallies[0].place is not None
    assert {*names, "counting", "misshapen"} == set(FAULTS)


def test_the_target_is_the_one_that_is_given() -> None:
    assert Campaign(chosen([]), GO_1_25, 1).target is GO_1_25
