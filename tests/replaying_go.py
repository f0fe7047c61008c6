"""A stand-in for a live Go, over real HTTP: it answers what a journal recorded of Go, and nothing else.

A call is looked up by the tool, the arguments byte for byte, and, in a memory, the state and the time at which Go was
asked; what then stands in the journal is the answer. No tool runs here. A vice is one thing that it does wrong, from
the call ``since`` on.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, cast

from parity.stores.disk import DiskMemory
from parity.stores.state import Settings, State
from replay.candidates.written import files_written, plain, trackers_written
from replay.fields import diff_value
from replay.journal import load
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from replay.fields import Value
    from replay.journal.model import Journal, Step

EXEC: Final = "/internal/v1/tool/exec"
PARITY: Final = "/internal/v1/parity/"
VERSION: Final = {"version": "go1.25.5", "commit": "0a1b2c3d"}
ALL: Final = "exec,reset,read_state,set_clock"
HUGE: Final = b'{"result":"' + b"x" * (1 << 20) + b'"}'


def _plain(trackers: dict[str, object]) -> object:
    return plain(cast("Value", trackers))


@dataclass
class ReplayingGo:
    """What it knows, and how it behaves."""

    journal: Journal
    can: str | None = ALL
    version: object = field(default_factory=lambda: dict(VERSION))
    vice: str = ""
    since: int = 1
    folder: Path | None = None
    change: Callable[[int, dict[str, Any]], dict[str, Any]] | None = None
    """What it makes of the answer to a call, counted from 1."""
    server_header: str = ""
    slow: float = 0.0
    serves_blocks: bool = True
    refuses: int = 0
    """The status that every question but a call gets."""
    archive: object = None
    """What it serves instead of its blocks."""
    declared: dict[str, object] = field(default_factory=dict)
    """What it declares beside what it can."""
    calls: int = 0
    told: list[str] = field(default_factory=list)
    authorizations: set[str | None] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known: dict[bytes, list[tuple[State, Step]]] = {}
        for before, step in self.steps():
            body = b'{"name":%b,"args":%b}' % (json.dumps(step.tool).encode(), step.raw_args)
            self.known.setdefault(body, []).append((before, step))
        self.now: str | None = None
        self.state = self.initial()
        self.share()

    def initial(self) -> State:
        return self.journal.initial or State()

    def share(self) -> None:
        """Put the state where it is shared."""
        if self.folder is not None:
            memory = DiskMemory(self.folder, self.journal.settings or Settings(), nonces=lambda: bytes(12))
            memory.restore(self.state)

    def steps(self) -> Iterator[tuple[State, Step]]:
        """Each step, with the state before it."""
        before = self.initial()
        for step in self.journal.steps:
            yield before, step
            if self.journal.settings is not None:
                before = State(step.expected.files or {}, step.expected.trackers or {})

    def run(self, body: bytes) -> dict[str, Any] | None:
        """The recorded answer; None: the journal has none."""
        for before, step in self.known.get(body, ()):
            timed = self.now is None or step.now_ns is None or wire.moment(step.now_ns) == self.now
            if self.journal.settings is None or (timed and before == self.state):
                expected = step.expected
                if expected.files is not None and expected.trackers is not None:
                    self.state = State(expected.files, expected.trackers)
                    self.share()
                answer: dict[str, Any] = {"result": expected.result, "panic": expected.panic, "label": expected.label}
                answer = {name: value for name, value in answer.items() if value is not None}
                if expected.diff is not None:
                    answer["diff"] = plain(diff_value(expected.diff)) or None
                return answer
        return None

    def tell(self, what: str, said: dict[str, Any]) -> dict[str, Any]:
        """A question beside the calls."""
        if what == "reset":
            self.now = None
            self.state = self.initial()
        elif what == "restore":
            self.state = next(
                State(one.expected.files or {}, one.expected.trackers or {})
                for one in self.journal.steps
                if files_written(one.expected.files or {}) == said["files"]
                and _plain(trackers_written(one.expected.trackers or {})) == said["trackers"]
            )
        elif what == "clock":
            self.now = said["now"]
            return {}
        elif what == "state":
            state: dict[str, Any] = {
                "files": files_written(self.state.files),
                "trackers": _plain(trackers_written(self.state.trackers)),
            }
            if self.change is not None:
                state = self.change(self.calls, state)
            return state
        self.share()
        return {}


INSTEAD: Final[dict[str, tuple[int, bytes] | None]] = {
    "html": (200, b"<html>hello</html>"),
    "status-500": (500, b"oh\x1b[2J no"),
    "redirects": (302, b""),
    "no-result": (200, b"{}"),
    "array": (200, b"[]"),
    "cut": (200, b'{"result":"a'),
    "number": (200, b'{"result":7}'),
    "bad-op": (200, b'{"result":"","diff":[{"op":"*","text":""}]}'),
    "label-list": (200, b'{"result":"","label":[]}'),
    "surrogate": (200, b'{"result":"\\ud800"}'),
    "not-utf8": (200, b'{"result":"\xff"}'),
    "twice-a-key": (200, b'{"result":"a","result":"b"}'),
    "huge": (200, HUGE),
    "closes": None,
}
"""What comes back in the place of an answer: status and body; None: the connection is closed."""


class Handler(BaseHTTPRequestHandler):
    """The routes of one Go; a class of its own for each holds which, and the path below which they lie."""

    protocol_version = "HTTP/1.1"
    go: ReplayingGo
    base: str

    def version_string(self) -> str:
        return self.go.server_header or "go"

    def do_GET(self) -> None:
        go = self.go
        go.authorizations.add(self.headers["authorization"])
        if go.refuses:
            self.answer(go.refuses, b"")
            return
        known: dict[str, object] = {"/internal/v1/version": go.version}
        if go.can is not None:
            known[f"{PARITY}capabilities"] = {"can": go.can.split(","), **go.declared}
        if go.archive is not None:
            known["/internal/v1/recall/blocks"] = go.archive
        elif go.journal.blocks and go.serves_blocks:
            known["/internal/v1/recall/blocks"] = [
                {name: getattr(one, name) for name in ("id", "seq", "label", "role", "content", "created")}
                for one in go.journal.blocks
            ]
        said = known.get(self.path.removeprefix(self.base))
        self.answer(*((404, b"no such route") if said is None else (200, json.dumps(said).encode())))

    def do_POST(self) -> None:
        go = self.go
        go.authorizations.add(self.headers["authorization"])
        body = self.rfile.read(int(self.headers["content-length"]))
        what = self.path.removeprefix(self.base + PARITY)
        if what != self.path:
            go.told.append(what)
            self.answer(200, json.dumps(go.tell(what, json.loads(body))).encode())
            return
        go.calls += 1
        go.bodies.append(body)
        time.sleep(go.slow)
        if go.vice and go.calls >= go.since:
            self.misbehave(go.vice)
            return
        answer = go.run(body)
        if answer is not None and go.change is not None:
            answer = go.change(go.calls, answer)
        self.answer(*((500, b"no such recorded call") if answer is None else (200, json.dumps(answer).encode())))

    def misbehave(self, vice: str) -> None:
        if vice == "drips":
            self.drip()
            return
        if vice == "hangs":
            time.sleep(1)
        instead = INSTEAD.get(vice, (200, b"{}"))
        if instead is None:
            self.close_connection = True
        else:
            self.answer(*instead)

    def drip(self) -> None:
        """An answer that never ends, byte by byte."""
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        for _ in range(20):
            self.wfile.write(b" ")
            time.sleep(0.05)
        self.close_connection = True

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("location", f"{self.base}/elsewhere")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # the client went away
            super().handle()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(go: ReplayingGo, base: str = "", port: int = 0) -> Iterator[str]:
    """The URL of such a Go, base included."""
    handler = type("OfThisGo", (Handler,), {"go": go, "base": base})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{base}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def of(file: Path, **how: Any) -> ReplayingGo:  # noqa: ANN401 - as the class
    """A Go that answers as a journal says."""
    return ReplayingGo(load(file), **how)
