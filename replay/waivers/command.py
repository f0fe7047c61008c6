"""``loki-parity waive``: a divergence of the port is accepted for now, step by step, each in a file."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.port import PortCandidate
from replay.compare import ABSENT, locate
from replay.compare import ALL as TOLERANCES
from replay.configuration import ConfigurationError, nearest
from replay.engine import Judging, replay
from replay.loaded import NoUsableJournalError, journal
from replay.outcome import Diverged, Match, Mode, name
from replay.report.jsonl import ReportError, write
from replay.report.replaced import Form
from replay.report.secrets import is_secret
from replay.run import BOTH_MODES, Exit, Selection, order
from replay.waivers.digest import digests, plain, side_digest
from replay.waivers.waiver import ENDS, FORMAT, Waiver, WaiverError, Waivers

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping

    from replay.compare import Absent, Difference
    from replay.configuration import Configuration
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.outcome import Outcome, StepRef

MOST_DIFFERENCES: Final = 50
"""How many differences of a step are written out; the fingerprints are of all."""


_WAIVER: Final = Form("waiver", b'{\n "format": "loki-parity-waiver')


class CannotWaiveError(Exception):
    """There is nothing to accept, or it cannot be accepted; one sentence."""


@dataclass(slots=True)
class _Found:
    """A step and what came of it in each mode in which it differs."""

    step: StepRef
    modes: dict[Mode, Diverged] = field(default_factory=dict)


def waive(options: Namespace, out: TextIO, complain: Callable[[str], None]) -> int:
    """Run the verb: judge the steps, and write a file for each that differs."""
    try:
        configuration = nearest()
        read = journal(options.journal)
        with PortCandidate(options.transport) as candidate:
            selection = Selection(steps=tuple(options.step))
            outcomes = [
                outcome
                for mode in BOTH_MODES
                for outcome in replay(read, candidate, Judging(mode, selection.chooses, TOLERANCES))
            ]
        files = _files(configuration, options, _different(read, outcomes))
        for file, document in files.items():
            write(file, _WAIVER, [json.dumps(document, ensure_ascii=False, indent=1) + "\n"])
            out.write(f"{os.path.relpath(file)}: step {document['step']}, until {document['until']}\n")
    except NoUsableJournalError as error:
        complain(str(error))
        return error.exit
    except (ConfigurationError, CandidateNotReadyError) as error:
        complain(str(error))
        return Exit.NOT_JUDGED
    except (CannotWaiveError, WaiverError, ReportError) as error:
        complain(str(error))
        return Exit.BAD_INPUT
    return Exit.MATCH


def _different(read: Journal, outcomes: list[Outcome]) -> list[_Found]:
    """The steps that differ, in order. Raises :class:`CannotWaiveError`: none does, or one does not even end."""
    found: dict[str, _Found] = {}
    for outcome in outcomes:
        number = outcome.step.number
        if isinstance(outcome, Diverged):
            found.setdefault(number, _Found(outcome.step)).modes[outcome.step.mode] = outcome
        elif not isinstance(outcome, Match):
            message = f"step {number} of {read.file} {name(outcome)}: only a wrong output can be waived"
            raise CannotWaiveError(message)
    if not found:
        why = "nothing differs in these steps" if outcomes else "it has no such step"
        message = f"{read.file}: {why}, so there is nothing to waive"
        raise CannotWaiveError(message)
    return sorted(found.values(), key=lambda one: order(one.step.number))


def _files(configuration: Configuration, options: Namespace, found: list[_Found]) -> dict[Path, Mapping[str, object]]:
    """What to write where. Raises :class:`CannotWaiveError`: no folder is configured, or a step is waived already."""
    if not configuration.waivers:
        message = 'no folder for waivers is configured: [tool.loki-parity] needs waivers = "tests/divergences"'
        raise CannotWaiveError(message)
    present = Waivers.read(configuration.folder, configuration.waivers).of("port")
    real = os.path.realpath(options.journal)
    named = Path(os.path.relpath(real, os.path.realpath(configuration.folder))).as_posix()
    folder = configuration.folder / configuration.waivers
    files: dict[Path, Mapping[str, object]] = {}
    for one in found:
        before = present.get((real, one.step.number))
        if before is not None and not options.replace:
            message = f"step {one.step.number} is waived by {before.file} already (--replace writes it again)"
            raise CannotWaiveError(message)
        files[_file(configuration, folder, named, one, before)] = _document(one, named, options)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{configuration.waivers} cannot be made: {error.strerror}"
        raise CannotWaiveError(message) from None
    return files


def _file(configuration: Configuration, folder: Path, named: str, one: _Found, before: Waiver | None) -> Path:
    if before is not None:
        return configuration.folder / before.file
    file = folder / f"{named.removesuffix(ENDS).replace('/', '-')}-{one.step.number}{ENDS}"
    if os.path.lexists(file):
        message = f"{os.path.relpath(file)} is there already, and waives something else"
        raise CannotWaiveError(message)
    return file


def _document(one: _Found, named: str, options: Namespace) -> Mapping[str, object]:
    first = next(iter(one.modes.values()))
    return {
        "format": FORMAT,
        "candidate": "port",
        "journal": named,
        "step": one.step.number,
        "tool": one.step.tool,
        "note": one.step.note,
        "reason": options.reason,
        "until": options.until,
        "modes": {str(mode): digests(outcome.differences) for mode, outcome in one.modes.items()},
        "differences": [_difference(one.step, each) for each in first.differences[:MOST_DIFFERENCES]],
    }


def _difference(step: StepRef, difference: Difference) -> Mapping[str, object]:
    """Both outputs; of a sealed memory their fingerprints and lengths."""
    secret = is_secret(step, difference)
    told: dict[str, object] = {"field": difference.field, "kind": difference.kind}
    location = locate(difference)
    if location is not None:
        told["at"] = f"line {location.line}, column {location.column}: {location.recorded} → {location.candidate}"
    for side, value in (("recorded", difference.expected), ("candidate", difference.actual)):
        if value is not ABSENT:
            told[side] = _sealed(value) if secret else _side(value)
    return told


def _side(value: Value | Absent) -> Mapping[str, object]:
    if isinstance(value, bytes):
        try:
            return {"text": value.decode("utf-8"), "sha256": side_digest(value)}
        except UnicodeDecodeError:
            return {"value": plain(value), "sha256": side_digest(value)}
    return {"text" if isinstance(value, str) else "value": plain(value), "sha256": side_digest(value)}


def _sealed(value: Value | Absent) -> Mapping[str, object]:
    return {"sha256": side_digest(value)}
