"""What can be wrong with a journal, and how it travels from where it is noticed to where its place is known."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Kind(StrEnum):
    """Every defect of a journal by its name; :attr:`replay.journal.errors.JournalError.kind` is one of these."""

    MISSING_FILE = "missing-file"
    NOT_A_FILE = "not-a-file"  # a folder, a pipe, a device
    UNREADABLE = "unreadable"  # the system refuses
    TOO_LARGE = "too-large"

    EMPTY = "empty"  # no byte at all
    BLANK = "blank"  # white space only
    BOM = "bom"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"
    COMPRESSED = "compressed"
    BINARY = "binary"
    MARKUP = "markup"  # HTML, XML
    JSON_LINES = "json-lines"
    NOT_AN_OBJECT = "not-an-object"  # JSON, but an array or a scalar

    NOT_JSON = "not-json"
    CUT_OFF = "cut-off"  # the file ends before the JSON does
    TRAILING = "trailing"  # something follows the JSON
    NOT_UTF8 = "not-utf8"  # outside args
    TOO_DEEP = "too-deep"  # outside args

    DUPLICATE_KEY = "duplicate-key"
    TWO_NAMES = "two-names"  # one key under two of its names
    UNKNOWN_KEY = "unknown-key"
    MISPLACED_KEY = "misplaced-key"  # a key of journals of another kind
    MISSING_KEY = "missing-key"
    WRONG_TYPE = "wrong-type"  # another JSON type
    WRONG_VALUE = "wrong-value"  # none of the values that are possible
    OUT_OF_RANGE = "out-of-range"  # a number

    UNKNOWN_FORMAT = "unknown-format"
    UNKNOWN_KIND = "unknown-kind"  # or one that cannot be told
    UNKNOWN_TOOL = "unknown-tool"  # or one of another kind of journal
    UNKNOWN_OPERATION = "unknown-operation"
    UNKNOWN_ZONE = "unknown-zone"
    GO_NOT_OFFERED = "go-not-offered"  # its version or its processor
    GO_UNICODE = "go-unicode"  # the version does not have that Unicode

    DUPLICATE_BLOCK = "duplicate-block"
    BLOCK_ID = "block-id"  # not r and its seq
    FILE_NAME = "file-name"  # one that could leave its folder, or is none
    BASE64 = "base64"
    BAD_TIME = "bad-time"
    BAD_DEK = "bad-dek"
    NO_STEPS = "no-steps"
    BROKEN_CHAIN = "broken-chain"  # a head or a step is not the one that was signed
    NOT_SIGNED = "not-signed"  # what only a signed journal may say

    A_REPORT = "a-report"  # of a run: JSON lines too
    EMPTY_LINE = "empty-line"
    COUNT = "count"  # more or fewer lines than the last one says
    CHANGED = "changed"  # the file is another than when it was checked


class Defect(Exception):  # noqa: N818 - the subject of this package; to the outside it becomes a JournalError
    """A defect on its way out; ``found`` and ``expected`` are as JournalError has them.

    ``path`` grows at its front as the defect leaves the objects it was found in. ``offset`` is the byte where it
    stands, None as long as nobody has looked for it. ``at_key`` says that the key at the end of ``path`` is wrong, not
    its value.
    """

    def __init__(
        self, kind: Kind, found: str, expected: str, *, offset: int | None = None, at_key: bool = False
    ) -> None:
        """A defect whose path is still empty."""
        super().__init__(kind, found, expected)
        self.kind = kind
        self.found = found
        self.expected = expected
        self.offset = offset
        self.at_key = at_key
        self.path: list[str | int] = []

    def inside(self, *names: str | int) -> Self:
        """The same defect, seen from the object or array in which ``names`` lead to it."""
        self.path[:0] = names
        return self
