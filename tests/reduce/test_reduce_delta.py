"""The fewest things: nothing that is left can go, and nothing that is needed went, whatever is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from replay.reduce.delta import fewest


@given(st.integers(0, 40), st.sets(st.integers(0, 39)))
def test_exactly_what_is_needed_is_left(count: int, needed: set[int]) -> None:
    things = tuple(range(count))
    needed &= set(things)
    asked: list[tuple[int, ...]] = []

    def holds(some: tuple[int, ...]) -> bool:
        asked.append(some)
        return needed <= set(some)

    assert set(fewest(things, holds)) == needed
    assert things not in asked or not things


@given(st.integers(1, 20), st.integers(1, 20))
def test_what_is_left_is_minimal_where_any_of_several_will_do(count: int, least: int) -> None:
    things = tuple(range(count))
    least = min(least, count)
    assert len(fewest(things, lambda some: len(some) >= least)) == least


def test_things_keep_their_order_and_two_runs_ask_the_same() -> None:
    asked: list[list[tuple[int, ...]]] = [[], []]

    def run(log: list[tuple[int, ...]]) -> tuple[int, ...]:
        def holds(some: tuple[int, ...]) -> bool:
            log.append(some)
            return {3, 17, 18} <= set(some)

        return fewest(tuple(range(30)), holds)

    assert run(asked[0]) == run(asked[1]) == (3, 17, 18)
    assert asked[0] == asked[1]
    assert len(asked[0]) < 60
