"""All that a turn needs, over real HTTP: a fake Go that stores images, a fake engine, a host, a memory, a store."""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from fake_go.app import FakeGo
from fake_go.engine import FakeEngine, FakeEngineServer
from fake_go.server import FakeGoServer
from parity.facade.completions import ChatCompletions
from parity.facade.host import connected
from parity.facade.keepimg_client import KeepimgClient
from parity.facade.timeouts import READS, RUNS, Timeouts
from parity.facade.transport import HttpTransport
from parity.facade.turn import Hooks, Place, Turns
from parity.gostd.target import GO_1_25
from parity.images import files
from parity.images import message as messages
from parity.images.message import Message
from parity.stores.disk import DiskMemory
from parity.stores.state import Settings
from parity.tools.interface import ToolAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from parity.facade.host import Host
    from parity.facade.turn import Ran
    from parity.images.store import ImageStore

QUICK = Timeouts(connect=0.5, read=0.3, total=0.6)
EXEC = "POST /internal/v1/tool/exec"
KEEPING = Place(keep_turn_images="on", conversation="c1")
PLAIN = Place(conversation="c1")


class Stage:
    """One of each; ``published`` and ``summaries`` keep what a turn asked its surroundings for."""

    def __init__(
        self,
        go: FakeGo,
        engine: FakeEngine,
        *,
        host: Host,
        keepimg: KeepimgClient,
        memory: DiskMemory,
        store: ImageStore,
    ) -> None:
        self.go = go
        self.engine = engine
        self.host = host
        self.keepimg = keepimg
        self.memory = memory
        self.store = store
        self.turns: Turns
        self.shown: dict[str, Message] = {}
        self.published: list[Sequence[Message]] = []
        self.summaries: list[Sequence[Message]] = []
        self.summary: Sequence[Message] | None = None

    def hooks(self) -> Hooks:
        """Hooks that keep what they are told; ``see_image`` shows the image of its result's text."""
        return Hooks(shown=self._shown, publish=self.published.append, summarise=self._summarise)

    def _shown(self, ran: Ran) -> Sequence[Message]:
        return [self.shown[ran.outcome.result]] if ran.outcome.result in self.shown else []

    def _summarise(self, given: Sequence[Message]) -> Sequence[Message] | None:
        self.summaries.append(given)
        return self.summary

    def shows(self, name: str, content: bytes, kind: str = "png") -> str:
        """A tool of Go may be run once, and shows this image; gives its result."""
        result = f"Image {name} affichée."
        self.shown[result] = relay(name, content, kind)
        self.go.expect_exec("see_image", json.dumps({"path": name}).encode(), ToolAnswer(result))
        return result

    def requests(self) -> list[dict[str, Any]]:
        """The bodies that the engine got since the last time, decoded."""
        return [json.loads(body) for body in self.engine.take_bodies()]

    def store_answer(self, body: bytes) -> bytes | None:
        """What a Go that really stores answers to the second route of kept images."""
        try:
            kept = self.store.store(messages.read(json.loads(body)))
        except ValueError:
            return None
        if kept is None:
            return b'{"ok":false}'
        return json.dumps({"ok": True, "message": messages.written(kept.message), "weight": kept.weight}).encode()


def user(text: str) -> Message:
    """What a person says."""
    return Message("user", text)


def data_url(content: bytes, kind: str = "png") -> str:
    """An image as a tool shows it."""
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def relay(name: str, content: bytes, kind: str = "png") -> Message:
    """The message with which a tool's image reaches the model."""
    caption = {"type": "text", "text": f"Image demandée ({name}) :"}
    return Message("user", (caption, {"type": "image_url", "image_url": {"url": data_url(content, kind)}}))


def results(request: dict[str, Any]) -> list[str]:
    """The tool results in a request, as the model receives them."""
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]


def images(request: dict[str, Any]) -> list[str]:
    """The URLs of the images in a request."""
    contents = [message["content"] for message in request["messages"] if isinstance(message["content"], list)]
    return [part["image_url"]["url"] for parts in contents for part in parts if part["type"] == "image_url"]


@contextmanager
def stage(root: Path, *, reads: Timeouts = READS, runs: Timeouts = RUNS) -> Iterator[Stage]:
    """Everything is up while the block runs; the fake Go stores images below ``root``, where the memory is too.

    ``reads`` and ``runs`` are the host's timeouts; by themselves nothing that comes is ever too late.
    """
    with ExitStack() as stack:
        go, engine = FakeGo(), FakeEngine()
        go_url = stack.enter_context(FakeGoServer(go)).url
        engine_url = stack.enter_context(FakeEngineServer(engine)).url
        memory = DiskMemory(root, Settings(project_slug="voyages", project_name="Voyages"), nonces=lambda: bytes(12))
        store = files.on_disk(root, Settings(), nonces=lambda: bytes(12))
        host = stack.enter_context(connected(go_url, reads=reads, runs=runs, memory=memory))
        wire = stack.enter_context(HttpTransport(go_url))
        keepimg = KeepimgClient(wire, store.image, GO_1_25)
        made = Stage(go, engine, host=host, keepimg=keepimg, memory=memory, store=store)
        go.serve_keepimg(lambda: b'{"vision":true,"budget":3276}', made.store_answer)
        client = stack.enter_context(ChatCompletions(engine_url))
        made.turns = Turns(client, host, model="m", keepimg=keepimg, hooks=made.hooks())
        yield made
