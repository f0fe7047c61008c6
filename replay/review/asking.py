"""One key of a person at a terminal."""

from __future__ import annotations

import contextlib
import os
import termios
import tty
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping


class NobodyThereError(Exception):
    """The terminal is gone: no answer, and so no decision."""


def ask(question: str, answers: Mapping[str, str], out: TextIO, descriptor: int) -> str:
    """The key that was pressed, one of ``answers``, whose word is shown then; any other key is passed over.

    What was typed before the question stood there is no answer. Raises :class:`NobodyThereError`.
    """
    try:
        former = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
    except termios.error as error:
        raise NobodyThereError from error
    try:
        out.write(question)
        out.flush()
        while True:
            key = _key(descriptor)
            if key in answers:
                out.write(f"{answers[key]}\n")
                out.flush()
                return key
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSANOW, former)


def _key(descriptor: int) -> str:
    try:
        key = os.read(descriptor, 1)
    except OSError as error:
        raise NobodyThereError from error
    if not key or key == b"\x04":
        raise NobodyThereError
    return key.decode("latin-1").lower()
