"""A program for ``--candidate cmd:`` that knows one answer and has one vice, named on its command line.

It answers every call as :data:`small_journals.FOUND` says; the vice shows at its third call unless its name says more.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Final, NoReturn

from small_journals import FOUND

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST: Final = 3
"""The call at which a vice shows; the hello is call 0."""


def _id(answer: bytes) -> int:
    found: int = json.loads(answer)["id"]
    return found


SAYS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "answers-nonsense": lambda _: b"Traceback (most recent call last):\x1b[2J\n",
    "answers-latin-1": lambda _: '{"id":0,"result":"é"}\n'.encode("latin-1"),
    "answers-a-list": lambda _: b"[1]\n",
    "answers-twice": lambda answer: answer + answer,
    "wrong-id": lambda answer: answer.replace(b'{"id": ', b'{"id": 1'),
    "text-id": lambda _: b'{"id":"3","result":""}\n',
    "repeats-a-key": lambda answer: answer.replace(b"{", b'{"result":"","result":"",', 1),
    "not-a-number": lambda _: b'{"id":3,"result":NaN}\n',
    "nests": lambda _: b'{"id":3,"result":' + b"[" * 100_000 + b"\n",
    "no-result": lambda answer: b'{"id": %d}\n' % _id(answer),
    "refuses": lambda answer: b'{"id": %d, "error": "not today"}\n' % _id(answer),
}
"""What is said in the place of an answer."""


def _dies(words: str, status: int) -> NoReturn:
    sys.stderr.write(words)
    sys.exit(status)


def _leaves_a_child() -> None:
    if os.fork():
        os._exit(5)
    time.sleep(60)


def _floods() -> None:
    piece = b"x" * (1 << 20)
    while True:
        os.write(1, piece)


def _closes(descriptor: int, seconds: float) -> None:
    with contextlib.suppress(OSError):
        os.close(descriptor)
    time.sleep(seconds)


def _complains() -> None:
    sys.stderr.write("x" * 200_000)
    sys.stderr.flush()


DOES: Final[dict[str, Callable[[], None]]] = {
    "dies": lambda: _dies("", 3),
    "dies-complaining": lambda: _dies("first\nthe disk is \x1b[31mfull\n", 4),
    "is-killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "leaves-a-child": _leaves_a_child,
    "floods": _floods,
    "closes-its-output": lambda: _closes(1, 60),
    "stops-reading": lambda: _closes(0, 0),
    "silences-its-errors": lambda: _closes(2, 0),
    "complains": _complains,
}
"""What is done before an answer."""


def misbehave(vice: str, answer: bytes) -> bytes:
    """What a vice makes of an answer."""
    if vice in DOES:
        DOES[vice]()
    return SAYS[vice](answer) if vice in SAYS else answer


def program(vice: str) -> None:
    """Read lines, write lines."""
    if vice == "dies-at-once":
        sys.exit("not today")
    for line in sys.stdin.buffer:
        number = json.loads(line)["id"]
        said = {"result": {"can": ["exec"]}} if number == 0 else {"result": FOUND, "label": "", "diff": []}
        answer = json.dumps({"id": number, **said}).encode() + b"\n"
        hello = number < FIRST
        if vice == "hangs" and number:
            time.sleep(60)
        sys.stdout.buffer.write(answer if hello else misbehave(vice, answer))
        sys.stdout.buffer.flush()
    if vice == "outlives-its-input":
        time.sleep(60)


if __name__ == "__main__":
    program(sys.argv[1])
