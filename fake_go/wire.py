"""The server's end of one connection, for answers that don't arrive at once and whole."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threading import Event

_LOOK_SECONDS: Final = 0.005
"""How often a wait looks whether it should end."""

_RESET_ON_CLOSE: Final = struct.pack("ii", 1, 0)


class Wire:
    """A connected socket and the event that the server sets when it stops."""

    def __init__(self, connection: socket.socket, closing: Event) -> None:
        self._connection = connection
        self._closing = closing

    def send(self, data: bytes) -> None:
        """Send all of ``data``. Raises OSError if the client is gone."""
        self._connection.sendall(data)

    def reset(self) -> None:
        """Make the close that follows a reset instead of a clean end."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)

    def pause(self, seconds: float, released: Event | None = None) -> bool:
        """Wait. True: time to go on (also because ``released`` was set); False: the server stops or the client left."""
        end = time.monotonic() + seconds
        while not (self._closing.is_set() or self._client_left()):
            left = end - time.monotonic()
            if left <= 0 or (released is not None and released.wait(min(left, _LOOK_SECONDS))):
                return True
            if released is None:
                self._closing.wait(min(left, _LOOK_SECONDS))
        return False

    def _client_left(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            try:
                return not self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except ConnectionError:
                return True
        return False
