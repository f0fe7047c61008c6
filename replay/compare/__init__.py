"""Two values to their differences, a difference to its place and its cause. Pure: nothing is read or written."""

from replay.compare.align import Pair, pair_up
from replay.compare.causes import Cause, Extent
from replay.compare.compare import Comparison, compare, same, shape
from replay.compare.difference import ABSENT, Absent, Difference, Kind, Path, Subject, Tolerated, field_of
from replay.compare.locate import Location, locate, locate_text
from replay.compare.tolerances import (
    ALL,
    MARKER,
    UNSTABLE,
    Redacted,
    StepContext,
    SystemErrorText,
    Tolerance,
    TrackerOrder,
    UnstableInGo,
)

__all__ = [
    "ABSENT",
    "ALL",
    "MARKER",
    "UNSTABLE",
    "Absent",
    "Cause",
    "Comparison",
    "Difference",
    "Extent",
    "Kind",
    "Location",
    "Pair",
    "Path",
    "Redacted",
    "StepContext",
    "Subject",
    "SystemErrorText",
    "Tolerance",
    "Tolerated",
    "TrackerOrder",
    "UnstableInGo",
    "compare",
    "field_of",
    "locate",
    "locate_text",
    "pair_up",
    "same",
    "shape",
]
