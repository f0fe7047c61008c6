"""The run as JSON lines: a header, a line per step and mode, a footer. ``schema.json`` beside this file describes them.

Two runs on the same input write the same bytes: no clock, no absolute path, keys in a fixed order. Texts of both sides
are bounded around the place where they part. The file appears under its name only when it is whole; an interrupted run
writes a whole file too, whose footer says so. What is sealed is left out; where it was asked for it stands under
``opened``, and nowhere else.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import errno
import json
import os
import reprlib
import shutil
import tempfile
from collections.abc import Mapping
from importlib import metadata
from typing import IO, TYPE_CHECKING, Final

from parity.gostd import utf8
from replay.compare import ABSENT, locate, shape
from replay.compare.texts import as_text
from replay.fields import characters
from replay.outcome import Crashed, Diverged, Match, Waived, WentThroughGo, name
from replay.report.outcome_text import render
from replay.report.replaced import JSON_LINES, may_replace
from replay.report.secrets import has_secrets, is_secret, without_secrets
from replay.report.styles import Plain
from replay.whereabouts import HERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from replay.candidates.interface import Identity
    from replay.compare import Absent, Difference
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef
    from replay.report.replaced import Form
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

    def __init__(self, stream: IO[str], file: Path, *, reveal: bool = False) -> None:
        """``reveal`` also writes what is sealed."""
        self._stream = stream
        self._file = file
        self._reveal = reveal

    @staticmethod
    @contextlib.contextmanager
    def to(file: Path | None, *, reveal: bool = False) -> Iterator[tuple[JsonLines, ...]]:
        """Reporters for an optional file: none, or one that is renamed into place when the block ends.

        A link is followed; a device or a pipe is written to as it is. A file that is no such report is not replaced.
        Raises :class:`ReportError` when the file cannot be written; nothing is left behind then, and what stood there
        before still does.
        """
        if file is None:
            yield ()
        else:
            with _opened_for_writing(file, JSON_LINES) as stream:
                yield (JsonLines(stream, file, reveal=reveal),)

    def begin(self, plan: Plan, identity: Identity, *others: Identity) -> None:
        """The header; with ``others``, they are judged in turn, and every step names its candidate."""
        several = {"candidates": [_candidate(one) for one in (identity, *others)]} if others else {}
        self._write(
            {
                "type": "header",
                "schema": SCHEMA,
                "version": metadata.version("loki-parity"),
                "candidate": _candidate(identity),
                **several,
                "journals": [source.name for source in plan.sources],
                "modes": list(plan.modes),
                "selection": {
                    "tools": sorted(plan.selection.tools),
                    "steps": [list(steps) for steps in plan.selection.steps],
                    "fields": None if plan.selection.fields is None else sorted(plan.selection.fields),
                },
                "floors": {
                    "journals": plan.floors.journals,
                    "steps": plan.floors.steps,
                    **({"compared": dict(plan.floors.compared)} if plan.floors.compared else {}),
                },
                **({} if plan.today is None else {"today": plan.today}),
                **({} if plan.shard is None else {"shard": str(plan.shard)}),
            }
        )

    def journal(self, journal: Journal, steps: int) -> None:
        """Nothing: the footer says it."""

    def outcome(self, outcome: Outcome, candidate: str | None = None) -> None:
        """One step; where there are several candidates, of which."""
        step = outcome.step
        line: dict[str, object] = {
            "type": "step",
            **_of(candidate),
            "journal": step.journal,
            "mode": step.mode,
            "step": step.number,
            "tool": step.tool,
            "note": step.note,
            "at": {"path": step.at.path, "line": step.at.line},
            "outcome": name(outcome),
            "requests": outcome.requests,
        }
        if isinstance(outcome, (Match, Diverged, Waived)):
            line["compared"] = dict(outcome.compared.fields)
            line["absent"] = list(outcome.compared.absent)
            line["tolerated"] = [
                {"name": one.name, "field": one.field, "characters": one.characters}
                for one in outcome.compared.tolerated
            ]
        if not isinstance(outcome, Match):
            line["inherited"] = outcome.inherited
        if isinstance(outcome, Waived):
            line["waived"] = {"file": outcome.by.file, "reason": outcome.by.reason, "until": outcome.by.until}
        if isinstance(outcome, (Diverged, Waived)):
            line["differences_total"] = len(outcome.differences)
            line["differences"] = [_difference(step, one) for one in outcome.differences[:MOST_DIFFERENCES]]
        if isinstance(outcome, Crashed):
            line["crash"] = {"what": without_secrets(step, outcome.what)[:MOST_TEXT], "where": outcome.where}
        if isinstance(outcome, WentThroughGo):
            line["reason"] = without_secrets(step, outcome.reason)
        if not isinstance(outcome, Match):
            line["sealed"] = has_secrets(outcome)
            line["shown"] = render(outcome, Plain()).split("\n")
            if line["sealed"] and self._reveal:
                line["opened"] = _opened(outcome)
        self._write(line)

    @contextlib.contextmanager
    def apart(self, file: Path) -> Iterator[JsonLines]:
        """A reporter of steps in another process: their lines are left in a file."""
        with contextlib.closing(_Held(file.open("w", encoding="utf-8", newline="\n"), self._file)) as held:
            yield JsonLines(held.stream, self._file, reveal=self._reveal)

    def joined(self, file: Path) -> None:
        """Take over the lines that another process left."""
        with _reporting(self._file), file.open(encoding="utf-8", newline="\n") as lines:
            shutil.copyfileobj(lines, self._stream, 1 << 20)
        file.unlink()

    def end(self, receipt: Receipt) -> None:
        """The footer."""
        self._end([(None, receipt)], receipt.exit)

    def end_all(self, receipts: Sequence[Receipt], exit_: int) -> None:
        """The footer of several candidates: sums over them; each journal, refusal and problem with its candidate."""
        self._end([(one.identity.name, one) for one in receipts], exit_)

    def _end(self, named: Sequence[tuple[str | None, Receipt]], exit_: int) -> None:
        receipts = [receipt for _, receipt in named]
        waived = sum(one.count("waived") for one in receipts)
        self._write(
            {
                "type": "footer",
                "exit": int(exit_),
                "interrupted": any(one.interrupted for one in receipts),
                "stopped": any(one.stopped for one in receipts),
                "steps": max((one.steps for one in receipts), default=0),
                "counts": {
                    outcome: sum(one.count(outcome) for one in receipts)
                    for outcome in ("match", "diverged", "crashed", "went-through-go")
                }
                | ({"waived": waived} if waived else {}),
                "journals": [
                    {**_of(who), **_journal(one, part=receipt.plan.shard is not None)}
                    for who, receipt in named
                    for one in receipt.journals
                ],
                "refusals": [
                    {**_of(who), "journal": one.file, "exit": int(one.exit), "sentence": one.sentence}
                    for who, receipt in named
                    for one in receipt.refusals
                ],
                "problems": [
                    problem if who is None else f"{who}: {problem}"
                    for who, receipt in named
                    for problem in receipt.problems
                ],
            }
        )

    def _write(self, line: dict[str, object]) -> None:
        written = json.dumps(line, separators=(",", ":"))
        if _SURROGATE in written:
            # What is no character, in the words of an exception say, is a question mark; half of a pair is no JSON.
            clean = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")
            written = json.dumps(json.loads(clean), separators=(",", ":"))
        with _reporting(self._file):
            self._stream.write(f"{written}\n")


def write(file: Path, form: Form, pieces: Iterable[str]) -> None:
    """A report of another form, whole, under the same rules as :meth:`JsonLines.to`."""
    with _opened_for_writing(file, form) as stream:
        for piece in pieces:
            with _reporting(file):
                stream.write(piece)


_SURROGATE: Final = "\\ud"


class _Held:
    """An open stream whose last bytes may be refused when it is closed."""

    def __init__(self, stream: IO[str], file: Path) -> None:
        self.stream = stream
        self._file = file

    def close(self) -> None:
        """Close it. Raises :class:`ReportError`."""
        with _reporting(self._file):
            self.stream.close()


@contextlib.contextmanager
def _opened_for_writing(file: Path, form: Form) -> Iterator[IO[str]]:
    """A stream to a file that appears when it is whole, or to the device or the pipe that stands there."""
    if not may_replace(file, form):
        message = f"the report {file} is not written: what stands there is no {form.name}, and it would be lost"
        raise ReportError(message)
    if not _is_no_file(file):
        with _renamed_into_place(file) as stream:
            yield stream
        return
    with _reporting(file):
        device = file.open("w", encoding="utf-8", newline="\n")
    with contextlib.closing(_Held(device, file)):
        yield device


@contextlib.contextmanager
def _renamed_into_place(file: Path) -> Iterator[IO[str]]:
    """A stream to a temporary file beside ``file``, which becomes it when the block ends well."""
    with _reporting(file):
        target = os.path.realpath(file)
        folder, name = os.path.split(target)
        if os.path.isdir(target):  # noqa: PTH112 - a text; and better said now than when all is done
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, partial = tempfile.mkstemp(prefix=f".{name[:_SHORT]}.", dir=folder)
    HERE.makes(partial)
    try:
        stream = os.fdopen(handle, "w", encoding="utf-8", newline="\n")
        with contextlib.closing(_Held(stream, file)):
            yield stream
            with _reporting(file):
                stream.flush()
                os.fsync(handle)
        with _reporting(file):
            os.chmod(partial, 0o644)  # noqa: PTH101 - a report is for everyone who may read the folder
            os.replace(partial, target)  # noqa: PTH105 - the temporary name is a string
    finally:
        with contextlib.suppress(OSError):
            os.unlink(partial)  # noqa: PTH108 - as above; it is gone already when all went well


_SHORT: Final = 100
"""So many characters of a report's name stand in that of its temporary file."""


