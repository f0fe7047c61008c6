"""The run as JSON lines: a header, a line per step and mode, a footer. ``schema.json`` beside this file describes them.

Two runs on the same input write the same bytes: no clock, no absolute path, keys in a fixed order. Texts of both sides
are bounded around the place where they part. The file appears under its name only when it is whole; an interrupted run
writes a whole file too, whose footer says so.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import reprlib
import tempfile
from importlib import metadata
from typing import IO, TYPE_CHECKING, Final

from parity.gostd import utf8
from replay.compare import ABSENT, locate, shape
from replay.outcome import Crashed, Diverged, Match, WentThroughGo, name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from replay.candidates.interface import Identity
    from replay.compare import Absent, Difference
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.outcome import Outcome
    from replay.run import JournalReceipt, Plan, Receipt
    from replay.tally import Tally

SCHEMA: Final = "loki-parity-run/1"

MOST_DIFFERENCES: Final = 50
"""How many differences of one step are written; ``differences_total`` says how many there are."""

MOST_TEXT: Final = 2000
"""How many characters of each side of a difference are written."""

_OUTLINE: Final = reprlib.Repr()
"""A value that is no text is shown in outline: nesting and length are bounded."""


class ReportError(Exception):
    """The report cannot be written; one sentence that names the file."""


class JsonLines:
    """A reporter that writes JSON lines. Use :meth:`to`."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    @staticmethod
    @contextlib.contextmanager
    def to(file: Path | None) -> Iterator[tuple[JsonLines, ...]]:
        """Reporters for an optional file: none, or one that is renamed into place when the block ends.

        Raises :class:`ReportError` when the file cannot be written; nothing is left behind then.
        """
        if file is None:
            yield ()
            return
        with _reporting(file):
            handle, partial = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with _reporting(file), os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                yield (JsonLines(stream),)
                stream.flush()
                os.fsync(stream.fileno())
            with _reporting(file):
                os.chmod(partial, 0o644)  # noqa: PTH101 - a report is for everyone who may read the folder
                os.replace(partial, file)  # noqa: PTH105 - the temporary name is a string
        finally:
            with contextlib.suppress(OSError):
                os.unlink(partial)  # noqa: PTH108 - as above; it is gone already when all went well

    def begin(self, plan: Plan, identity: Identity) -> None:
        """The header."""
        self._write(
            {
                "type": "header",
                "schema": SCHEMA,
                "version": metadata.version("loki-parity"),
                "candidate": {
                    "name": identity.name,
                    "transport": identity.transport,
                    "modules": dict(identity.modules),
                },
                "journals": [source.name for source in plan.sources],
                "modes": list(plan.modes),
                "selection": {
                    "tools": sorted(plan.selection.tools),
                    "steps": [list(steps) for steps in plan.selection.steps],
                },
                "floors": {"journals": plan.floors.journals, "steps": plan.floors.steps},
            }
        )

    def journal(self, journal: Journal, steps: int) -> None:
        """Nothing: the footer says it."""

    def outcome(self, outcome: Outcome) -> None:
        """One step."""
        step = outcome.step
        line: dict[str, object] = {
            "type": "step",
            "journal": step.journal,
            "mode": step.mode,
            "step": step.number,
            "tool": step.tool,
            "note": step.note,
            "at": {"path": step.at.path, "line": step.at.line},
            "outcome": name(outcome),
            "requests": outcome.requests,
        }
        if isinstance(outcome, (Match, Diverged)):
            line["compared"] = dict(outcome.compared.fields)
            line["absent"] = list(outcome.compared.absent)
            line["tolerated"] = [
                {"name": one.name, "field": one.field, "characters": one.characters}
                for one in outcome.compared.tolerated
            ]
        if not isinstance(outcome, Match):
            line["inherited"] = outcome.inherited
        if isinstance(outcome, Diverged):
            line["differences_total"] = len(outcome.differences)
            line["differences"] = [_difference(one) for one in outcome.differences[:MOST_DIFFERENCES]]
        if isinstance(outcome, Crashed):
            line["crash"] = {"what": outcome.what[:MOST_TEXT], "where": outcome.where}
        if isinstance(outcome, WentThroughGo):
            line["reason"] = outcome.reason
        self._write(line)

    def end(self, receipt: Receipt) -> None:
        """The footer."""
        self._write(
            {
                "type": "footer",
                "exit": int(receipt.exit),
                "interrupted": receipt.interrupted,
                "stopped": receipt.stopped,
                "steps": receipt.steps,
                "counts": {
                    outcome: receipt.count(outcome) for outcome in ("match", "diverged", "crashed", "went-through-go")
                },
                "journals": [_journal(one) for one in receipt.journals],
                "refusals": [
                    {"journal": one.file, "exit": int(one.exit), "sentence": one.sentence} for one in receipt.refusals
                ],
                "problems": list(receipt.problems),
            }
        )

    def _write(self, line: dict[str, object]) -> None:
        self._stream.write(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n")


@contextlib.contextmanager
def _reporting(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"the report {file.name} cannot be written: {error.strerror or error}"
        raise ReportError(message) from error


def _journal(receipt: JournalReceipt) -> dict[str, object]:
    journal = receipt.journal
    return {
        "journal": journal.file,
        "sha256": journal.sha256,
        "kind": journal.kind,
        "source": journal.source,
        "go": {
            "version": journal.target.version,
            "unicode": journal.target.unicode,
            "goarch": journal.target.goarch,
        },
        "modes": {tally.mode: _tally(tally) for tally in receipt.tallies},
        "drill": [
            {"class": one.name, "outcome": one.outcome, "step": one.step, "field": one.field, "why": one.why}
            for one in receipt.exercises
        ],
        "problems": list(receipt.problems),
    }


def _tally(tally: Tally) -> dict[str, object]:
    return {
        "steps": tally.due,
        "outcomes": dict(sorted(tally.outcomes.items())),
        "fields": dict(sorted(tally.fields.items())),
        "absent": dict(sorted(tally.absent.items())),
        "characters": dict(sorted(tally.characters.items())),
        "requests": tally.requests,
        "tolerances": {
            one: {"times": times, "characters": tally.tolerated_characters[one]}
            for one, times in sorted(tally.tolerances.items())
        },
    }


def _difference(difference: Difference) -> dict[str, object]:
    location = locate(difference)
    around = 0 if location is None else location.rune
    line: dict[str, object] = {
        "field": difference.field,
        "kind": difference.kind,
        "recorded": _side(difference.expected, around),
        "candidate": _side(difference.actual, around),
    }
    if location is not None:
        line["place"] = {
            "line": location.line,
            "column": location.column,
            "byte": location.byte,
            "rune": location.rune,
            "utf16": location.utf16,
            "recorded": location.recorded,
            "candidate": location.candidate,
        }
        line["causes"] = [{"name": one.name, "extent": one.extent.name.lower()} for one in location.causes]
    return line


def _side(value: Value | Absent, around: int) -> dict[str, object] | None:
    """One side of a difference: its type, and its text around the place where the two part; None when it is absent."""
    if value is ABSENT:
        return None
    if isinstance(value, (str, bytes)):
        return _text_side(value, around)
    text = _OUTLINE.repr(value)
    return {"type": shape(value), "text": text[:MOST_TEXT], "from": 0, "length": len(text)}


def _text_side(value: str | bytes, around: int) -> dict[str, object]:
    text = utf8.text(value) if isinstance(value, bytes) else value
    first = max(0, around - MOST_TEXT // 4)
    shown = text[first : first + MOST_TEXT]
    side: dict[str, object] = {
        "type": shape(value),
        "text": utf8.clean(shown),
        "from": first,
        "length": len(text),
    }
    if isinstance(value, bytes) and utf8.clean(shown) != shown:
        side["base64"] = base64.b64encode(utf8.encode(shown)).decode("ascii")
    return side
