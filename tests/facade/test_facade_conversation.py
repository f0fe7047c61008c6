"""A conversation of 200 turns with images: the budget holds, every reference gives the same bytes (keepimg.md)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, Final

import pytest
from turn_stage import KEEPING, Stage, data_url, images, stage, user

from fake_go import engine as scripts
from fake_go.engine import Answer, Call
from parity.images import history
from parity.images.message import LOST, Message
from parity.images.message import parts as parts_of
from parity.images.message import url as url_of
from parity.images.references import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

TURNS: Final = 200
BUDGET: Final = 3276
WINDOW: Final = 32_768
KINDS: Final = ("png", "jpeg", "gif", "webp")


class CountingEngine:
    """An engine that counts its prompt as a real one does: text by its bytes, an image by a cost of its own."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.costs: dict[str, int] = {}
        self.prompts: list[int] = []

    def tokens(self, request: dict[str, Any]) -> int:
        """What the prompt of a request holds."""
        return sum(self._message(message) for message in request["messages"])

    def _message(self, message: dict[str, Any]) -> int:
        calls = sum(len(call["function"]["arguments"]) // 4 + 3 for call in message.get("tool_calls", ()))
        content = message["content"]
        if isinstance(content, str):
            return 4 + len(content.encode()) // 4 + calls
        return 4 + sum(self.costs[part["image_url"]["url"]] if "image_url" in part else 8 for part in content)

    def answering(self, make: Answer) -> Any:  # noqa: ANN401 - a script: a function of the request's body
        """``make`` with the usage of the request it answers; a refusal when the prompt does not fit."""

        def script(body: bytes) -> Answer:
            prompt = self.tokens(json.loads(body))
            if prompt > WINDOW:
                return scripts.too_long(prompt, WINDOW)
            self.prompts.append(prompt)
            return Answer((*make.pieces[:-1], scripts.usage(prompt, self.dice.randint(5, 60)), scripts.DONE))

        return script


class Talk:
    """The conversation: what it holds, and what was shown in it."""

    def __init__(self, on: Stage, seed: int) -> None:
        self.on = on
        self.dice = random.Random(seed)  # noqa: S311 - the same conversation on every run
        self.engine = CountingEngine(self.dice)
        self.history: tuple[Message, ...] = ()
        self.used = 0
        self.contents: dict[str, bytes] = {}
        self.kept_at_once = 0
        self.kept_in_all: set[str] = set()
        self.seen_again = 0

    def turn(self, number: int) -> None:
        """One turn: the model looks at up to two images, or reads something long, then answers."""
        for answer in self._script(number):
            self.on.engine.play(self.engine.answering(answer))
        ended = self.on.turns.run([*self.history, user(f"question {number}")], KEEPING, self.used)
        assert (ended.error, ended.text) == ("", f"réponse {number}")
        self.on.engine.forget()
        self.history, self.used = ended.history, ended.used
        self._check()

    def _script(self, number: int) -> Sequence[Answer]:
        steps = []
        for place in range(self.dice.choice((0, 0, 1, 1, 2))):
            name = f"i{number}-{place}"
            kind = self.dice.choice(KINDS)
            content = self.dice.randbytes(self.dice.randint(1, 3000))
            self.on.shows(name, content, kind)
            url = data_url(content, kind)
            self.engine.costs[url] = self.dice.choice((10, 40, 200, 700, 1500, 4000))
            self.contents[url] = content
            steps.append(scripts.calls(Call("see_image", json.dumps({"path": name}))))
        if self.dice.random() < 0.3:
            steps.append(scripts.calls(Call("mem_add", json.dumps({"file": f"p{number}", "content": "x" * 4000}))))
            steps.append(scripts.calls(Call("mem_read", json.dumps({"file": f"p{number}"}))))
        return [*steps, scripts.says(f"réponse {number}")]

    def _check(self) -> None:
        """The budget; every reference in the history to the byte; nothing but what was shown ever leaves."""
        kept = [message for message in self.history if message.cost]
        assert history.kept_tokens(self.history) <= BUDGET
        self.kept_at_once = max(self.kept_at_once, len(kept))
        for message in kept:
            address = url_of(parts_of(message)[1])
            content = self.on.store.image(address.removeprefix("loki-img:"))
            assert content in self.contents.values()
            self.kept_in_all.add(address)
        for request in self.on.requests():
            shown = images(request)
            assert set(shown) <= set(self.contents)
            self.seen_again += len(shown)
            assert b"img_" not in json.dumps(request).encode()
            assert MISSING not in json.dumps(request, ensure_ascii=False)


@pytest.fixture
def on(tmp_path: Path) -> Iterator[Stage]:
    with stage(tmp_path) as made:
        made.summary = [user("résumé de ce qui précède")]
        yield made


def test_two_hundred_turns_keep_to_the_budget_and_to_the_bytes(
    on: Stage,
    record_testsuite_property: Any,  # noqa: ANN401 - pytest's own
) -> None:
    talk = Talk(on, seed=32)
    for number in range(TURNS):
        talk.turn(number)
    lost = sum(LOST in str(message.content) for published in on.published for message in published)
    measured = {
        "requests": len(talk.engine.prompts),
        "images shown": len(talk.contents),
        "images kept": len(talk.kept_in_all),
        "kept at once": talk.kept_at_once,
        "images in all requests": talk.seen_again,
        "markers published": lost,
        "summaries": len(on.summaries),
        "longest prompt": max(talk.engine.prompts),
    }
    record_testsuite_property("conversation", measured)
    assert talk.engine.prompts[-1] <= WINDOW
    assert 10 < len(talk.kept_in_all) < len(talk.contents)
    assert talk.kept_at_once > 2
    assert talk.seen_again > len(talk.contents)
    assert lost
    assert on.summaries
    assert not any(message.cost for messages in on.summaries for message in messages)