def _is_no_file(file: Path) -> bool:
    """Whether a device, a pipe or a socket stands there: what must not be replaced by a file."""
    return os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file)  # noqa: PTH110, PTH112, PTH113 - these never raise


@contextlib.contextmanager
def _reporting(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"the report {file} cannot be written: {error.strerror or error}"
        raise ReportError(message) from error


def _candidate(identity: Identity) -> dict[str, object]:
    can = dataclasses.asdict(identity.can)
    return {
        "name": identity.name,
        "transport": identity.transport,
        "modules": dict(identity.modules),
        "can": {"exec": True, **can, "reads": identity.reads_seen},
    }


def _of(candidate: str | None) -> dict[str, object]:
    return {} if candidate is None else {"candidate": candidate}


def _journal(receipt: JournalReceipt, *, part: bool) -> dict[str, object]:
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
        "modes": {tally.mode: _tally(tally, part=part) for tally in receipt.tallies},
        "drill": [
            {"class": one.name, "outcome": one.outcome, "step": one.step, "field": one.field, "why": one.why}
            for one in receipt.exercises
        ],
        "problems": list(receipt.problems),
        **({"notes": [receipt.stateless]} if receipt.stateless else {}),
        "left_out": [{"what": one.what, "why": one.why} for one in receipt.left_out],
    }


