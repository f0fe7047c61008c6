"""Go's internal routes, as a function from a request to an answer (facade.md, Go's routes).

It routes by itself and reads the target's own bytes, because what a WSGI server decodes is no longer what Go would
have read. Every request is recorded; one that it was not told to expect gets an error and is remembered. Paths that Go
would redirect (``//``, ``/../``), absolute targets and ``*`` are unknown routes here: nobody sends them.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from fake_go import routes
from fake_go.faults import Faults
from fake_go.reply import error
from fake_go.routes import Routes
from fake_go.store import BlockStore
from parity.gostd.target import GO_1_25

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from fake_go.faults import Fault, Planted
    from fake_go.reply import Reply
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Block, GoPanic, ToolAnswer

_REMEMBERED: Final = 10_000
"""Requests kept until they are taken; the oldest leave first."""

_PLAIN: Final = re.compile(rb"[!-\[\]-~]*")
_DRAWN: Final = {0x5C: "\\\\"} | {byte: f"\\x{byte:02x}" for byte in (*range(0x21), *range(0x7F, 0x100))}


def drawn(target: bytes) -> str:
    r"""A request target as printable ASCII: every other byte as an escape such as ``\xff``, a backslash doubled."""
    text = target.decode("latin-1")
    return text if _PLAIN.fullmatch(target) else text.translate(_DRAWN)


class FakeGo:
    """A fake Go over ``blocks``, answering as the Go of ``target``. Thread-safe.

    ``sealed`` holds the seqs of sealed blocks, absent while ``locked``. ``now`` gives the seconds since 1970 for a
    block that is archived. Raises ValueError for two blocks with the same seq.
    """

    def __init__(
        self,
        blocks: Iterable[Block] = (),
        target: GoTarget = GO_1_25,
        *,
        sealed: Collection[int] = (),
        locked: bool = False,
        now: Callable[[], int] = lambda: 0,
    ) -> None:
        self.faults = Faults()
        self.on_request: Callable[[str], None] | None = None
        """Told each request line, drawn, before it is answered."""
        self._now = now
        self._lock = threading.RLock()
        self._requests: deque[str] = deque(maxlen=_REMEMBERED)
        self._unexpected: deque[str] = deque(maxlen=_REMEMBERED)
        self.load(blocks, target, sealed=sealed, locked=locked)

    def load(
        self,
        blocks: Iterable[Block],
        target: GoTarget = GO_1_25,
        *,
        sealed: Collection[int] = (),
        locked: bool = False,
    ) -> None:
        """Serve other blocks, as if newly made: nothing recorded, expected, handed over or planted any more."""
        store = BlockStore(blocks, target, sealed=sealed, locked=locked)
        self.faults.clear()
        with self._lock:
            self._routes = Routes(store, target, self._now)
            self._expected: Counter[str] | None = None
            self._requests.clear()
            self._unexpected.clear()

    @property
    def locked(self) -> bool:
        """Whether the memory is locked: sealed blocks are then absent from both reads."""
        with self._lock:
            return self._routes.store.locked

    @locked.setter
    def locked(self, locked: bool) -> None:
        with self._lock:
            self._routes.store.locked = locked

    def serve_keepimg(self, state: Callable[[], bytes], store: Callable[[bytes], bytes | None]) -> None:
        """Serve the two routes of kept images, which answer 404 until then.

        ``state`` gives the JSON of the first; ``store`` makes the second's JSON of a body, None if that is unreadable.
        """
        with self._lock:
            self._routes.keepimg, self._routes.keepimg_store = state, store

    def fault(self, fault: Fault, *, route: str | None = None, times: int | None = None) -> Planted:
        """Misbehave from now on; see :meth:`fake_go.faults.Faults.plant`. ``route`` is a name of fake_go.routes.

        Raises ValueError for a route that does not exist, too.
        """
        if route is not None and route not in routes.NAMES:
            message = f"no route is called {route!r} (there are {', '.join(sorted(routes.NAMES))})"
            raise ValueError(message)
        return self.faults.plant(fault, route=route, times=times)

    def expect(self, *lines: str) -> None:
        """Take these requests (``METHOD target``, each once, in any order) and no others from now on."""
        with self._lock:
            self._expected = Counter(lines) + (self._expected or Counter())

    def missing(self) -> list[str]:
        """The expected requests that did not come."""
        with self._lock:
            return sorted((self._expected or Counter[str]()).elements())

    def expect_exec(self, name: str, raw_args: bytes, answer: ToolAnswer | GoPanic) -> None:
        """Let tool/exec answer one call of ``name`` with these arguments (JSON as recorded) with a recorded answer."""
        with self._lock:
            self._routes.steps.add(name, raw_args, answer)

    def unused_steps(self) -> int:
        """How many recorded steps were handed over and not executed."""
        with self._lock:
            return len(self._routes.steps)

    def forget(self) -> None:
        """Expect anything again, and drop the recorded steps that were not executed."""
        with self._lock:
            self._expected = None
            self._routes.steps.forget()

    def take_requests(self) -> list[str]:
        """The requests since the last time, as ``METHOD target`` with the target drawn; at most 10,000, the latest."""
        with self._lock:
            taken = list(self._requests)
            self._requests.clear()
        return taken

    def take_unexpected(self) -> list[str]:
        """Those among the requests since the last time that it was not told to expect."""
        with self._lock:
            taken = list(self._unexpected)
            self._unexpected.clear()
        return taken

    def respond(self, method: str, target: bytes, body: bytes) -> Reply:
        """The answer to one request; ``target`` as it stands in the request line."""
        line = f"{method} {drawn(target)}"
        if self.on_request is not None:
            self.on_request(line)
        with self._lock:
            self._requests.append(line)
            if not self._allowed(line):
                return self._unforeseen(line, 500, "this request was not expected")
            try:
                path, query = routes.split(target)
            except ValueError as refusal:
                return self._unforeseen(line, 400, str(refusal))
            if path not in routes.ROUTES:
                return self._unforeseen(line, 404, "no such route")
            own_method, route = routes.ROUTES[path]
            if method != own_method:
                reply = error(405, f"this route takes {own_method} only", ("Allow", own_method))
            else:
                reply = self._routes.answer(route, query, body) or self._unforeseen(line, 500, "no such recorded step")
        return self.faults.apply(route, reply)

    def _allowed(self, line: str) -> bool:
        """Whether a request is among the expected ones, where there are any."""
        if self._expected is None:
            return True
        self._expected[line] -= 1
        allowed = self._expected[line] >= 0
        self._expected = +self._expected
        return allowed

    def _unforeseen(self, line: str, status: int, text: str) -> Reply:
        self._unexpected.append(line)
        return error(status, text)
