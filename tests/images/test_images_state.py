"""keepimg.md, Operations. The numbers of the measure are those of the recorded case ⟦gardée au coût mesuré⟧."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from parity.images.cost import Usage
from parity.images.message import LOST, Message, read
from parity.images.state import Turn, TurnState
from parity.images.store import Stored, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTION: Final = Message("user", "regarde img.png")
CALL: Final = read(
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "v1", "type": "function", "function": {"name": "see_image", "arguments": '{"file":"img.png"}'}}
        ],
    }
)
RESULT: Final = Message("tool", "[ok] image chargée : img.png", tool_call_id="v1")
FIRST: Final = Usage(1000, 20)
SECOND: Final = Usage(1331, 5)
"""1331 − 1020 − the 11 tokens of the result: the image costs 300."""


def shown(name: str = "img.png") -> Message:
    part = {"type": "image_url", "image_url": {"url": f"data:{name}"}}
    return Message("user", ({"type": "text", "text": f"Image demandée ({name}) :"}, part))


class Shelf:
    """Stores anything: the referenced form is the message with ``loki-img:`` for ``data:``; remembers what it was."""

    def __init__(self, weights: Sequence[int] = (74, 121, 1)) -> None:
        self.weights = iter(weights)
        self.given: list[Message] = []

    def keep(self, message: Message) -> Stored:
        self.given.append(message)
        return Stored(referenced(message), next(self.weights))


def referenced(message: Message) -> Message:
    assert isinstance(message.content, tuple)
    caption, part = message.content
    url = part["image_url"]["url"].replace("data:", "loki-img:")
    return replace(message, content=(caption, {"type": "image_url", "image_url": {"url": url}}))


def marked(message: Message, cost: int = 0) -> Message:
    return replace(message, relay=True, cost=cost)


def on_trial(*names: str, budget: int = 3276, weights: Sequence[int] = (74, 121, 1)) -> Turn:
    """A turn whose first request is answered and whose next one will show images."""
    turn = Turn([QUESTION], budget, TurnState())
    turn.sending(1)
    turn.observe(FIRST)
    turn.append(CALL)
    turn.append(RESULT)
    shelf = Shelf(weights)
    for name in names or ("img.png",):
        turn.relay(shown(name), 2, shelf.keep)
    return turn


def state(turn: Turn) -> TurnState:
    assert turn.state is not None
    return turn.state


def assert_stopped(turn: Turn) -> None:
    assert state(turn).stopped
    assert state(turn).trials == []


def test_without_a_state_an_image_is_appended_to_the_messages_only_as_it_is() -> None:
    turn = Turn([QUESTION], 3276, None)
    turn.relay(shown(), 1, refuse)
    assert (turn.messages, turn.extra) == ([QUESTION, shown()], [])


def test_without_a_state_every_operation_is_as_if_the_key_did_not_exist() -> None:
    image = marked(shown())
    turn = Turn([QUESTION, image], 3276, None)
    turn.append(RESULT)
    turn.sending(3)
    turn.observe(SECOND)
    turn.finish()
    assert (turn.messages, turn.extra) == ([QUESTION, image, RESULT], [RESULT])
    assert turn.publishable() == [QUESTION, image, RESULT]
    turn.rewritten()
    assert (turn.messages, turn.extra, turn.state) == ([QUESTION, image, RESULT], [], None)


def test_a_stored_image_goes_to_both_lists_marked_by_reference_and_on_trial() -> None:
    turn = on_trial()
    image = marked(referenced(shown()))
    assert turn.messages == [QUESTION, CALL, RESULT, image]
    assert turn.extra == [CALL, RESULT, image]
    assert len(state(turn).trials) == 1
    assert not state(turn).stopped


def test_the_store_is_given_the_marked_message() -> None:
    shelf = Shelf()
    Turn([], 3276, TurnState()).relay(shown(), 0, shelf.keep)
    assert shelf.given == [marked(shown())]


def test_a_refused_image_stops_the_turn_and_is_shown_marked_with_the_url_it_came_with() -> None:
    turn = Turn([QUESTION], 3276, TurnState())
    turn.relay(shown(), 1, refuse)
    assert (turn.messages, turn.extra) == ([QUESTION, marked(shown())], [])
    assert_stopped(turn)


def test_a_stopped_turn_stores_nothing_more() -> None:
    turn = Turn([], 3276, TurnState(stopped=True))
    shelf = Shelf()
    turn.relay(shown(), 0, shelf.keep)
    assert (turn.messages, turn.extra, shelf.given) == ([marked(shown())], [], [])


@pytest.mark.parametrize("kept", [3276, 3277])
def test_a_full_budget_stores_nothing_and_is_as_if_refused(kept: int) -> None:
    turn = Turn([marked(referenced(shown()), kept)], 3276, TurnState())
    shelf = Shelf()
    turn.relay(shown(), 1, shelf.keep)
    assert (turn.messages[1:], turn.extra, shelf.given) == ([marked(shown())], [], [])
    assert_stopped(turn)


def test_a_budget_with_a_token_left_stores() -> None:
    turn = Turn([marked(referenced(shown()), 3275)], 3276, TurnState())
    turn.relay(shown(), 1, Shelf().keep)
    assert len(state(turn).trials) == 1


def test_only_the_first_image_on_trial_notes_the_request_the_context_and_from() -> None:
    turn = on_trial()
    turn.relay(shown("b.png"), 99, Shelf().keep)
    noted = state(turn).noted
    assert (noted.request, noted.base, noted.first_result) == (2, 1020, 2)


def test_sending_counts_a_request_and_notes_how_many_messages_it_has() -> None:
    turn = Turn([], 3276, TurnState())
    turn.sending(3)
    turn.sending(5)
    assert (state(turn).requests, state(turn).sent) == (2, 5)


def test_a_measured_image_has_its_cost_in_both_lists_and_is_no_longer_on_trial() -> None:
    turn = on_trial()
    turn.sending(4)
    turn.observe(SECOND)
    kept = marked(referenced(shown()), 300)
    assert turn.messages == [QUESTION, CALL, RESULT, kept]
    assert turn.extra == [CALL, RESULT, kept]
    assert (turn.kept_tokens, state(turn).trials, state(turn).stopped) == (300, [], False)


def test_a_cost_is_shared_between_the_images_of_a_step_by_their_bytes() -> None:
    turn = on_trial("a.png", "b.png")
    turn.sending(5)
    turn.observe(Usage(2031, 5))
    assert [message.cost for message in turn.messages] == [0, 0, 0, 379, 621]
    assert [message.cost for message in turn.extra] == [0, 0, 379, 621]


def test_messages_that_follow_what_was_sent_do_not_change_the_cost() -> None:
    turn = on_trial()
    turn.sending(4)
    turn.append(Message("user", "x" * 4000))
    turn.observe(SECOND)
    assert turn.kept_tokens == 300


@pytest.mark.parametrize("usage", [Usage(1331, 5, complete=False), Usage(), Usage(1046, 5), Usage(4308, 5)])
def test_a_rejected_image_leaves_extra_and_stops_the_turn_but_is_still_shown_by_reference(usage: Usage) -> None:
    turn = on_trial()
    turn.sending(4)
    turn.observe(usage)
    assert turn.messages == [QUESTION, CALL, RESULT, marked(referenced(shown()))]
    assert turn.extra == [CALL, RESULT]
    assert_stopped(turn)


def test_16_tokens_are_enough_and_the_whole_budget_may_be_taken() -> None:
    for prompt, cost in ((1047, 16), (4307, 3276)):
        turn = on_trial()
        turn.sending(4)
        turn.observe(Usage(prompt, 5))
        assert turn.kept_tokens == cost


def test_one_small_share_rejects_all_images_of_the_step() -> None:
    turn = on_trial("a.png", "b.png")
    turn.sending(5)
    turn.observe(Usage(1064, 5))
    assert turn.kept_tokens == 0
    assert turn.extra == [CALL, RESULT]
    assert_stopped(turn)


def test_the_first_request_of_a_turn_has_no_base_to_measure_from() -> None:
    turn = Turn([QUESTION], 3276, TurnState())
    turn.relay(shown(), 1, Shelf().keep)
    turn.sending(2)
    turn.observe(Usage(1500, 5))
    assert_stopped(turn)


def test_a_request_sent_again_before_the_measure_makes_it_impossible() -> None:
    turn = on_trial()
    turn.sending(4)
    turn.sending(4)
    turn.observe(SECOND)
    assert_stopped(turn)


def test_what_a_completion_leaves_is_the_base_of_the_next_measure_even_after_a_rejection() -> None:
    turn = on_trial()
    turn.sending(4)
    turn.observe(Usage(1046, 5))
    assert state(turn).context == 1051
    turn.observe(Usage(1046, 5, complete=False))
    assert state(turn).context == 0


def test_a_history_rewritten_during_a_trial_stops_the_turn() -> None:
    turn = on_trial()
    turn.rewritten([QUESTION])
    assert (turn.messages, turn.extra) == ([QUESTION], [])
    assert_stopped(turn)
    assert state(turn).context == 1020


def test_a_history_rewritten_without_a_trial_stops_nothing() -> None:
    turn = Turn([QUESTION], 3276, TurnState())
    turn.append(RESULT)
    turn.rewritten()
    assert (turn.messages, turn.extra, state(turn)) == ([QUESTION, RESULT], [], TurnState())


def test_what_is_on_trial_at_the_end_of_a_turn_leaves_extra_and_stops_it() -> None:
    turn = on_trial("a.png", "b.png")
    turn.append(CALL)
    turn.finish()
    assert turn.extra == [CALL, RESULT, CALL]
    assert len(turn.messages) == 6
    assert_stopped(turn)


def test_the_end_of_a_turn_without_a_trial_changes_nothing() -> None:
    turn = Turn([QUESTION], 3276, TurnState())
    turn.finish()
    assert (turn.messages, turn.extra, state(turn)) == ([QUESTION], [], TurnState())


def test_an_image_on_trial_is_not_published_and_a_kept_one_is() -> None:
    turn = on_trial()
    assert turn.publishable() == [QUESTION, CALL, RESULT]
    turn.sending(4)
    turn.observe(SECOND)
    assert turn.publishable() == turn.messages


def test_drop_replaces_the_messages_and_leaves_extra_alone() -> None:
    turn = on_trial()
    turn.sending(4)
    turn.observe(SECOND)
    extra = list(turn.extra)
    assert turn.drop() == 300
    assert turn.messages[3] == Message("user", "Image demandée (img.png) :" + LOST, relay=True)
    assert (turn.extra, turn.kept_tokens) == (extra, 0)
    assert turn.drop() == 0


def test_an_image_on_trial_is_measured_after_older_ones_were_dropped() -> None:
    turn = on_trial()
    turn.messages[0] = marked(QUESTION, 40)
    assert turn.drop() == 40
    turn.sending(4)
    turn.observe(SECOND)
    assert [message.cost for message in turn.messages] == [0, 0, 0, 300]


def test_the_caller_keeps_the_list_that_a_turn_started_from() -> None:
    history = [QUESTION]
    Turn(history, 3276, None).append(RESULT)
    assert history == [QUESTION]
