"""The dice: what one rule draws can be drawn again, and made smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from replay.fuzz.dice import Dice, HypothesisDice, RandomDice, RecordedDice
from replay.fuzz.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Attempt = Callable[[Sequence[int]], RecordedDice | None]
    Test = Callable[[list[int]], object]


def drawing(dice: Dice) -> list[object]:
    """A bit of everything."""
    return [
        dice.below(10),
        dice.between(-3, 3),
        dice.pick("abc"),
        dice.one_in(3),
        [dice.below(5) for _ in dice.some(4)],
        dice.below(1 << 64),
    ]


def test_one_seed_gives_the_same_inputs_and_another_seed_others() -> None:
    assert drawing(RandomDice("1")) == drawing(RandomDice("1"))
    assert [drawing(RandomDice("1"))] * 3 != [drawing(RandomDice(str(seed))) for seed in range(3)]


def test_a_seeds_inputs_are_the_same_on_every_python() -> None:
    dice = RandomDice("1/recall/0")
    assert [dice.below(1000) for _ in range(5)] == [405, 818, 829, 831, 961]
    assert dice.below(1 << 64) == 1_639_643_012_313_548_208


@pytest.mark.parametrize(
    "dice", [RandomDice("2"), RecordedDice(source=RandomDice("2")), HypothesisDice(lambda n: n - 1)]
)
def test_what_is_drawn_stays_within_its_bounds(dice: Dice) -> None:
    for count in (1, 2, 3, 1000, 1 << 51, 1 << 70):
        assert all(0 <= dice.below(count) < count for _ in range(50))
    assert all(-2 <= dice.between(-2, 2) <= 2 for _ in range(50))
    assert all(sum(1 for _ in dice.some(3, 7)) <= 7 for _ in range(50))


def test_without_choices_everything_is_the_simplest() -> None:
    assert drawing(RecordedDice()) == [0, -3, "a", False, [], 0]


def test_a_recording_played_again_gives_the_same_input() -> None:
    first = RecordedDice(source=RandomDice("3"))
    made = drawing(first)
    again = RecordedDice(first.drawn)
    assert drawing(again) == made
    assert again.drawn == first.drawn


def test_a_choice_that_is_too_large_becomes_the_largest_possible() -> None:
    assert RecordedDice([99]).below(10) == 9


def test_rounds_are_recorded_as_belonging_together() -> None:
    dice = RecordedDice([1, 7, 1, 8, 0])
    assert [dice.below(9) for _ in dice.some(1)] == [7, 8]
    assert dice.spans == [(0, 2), (2, 4)]
    dice = RecordedDice([4, 7, 4, 8, 2, 6])
    assert [dice.below(9) for _ in dice.rarely(5)] == [7, 8]
    assert dice.spans == [(0, 2), (2, 4)]
    assert dice.below(9) == 6


def test_what_comes_rarely_comes_about_once_in_so_many_times() -> None:
    dice = RandomDice("rarely")
    assert 30 < sum(1 for _ in range(500) for _ in dice.rarely(10)) < 90


def _attempt(test: Test) -> Attempt:
    def attempt(choices: Sequence[int]) -> RecordedDice | None:
        dice = RecordedDice(choices)
        numbers = [dice.below(100) for _ in dice.some(3, 50)]
        return dice if test(numbers) else None

    return attempt


@pytest.mark.parametrize(
    ("test", "smallest"),
    [
        (lambda numbers: sum(numbers) > 57, [58]),
        (lambda numbers: len(numbers) > 4, [0] * 5),
        (lambda numbers: any(one > 90 for one in numbers) and 7 in numbers, [7, 91]),
        (lambda numbers: 3 in numbers, [3]),
    ],
)
def test_a_failing_input_becomes_the_smallest_that_fails(test: Test, smallest: list[int]) -> None:
    attempt = _attempt(test)
    for seed in range(200):
        first = RecordedDice(source=RandomDice(f"s{seed}"))
        if test([first.below(100) for _ in first.some(3, 50)]):
            break
    made = shrink(first, attempt)
    dice = RecordedDice(made.choices)
    assert sorted(dice.below(100) for _ in dice.some(3, 50)) == smallest
    assert made.attempts > 0


def test_shrinking_ends_after_so_many_attempts_or_seconds() -> None:
    first = RecordedDice(source=RandomDice("4"))
    for _ in range(500):
        first.below(100)
    tried = []

    def attempt(choices: Sequence[int]) -> RecordedDice | None:
        tried.append(choices)
        dice = RecordedDice(choices)
        for _ in choices:
            dice.below(100)
        return dice

    assert shrink(first, attempt, most=7).attempts == 7
    assert len(tried) == 7
    assert shrink(first, attempt, seconds=0).attempts == 0


def test_an_attempt_that_is_not_smaller_is_not_taken() -> None:
    first = RecordedDice([5, 5], None)
    first.below(9)
    first.below(9)

    def grows(choices: Sequence[int]) -> RecordedDice | None:
        dice = RecordedDice([*choices, 8, 8, 8])
        for _ in range(len(choices) + 3):
            dice.below(9)
        return dice

    assert shrink(first, grows).choices == [5, 5]


def test_dice_without_a_source_of_chance_are_none() -> None:
    with pytest.raises(NotImplementedError):
        Dice().below(2)
