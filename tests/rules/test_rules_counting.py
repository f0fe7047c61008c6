"""Which rules a call exercises, without a change to the rules' functions."""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import pytest

from replay.rules.counting import Counting

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def one() -> int:
    return 1


@lru_cache
def remembered(number: int) -> int:
    return number + one()


def looked_at() -> int:
    """What the harness does to look at a result: it calls a rule too."""
    return one()


class Thing:
    """A rule can be a method."""

    def method(self) -> int:
        return 2


RULES: Final[dict[str, Callable[..., object]]] = {
    "a/one": one,
    "a/same": one,
    "b/remembered": remembered,
    "c/method": Thing.method,
}
TABLE = {"action": one}


def seen_in(counting: Counting, *actions: object) -> set[str]:
    with counting.watching() as seen:
        for action in actions:
            assert callable(action)
            action()
    return seen


def test_a_function_that_carries_two_ids_exercises_both() -> None:
    assert seen_in(Counting(RULES), one) == {"a/one", "a/same"}


def test_a_rule_is_seen_through_a_table_a_partial_function_and_an_instance() -> None:
    assert seen_in(Counting(RULES), TABLE["action"]) == {"a/one", "a/same"}
    assert seen_in(Counting(RULES), partial(Thing.method, Thing())) == {"c/method"}
    assert seen_in(Counting(RULES), Thing().method) == {"c/method"}


def test_what_a_function_remembers_from_before_hides_nothing() -> None:
    counting = Counting(RULES)
    remembered(5)
    assert seen_in(counting, partial(remembered, 5)) == {"a/one", "a/same", "b/remembered"}
    assert seen_in(counting, partial(remembered, 5)) == {"a/one", "a/same", "b/remembered"}


def test_what_is_not_called_inside_is_not_seen() -> None:
    counting = Counting(RULES)
    one()
    assert seen_in(counting, Thing().method) == {"c/method"}
    one()
    assert seen_in(counting) == set()


def test_the_harness_own_looking_is_not_counted_and_what_follows_is() -> None:
    counting = Counting(RULES, unseen=[looked_at])
    assert seen_in(counting, looked_at) == set()
    assert seen_in(counting, looked_at, Thing().method) == {"c/method"}


def test_looking_that_ends_in_an_error_hides_nothing_afterwards() -> None:
    def raising() -> None:
        one()
        raise ValueError

    counting = Counting(RULES, unseen=[raising])
    with counting.watching() as seen:
        with pytest.raises(ValueError, match=r"^$"):
            raising()
        one()
    assert seen == {"a/one", "a/same"}


def test_nothing_watches_afterwards_even_after_an_error_and_whoever_watched_before_goes_on() -> None:
    def other(_frame: FrameType, _event: str, _argument: object) -> None:
        """Somebody else's profile."""

    former = sys.getprofile()
    sys.setprofile(other)
    try:
        with pytest.raises(KeyboardInterrupt), Counting(RULES).watching():
            raise KeyboardInterrupt
        assert sys.getprofile() is other
    finally:
        sys.setprofile(former)


def test_a_call_is_told_by_its_code() -> None:
    """The same without the interpreter, which measures no coverage while it tells of calls."""
    frame = sys._getframe()
    counting = Counting({"x/y": test_a_call_is_told_by_its_code})
    with counting.watching() as seen:
        sys.setprofile(None)
        counting.told(frame, "c_call", None)
        counting.told(frame, "return", None)
        assert seen == set()
        counting.told(frame, "call", None)
    assert seen == {"x/y"}


def test_what_an_unseen_function_calls_is_hidden_until_it_returns() -> None:
    """As above."""
    here = sys._getframe()

    def below() -> FrameType:
        return sys._getframe()

    counting = Counting({"x/y": below}, unseen=[test_what_an_unseen_function_calls_is_hidden_until_it_returns])
    inner = below()
    with counting.watching() as seen:
        sys.setprofile(None)
        counting.told(here, "call", None)
        counting.told(inner, "call", None)
        counting.told(inner, "return", None)
        assert seen == set()
        counting.told(here, "return", None)
        counting.told(inner, "call", None)
        counting.told(sys._getframe(1), "call", None)
    assert seen == {"x/y"}
