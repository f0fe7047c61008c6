"""Kept images in the turn loop, over real HTTP: same request with and without the key, images before any summary."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from turn_stage import KEEPING, PLAIN, Stage, data_url, images, stage, user

from fake_go import engine as scripts
from fake_go import faults
from fake_go.engine import Answer, Call
from parity.facade.turn import Ended, Turns
from parity.images.message import LOST, Message
from parity.images.references import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from parity.facade.turn import Place

SEE = Call("see_image", '{"path":"a.png"}')
PNG = b"\x89PNG\r\n\x1a\n of a.png"
URL = data_url(PNG)
NAME = hashlib.sha256(PNG).hexdigest()[:32] + ".png"
CAPTION = "Image demandée (a.png) :"
ASKED = [user("regarde a.png")]

RESULT_TOKENS = 4 + len("Image a.png affichée.".encode()) // 4
"""What the tool result before the image is taken to weigh (keepimg.md, Tokens estimate)."""


@pytest.fixture
def on(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path) as made:
        yield made


def shows(cost: int, base: int = 1000, generated: int = 20) -> list[Answer]:
    """The engine asks for the image, then answers; the image costs it so many tokens."""
    prompt = base + generated + RESULT_TOKENS + cost
    return [scripts.calls(SEE, tokens=(base, generated)), scripts.says("Je vois.", tokens=(prompt, 5))]


def look(on: Stage, place: Place, cost: int = 300) -> Ended:
    """A turn in which the model looks at the image."""
    on.shows("a.png", PNG)
    on.engine.play(*shows(cost))
    return on.turns.run(ASKED, place)


def again(on: Stage, before: Ended, place: Place, *answers: Answer, used: int = 0) -> Ended:
    """The next turn of the conversation; what came before is forgotten by everybody who recorded it."""
    on.engine.take_bodies()
    on.go.take_requests()
    on.engine.play(*answers)
    return on.turns.run([*before.history, user("et alors ?")], place, used)


def contents(request: dict[str, Any]) -> list[object]:
    return [message["content"] for message in request["messages"]]


def test_the_request_that_first_shows_the_image_is_the_same_with_and_without_the_key(on: Stage) -> None:
    kept = look(on, KEEPING)
    with_key = on.engine.take_bodies()
    lost = look(on, PLAIN)
    without_key = on.engine.take_bodies()
    assert len(with_key) == 2
    assert with_key == without_key
    assert images(json.loads(with_key[1])) == [URL]
    assert b"img_" not in with_key[1]
    assert kept.history != lost.history


def test_a_measured_image_stays_by_reference_and_is_shown_again_byte_for_byte(on: Stage) -> None:
    ended = look(on, KEEPING)
    image = ended.history[3]
    assert (image.relay, image.cost) == (True, 300)
    assert NAME in repr(image.content)
    again(on, ended, KEEPING, scripts.says("fin"))
    request = on.requests()[0]
    assert images(request) == [URL]
    assert b"img_" not in json.dumps(request).encode()


def test_without_the_key_the_image_lives_for_the_turn_only(on: Stage) -> None:
    ended = look(on, PLAIN)
    assert [message.role for message in ended.history] == ["user", "assistant", "tool", "assistant"]
    assert on.go.take_requests() == ["POST /internal/v1/tool/exec"]
    again(on, ended, PLAIN, scripts.says("fin"))
    assert images(on.requests()[0]) == []


@pytest.mark.parametrize(
    "place",
    [replace(KEEPING, thread="side"), replace(KEEPING, conversation=""), replace(KEEPING, keep_turn_images="off")],
    ids=["side thread", "no conversation", "off"],
)
def test_there_is_no_state_outside_a_conversations_main_thread(on: Stage, place: Place) -> None:
    assert not any(message.relay for message in look(on, place).history)


def test_without_vision_there_is_no_state_and_kept_images_go(on: Stage) -> None:
    ended = look(on, KEEPING)
    on.go.serve_keepimg(lambda: b'{"vision":false,"budget":3276}', on.store_answer)
    again(on, ended, KEEPING, scripts.says("fin"))
    assert CAPTION + LOST in contents(on.requests()[0])


def test_a_go_that_does_not_say_whether_there_is_vision_loses_no_image_and_keeps_none(on: Stage) -> None:
    ended = look(on, KEEPING)
    on.go.fault(faults.server_error(), route="keepimg")
    after = again(on, ended, KEEPING, scripts.says("fin"))
    assert images(on.requests()[0]) == [URL]
    assert after.history[3] == ended.history[3]
    assert not any(message.relay for message in look(on, KEEPING).history)


def test_an_image_that_go_does_not_store_is_seen_once(on: Stage) -> None:
    on.go.fault(faults.server_error(), route="store")
    ended = look(on, KEEPING)
    assert images(on.requests()[1]) == [URL]
    assert not any(message.relay for message in ended.history)


@pytest.mark.parametrize("cost", [15, 3277])
def test_an_image_that_costs_too_little_or_too_much_leaves_the_history(on: Stage, cost: int) -> None:
    ended = look(on, KEEPING, cost)
    assert not any(message.relay for message in ended.history)


def test_an_engine_that_does_not_count_keeps_no_image(on: Stage) -> None:
    on.shows("a.png", PNG)
    on.engine.play(scripts.calls(SEE), scripts.says("Je vois."))
    assert not any(message.relay for message in on.turns.run(ASKED, KEEPING).history)


def test_an_image_whose_request_failed_leaves_the_history(on: Stage) -> None:
    on.shows("a.png", PNG)
    on.engine.play(shows(300)[0], scripts.refuses(500, b"no"))
    ended = on.turns.run(ASKED, KEEPING)
    assert ended.error
    assert [message.role for message in ended.history] == ["user", "assistant", "tool"]


def test_two_images_of_one_step_share_the_cost_by_weight(on: Stage) -> None:
    on.shows("a.png", PNG)
    on.shows("b.png", PNG * 3)
    both = scripts.calls(SEE, Call("see_image", '{"path":"b.png"}', "b"), tokens=(1000, 20))
    on.engine.play(both, scripts.says("fin", tokens=(1020 + 2 * RESULT_TOKENS + 400, 5)))
    ended = on.turns.run(ASKED, KEEPING)
    assert [message.cost for message in ended.history if message.relay] == [100, 300]


def test_a_file_that_is_gone_is_said_to_be(on: Stage, tmp_path: Path) -> None:
    ended = look(on, KEEPING)
    (tmp_path / "images" / NAME).unlink()
    again(on, ended, KEEPING, scripts.says("fin"))
    parts = contents(on.requests()[0])[3]
    assert parts == [{"type": "text", "text": CAPTION}, {"type": "text", "text": MISSING}]


# The three places where images go before any summary.


def dropped_from(before: dict[str, Any], after: dict[str, Any]) -> None:
    """``after`` is the same request without the image: caption and marker stand for it, all else is as it was."""
    assert images(before) == [URL]
    assert images(after) == []
    wanted = [CAPTION + LOST if isinstance(content, list) else content for content in contents(before)]
    assert contents(after) == wanted
    assert {**after, "messages": 0} == {**before, "messages": 0}


def published_without_image(on: Stage) -> None:
    assert len(on.published) == 1
    assert [message.content for message in on.published[0] if message.relay] == [CAPTION + LOST]
    assert not any(message.cost for message in on.published[0])


def test_a_prompt_refused_as_too_long_is_replayed_without_the_images_and_no_summary(on: Stage) -> None:
    ended = look(on, KEEPING)
    after = again(on, ended, KEEPING, scripts.too_long(), scripts.says("fin"))
    assert (after.text, on.summaries) == ("fin", [])
    dropped_from(*on.requests())
    published_without_image(on)
    assert after.history == (*on.published[0], Message("assistant", "fin"))


def test_after_a_step_over_the_threshold_the_images_go_and_no_summary_if_that_is_enough(on: Stage) -> None:
    ended = look(on, KEEPING)
    step = scripts.calls(Call("recall", "{}"), tokens=(24_600, 100))
    after = again(on, ended, KEEPING, step, scripts.says("fin"))
    assert (after.text, on.summaries) == ("fin", [])
    first, second = on.requests()
    dropped_from(first, {**second, "messages": second["messages"][:-2]})
    published_without_image(on)
    assert after.history == (*on.published[0], Message("assistant", "fin"))
    assert [message.role for message in on.published[0]][-3:] == ["user", "assistant", "tool"]


def test_after_a_step_the_summary_is_asked_for_if_it_is_still_needed(on: Stage) -> None:
    ended = look(on, KEEPING)
    step = scripts.calls(Call("recall", "{}"), tokens=(24_800, 100))
    on.summary = [user("résumé")]
    after = again(on, ended, KEEPING, step, scripts.says("fin"))
    assert len(on.summaries) == 1
    assert not any(message.cost for message in on.summaries[0])
    assert after.history == (user("résumé"), Message("assistant", "fin"))
    assert len(on.published) == 2


def test_a_completion_cut_by_a_full_window_is_asked_for_again_without_the_images_once(on: Stage) -> None:
    ended = look(on, KEEPING)
    cut = scripts.says("", "length", tokens=(24_600, 100))
    after = again(on, ended, KEEPING, cut, cut)
    assert (after.text, after.finish_reason, after.rounds, on.summaries) == ("", "length", 2, [])
    dropped_from(*on.requests())
    published_without_image(on)


def test_a_cut_completion_asks_for_the_summary_if_that_is_not_enough(on: Stage) -> None:
    ended = look(on, KEEPING)
    on.summary = [user("résumé")]
    again(on, ended, KEEPING, scripts.says("", "length", tokens=(30_000, 2_700)), scripts.says("fin"))
    assert len(on.summaries) == 1
    assert contents(on.requests()[-1]) == ["résumé"]


def test_an_image_on_trial_stays_in_view_when_the_history_is_rewritten_but_not_in_it(on: Stage) -> None:
    ended = look(on, KEEPING)
    on.shows("b.png", PNG * 2)
    see = scripts.calls(Call("see_image", '{"path":"b.png"}'), tokens=(24_600, 100))
    after = again(on, ended, KEEPING, see, scripts.says("fin", tokens=(24_500, 5)))
    assert images(on.requests()[-1]) == [data_url(PNG * 2)]
    published_without_image(on)
    assert sum(message.relay for message in after.history) == 1
    assert on.summaries == []


def test_a_refused_prompt_with_an_image_on_trial_asks_for_a_summary_when_nothing_is_kept(on: Stage) -> None:
    on.shows("a.png", PNG)
    on.summary = [user("résumé")]
    on.engine.play(shows(300)[0], scripts.too_long(), scripts.says("fin", tokens=(100, 5)))
    after = on.turns.run(ASKED, KEEPING)
    assert after.history == (user("résumé"), Message("assistant", "fin"))
    assert len(on.summaries) == 1


# The turn's start.


def test_the_key_removed_between_turns_takes_the_image_and_leaves_caption_and_mark(on: Stage) -> None:
    ended = look(on, KEEPING)
    after = again(on, ended, PLAIN, scripts.says("fin"))
    assert CAPTION + LOST in contents(on.requests()[0])
    assert after.history[3] == Message("user", CAPTION + LOST, relay=True)
    assert on.go.take_requests() == []
    again(on, after, KEEPING, scripts.says("fin"))
    assert images(on.requests()[0]) == []


@pytest.mark.parametrize(("used", "left"), [(24_575, [URL]), (24_576, []), (0, [URL])])
def test_a_turn_that_starts_over_the_threshold_starts_without_the_images(on: Stage, used: int, left: list[str]) -> None:
    ended = look(on, KEEPING)
    again(on, ended, KEEPING, scripts.says("fin"), used=used)
    assert images(on.requests()[0]) == left
    assert on.summaries == []


@pytest.mark.parametrize(("needed", "left"), [(True, []), (False, [URL])])
def test_whether_compaction_is_needed_at_the_start_can_be_said_by_the_caller(
    on: Stage, left: list[str], *, needed: bool
) -> None:
    ended = look(on, KEEPING)
    on.turns.hooks = replace(on.hooks(), needed=lambda: needed)
    again(on, ended, KEEPING, scripts.says("fin"), used=30_000)
    assert images(on.requests()[0]) == left


def test_turns_without_kept_images_show_an_image_once(on: Stage) -> None:
    turns = Turns(on.turns.engine, on.host, hooks=on.hooks())
    on.shows("a.png", PNG)
    on.engine.play(*shows(300))
    ended = turns.run(ASKED, KEEPING)
    assert images(on.requests()[1]) == [URL]
    assert not any(message.relay for message in ended.history)
    gone = Message("user", [{"type": "image_url", "image_url": {"url": f"loki-img:{NAME}"}}], relay=True, cost=20)
    on.engine.play(scripts.says("fin"))
    turns.run([gone], KEEPING)
    assert contents(on.requests()[0]) == [[{"type": "text", "text": MISSING}]]


@pytest.mark.parametrize("name", ["../secret.png", "../../images/" + NAME, "/etc/passwd", NAME + "/../" + NAME])
def test_a_reference_never_leads_out_of_the_folder(on: Stage, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(PNG)
    look(on, KEEPING)
    on.engine.take_bodies()
    message = Message("user", [{"type": "image_url", "image_url": {"url": f"loki-img:{name}"}}], relay=True, cost=20)
    on.engine.play(scripts.says("fin"))
    on.turns.run([message], KEEPING)
    assert contents(on.requests()[0]) == [[{"type": "text", "text": MISSING}]]
