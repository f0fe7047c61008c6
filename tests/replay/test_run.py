"""A run: what it comes to, and that its numbers must add up before it is a green."""

from __future__ import annotations

import itertools
import signal
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from fake_candidates import Echo, NotReady, Truthful, Vicious, crashes, off_by_one_character
from real_command import LOGS

import replay.run
from replay.candidates.interface import Capabilities, Identity
from replay.engine import replay as replay_a_journal
from replay.interrupts import HELD, holdable
from replay.journal import load
from replay.outcome import Match, Mode
from replay.run import BOTH_MODES, Exit, Floors, JournalReceipt, Plan, Receipt, Refusal, Selection, run
from replay.sources import Source
from replay.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef

FILE: Final = LOGS / "recall.json"
JOURNAL: Final = load(FILE, file_name="recall.json")
SOURCE: Final = Source(FILE, "recall.json")


class Listener:
    """A reporter that remembers what it was told; ``at`` is called before each outcome is remembered."""

    def __init__(self, at: Callable[[int], object] = lambda _: None) -> None:
        self.told: list[str] = []
        self.outcomes: list[Outcome] = []
        self._at = at

    def begin(self, plan: Plan, identity: Identity) -> None:
        self.told.append(f"begin {len(plan.sources)} {identity.name}")

    def journal(self, journal: Journal, steps: int) -> None:
        self.told.append(f"journal {journal.file} {steps}")

    def outcome(self, outcome: Outcome) -> None:
        self._at(len(self.outcomes) + 1)
        self.outcomes.append(outcome)

    def end(self, receipt: Receipt) -> None:
        self.told.append(f"end {receipt.exit.name}")


def plan(*sources: Source, **more: Any) -> Plan:  # noqa: ANN401 - Plan's own
    return Plan(sources or (SOURCE,), **more)


def test_who_answers_as_go_did_is_a_green_with_a_drill_that_found_everything() -> None:
    listener = Listener()
    receipt = run(plan(), Truthful(JOURNAL), [listener])
    assert receipt.exit is Exit.MATCH
    assert (receipt.steps, receipt.count("match")) == (41, 82)
    assert listener.told == ["begin 1 truthful", "journal recall.json 82", "end MATCH"]
    assert len(listener.outcomes) == 82
    (judged,) = receipt.journals
    assert {one.outcome for one in judged.exercises} == {"found", "not plantable"}
    assert receipt.left_out == ()


def test_who_peeks_at_the_record_never_differs_and_is_no_green() -> None:
    receipt = run(plan(), Echo(JOURNAL), [])
    assert receipt.count("match") == 82
    assert receipt.exit is Exit.NOT_JUDGED
    (judged,) = receipt.journals
    assert judged.problems[0].startswith("the drill planted character in step 1, result and did not find it there: ")


def test_one_wrong_step_is_diverged() -> None:
    receipt = run(plan(), Vicious(JOURNAL, off_by_one_character, 7), [])
    assert (receipt.exit, receipt.count("diverged")) == (Exit.DIVERGED, 2)


