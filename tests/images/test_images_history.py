"""keepimg.md: kept tokens, publishable, drop, turn start."""

from __future__ import annotations

from typing import Final

import pytest

from parity.images.history import drop, kept_tokens, publishable, turn_start, used_without
from parity.images.message import LOST, Message

PARTS: Final = (
    {"type": "text", "text": "Voici la capture demandée."},
    {"type": "image_url", "image_url": {"url": "loki-img:0123456789abcdef0123456789abcdef.png"}},
)
QUESTION: Final = Message("user", "q")
NOT_KEPT: Final = Message("user", PARTS, relay=True)
KEPT: Final = Message("user", PARTS, relay=True, cost=50)
OTHER_KEPT: Final = Message("user", PARTS, relay=True, cost=70)
DROPPED: Final = Message("user", "Voici la capture demandée." + LOST, relay=True)


def test_kept_tokens_are_the_sum_of_the_costs_above_zero() -> None:
    assert kept_tokens([]) == 0
    assert kept_tokens([QUESTION, NOT_KEPT, KEPT, Message("user", "x", cost=-9), OTHER_KEPT]) == 120


def test_a_marked_image_without_cost_is_not_published() -> None:
    negative = Message("user", PARTS, relay=True, cost=-1)
    assert publishable([QUESTION, NOT_KEPT, KEPT, negative, DROPPED]) == [QUESTION, KEPT, DROPPED]


def test_an_image_without_the_mark_is_published() -> None:
    assert publishable([Message("user", PARTS)]) == [Message("user", PARTS)]


def test_drop_leaves_captions_and_marks_in_a_copy_and_tells_the_tokens_freed() -> None:
    messages = [QUESTION, NOT_KEPT, KEPT, OTHER_KEPT]
    left, freed = drop(messages)
    assert (left, freed) == ([QUESTION, NOT_KEPT, DROPPED, DROPPED], 120)
    assert messages == [QUESTION, NOT_KEPT, KEPT, OTHER_KEPT]


@pytest.mark.parametrize("messages", [[], [QUESTION, NOT_KEPT, DROPPED]])
def test_drop_gives_the_very_same_list_when_nothing_is_kept(messages: list[Message]) -> None:
    left, freed = drop(messages)
    assert left is messages
    assert freed == 0


def test_what_was_dropped_is_not_dropped_again() -> None:
    left, _ = drop([KEPT])
    assert drop(left) == (left, 0)


def never() -> bool:
    raise AssertionError


def test_a_turn_that_starts_as_it_ended_keeps_its_images() -> None:
    messages = [QUESTION, KEPT]
    left, used = turn_start(messages, 24_575, setting="on", vision=True)
    assert left is messages
    assert used == 24_575


@pytest.mark.parametrize(("setting", "vision"), [("off", True), ("", True), ("on", False)])
def test_without_the_key_or_without_vision_kept_images_go_and_compaction_is_not_asked_for(
    setting: str,
    vision: bool,  # noqa: FBT001 - a table's column
) -> None:
    left, used = turn_start([QUESTION, KEPT], 1000, setting=setting, vision=vision, needed=never)
    assert (left, used) == ([QUESTION, DROPPED], 950)


def test_kept_images_go_when_compaction_is_needed() -> None:
    assert turn_start([KEPT], 60, setting="on", vision=True, needed=lambda: True) == ([DROPPED], 10)
    assert turn_start([KEPT], 10**9, setting="on", vision=True, needed=lambda: False) == ([KEPT], 10**9)


def test_compaction_is_needed_by_default_from_three_quarters_of_the_window() -> None:
    assert turn_start([KEPT], 24_576, setting="on", vision=True) == ([DROPPED], 24_526)
    assert turn_start([KEPT], 750, setting="on", vision=True, window=1000) == ([DROPPED], 700)
    assert turn_start([KEPT], 749, setting="on", vision=True, window=1000) == ([KEPT], 749)


def test_nothing_kept_leaves_everything_untouched_and_asks_nothing() -> None:
    messages = [QUESTION, NOT_KEPT]
    left, used = turn_start(messages, 32_768, setting="off", vision=False, needed=never)
    assert left is messages
    assert used == 32_768


@pytest.mark.parametrize(("used", "left"), [(1000, 880), (121, 1), (120, 1), (1, 1), (0, 0), (-1, -1)])
def test_the_used_context_is_at_least_one_where_it_was_known(used: int, left: int) -> None:
    assert used_without(used, 120) == left
