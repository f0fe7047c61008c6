"""Go's two routes behind kept images, over real HTTP (facade.md, Go's routes; keepimg.md, Store)."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fake_go import faults
from fake_go.app import FakeGo
from fake_go.server import FakeGoServer
from parity.facade.keepimg_client import KeepimgClient, Vision
from parity.facade.transport import HttpTransport
from parity.gostd import json as go_json
from parity.gostd.target import GO_1_25
from parity.images import files
from parity.images import message as messages
from parity.images.message import Message
from parity.images.store import ImageStore, Stored
from parity.stores.state import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fake_go.faults import Fault

PNG = b"\x89PNG\r\n\x1a\n image"
DATA_URL = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
CAPTION = {"type": "text", "text": "Image <demandée> :"}
SHOWN = Message(
    "user",
    (CAPTION, {"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}, "n": 1}),
    relay=True,
    others={"name": "outil"},
)
STATE = "GET /internal/v1/turn/keepimg"
STORE = "POST /internal/v1/turn/keepimg/store"


@pytest.fixture(scope="module")
def running() -> Iterator[FakeGoServer]:
    with FakeGoServer(FakeGo()) as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> ImageStore:
    return files.on_disk(tmp_path / "memory", Settings(), nonces=lambda: bytes(12))


@pytest.fixture
def fake(running: FakeGoServer, store: ImageStore) -> FakeGo:
    """A Go that really stores, as keepimg.md says."""
    running.fake.load([])
    running.fake.serve_keepimg(lambda: b'{"vision":true,"budget":3276}', lambda body: stored(store, body))
    return running.fake


@pytest.fixture
def client(running: FakeGoServer, fake: FakeGo, store: ImageStore) -> Iterator[KeepimgClient]:
    assert fake is running.fake
    with HttpTransport(running.url) as transport:
        yield KeepimgClient(transport, store.image, GO_1_25)


def stored(store: ImageStore, body: bytes) -> bytes | None:
    try:
        kept = store.store(messages.read(json.loads(body)))
    except ValueError:
        return None
    if kept is None:
        return b'{"ok":false}'
    written = messages.written(kept.message)
    return json.dumps({"ok": True, "message": written, "weight": kept.weight}).encode()


def answering(fake: FakeGo, answer: bytes) -> None:
    fake.serve_keepimg(lambda: answer, lambda _: answer)


def test_go_says_whether_vision_is_active_and_the_budget(client: KeepimgClient, fake: FakeGo) -> None:
    assert client.vision() == Vision(active=True, budget=3276)
    answering(fake, b'{"vision":false,"budget":0}')
    assert client.vision() == Vision(active=False, budget=0)
    assert fake.take_requests() == [STATE, STATE]


@pytest.mark.parametrize(
    "answer",
    [b"", b"null", b"[]", b"{}", b'{"vision":1,"budget":2}', b'{"vision":true,"budget":2.5}', b'{"vision":true}'],
)
def test_a_state_of_another_shape_is_no_answer(client: KeepimgClient, fake: FakeGo, answer: bytes) -> None:
    answering(fake, answer)
    assert client.vision() is None


FAULTS = [
    faults.server_error(),
    faults.html(),
    faults.truncated(),
    faults.hang(),
    faults.drip(0.05, headers=True),
    faults.close_half_way(),
    faults.close_at_once(),
    faults.redirect("/"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_go_that_does_not_answer_says_nothing_and_refuses_the_image(
    running: FakeGoServer, fake: FakeGo, store: ImageStore, fault: Fault
) -> None:
    fake.fault(fault)
    with HttpTransport(running.url, read=0.2, total=0.4) as transport:
        client = KeepimgClient(transport, store.image, GO_1_25)
        assert client.vision() is None
        assert client.store(SHOWN) is None


def test_an_image_is_stored_by_go_and_comes_back_as_a_reference(
    client: KeepimgClient, fake: FakeGo, store: ImageStore
) -> None:
    kept = client.store(SHOWN)
    assert kept is not None
    assert kept.weight == len(PNG)
    url = messages.url(messages.parts(kept.message)[1])
    assert store.image(url.removeprefix("loki-img:")) == PNG
    image = {"type": "image_url", "image_url": {"url": url, "detail": "low"}, "n": 1.0}
    assert kept.message == replace(SHOWN, content=[CAPTION, image])
    assert fake.take_requests() == [STORE]


@pytest.mark.parametrize(
    "content",
    ["no image", (CAPTION,), ({"type": "image_url", "image_url": {"url": "https://x/a.png"}},)],
)
def test_what_go_refuses_is_refused(client: KeepimgClient, content: object) -> None:
    assert client.store(Message("user", content, relay=True)) is None


def test_without_the_image_at_hand_a_reference_is_refused(client: KeepimgClient) -> None:
    client.read = lambda _: None
    assert client.store(SHOWN) is None


@pytest.mark.parametrize(
    "change",
    [
        b'"ok":true->"ok":1',
        b'"weight":->"Weight":',
        b'"weight":->"weight":0,"x":',
        b'"message":->"other":',
        b'"role":->"role":7,"x":',
        b'"img_relay":true->"img_relay":false',
        b"<demand->(demand",
        b"loki-img:->loki-img:/../",
        b'"detail":"low"->"detail":"high"',
    ],
)
def test_an_answer_that_would_show_the_model_something_else_is_refused(
    client: KeepimgClient, fake: FakeGo, store: ImageStore, change: bytes
) -> None:
    wrong, right = change.split(b"->")

    def lying(body: bytes) -> bytes:
        answer = (stored(store, body) or b"").replace(b": ", b":")
        assert wrong in answer
        return answer.replace(wrong, right)

    fake.serve_keepimg(lambda: b"", lying)
    assert client.store(SHOWN) is None


def test_a_cost_that_comes_from_go_is_not_taken(client: KeepimgClient, fake: FakeGo, store: ImageStore) -> None:
    fake.serve_keepimg(
        lambda: b"", lambda body: (stored(store, body) or b"").replace(b'"role"', b'"img_tokens": 500, "role"')
    )
    kept = client.store(SHOWN)
    assert isinstance(kept, Stored)
    assert kept.message.cost == 0


def test_go_gets_the_message_marked_and_as_json(client: KeepimgClient, fake: FakeGo) -> None:
    seen: list[bytes] = []

    def refusing(body: bytes) -> bytes:
        seen.append(body)
        return b'{"ok":false}'

    fake.serve_keepimg(lambda: b"", refusing)
    client.store(SHOWN)
    assert go_json.unmarshal(seen[0], GO_1_25).value == {
        "role": "user",
        "content": [CAPTION, {"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}, "n": 1.0}],
        "img_relay": True,
        "name": "outil",
    }
