"""Every way in which the fake Go can be made to misbehave, switched at run time (facade.md, Go's routes).

A fault changes one answer into another: another body, or another way to put it on the wire. It is planted on one
route or on all, for some requests or until it is cleared. Refusing connections is the server's own affair: a planted
``REFUSE`` closes its listening socket.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from fake_go.reply import JSON_TYPE, MARK, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake_go.wire import Wire

_PAGE: Final = b"<!DOCTYPE html>\n<html><head><title>A proxy</title></head><body><h1>Not Go</h1></body></html>\n"


@dataclass(frozen=True, slots=True)
class Fault:
    """A named change of an answer; who must wait, waits no longer than until the event is set."""

    name: str
    change: Callable[[Reply, threading.Event], Reply]


@dataclass(frozen=True, slots=True)
class _Hang:
    """Nothing is sent until the fault is cleared or the time is over; then the answer itself."""

    seconds: float
    released: threading.Event
    clause: str = "the fake Go hangs"

    def play(self, wire: Wire, head: bytes, body: bytes) -> bool:
        """Wait, then answer."""
        if not wire.pause(self.seconds, self.released):
            return False
        wire.send(head + body)
        return True


@dataclass(frozen=True, slots=True)
class _Drip:
    """One byte at a time, of the body only or of the headers too."""

    seconds: float
    headers: bool
    clause: str = "the fake Go answers byte by byte"

    def play(self, wire: Wire, head: bytes, body: bytes) -> bool:
        """Send a byte, wait, and so on."""
        whole = head + body
        start = 0 if self.headers else len(head)
        wire.send(whole[:start])
        for place in range(start, len(whole)):
            if not wire.pause(self.seconds):
                return False
            wire.send(whole[place : place + 1])
        return True


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends before the answer does: after ``sent`` of the body, or before the headers if None."""

    sent: float | None
    reset: bool
    clause: str = "the fake Go closes the connection"

    def play(self, wire: Wire, head: bytes, body: bytes) -> bool:
        """Send a part, then let the connection be closed."""
        if self.sent is not None:
            wire.send(head + body[: int(len(body) * self.sent)])
        if self.reset:
            wire.reset()
        return False


@dataclass(frozen=True, slots=True)
class _Refuse:
    """What a client without a wire gets while connections are refused; on a wire there is no connection to play on."""

    clause: str = "no connection to the fake Go (refused)"

    def play(self, _wire: Wire, _head: bytes, _body: bytes) -> bool:
        """Nothing: the request came on a connection that is about to be closed."""
        return False


def _instead(name: str, status: int, content_type: str, body: bytes, *headers: tuple[str, str]) -> Fault:
    """Another answer altogether."""
    other = Reply(status, (("Content-Type", content_type), *headers), body)
    return Fault(name, lambda _reply, _released: other)


REFUSE: Final = Fault("refuse", lambda reply, _released: replace(reply, delivery=_Refuse()))
"""No connection is accepted; open ones are closed. On every route, until cleared."""


def server_error(status: int = 500) -> Fault:
    """A 500, or another status, with a line of JSON."""
    return _instead(f"status {status}", status, JSON_TYPE, b'{"error":"told to fail"}', MARK)


def html(status: int = 200, content_type: str = "text/html; charset=utf-8") -> Fault:
    """A page of HTML, as a proxy or a wrong server sends it."""
    return _instead(f"html {status}", status, content_type, _PAGE)


def redirect(location: str, status: int = 301) -> Fault:
    """A redirect to ``location``."""
    return _instead(f"redirect {status}", status, "text/html; charset=utf-8", b"", ("Location", location))


def wrong_shape(body: bytes = b'{"bloc":1}') -> Fault:
    """200 and readable JSON that is not what the route answers."""
    return _instead("wrong shape", 200, JSON_TYPE, body)


def truncated() -> Fault:
    """A whole HTTP answer whose JSON stops in the middle."""
    return Fault("truncated", lambda reply, _released: replace(reply, body=reply.body[: len(reply.body) // 2]))


def lie(mutate: Callable[[bytes], bytes]) -> Fault:
    """The answer with its body altered by ``mutate``."""
    return Fault("lie", lambda reply, _released: replace(reply, body=mutate(reply.body)))


def hang(seconds: float = 60.0) -> Fault:
    """No byte for ``seconds``, or until the fault is cleared; then the answer."""
    return Fault("hang", lambda reply, released: replace(reply, delivery=_Hang(seconds, released)))


def drip(seconds: float = 0.01, *, headers: bool = False) -> Fault:
    """One byte every ``seconds``: of the body, with ``headers`` of the headers too."""
    return Fault("drip", lambda reply, _released: replace(reply, delivery=_Drip(seconds, headers)))


def close_half_way(*, reset: bool = False) -> Fault:
    """The headers, half of the body, and the end of the connection: clean, or a reset."""
    return Fault("close half-way", lambda reply, _released: replace(reply, delivery=Cut(0.5, reset)))


def close_at_once(*, reset: bool = False) -> Fault:
    """The request is read and the connection closed without a byte: clean, or a reset."""
    return Fault("close at once", lambda reply, _released: replace(reply, delivery=Cut(None, reset)))


@dataclass(slots=True, eq=False)
class Planted:
    """A fault in its place: ``route`` None is every route, ``left`` None is until cleared; ``played`` counts."""

    fault: Fault
    route: str | None
    left: int | None
    played: int = field(default=0)


class Faults:
    """The faults of one fake Go. At most one is played per request: the first planted that applies. Thread-safe."""

    def __init__(self) -> None:
        self._planted: list[Planted] = []
        self._released = threading.Event()
        self._lock = threading.Lock()
        self.watch: Callable[[bool], None] | None = None
        """Told whether connections are refused, whenever that changes: the server listens to it."""

    def plant(self, fault: Fault, *, route: str | None = None, times: int | None = None) -> Planted:
        """Misbehave from now on: on ``route`` (None: all), for the next ``times`` requests (None: until cleared).

        Raises ValueError for a REFUSE that is not on all routes and until cleared, and for ``times`` below 1.
        """
        if fault is REFUSE and not (route is None and times is None):
            message = "a refused connection has no route and cannot be counted"
            raise ValueError(message)
        if times is not None and times < 1:
            message = f"a fault for {times} requests would never be played"
            raise ValueError(message)
        planted = Planted(fault, route, times)
        with self._lock:
            self._planted.append(planted)
        if fault is REFUSE and self.watch is not None:
            self.watch(True)  # noqa: FBT003 - the one thing it is told
        return planted

    def clear(self) -> None:
        """Behave again: nothing is planted, who hangs is let go, connections are accepted."""
        with self._lock:
            planted, self._planted = self._planted, []
            self._released.set()
            self._released = threading.Event()
        if any(one.fault is REFUSE for one in planted) and self.watch is not None:
            self.watch(False)  # noqa: FBT003 - the one thing it is told

    @property
    def refusing(self) -> bool:
        """Whether connections are refused now."""
        with self._lock:
            return any(planted.fault is REFUSE for planted in self._planted)

    def apply(self, route: str, reply: Reply) -> Reply:
        """What leaves instead of ``reply`` to a request on ``route``."""
        if not self._planted:
            return reply
        with self._lock:
            found = next((one for one in self._planted if one.route in {None, route}), None)
            if found is None:
                return reply
            released = self._released
            found.played += 1
            if found.left is not None:
                found.left -= 1
                if not found.left:
                    self._planted.remove(found)
        return found.fault.change(reply, released)
