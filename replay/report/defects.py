"""What can be wrong with a file of a run, and the one error that says it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from replay.journal.drawing import visible

if TYPE_CHECKING:
    from pathlib import Path


class Defect(StrEnum):
    """The kinds of defect."""

    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TOO_LARGE = "too-large"
    NOT_JSON = "not-json"
    WRONG_SCHEMA = "wrong-schema"
    MALFORMED = "malformed"
    """A key that is missing, a value of another type, a line that does not belong there."""
    CUT_OFF = "cut-off"
    DUPLICATED = "duplicated"
    """A step, a shard or a whole file that is there twice."""
    INCONSISTENT = "inconsistent"
    """The footer counts other steps than there are."""
    MIXED = "mixed"
    """Files of different runs: another candidate, other journals, another selection."""


class RunFileError(Exception):
    """A file that no report can be made of; one sentence with the file and the line. ``kind`` names the defect."""

    def __init__(self, kind: Defect, file: Path | str, line: int, sentence: str) -> None:
        """``line`` is 0 where no line is meant."""
        place = f"{file}:{line}" if line else str(file)
        super().__init__(f"{visible(place)}: {visible(sentence)}")
        self.kind = kind
        self.line = line
