"""One deadline over a whole HTTP call, below httpx.

The timeouts of httpx bound one read at a time: a server that sends a byte now and then passes them for ever, in the
headers as well as in the body. Here every read and write on the connection is given no more than what is left of the
whole call. A call runs in one thread, so what is left is kept per thread; the connection itself moves between calls.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

import httpcore

if TYPE_CHECKING:
    from collections.abc import Iterable

_WRITTEN_AT_ONCE: Final = 65536
"""Bytes given to one write; between two of them the deadline is looked at."""


class Call(threading.local):
    """The call that this thread is making: when it ends, and what it has seen so far."""

    def __init__(self) -> None:
        self.ends = 0.0
        self.connected = False
        self.received = False

    def begin(self, total: float) -> None:
        """A new call starts; it may take ``total`` seconds."""
        self.ends = time.monotonic() + total
        self.again()

    def again(self) -> None:
        """The same call starts over; its end stays where it was."""
        self.connected = False
        self.received = False

    def left(self) -> float:
        """Seconds left, 0 or less when there are none."""
        return self.ends - time.monotonic()

    def at_most(self, timeout: float | None) -> float:
        """``timeout`` seconds, or what is left if that is less. Raises httpcore.ReadTimeout when nothing is left."""
        left = self.left()
        if left <= 0:
            message = "the call's time is over"
            raise httpcore.ReadTimeout(message)
        return left if timeout is None else min(timeout, left)


class DeadlineStream(httpcore.NetworkStream):
    """A connection on which nothing outlasts the running call."""

    def __init__(self, inner: httpcore.NetworkStream, call: Call) -> None:
        self._inner = inner
        self._call = call

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """At most ``max_bytes``; empty at the end."""
        data = self._inner.read(max_bytes, self._call.at_most(timeout))
        if data:
            self._call.received = True
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of ``buffer``."""
        for start in range(0, len(buffer), _WRITTEN_AT_ONCE):
            self._inner.write(buffer[start : start + _WRITTEN_AT_ONCE], self._call.at_most(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._inner.close()

    def get_extra_info(self, info: str) -> object:
        """What httpcore asks about the connection, such as ``is_readable``."""
        return self._inner.get_extra_info(info)


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections that end with the running call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to ``host``; ``timeout`` in seconds."""
        self._call.connected = True
        stream = self._inner.connect_tcp(
            host, port, self._call.at_most(timeout), local_address=local_address, socket_options=socket_options
        )
        return DeadlineStream(stream, self._call)
