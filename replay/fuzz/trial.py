"""One input, given to the port, and the questions that give it to real Go.

A subject makes trials by its rules. The port has answered when a trial is made; real Go's answers come later, many
trials at a time.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import parity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare import Difference
    from replay.fields import Fields, Value
    from replay.fuzz.dice import Dice
    from replay.oracle.client import Answer, Question

STDLIB: Final = "stdlib"
MODEL: Final = "model"

CRASH: Final = "crash"
"""The field in which the port shows that it raised something it must not."""

OUT: Final = "out"
"""The field of a function's answer."""


@dataclass(frozen=True, slots=True)
class Call:
    """One thing that was judged: which question asks Go for it, what the port showed, and what buckets may look at."""

    at: int
    tool: str
    actual: Fields
    seen: Mapping[str, object] = field(default_factory=dict)


class Trial(Protocol):
    """An input that the port has answered."""

    @property
    def questions(self) -> Sequence[Question]:
        """What Go is asked, in order."""
        ...

    @property
    def calls(self) -> Sequence[Call]:
        """What is judged, in order."""
        ...

    def expected(self, call: Call, answer: Answer) -> Fields:
        """What Go answered, in the port's own form."""
        ...

    def differences(self, call: Call, expected: Fields) -> Sequence[Difference]:
        """What differs in a call, tolerances used."""
        ...


@dataclass(frozen=True, slots=True)
class Bucket:
    """A boundary of a rule, and how to tell that a call reached it.

    ``reached`` looks at what a call's subject shows of it (:attr:`Call.seen`) and at what the port answered.
    """

    rule: str
    boundary: str
    reached: Callable[[Mapping[str, object], Fields], object]

    def __str__(self) -> str:
        """The bucket in a report."""
        return f"{self.rule} × {self.boundary}"


class Subject(Protocol):
    """A function or a tool that is fuzzed."""

    @property
    def name(self) -> str:
        """What ``--tool`` calls it."""
        ...

    @property
    def judge(self) -> str:
        """Who judges: ``stdlib`` (Go itself) or ``model`` (our own Go program)."""
        ...

    @property
    def buckets(self) -> Sequence[Bucket]:
        """The boundaries of its rules."""
        ...

    def trial(self, dice: Dice, target: GoTarget) -> Trial:
        """One input, made by the rules, answered by the port."""
        ...


def crashed(error: Exception) -> Fields:
    """What the port shows when it raises: the error and the innermost place in the port."""
    frames = traceback.extract_tb(error.__traceback__)
    root = str(Path(parity.__path__[0]).parent)
    own = [frame for frame in frames if frame.filename.startswith(root)] or list(frames)
    place = Path(own[-1].filename).name if own else "?"
    return {CRASH: f"{type(error).__name__}: {error} (in {place})"}


def answered(call: Callable[[], Value]) -> Fields:
    """What a function of the port answers, or how it crashed."""
    try:
        return {OUT: call()}
    except Exception as error:  # noqa: BLE001 - whatever the port raises is what was looked for
        return crashed(error)
