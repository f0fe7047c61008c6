"""Cases of kept images through the engine: what is restored, and whose a chained divergence is (journal.md, Replay)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from parity.gostd.target import GO_1_25
from replay.candidates.interface import Actual, CandidateCrashed, Identity
from replay.engine import Judging, replay
from replay.journal.model import KEEPIMG, Journal, KeepimgCase, KeepimgStep, Place
from replay.outcome import Crashed, Diverged, Match, Mode

if TYPE_CHECKING:
    from types import TracebackType

    from replay.candidates.interface import Session
    from replay.fields import Fields
    from replay.outcome import Outcome, StepRef

AT: Final = Place("a.json", "", 1)


def case(index: int, *operations: tuple[str, int]) -> KeepimgCase:
    """A case whose one visible number is what Go recorded after each operation."""
    steps = tuple(
        KeepimgStep(at, op, {"op": op}, {"requests": number}, AT) for at, (op, number) in enumerate(operations, 1)
    )
    return KeepimgCase(index, "a", 32_768, "on", "main", "c1", True, (), steps, AT)  # noqa: FBT003 - a record


def journal(*cases: KeepimgCase) -> Journal:
    return Journal("a.json", "", KEEPIMG, "", GO_1_25, cases=cases)


class Counter:
    """A candidate with one number: ``sending`` adds one, ``wrong`` two, ``crash`` raises, ``lie`` shows another."""

    identity = Identity("counter", "none")

    def __init__(self, *, begins: bool = True) -> None:
        self.begins = begins
        self.number = 0
        self.log: list[str] = []

    def offers(self, kind: str) -> bool:
        return kind == KEEPIMG

    def session(self, journal: Journal) -> Session:
        assert journal.kind == KEEPIMG
        self.log.append("session")
        return _Run(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class _Run:
    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.number = 0

    def restore(self, files: object, trackers: object) -> None:
        raise AssertionError(files, trackers)

    def call(self, step: object) -> Actual:
        raise AssertionError(step)

    def begin(self, case: KeepimgCase) -> None:
        self.counter.log.append(f"begin {case.index}")
        self.number = 0
        if not self.counter.begins:
            message = "no"
            raise CandidateCrashed(message, "here")

    def visible(self, after: Fields) -> None:
        self.counter.log.append("visible")
        number = after["requests"]
        assert isinstance(number, int)
        self.number = number

    def operate(self, step: KeepimgStep) -> Actual:
        if step.op == "crash":
            message = "no"
            raise CandidateCrashed(message, "here")
        self.number += {"sending": 1, "wrong": 2, "lie": 0}[step.op]
        return Actual({"requests": self.number + (5 if step.op == "lie" else 0)})

    def close(self) -> None:
        self.counter.log.append("close")


def outcomes(counter: Counter, mode: Mode, *cases: KeepimgCase) -> list[Outcome]:
    return list(replay(journal(*cases), counter, Judging(mode)))


def verdicts(found: list[Outcome]) -> list[tuple[str, bool | None]]:
    return [(type(one).__name__, None if isinstance(one, Match) else one.inherited) for one in found]


FOLLOWED: Final = case(1, ("sending", 1), ("wrong", 2), ("sending", 3), ("lie", 3), ("crash", 3), ("sending", 4))
"""The second operation is wrong; the third and the last follow from it, the two between are wrong by themselves."""


def test_isolated_the_visible_state_is_restored_before_every_operation_but_a_cases_first() -> None:
    counter = Counter()
    found = outcomes(counter, Mode.ISOLATED, FOLLOWED)
    assert [type(one) for one in found] == [Match, Diverged, Match, Diverged, Crashed, Match]
    assert counter.log == ["session", "begin 1", "visible", "visible", "visible", "visible", "visible", "close"]


def test_isolated_nobody_asks_whose_a_divergence_is() -> None:
    assert {inherited for _, inherited in verdicts(outcomes(Counter(), Mode.ISOLATED, FOLLOWED))} == {None}


def test_chained_a_divergence_after_the_first_is_inherited_only_if_it_matches_alone() -> None:
    assert verdicts(outcomes(Counter(), Mode.CHAINED, FOLLOWED)) == [
        ("Match", None),
        ("Diverged", None),
        ("Diverged", True),
        ("Diverged", False),
        ("Crashed", False),
        ("Diverged", True),
    ]


def test_chained_a_case_without_a_second_divergence_is_run_once_and_nothing_is_restored() -> None:
    counter = Counter()
    found = outcomes(counter, Mode.CHAINED, case(1, ("sending", 1), ("lie", 1), ("sending", 2)))
    assert verdicts(found) == [("Match", None), ("Diverged", None), ("Match", None)]
    assert counter.log == ["session", "begin 1", "close"]


def test_chained_a_case_is_judged_again_once_however_many_divergences_it_has() -> None:
    counter = Counter()
    outcomes(counter, Mode.CHAINED, FOLLOWED)
    assert [entry for entry in counter.log if entry != "visible"] == [
        "session",
        "begin 1",
        "session",
        "begin 1",
        "close",
        "close",
    ]


def test_chained_the_first_divergence_of_each_case_is_nobodys_heir() -> None:
    found = outcomes(Counter(), Mode.CHAINED, FOLLOWED, case(2, ("wrong", 1), ("sending", 2)))
    assert verdicts(found)[6:] == [("Diverged", None), ("Diverged", True)]


def test_a_case_that_cannot_begin_is_a_crash_of_every_operation() -> None:
    for mode in Mode:
        found = outcomes(Counter(begins=False), mode, FOLLOWED)
        assert [(type(one), one.step.number) for one in found] == [(Crashed, f"1.{at}") for at in range(1, 7)]


def test_a_selection_chooses_what_is_judged_not_what_runs() -> None:
    def select(step: StepRef) -> bool:
        return step.number == "1.6"

    found = list(replay(journal(FOLLOWED), Counter(), Judging(Mode.CHAINED, select)))
    assert [(type(one), one.step.number) for one in found] == [(Diverged, "1.6")]
    assert verdicts(found) == [("Diverged", True)]
