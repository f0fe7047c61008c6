"""A recording as bytes: the same answers give the same bytes, and the arguments are the scenario's own."""

from __future__ import annotations

import json
from importlib import metadata
from typing import TYPE_CHECKING, Final

from replay.candidates.written import files_written, head, trackers_written
from replay.fields import DIFF, FILES, LABEL, PANIC, RESULT, TRACKERS
from replay.journal import loads, octets, signing
from replay.journal.errors import JournalError
from replay.journal.kinds import FORMAT
from replay.journal.model import CARRIED, MEMORY, RECORDED, Signature
from replay.oracle import wire
from replay.record.refusal import GoRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.journal.model import Expected, Journal, LooseField, Step
    from replay.record.live_go import GoIdentity

_SHOWN: Final = (RESULT, PANIC, LABEL, DIFF, FILES, TRACKERS)


def recorder() -> str:
    """Who records."""
    return f"loki-parity {metadata.version('loki-parity')}"


def inputs(scenario: Journal) -> dict[str, object]:
    """What a scenario says before its first step."""
    return {"kind": scenario.kind, **({"about": scenario.about} if scenario.about else {}), **head(scenario)}


def step_inputs(scenario: Journal, step: Step, *, clock: bool) -> dict[str, object]:
    """What a step says beside its arguments; ``clock``: Go can be told the time.

    A memory's step has the time that Go is told: its own, or the one that the id of a recorded point gives away. Where
    there is neither, Go's clock is left where it stands.
    """
    written: dict[str, object] = {"tool": step.tool}
    if step.note:
        written["note"] = step.note
    timed = clock and step.clock_from != CARRIED if scenario.kind == MEMORY else step.clock_from == RECORDED
    if step.now_ns is not None and timed:
        written["now"] = wire.moment(step.now_ns)
    return written


def step_bytes(told: Mapping[str, object], raw_args: bytes, answered: Mapping[str, object]) -> bytes:
    """One step. Raises GoRefusedError for half of a surrogate pair, which no file can hold."""
    shown = {name: answered[name] for name in _SHOWN if name in answered}
    return _object(told)[:-1] + b',"args":' + raw_args + (b"," + _object(shown)[1:] if shown else b"}")


def read_step(kind: str, raw: bytes) -> Expected:
    """What a step says was answered, read by the loader itself. Raises GoRefusedError for what it does not take."""
    blocks = b'"blocks":[],' if kind != MEMORY else b""
    try:
        [step] = loads(b'{"kind":"%b",%b"steps":[%b]}' % (kind.encode(), blocks, raw), "").steps
    except JournalError as error:
        where = error.place.path.removeprefix("steps[0]").removeprefix(".")
        message = f"its answer has {error.found} in {where or 'it'} (expected {error.expected})"
        raise GoRefusedError(message) from None
    return step.expected


def answered(expected: Expected) -> dict[str, object]:
    """What was answered, as it is written: names of files and trackers in order."""
    written: dict[str, object] = {}
    for name in (RESULT, PANIC, LABEL):
        if getattr(expected, name) is not None:
            written[name] = getattr(expected, name)
    if expected.diff is not None:
        written[DIFF] = [{"op": line.op, "text": line.text} for line in expected.diff]
    if expected.files is not None:
        written[FILES] = files_written(dict(sorted(expected.files.items())))
    if expected.trackers is not None:
        written[TRACKERS] = trackers_written(dict(sorted(expected.trackers.items())))
    return written


def journal_bytes(
    scenario: Journal,
    identity: GoIdentity,
    steps: Sequence[bytes],
    redacted: Sequence[LooseField],
    unstable: Sequence[LooseField],
) -> bytes:
    """The whole journal, signed."""
    target = identity.target
    members: dict[str, object] = {
        "format": FORMAT,
        "go": {"version": target.version, "unicode": target.unicode, "goarch": target.goarch},
    }
    if redacted:
        members["redacted"] = [
            {"step": one.step, "field": one.field, "rule": one.rule, "times": one.times, "characters": one.characters}
            for one in redacted
        ]
    if unstable:
        members["unstable"] = [{"step": one.step, "field": one.field} for one in unstable]
    members |= inputs(scenario)
    values = {key: _json(value) for key, value in members.items()}
    signature = Signature(target.version, identity.commit, recorder(), len(steps))
    hashes = signing.chain(
        signature,
        [signing.Member(key, octets.seen(value)) for key, value in values.items()],
        map(octets.seen, steps),
    )
    signed = _json(
        {
            "go": {"version": signature.go_version, "commit": signature.go_commit},
            "recorder": signature.recorder,
            "count": signature.count,
            "head": hashes[0],
            "steps": hashes[1:],
        }
    )
    lines = [b' "%b": %b' % (key.encode(), value) for key, value in values.items()]
    lines.insert(2, b' "signed": ' + signed)
    lines.append(b' "steps": [\n  ' + b",\n  ".join(steps) + b"\n ]")
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _object(value: Mapping[str, object]) -> bytes:
    return _json(dict(value))


def _json(value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        message = "its answer holds half of a surrogate pair, which Go never writes"
        raise GoRefusedError(message) from None
