"""A small façade outside the judge, in Python: the port's own tools, as a program of JSON lines or over HTTP.

``python outside_facade.py --can reset,reads --vice dies`` is a program for ``--candidate cmd:``; :func:`serving` serves
HTTP. A vice is one thing that it does wrong, from the third call on unless its name says otherwise.
"""

from __future__ import annotations

import argparse
import base64
import calendar
import itertools
import json
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from parity import zones
from parity.facade.go_client import GoClient
from parity.facade.transport import HttpTransport
from parity.gostd import json as go_json
from parity.gostd import utf8
from parity.gostd.target import GO_1_25
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools import registry
from parity.tools.interface import Block, Env, GoPanic, Tracker, TrackerEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ALL: Final = "exec,reset,read_state,set_clock,reads"
FIRST: Final = 3
"""The call at which a vice shows."""

EXEC: Final = "/internal/v1/tool/exec"


class Held:
    """Blocks that were handed over."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.items = blocks
        self.memo: dict[object, object] = {}

    def block(self, seq: int) -> Block | None:
        return next((one for one in self.items if one.seq == seq), None)

    def blocks(self) -> Held:
        return self


class Facade:
    """What it does with a call, whatever carried it."""

    def __init__(self, vice: str = "") -> None:
        self.vice = vice
        self.calls = 0
        self.now_ns = 0
        self.env = Env(GO_1_25)
        self.transport: HttpTransport | None = None
        self.memory = self.empty(Settings())

    @staticmethod
    def empty(settings: Settings) -> RamMemory:
        nonces = itertools.count(1)
        return RamMemory(settings, nonces=lambda: next(nonces).to_bytes(12, "big"))

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()

    def read_from(self, go: str) -> None:
        self.close()
        self.transport = HttpTransport(go)
        self.env = Env(GO_1_25, archive=GoClient(self.transport))

    def reset(self, head: dict[str, Any]) -> dict[str, Any]:
        if "blocks" in head:
            self.env = Env(GO_1_25, archive=Held([Block(**one) for one in head["blocks"]]))
        elif head["kind"] == "recall":
            self.read_from(head["go"])
        else:
            dek = bytes.fromhex(head["dek"]) or None
            project = head["project"]
            settings = Settings(project["slug"], project["name"], head["config"], dek, head["locked"])
            self.memory = self.empty(settings)
            self.restore(head["initial"])
            self.env = Env(GO_1_25, zone=zones.zone(head["clock"]["tz"]), memory=self.memory)
        return {}

    def restore(self, state: dict[str, Any]) -> dict[str, Any]:
        own = self.memory.snapshot()
        files: Mapping[str, bytes] = own.files
        trackers: Mapping[str, Tracker] = own.trackers
        if "files" in state:
            files = {name: content(one) for name, one in state["files"].items()}
        if "trackers" in state:
            trackers = {
                key: Tracker(one["name"], tuple(TrackerEvent(**event) for event in one["events"]))
                for key, one in state["trackers"].items()
            }
        self.memory.restore(State(files, trackers))
        return {}

    def state(self, _: dict[str, Any]) -> dict[str, Any]:
        if self.vice == "shows-nonsense":
            return {"files": [], "trackers": {}}
        state = self.memory.snapshot()
        trackers = {
            key: {"name": one.name, "events": [vars_of(event) for event in one.events] or None}
            for key, one in state.trackers.items()
        }
        return {"files": {name: written(raw) for name, raw in state.files.items()}, "trackers": trackers}

    def clock(self, said: dict[str, Any]) -> dict[str, Any]:
        self.now_ns = nanoseconds(said["now"])
        return {}

    def run(self, tool: str, raw_args: bytes) -> dict[str, Any]:
        self.calls += 1
        if self.calls >= FIRST and self.vice == "passes-on" and self.transport is not None:
            self.transport.request("POST", EXEC, b"{}")
        if self.calls >= FIRST and self.vice == "reads-twice" and self.transport is not None:
            self.transport.request("GET", "/internal/v1/recall/blocks")
        env = Env(self.env.target, self.now_ns, self.env.zone or zones.zone("UTC"), self.env.archive, self.env.memory)
        if env.memory is None:
            env = Env(env.target, env.now_ns, env.zone, env.archive, self.memory)
        args = go_json.unmarshal_args(raw_args, env.target)
        try:
            answer = registry.TOOLS[tool](args, env)
        except GoPanic as panic:
            return {"panic": panic.text, "label": "", "diff": []}
        result = answer.result.replace("…", "...") if self.vice == "dots" else answer.result
        diff = [{"op": line.op, "text": line.text} for line in answer.diff]
        return {"result": result, "label": answer.label, "diff": diff or None, "panic": None}


def content(one: str | dict[str, str]) -> bytes:
    return one.encode() if isinstance(one, str) else base64.b64decode(one["base64"])


def written(raw: bytes) -> object:
    return raw.decode() if utf8.valid(raw) else {"base64": base64.b64encode(raw).decode()}


def vars_of(event: TrackerEvent) -> dict[str, object]:
    return {"id": event.id, "ts": event.ts, "text": event.text} | ({"date_only": True} if event.date_only else {})


def nanoseconds(now: str) -> int:
    seconds, _, fraction = now.removesuffix("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) * 10**9 + int(fraction.ljust(9, "0"))


def args_of(body: bytes) -> bytes:
    """The arguments as they stand in a call, which are the last of its members but the clock."""
    start = body.index(b'"args":') + len(b'"args":')
    end = body.rindex(b',"now":') if b',"now":"' in body[start:] else body.rindex(b"}")
    return body[start:end]


# ---- a program


def line_of(facade: Facade, can: str, line: bytes) -> dict[str, Any]:
    """The answer to a line."""
    text = line.decode("utf-8", "replace")
    call = json.loads(text)
    tool = call["tool"]
    if tool == "parity/hello":
        if "reads" in can:
            facade.read_from(call["args"]["go"])
        return {"result": {"can": can.split(",")}} if can else {"error": "no such tool"}
    if tool.startswith("parity/"):
        return {"result": getattr(facade, tool.removeprefix("parity/"))(call["args"])}
    if "now" in call:
        facade.clock(call)
    return facade.run(tool, args_of(line.rstrip(b"\n")))


def program(can: str, vice: str) -> None:
    """Read lines, write lines."""
    facade = Facade(vice)
    for line in sys.stdin.buffer:
        answer = line_of(facade, can, line)
        said = json.dumps({"id": json.loads(line.decode("utf-8", "replace"))["id"], **answer}).encode() + b"\n"
        if vice == "dies" and facade.calls == FIRST:
            sys.exit(3)
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()


# ---- over HTTP


INSTEAD: Final[dict[str, tuple[int, bytes] | None]] = {
    "html": (200, b"<html>hello</html>"),
    "status-500": (500, b"oh\x1b[2J no"),
    "redirects": (302, b""),
    "no-result": (200, b"{}"),
    "closes": None,
}
"""What comes back in the place of an answer: status and body; None: the connection is closed."""


def over_http(facade: Facade, answer: bytes) -> tuple[int, bytes] | None:
    """What a vice makes of an answer."""
    if facade.calls < FIRST:
        return 200, answer
    if facade.vice == "hangs":
        time.sleep(1)
    return INSTEAD.get(facade.vice, (200, answer))


@contextmanager
def serving(
    *,
    can: str | None = None,
    vice: str = "",
    base: str = "",
    path: str = EXEC,
    go: str = "",
    names: dict[str, str] | None = None,
) -> Iterator[str]:
    """The URL of a façade over HTTP, base included. ``can`` None: no route for capabilities."""
    facade = Facade(vice)
    if go:
        facade.read_from(go)
    called = {key: (names or {}).get(key, key) for key in ("name", "args", "result", "label", "diff", "panic")}

    class Handler(BaseHTTPRequestHandler):
        def version_string(self) -> str:
            return "loki-parity"  # the port answers here: it must not be recorded as Go

        def do_GET(self) -> None:
            known = self.path == f"{base}/internal/v1/parity/capabilities" and can is not None
            body = json.dumps({"can": (can or "").split(",")}).encode() if known else b"no such route"
            self.answer(200 if known else 404, body)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == base + path:
                said = json.loads(body.decode("utf-8", "replace"))
                answer = facade.run(
                    said[called["name"]], args_of(body.replace(b'"%b":' % called["args"].encode(), b'"args":'))
                )
                found = over_http(facade, json.dumps({called[key]: one for key, one in answer.items()}).encode())
                if found is not None:
                    self.answer(*found)
                return
            verb = self.path.removeprefix(f"{base}/internal/v1/parity/")
            self.answer(200, json.dumps(getattr(facade, verb)(json.loads(body))).encode())

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            if status == 302:
                self.send_header("location", "/elsewhere")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{base}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        facade.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--can", default="")
    parser.add_argument("--vice", default="")
    options = parser.parse_args()
    program(options.can, options.vice)