def _tally(tally: Tally, *, part: bool) -> dict[str, object]:
    return {
        "steps": tally.due,
        **({"of": tally.whole} if part else {}),
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


def _opened(outcome: Outcome) -> dict[str, object]:
    """What is sealed, for whom it was asked: the step as a terminal shows it, and both sides of each difference."""
    differences = outcome.differences[:MOST_DIFFERENCES] if isinstance(outcome, (Diverged, Waived)) else ()
    return {
        "shown": render(outcome, Plain(), reveal=True).split("\n"),
        "sides": [{"recorded": recorded, "candidate": candidate} for recorded, candidate in map(_sides, differences)],
    }


def _sides(difference: Difference) -> tuple[dict[str, object] | None, dict[str, object] | None]:
    location = locate(difference)
    around = 0 if location is None else location.rune
    return _side(difference.expected, around), _side(difference.actual, around)


def _difference(step: StepRef, difference: Difference) -> dict[str, object]:
    location = locate(difference)
    sealed = is_secret(step, difference)
    recorded, candidate = map(_sealed_side, (difference.expected, difference.actual)) if sealed else _sides(difference)
    line: dict[str, object] = {
        "field": difference.field,
        "kind": difference.kind,
        "sealed": sealed,
        "recorded": recorded,
        "candidate": candidate,
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


def _sealed_side(value: Value | Absent) -> dict[str, object] | None:
    """One side of a difference that is sealed: how much there is, and nothing of it."""
    if value is ABSENT:
        return None
    content = value.get("content") if isinstance(value, Mapping) else value
    length = len(as_text(content)) if isinstance(content, (str, bytes)) else characters(value)
    return {"type": shape(value), "text": "", "from": 0, "length": length}


def _side(value: Value | Absent, around: int) -> dict[str, object] | None:
    """One side of a difference: its type, and its text around the place where the two part; None when it is absent.

    A page that only one side has is the text of that page.
    """
    if value is ABSENT:
        return None
    content = value.get("content") if isinstance(value, Mapping) else value
    if isinstance(content, (str, bytes)):
        return {**_text_side(content, around), "type": shape(value)}
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