def dropping(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    return (one for one in outcomes if one.step.number != "3")


def answering_twice(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    for one in outcomes:
        yield one
        if one.step.number == "3":
            yield one


@pytest.mark.parametrize(
    ("engine", "problem"),
    [
        (dropping, "1 step has no outcome in isolated, the first is step 3"),
        (answering_twice, "step 3 has two outcomes in isolated"),
    ],
)
def test_an_engine_that_drops_a_step_or_answers_twice_is_no_green(
    engine: Callable[[Iterator[Outcome]], Iterator[Outcome]], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay.run, "replay", lambda *rest: engine(replay_a_journal(*rest)))
    receipt = run(plan(modes=(Mode.ISOLATED,)), Truthful(JOURNAL), [])
    assert receipt.exit is Exit.NOT_JUDGED
    assert problem in receipt.journals[0].problems


def test_outcomes_of_no_step_and_steps_without_a_field_do_not_add_up() -> None:
    outcomes = Listener()
    run(plan(modes=(Mode.ISOLATED,)), Truthful(JOURNAL), [outcomes])
    tally = Tally(JOURNAL, Mode.ISOLATED, lambda step: step.number == "1")
    for outcome in outcomes.outcomes[:3]:
        tally.add(outcome)
    assert tally.problems() == ("2 outcomes belong to no step of the journal in isolated",)
    assert not tally.green
    empty = Tally(JOURNAL, Mode.ISOLATED)
    for outcome in outcomes.outcomes:
        assert isinstance(outcome, Match)
        empty.add(Match(outcome.step, type(outcome.compared)({}), 0))
    assert empty.problems() == ("41 steps were judged in isolated and not one field was compared",)
    assert not Tally(JOURNAL, Mode.ISOLATED, lambda _: False).green


def test_a_tally_is_green_when_every_step_that_was_due_matched() -> None:
    tally = Tally(JOURNAL, Mode.ISOLATED)
    listener = Listener()
    run(plan(modes=(Mode.ISOLATED,)), Truthful(JOURNAL), [listener])
    for outcome in listener.outcomes:
        assert not tally.green
        tally.add(outcome)
    assert tally.green


@pytest.mark.parametrize("first", [1, 20])
def test_a_candidate_that_cannot_be_kept_up_is_not_judged_any_further(first: int) -> None:
    file = LOGS / "outils.json"
    receipt = run(plan(Source(file, "outils.json")), NotReady(load(file), first), [])
    assert receipt.exit is Exit.NOT_JUDGED
    assert receipt.journals[0].problems == ("no room is left",)
    assert receipt.count("match") == first - 1


def test_the_worst_that_happened_is_the_exit_status() -> None:
    def exit_of(**happened: Any) -> Exit:  # noqa: ANN401 - Receipt's own
        return Receipt(Identity("x", "memory"), plan(), **happened).exit

    diverged = Tally(JOURNAL, Mode.ISOLATED)
    diverged.outcomes["crashed"] = 1
    judged = JournalReceipt(JOURNAL, (diverged,))
    problem = JournalReceipt(JOURNAL, (), problems=("a problem",))
    unported, bad = (Refusal("a.json", "no", one) for one in (Exit.NOT_JUDGED, Exit.BAD_INPUT))
    assert exit_of() is Exit.MATCH
    assert exit_of(problems=["a problem"]) is Exit.NOT_JUDGED
    assert exit_of(journals=[problem]) is Exit.NOT_JUDGED
    assert exit_of(refusals=[unported]) is Exit.NOT_JUDGED
    assert exit_of(journals=[judged], refusals=[unported]) is Exit.DIVERGED
    assert exit_of(journals=[judged, problem], refusals=[bad]) is Exit.BAD_INPUT
    assert exit_of(journals=[judged], refusals=[bad], interrupted=True) is Exit.INTERRUPTED


def test_refusals_are_told_and_the_others_are_judged(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    arm = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), go={"goarch": "arm64"}))
    other = Source(LOGS / "outils.json", "outils.json")
    receipt = run(plan(Source(bad, "bad.json"), Source(arm, "arm.json"), other, SOURCE), Truthful(JOURNAL), [])
    assert [(one.file, one.exit) for one in receipt.refusals] == [
        ("bad.json", Exit.BAD_INPUT),
        ("arm.json", Exit.NOT_JUDGED),
        ("outils.json", Exit.NOT_JUDGED),
    ]
    assert receipt.refusals[2].sentence == (
        "outils.json: truthful takes no journals of the kind memory, so it was not judged"
    )
    assert receipt.problems == []
    assert receipt.count("match") == 82


def test_a_kind_that_is_not_ported_and_nothing_but_refusals() -> None:
    candidate = Truthful(JOURNAL)
    candidate.identity = Identity("port", "memory")
    receipt = run(plan(Source(LOGS / "outils.json", "outils.json"), floors=Floors(9, 9)), candidate, [])
    assert [one.sentence for one in receipt.refusals] == [
        "outils.json: journals of the kind memory are not ported yet, so it was not judged"
    ]
    assert (receipt.problems, receipt.exit) == ([], Exit.NOT_JUDGED)


def test_floors_that_are_not_reached() -> None:
    receipt = run(plan(floors=Floors(2, 50)), Truthful(JOURNAL), [])
    assert receipt.problems == [
        "1 journal was judged, fewer than the floor of 2",
        "41 steps were judged, fewer than the floor of 50",
    ]
    nothing = run(plan(selection=Selection(steps=(("99", "99"),))), Truthful(JOURNAL), [])
    assert nothing.problems == ["nothing to judge: the selection chooses no step of these journals"]
    assert nothing.exit is Exit.NOT_JUDGED


def stripped(folder: Path) -> Source:
    """A memory's journal of two steps, the second without its state."""
    whole = small_journals.step("mem_read", {}, "x", label="", files={}, trackers={})
    bare = small_journals.step("mem_read", {}, "x", label="")
    return Source(small_journals.write(folder, small_journals.memory(whole, bare)), "journal.json")


def test_a_field_that_a_journal_lacks_falls_short_of_its_floor(tmp_path: Path) -> None:
    source = stripped(tmp_path)
    floors = Floors(compared={"result": 2, "files": 2, "messages": 1})
    receipt = run(plan(source, floors=floors), Truthful(load(source.path)), [])
    assert receipt.problems == [
        "files was compared in 1 step that Go recorded, fewer than the floor of 2",
        "messages was compared in 0 steps that Go recorded, fewer than the floor of 1",
    ]
    assert receipt.exit is Exit.NOT_JUDGED
    assert receipt.journals[0].stateless == "state not recorded in 1 of 2 steps"


def test_a_journal_named_twice_or_written_by_a_model_fills_in_for_nothing(tmp_path: Path) -> None:
    again = Source(FILE, "again.json")
    receipt = run(plan(SOURCE, again, floors=Floors(compared={"result": 42})), Truthful(JOURNAL), [])
    assert receipt.problems == ["result was compared in 41 steps that Go recorded, fewer than the floor of 42"]
    model = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), source="model"))
    receipt = run(plan(Source(model, "model.json"), floors=Floors(compared={"result": 1})), Truthful(load(model)), [])
    assert receipt.problems == ["result was compared in 0 steps that Go recorded, fewer than the floor of 1"]
    assert receipt.journals[0].stateless == ""


