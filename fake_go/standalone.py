"""The fake Go on its own, for clients in other languages: it serves until it is interrupted."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Final

from fake_go.server import FakeGoServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake_go.app import FakeGo

_LOOK_SECONDS: Final = 0.1


def serve(
    fake: FakeGo,
    *,
    announce: Callable[[str], None],
    log: Callable[[str], None],
    port: int = 0,
    stop: threading.Event | None = None,
) -> int | None:
    """Serve ``fake`` until SIGINT, SIGTERM or ``stop``; gives the signal's number, None for ``stop``.

    ``announce`` gets the URL once it listens, ``log`` each request line, drawn as printable ASCII. Signals are taken
    only in the main thread, and their former handlers come back. Raises OSError if the port is taken.
    """
    ended = stop or threading.Event()
    received: list[int] = []

    def interrupted(number: int, _frame: object) -> None:
        received.append(number)

    server = FakeGoServer(fake, port=port)
    fake.on_request = log
    main = threading.current_thread() is threading.main_thread()
    former = {one: signal.signal(one, interrupted) for one in (signal.SIGINT, signal.SIGTERM) if main}
    try:
        server.start()
        announce(server.url)
        # A signal handler must not set an event whose lock this very thread may hold: it is looked for instead.
        while not received and not ended.wait(_LOOK_SECONDS):
            pass
    finally:
        server.stop()
        fake.on_request = None
        for one, handler in former.items():
            signal.signal(one, handler)
    return received[0] if received else None
