"""keepimg.md, observe: the context after a completion, and the measure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.gostd.convert import divide, wrap_int64
from parity.images import cost
from parity.images.cost import LEAST, Noted, Usage, context_after, fits, is_measurable, known_context, shares
from parity.images.message import Message

NOTED = Noted(request=2, base=1020, first_result=2)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(1000, 20), 1020),
        (Usage(1000, 20, 15), 1005),
        (Usage(1316, 50, 80), 1316),
        (Usage(1316, 50, 80, echoed=True), 1366),
        (Usage(1000, 20, 20), 1000),
        (Usage(2**63 - 1, 1), -(2**63)),
    ],
)
def test_the_context_after_a_completion_forgets_the_reasoning_that_is_not_sent_back(
    usage: Usage, expected: int
) -> None:
    assert context_after(usage) == expected


@pytest.mark.parametrize(
    ("usage", "expected"),
    [(Usage(1000, 20), 1020), (Usage(1000, 20, complete=False), 0), (Usage(0, 20), 0), (Usage(), 0)],
)
def test_the_context_is_not_known_when_cut_off_or_without_a_prompt(usage: Usage, expected: int) -> None:
    assert known_context(usage) == expected


def measurable(after: int = 1336, noted: Noted = NOTED, request: int = 2, sent: int = 4, there: int = 4) -> bool:
    return is_measurable(noted, after, request, sent, there)


def test_a_cost_is_measured_at_the_very_next_request_over_a_known_base() -> None:
    assert measurable()
    assert measurable(sent=2)
    assert measurable(there=9)
    assert measurable(noted=Noted(2, 1, 0))


def test_a_measure_is_impossible_without_a_context_after_it() -> None:
    assert not measurable(after=0)
    assert not measurable(after=-1)


def test_a_measure_is_impossible_without_a_base() -> None:
    assert not measurable(noted=Noted(2, 0, 2))
    assert not measurable(noted=Noted(2, -1, 2))


def test_a_measure_is_impossible_at_another_request_than_the_next() -> None:
    assert not measurable(request=1)
    assert not measurable(request=3)


def test_a_measure_is_impossible_unless_from_is_within_what_was_sent_and_that_is_still_there() -> None:
    assert not measurable(noted=Noted(2, 1020, -1))
    assert not measurable(noted=Noted(2, 1020, 5))
    assert not measurable(sent=5)


def test_the_cost_is_the_prompt_over_its_base_without_the_unmarked_messages() -> None:
    result = Message("tool", "[ok] image chargée : img.png", tool_call_id="v1")
    image = Message("user", [{"type": "text", "text": "x" * 400}], relay=True)
    assert cost.cost(1331, 1020, [result, image]) == 300
    assert cost.cost(0, 1, []) == -1


@pytest.mark.parametrize(
    ("spent", "images", "kept", "fitting"),
    [
        (15, 1, 0, False),
        (16, 1, 0, True),
        (31, 2, 0, False),
        (32, 2, 0, True),
        (200, 1, 0, True),
        (201, 1, 0, False),
        (150, 1, 50, True),
        (151, 1, 50, False),
        (-5, 0, 0, False),
    ],
)
def test_a_cost_is_refused_under_16_an_image_and_over_the_budget(
    spent: int,
    images: int,
    kept: int,
    fitting: bool,  # noqa: FBT001 - a table's column
) -> None:
    assert fits(spent, images, kept, 200) is fitting


@pytest.mark.parametrize(
    ("spent", "weights", "expected"),
    [
        (300, [74], (300,)),
        (1000, [74, 121], (379, 621)),
        (100, [1, 1, 1], (33, 33, 34)),
        (33, [1, 1000], (0, 33)),
    ],
)
def test_a_cost_is_shared_by_byte_weight_and_the_last_takes_what_is_left(
    spent: int, weights: list[int], expected: tuple[int, ...]
) -> None:
    assert shares(spent, weights) == expected


def test_one_share_under_the_least_is_enough_to_keep_none() -> None:
    assert LEAST == 16
    assert cost.are_enough([16, 16, 700])
    assert not cost.are_enough([16, 15, 700])


@given(st.integers(0, 2**31), st.lists(st.integers(1, 2**24), min_size=1, max_size=20))
def test_the_shares_add_up_to_the_cost(spent: int, weights: list[int]) -> None:
    shared = shares(spent, weights)
    assert len(shared) == len(weights)
    assert sum(shared) == spent
    assert min(shared) >= 0


@given(st.integers(0, 2**31), st.integers(1, 2**24), st.integers(1, 2**24))
def test_of_two_images_the_heavier_never_costs_less_by_more_than_the_rounding(spent: int, one: int, other: int) -> None:
    light, heavy = sorted((one, other))
    first, last = shares(spent, [light, heavy])
    assert first <= last


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (0, 0),
        (2**63 - 1, 2**63 - 1),
        (2**63, -(2**63)),
        (-(2**63) - 1, 2**63 - 1),
        ((2**63 - 1) * 10, -10),
        (2**64, 0),
    ],
)
def test_gos_int_wraps_at_64_bits(n: int, expected: int) -> None:
    assert wrap_int64(n) == expected


@pytest.mark.parametrize(
    ("dividend", "divisor", "expected"), [(7, 4, 1), (-7, 4, -1), (-8, 4, -2), (-1, 100, 0), (-10, 100, 0), (0, 3, 0)]
)
def test_gos_division_cuts_towards_zero(dividend: int, divisor: int, expected: int) -> None:
    assert divide(dividend, divisor) == expected
