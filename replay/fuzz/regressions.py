"""What fuzzing found in Go's library functions, judged again without Go: files as :mod:`replay.fuzz.saved` writes."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, Final

from parity.gostd import target as targets
from replay.fuzz.library import FUNCTIONS
from replay.fuzz.saved import VECTOR, VECTOR_FORMAT
from replay.oracle.client import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from replay.compare import Difference

_BY_QUESTION: Final = {one.question: one for one in FUNCTIONS}
_TEXTS: Final = ("s", "a", "b", "json")


class VectorError(ValueError):
    """A file that holds no question and answer; one sentence."""


def files(folder: Path) -> Sequence[Path]:
    """The files of a folder, in order; none where there is no folder."""
    return sorted(folder.glob(f"*{VECTOR}"))


def judged(file: Path) -> Iterator[Sequence[Difference]]:
    """The differences of each line: empty where the port answers as Go did. Raises :class:`VectorError`."""
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        yield _judged(line, f"{file.name}:{number}")


def _judged(line: bytes, place: str) -> Sequence[Difference]:
    try:
        held = _held(line)
        question = dict(held["question"])
        function = _BY_QUESTION[question.pop("q")]
        target = targets.parse(held["go"])
        fields = {key: _bytes(value) if key in _TEXTS else value for key, value in question.items()}
        out = held["out"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{place}: no question with Go's answer ({type(error).__name__}: {error})"
        raise VectorError(message) from None
    trial = function.given(fields, target)
    call = trial.calls[0]
    return trial.differences(call, trial.expected(call, Answer(function.judge, out)))


def _held(line: bytes) -> dict[str, Any]:
    held = json.loads(line)
    if not isinstance(held, dict) or held.get("format") != VECTOR_FORMAT:
        raise ValueError(VECTOR_FORMAT)
    return held


def _bytes(value: str | Mapping[str, str]) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["b64"])
