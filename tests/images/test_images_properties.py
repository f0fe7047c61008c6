"""What holds over a whole conversation, whatever the engine counts and the tools show."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parity.gostd import base64
from parity.images import files, history
from parity.images.cost import Usage
from parity.images.message import Message, image_count, parts, read, tokens, url, written
from parity.images.references import for_model, referenced_name
from parity.images.settings import budget
from parity.images.state import Turn, TurnState
from parity.stores.state import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from parity.images.store import ImageStore

TURNS: Final = 200
SEALED: Final = Settings(config={"MEM_ENCRYPTED": "1"}, dek=bytes(32))


class Conversation:
    """Turns of a model that looks at images, one after the other, over an engine that counts as it likes."""

    def __init__(self, window: int, seed: int, store: ImageStore) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a conversation, not a secret
        self.window = window
        self.store = store
        self.history: list[Message] = []
        self.used = 0
        self.sent: dict[str, str] = {}
        """Which data URL each reference was made from."""

    def turn(self) -> Turn:
        """One turn; gives it back as it ended."""
        draw = self.random
        setting = "on" if draw.random() > 0.05 else "off"
        self.history, self.used = history.turn_start(
            self.history, self.used, setting=setting, vision=draw.random() > 0.02, window=self.window
        )
        turn = Turn(self.history, budget(self.window), TurnState())
        turn.append(Message("user", "q" * draw.randrange(60)))
        for _ in range(draw.randrange(1, 4)):
            self.ask(turn)
            turn.append(Message("assistant", "a" * draw.randrange(60)))
            first_result = len(turn.messages)
            turn.append(Message("tool", "r" * draw.randrange(60)))
            for _ in range(draw.randrange(3)):
                self.show(turn, first_result)
            if draw.random() < 0.05:
                turn.rewritten(turn.publishable())
        if draw.random() < 0.8:
            self.ask(turn)
        turn.finish()
        self.history = turn.publishable()
        return turn

    def ask(self, turn: Turn) -> None:
        """A request, sometimes sent twice, and its completion: images cost what the engine of the day says."""
        turn.sending(len(turn.messages))
        if self.random.random() < 0.03:
            turn.sending(len(turn.messages))
        unmarked = sum(tokens(message) for message in turn.messages if not message.relay)
        images = sum(message.cost or self.random.randrange(200) for message in turn.messages if message.relay)
        usage = Usage(unmarked + images, self.random.randrange(30), complete=self.random.random() > 0.03)
        turn.observe(usage)
        self.used = usage.prompt + usage.generated

    def show(self, turn: Turn, first_result: int) -> None:
        """A tool shows an image."""
        kind = self.random.choice(["png", "jpeg", "gif", "webp"])
        content = self.random.randbytes(self.random.randrange(1, 300))
        address = f"data:image/{kind};base64,{base64.encode_std(content)}"
        if self.random.random() < 0.02:
            address += "\n"
        before = len(turn.extra)
        turn.relay(
            Message("user", [{"type": "image_url", "image_url": {"url": address}}]), first_result, self.store.store
        )
        for message in turn.extra[before:]:
            self.sent[url(parts(message)[0])] = address


def check(conversation: Conversation, turn: Turn) -> int:
    """The invariants after a turn; gives how many images are kept."""
    assert turn.kept_tokens <= turn.budget
    kept = [message for message in conversation.history if message.cost]
    for message in kept:
        reference = url(parts(message)[0])
        assert referenced_name(reference) is not None
        sent = for_model(message, conversation.store.image)["content"]
        assert sent == ({"type": "image_url", "image_url": {"url": conversation.sent[reference]}},)
    assert all(message.cost or not image_count(message) for message in conversation.history)
    assert [message for message in turn.extra if message.relay and not message.cost] == []
    return len(kept)


def nonce_source() -> ImageStore:
    numbers = count(1)
    return files.in_ram(SEALED, nonces=lambda: next(numbers).to_bytes(12, "big"))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([300, 2000, 8192, 32_768]), st.integers(0, 2**32))
def test_200_turns_never_exceed_the_budget_and_every_reference_gives_the_same_bytes(window: int, seed: int) -> None:
    conversation = Conversation(window, seed, nonce_source())
    for _ in range(TURNS):
        check(conversation, conversation.turn())


def test_a_conversation_on_disk_does_keep_images_and_they_outlive_the_store(tmp_path: Path) -> None:
    numbers = count(1)

    def opened() -> ImageStore:
        return files.on_disk(tmp_path, SEALED, nonces=lambda: next(numbers).to_bytes(12, "big"))

    conversation = Conversation(8192, 7, opened())
    most = 0
    for _ in range(TURNS // 10):
        turn = conversation.turn()
        conversation.store = opened()
        most = max(most, check(conversation, turn))
    assert most >= 2


CONTENT: Final = st.none() | st.text() | st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=4))).map(tuple)
MESSAGES: Final = st.builds(
    Message,
    role=st.text(),
    content=CONTENT,
    tool_call_id=st.text(),
    relay=st.booleans(),
    cost=st.integers(-(2**63), 2**63 - 1),
)


@given(MESSAGES)
def test_reading_and_writing_a_message_are_inverse(message: Message) -> None:
    assert read(written(message)) == message


@given(st.lists(MESSAGES.filter(lambda message: message.cost < 2**40)))
def test_what_is_dropped_frees_exactly_what_was_kept(messages: list[Message]) -> None:
    left, freed = history.drop(messages)
    assert freed == history.kept_tokens(messages)
    assert history.kept_tokens(left) == 0
    assert [message.role for message in left] == [message.role for message in messages]
    assert [message.relay for message in left] == [message.relay for message in messages]
