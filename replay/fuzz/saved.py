"""A finding as a file: a journal marked ``source: model`` for a tool, a question and its answer for a function.

What is written depends on the input and on Go's answer alone, so the same finding is the same file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import utf8
from replay.candidates.written import case_head, head, plain
from replay.fuzz.keepimg_calls import TurnTrial
from replay.fuzz.library import FunctionTrial
from replay.journal.kinds import FORMAT
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.fuzz.campaign import Finding
    from replay.fuzz.session_trial import SessionTrial
    from replay.journal.model import Journal, Step
    from replay.oracle.client import Answer

FOLDER: Final = "tests/regressions"
JOURNAL: Final = ".json"
VECTOR: Final = ".jsonl"
VECTOR_FORMAT: Final = "loki-parity-vector/1"

_NOT_IN_A_NAME: Final = re.compile("[^a-z0-9]+")


class SaveError(Exception):
    """A finding cannot be saved; one sentence."""


def content(finding: Finding, answers: Sequence[Answer], target: GoTarget) -> tuple[bytes, str]:
    """A finding's file, and how its name ends. ``answers`` are Go's, to each question of the trial."""
    trial = finding.trial
    if isinstance(trial, FunctionTrial):
        return _vector(trial, answers[0], target), VECTOR
    about = f"found by fuzzing {finding.subject.name}"
    if isinstance(trial, TurnTrial):
        return _turn(trial.journal, answers, about), JOURNAL
    return _session(cast("SessionTrial", trial).journal, answers, about), JOURNAL


def save(raw: bytes, ending: str, name: str, folder: Path) -> Path:
    """Write a finding's file, whole or not at all. Raises :class:`SaveError`."""
    stem = _NOT_IN_A_NAME.sub("-", name.casefold()).strip("-")
    path = folder / f"{stem}-{hashlib.sha256(raw).hexdigest()[:8]}{ending}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(prefix=".", dir=folder)
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
        os.chmod(partial, 0o644)  # noqa: PTH101 - the temporary name is a string; a journal is for everyone
        Path(partial).replace(path)
    except OSError as error:
        message = f"the finding cannot be saved in {folder}: {error.strerror}"
        raise SaveError(message) from None
    return path


def _vector(trial: FunctionTrial, answer: Answer, target: GoTarget) -> bytes:
    line = {"format": VECTOR_FORMAT, "go": target.version, "question": dict(trial.questions[0]), "out": answer.out}
    return json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def _header(journal: Journal, about: str) -> dict[str, object]:
    target = journal.target
    return {
        "format": FORMAT,
        "source": "model",
        "kind": journal.kind,
        "about": about,
        "go": {"version": target.version, "unicode": target.unicode, "goarch": target.goarch},
    }


def _session(journal: Journal, answers: Sequence[Answer], about: str) -> bytes:
    steps = [_step(step, answer) for step, answer in zip(journal.steps, answers[1:], strict=False)]
    members = {**_header(journal, about), **head(journal)}
    lines = [f" {json.dumps(key)}: {_json(value)}".encode() for key, value in members.items()]
    lines.append(b' "steps": [\n  ' + b",\n  ".join(steps) + b"\n ]")
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _step(step: Step, answer: Answer) -> bytes:
    """A step as Go would have recorded it; its arguments byte for byte."""
    out = cast("Mapping[str, object]", answer.out)
    members: dict[str, object] = {"tool": step.tool}
    if step.now_ns is not None:
        members["now"] = wire.moment(step.now_ns)
    members["label"] = _clean(out["label"])
    if answer.panic is not None:
        members["panic"] = answer.panic
    else:
        members["result"] = _clean(out["result"])
    if "files" in out:
        lines = cast("Sequence[Mapping[str, object]]", out["diff"])
        members["diff"] = [{"op": line["op"], "text": _clean(line["text"])} for line in lines]
        members |= {"files": out["files"], "trackers": out["trackers"]}
    written = _json(members)
    return written[:-1].encode() + b', "args": ' + step.raw_args + b"}"


def _turn(journal: Journal, answers: Sequence[Answer], about: str) -> bytes:
    case = journal.cases[0]
    steps = [
        {"step": plain(step.step), "after": answer.out} for step, answer in zip(case.steps, answers[1:], strict=False)
    ]
    held = {**case_head(case), "steps": steps}
    return json.dumps({**_header(journal, about), "cases": [held]}, ensure_ascii=False, indent=1).encode() + b"\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _clean(value: object) -> str:
    return value if isinstance(value, str) else utf8.decode(wire.read(value))
