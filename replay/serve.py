"""``loki-parity serve``: a fake Go that serves a journal's blocks, for clients in any language."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, TextIO

from fake_go.app import FakeGo
from fake_go.standalone import serve as serve_until_interrupted
from replay.counted import counted
from replay.journal import JournalError, load
from replay.journal.drawing import visible
from replay.journal.model import RECALL
from replay.run import Exit, exit_of

if TYPE_CHECKING:
    from collections.abc import Callable


def serve(file: str, port: int, out: TextIO, complain: Callable[[str], None]) -> int:
    """Serve the blocks of a journal on loopback until interrupted; request lines go to ``out``, drawn.

    Interrupted is how it is meant to end: SIGTERM gives 0, SIGINT 130 as everywhere.
    """
    try:
        journal = load(file, file_name=file)
    except JournalError as error:
        complain(str(error))
        return exit_of(error)
    if journal.kind != RECALL:
        complain(f"{file}: a journal of the kind {journal.kind} holds no blocks to serve (expected recall)")
        return Exit.BAD_INPUT

    def say(line: str) -> None:
        out.write(f"{line}\n")
        out.flush()

    try:
        received = serve_until_interrupted(
            FakeGo(journal.blocks, journal.target),
            announce=lambda url: say(f"serving {counted(len(journal.blocks), 'block')} of {visible(file)} on {url}"),
            log=say,
            port=port,
        )
    except OSError as error:
        complain(f"port {port} cannot be listened on: {error.strerror}")
        return Exit.BAD_INPUT
    return Exit.INTERRUPTED if received == signal.SIGINT else Exit.MATCH
