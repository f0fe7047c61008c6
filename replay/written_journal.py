"""A journal as a file of the format ``loki-parity-journal/1``: every key under its own name, a step on a line.

Arguments are written byte for byte, other values so that they are read again as they are. What is written depends on
the journal alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from replay.candidates.written import case_head, files_written, head, plain, trackers_written
from replay.fields import DIFF, FILES, LABEL, PANIC, RESULT, TRACKERS
from replay.journal.kinds import FORMAT
from replay.journal.model import KEEPIMG, RECORDED, Place
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.journal.model import Journal, KeepimgCase, Step

_BY_DEFAULT: Final = "recorded"
_NOWHERE: Final = Place("", "", 0)


def written(journal: Journal) -> bytes:
    """The whole file."""
    members = [f" {_json(key)}: {_json(value)}".encode() for key, value in _head(journal)]
    name = "cases" if journal.kind == KEEPIMG else "steps"
    lines = list(map(_case, journal.cases)) if journal.kind == KEEPIMG else list(map(_step, journal.steps))
    members.append(f' "{name}": [\n  '.encode() + b",\n  ".join(lines) + b"\n ]")
    return b"{\n" + b",\n".join(members) + b"\n}\n"


def values(journal: Journal) -> Journal:
    """A journal without what the form of its file decides: its name, hash, places, and what had to be inferred."""
    cases = [
        replace(case, at=_NOWHERE, steps=tuple(replace(one, at=_NOWHERE) for one in case.steps))
        for case in journal.cases
    ]
    steps = tuple(replace(step, at=_NOWHERE) for step in journal.steps)
    return replace(journal, file="", sha256="", notes=(), steps=steps, cases=tuple(cases))


def _head(journal: Journal) -> Iterator[tuple[str, object]]:
    yield "format", FORMAT
    yield "kind", journal.kind
    if journal.about:
        yield "about", journal.about
    if journal.source != _BY_DEFAULT:
        yield "source", journal.source
    if journal.reduced_from is not None:
        origin = journal.reduced_from
        yield "reduced_from", {"journal": origin.journal, "sha256": origin.sha256, "step": origin.step}
    target = journal.target
    yield "go", {"version": target.version, "unicode": target.unicode, "goarch": target.goarch}
    if journal.kind != KEEPIMG:
        yield from head(journal).items()


def _step(step: Step) -> bytes:
    expected = step.expected
    members: dict[str, object] = {"tool": step.tool}
    if step.note:
        members["note"] = step.note
    if step.now_ns is not None and step.clock_from == RECORDED:
        members["now"] = wire.moment(step.now_ns)
    texts = {LABEL: expected.label, RESULT: expected.result, PANIC: expected.panic}
    members |= {name: text for name, text in texts.items() if text is not None}
    if expected.diff is not None:
        members[DIFF] = [{"op": line.op, "text": line.text} for line in expected.diff]
    if expected.files is not None:
        members[FILES] = files_written(expected.files)
    if expected.trackers is not None:
        members[TRACKERS] = trackers_written(expected.trackers)
    return _json(members)[:-1].encode() + b', "args": ' + step.raw_args + b"}"


def _case(case: KeepimgCase) -> bytes:
    steps = [{"step": plain(one.step), "after": plain(one.after)} for one in case.steps]
    return _json({**case_head(case), "steps": steps}).encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=plain)