def test_what_a_candidate_cannot_show_or_did_not_answer_is_no_fault_of_the_journals(tmp_path: Path) -> None:
    floors = Floors(compared={"result": 41, "requests": 41})
    assert run(plan(floors=floors), Truthful(JOURNAL, reads_seen=False), []).problems == []
    assert run(plan(floors=floors), Vicious(JOURNAL, crashes, 5), []).problems == []
    source = stripped(tmp_path)
    unseen = Truthful(load(source.path), can=Capabilities(read_state=False))
    receipt = run(plan(source, floors=Floors(compared={"files": 2})), unseen, [])
    assert (receipt.problems, receipt.exit) == ([], Exit.NOT_JUDGED)


@pytest.mark.parametrize(
    ("ranges", "chosen"),
    [
        ([], ["2", "3.1", "3.10", "10"]),
        ([("2", "2")], ["2"]),
        ([("3", "3")], ["3.1", "3.10"]),
        ([("3.2", "3.10")], ["3.10"]),
        ([("3.2", "3")], ["3.10"]),
        ([("2", "3.1")], ["2", "3.1"]),
        ([("3", "9"), ("10", "10")], ["3.1", "3.10", "10"]),
    ],
)
def test_ranges_of_steps_cases_and_operations(ranges: list[tuple[str, str]], chosen: list[str]) -> None:
    def step(number: str) -> StepRef:
        return type(first.step)("a.json", number, "relay", "", first.step.at, Mode.ISOLATED)

    listener = Listener()
    run(plan(), Truthful(JOURNAL), [listener])
    first = listener.outcomes[0]
    selection = Selection(steps=tuple(ranges))
    assert [number for number in ("2", "3.1", "3.10", "10") if selection.chooses(step(number))] == chosen
    assert selection.everything is not bool(ranges)


def test_the_first_that_does_not_match_can_be_the_last() -> None:
    listener = Listener()
    candidate = Vicious(JOURNAL, off_by_one_character, 4, 5)
    receipt = run(plan(SOURCE, SOURCE, stop_at_first=True), candidate, [listener])
    assert [outcome.step.number for outcome in listener.outcomes] == ["1", "2", "3", "4"]
    assert (receipt.stopped, receipt.exit, receipt.problems, len(receipt.journals)) == (True, Exit.DIVERGED, [], 1)


@pytest.fixture
def interruptible() -> Iterator[None]:
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_comes_between_two_outcomes() -> None:
    def interrupt(number: int) -> None:
        if number == 3:
            signal.raise_signal(signal.SIGINT)

    listeners = [Listener(interrupt), Listener()]
    receipt = run(plan(SOURCE, SOURCE), Truthful(JOURNAL), listeners)
    assert (receipt.interrupted, receipt.exit, receipt.count("match")) == (True, Exit.INTERRUPTED, 3)
    assert [len(listener.outcomes) for listener in listeners] == [3, 3]
    assert [listener.told[-1] for listener in listeners] == ["end INTERRUPTED"] * 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_before_the_first_outcome_and_one_after_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Journal:
        signal.raise_signal(signal.SIGINT)
        return JOURNAL

    class Late(Listener):
        def end(self, receipt: Receipt) -> None:
            signal.raise_signal(signal.SIGINT)
            super().end(receipt)

    listener = Late()
    assert run(plan(), Truthful(JOURNAL), [listener]).exit is Exit.MATCH
    assert listener.told[-1] == "end MATCH"
    monkeypatch.setattr(replay.run, "load", interrupted)
    receipt = run(plan(), Truthful(JOURNAL), [])
    assert (receipt.interrupted, receipt.journals) == (True, [])


def test_interrupts_are_left_alone_where_they_raise_nothing() -> None:
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with holdable(), HELD:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, former)
    found: list[Exit] = []
    thread = threading.Thread(target=lambda: found.append(run(plan(), Truthful(JOURNAL), []).exit))
    thread.start()
    thread.join()
    assert found == [Exit.MATCH]


def test_the_modes_of_a_run_are_told_in_their_order() -> None:
    listener = Listener()
    run(plan(modes=BOTH_MODES), Truthful(JOURNAL), [listener])
    modes = [mode for mode, _ in itertools.groupby(outcome.step.mode for outcome in listener.outcomes)]
    assert modes == [Mode.ISOLATED, Mode.CHAINED]


def test_a_journal_that_is_named_twice_counts_once_for_the_floors() -> None:
    twice = (Source(FILE, "recall.json"), Source(FILE, "./recall.json"))
    receipt = run(plan(*twice, floors=Floors(2, 82)), Truthful(JOURNAL), [])
    assert receipt.exit is Exit.NOT_JUDGED
    assert receipt.problems == [
        "1 journal was judged, fewer than the floor of 2",
        "41 steps were judged, fewer than the floor of 82",
    ]
