"""A candidate with one vice, or with one harmless habit: the port behind a program of JSON lines, or behind HTTP.

``python candidate.py VICE [WORD]`` is for ``--candidate cmd:``; the vice shows in the calls whose arguments hold WORD.
:func:`serving` serves HTTP with a habit.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from habits import answered, body_of, send  # noqa: E402 - the path is set first
from outside_facade import ALL, EXEC, Facade, args_of  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK: Final = "/internal/v1/recall/block"
PARITY: Final = "/internal/v1/parity/"


PANIC: Final = "runtime error: index out of range [3] with length 3"


def ends(how: str) -> None:
    """What happens in the place of an answer."""
    match how:
        case "hangs":
            time.sleep(60)
        case "raises":
            message = "list index out of range"
            raise IndexError(message)
        case "exits":
            sys.exit(0)
        case "is-killed":
            os.kill(os.getpid(), signal.SIGKILL)


class Vicious(Facade):
    """A façade that is right but for its vice, in the calls whose arguments hold a word."""

    def __init__(self, vice: str, word: str) -> None:
        super().__init__()
        self.name = vice
        self.word = word
        self.last: dict[str, Any] = {}
        self.seen: dict[tuple[str, bytes], dict[str, Any]] = {}
        self.added = 0

    def restore(self, state: dict[str, Any]) -> dict[str, Any]:
        self.seen = {}
        self.added = 0
        return super().restore(state)

    def state(self, said: dict[str, Any]) -> dict[str, Any]:
        shown = super().state(said)
        if self.name == "shows-more-of-a-point":
            for tracker in shown["trackers"].values():
                for event in tracker["events"] or ():
                    event["unit"] = "kg"
        if self.name == "shows-fractions":
            for tracker in shown["trackers"].values():
                for event in tracker["events"] or ():
                    event["ts"] = float(event["ts"])
        return shown

    def run(self, tool: str, raw_args: bytes) -> dict[str, Any]:
        if self.name == "remembers-views" and tool == "tracker":
            key = tool, raw_args
            self.seen[key] = self.seen.get(key) or super().run(tool, raw_args)
            return self.seen[key]
        if self.name == "wears-out" and b'"add"' in raw_args:
            self.added += 1
            right = super().run(tool, raw_args)
            return right if self.added < 3 else {**right, "result": right["result"].replace("(id ", "(id  ")}
        if self.word.encode() not in raw_args:
            self.last = super().run(tool, raw_args)
            return self.last
        return self.wrong(tool, raw_args)

    def wrong(self, tool: str, raw_args: bytes) -> dict[str, Any]:
        if self.name in {"reads-nothing", "reads-another"}:
            if self.name == "reads-another":
                self.ask("GET", f"{BLOCK}?seq=3")
            return self.last
        right = super().run(tool, raw_args)
        match self.name:
            case "reads-twice":
                self.ask("GET", f"{BLOCK}?seq=2")
            case "asks-go":
                self.ask("POST", EXEC)
            case "panics":
                return {"panic": PANIC, "label": right["label"], "diff": []}
            case "leaves-label-out":
                del right["label"]
            case "gives-a-list":
                right["result"] = [right["result"]]
            case _:
                ends(self.name)
        return right

    def ask(self, method: str, path: str) -> None:
        assert self.transport is not None
        self.transport.request(method, path, b"{}" if method == "POST" else None)


def line_of(facade: Facade, line: bytes) -> dict[str, Any]:
    """The answer to a line."""
    call = json.loads(line.decode("utf-8", "replace"))
    tool = call["tool"]
    if tool == "parity/hello":
        return {"id": call["id"], "result": {"can": ALL.split(",")}}
    if tool.startswith("parity/"):
        return {"id": call["id"], "result": getattr(facade, tool.removeprefix("parity/"))(call["args"])}
    if "now" in call:
        facade.clock(call)
    return {"id": call["id"], **facade.run(tool, args_of(line.rstrip(b"\n")))}


def program(vice: str, word: str) -> None:
    """Read lines, write lines."""
    facade = Vicious(vice, word)
    for line in sys.stdin.buffer:
        answer = answered(line_of(facade, line), vice)
        if vice == "chatters":
            sys.stderr.write("INFO call served\n")
        if vice == "is-slow" and word.encode() in line:
            time.sleep(0.3)
        sys.stdout.buffer.write(body_of(answer, vice).replace(b"\n", b" ").rstrip() + b"\n")
        sys.stdout.buffer.flush()


@contextmanager
def serving(habit: str, word: str = "") -> Iterator[str]:
    """The URL of a façade over HTTP, with a harmless habit, or with a vice in the calls that hold a word."""
    facade = Vicious(habit, word)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0" if habit == "http-1.0" else "HTTP/1.1"

        def do_GET(self) -> None:
            send(self, {"can": ALL.split(",")}, habit)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == EXEC:
                answer = facade.run(json.loads(body.decode("utf-8", "replace"))["name"], args_of(body))
                send(self, answered(answer, habit), habit)
            else:
                send(self, getattr(facade, self.path.removeprefix(PARITY))(json.loads(body)), habit)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A façade that raised: its connection is closed, which is all that the judge may see."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        facade.close()


if __name__ == "__main__":
    program(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
