"""keepimg.md, On and Constants; turn start's threshold."""

from __future__ import annotations

import pytest

from parity.images.settings import budget, context_window, is_on, keeps, over_threshold


@pytest.mark.parametrize(
    "setting", ["on", "1", "true", "yes", "oui", "TRUE ", " yes", "Oui", "\u00a0On\u3000", "\tou\u0130\n"]
)
def test_the_key_is_on_for_five_words_trimmed_and_in_lower_case_as_go_does(setting: str) -> None:
    assert is_on(setting)


@pytest.mark.parametrize(
    "setting", ["", "off", "non", "enabled", "0", "y", "o n", "\x1con", "\u200bon", "on\0", "ＯＮ"]
)
def test_the_key_is_off_for_any_other_word(setting: str) -> None:
    assert not is_on(setting)


def test_a_turn_has_a_state_only_with_the_key_on_the_main_thread_a_conversation_and_vision() -> None:
    assert keeps("on", "main", "c1", vision=True)
    assert not keeps("off", "main", "c1", vision=True)
    assert not keeps("on", "task", "c1", vision=True)
    assert not keeps("on", "Main", "c1", vision=True)
    assert not keeps("on", "main", "", vision=True)
    assert not keeps("on", "main", "c1", vision=False)


def test_the_window_is_32768_where_none_is_set() -> None:
    assert [context_window(window) for window in (0, -1, 1, 131_072)] == [32_768, 32_768, 1, 131_072]


@pytest.mark.parametrize(
    ("window", "expected"), [(32_768, 3276), (2000, 200), (10, 1), (9, 0), (1, 0), (0, 3276), (2**63 - 1, 0)]
)
def test_the_budget_is_a_tenth_of_the_window_in_gos_integers(window: int, expected: int) -> None:
    assert budget(window) == expected


@pytest.mark.parametrize(
    ("used", "window", "over"),
    [
        (24_576, 32_768, True),
        (24_575, 32_768, False),
        (24_576, 0, True),
        (8, 10, True),
        (7, 10, False),
        (0, 32_768, False),
    ],
)
def test_compaction_is_needed_from_three_quarters_of_the_window(used: int, window: int, over: bool) -> None:  # noqa: FBT001 - a table's column
    assert over_threshold(used, window) is over
