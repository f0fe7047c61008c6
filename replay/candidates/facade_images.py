"""The façade's way through a case of kept images: Go's two routes, and completions of a real engine, over real HTTP.

An operation of a case is a part of a turn, not a tool call. What a turn does over the wire in that part is done so here
too: whether vision is active is asked, an image to relay is stored through Go's route, and each completion is one of
the messages as they stand, references turned back into images, in which the engine says what it used.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from fake_go.engine import says
from parity.facade.deltas import EngineFailed
from parity.facade.keepimg_client import KeepimgClient
from parity.images import message as messages
from parity.images import settings
from parity.images.cost import Usage
from replay.candidates.interface import CandidateCrashed
from replay.candidates.kept_images import KeptImagesCase

if TYPE_CHECKING:
    from fake_go.app import FakeGo
    from fake_go.engine import FakeEngine
    from parity.facade.transport import Transport
    from parity.facade.turn import Turns
    from parity.gostd.target import GoTarget
    from parity.images.message import Message
    from parity.images.store import ImageStore, Stored
    from replay.journal.model import KeepimgCase

_ANSWER: Final = "Je vois."
_MOST_TOKENS: Final = 1 << 53
"""An engine's numbers are JSON: beyond this, or below 0, it has no way to say them."""


class FacadeImages:
    """What a case needs of the façade, begun with :meth:`begin`."""

    def __init__(self, go: Transport, fake: FakeGo, engine: FakeEngine, turns: Turns) -> None:
        """``go`` leads to ``fake``; ``turns`` asks ``engine``, and is given the images of the case that begins."""
        self._go = go
        self._fake = fake
        self._engine = engine
        self._turns = turns

    def begin(self, case: KeepimgCase, store: ImageStore, target: GoTarget) -> KeptImagesCase:
        """A case whose images Go keeps in ``store``. Raises CandidateCrashed when its routes do not answer."""
        self._fake.serve_keepimg(lambda: _state(case), lambda body: _stored(store, body))
        client = KeepimgClient(self._go, store.image, target)
        self._turns.keepimg = client
        vision = client.vision()
        if vision is None:
            what = "the façade could not ask whether vision is active"
            raise CandidateCrashed(what)
        begun = KeptImagesCase(
            replace(case, vision=vision.active), _ThroughGo(client, store), lambda usage: self._heard(begun, usage)
        )
        begun.turn.budget = vision.budget
        return begun

    def _heard(self, begun: KeptImagesCase, usage: Usage) -> Usage:
        """What the façade reads of a completion that used so much; one that was cut off says nothing."""
        tokens = (usage.prompt, usage.generated, usage.reasoning)
        if not all(0 <= count <= _MOST_TOKENS for count in tokens):
            return usage
        answer = says(_ANSWER, tokens=tokens)
        self._engine.play(answer if usage.complete else answer.cut_after(len(answer.pieces[0])))
        try:
            said = self._turns.engine.complete(self._turns.body(begun.turn.messages)).usage
        except EngineFailed:
            return Usage(complete=False)
        finally:
            self._engine.take_bodies()
        if said is None:
            return Usage()
        return replace(usage, prompt=said.prompt, generated=said.generated, reasoning=said.reasoning, complete=True)


class _ThroughGo:
    """Images that a turn relays, stored by Go; what a journal stores by itself goes to the same store."""

    def __init__(self, client: KeepimgClient, store: ImageStore) -> None:
        self._client = client
        self._kept = store

    def store(self, message: Message) -> Stored | None:
        """The message in its referenced form; None where it is refused."""
        return self._client.store(message) if message.relay else self._kept.store(message)

    def image(self, name: str) -> bytes | None:
        """The bytes of a kept image."""
        return self._kept.image(name)


def _state(case: KeepimgCase) -> bytes:
    return json.dumps({"vision": case.vision, "budget": settings.budget(case.ctx_window)}).encode()


def _stored(store: ImageStore, body: bytes) -> bytes:
    """What Go answers to an image that it is to store."""
    kept = store.store(messages.read(json.loads(body)))
    if kept is None:
        return b'{"ok":false}'
    return json.dumps({"ok": True, "message": messages.written(kept.message), "weight": kept.weight}).encode()
