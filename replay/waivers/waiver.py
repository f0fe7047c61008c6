"""A waiver as a value, and the folder of them: each a file that the tool wrote, checked before anything is judged."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.journal.drawing import quoted, visible
from replay.outcome import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = "loki-parity-waiver/1"
ENDS: Final = ".json"
MOST_BYTES: Final = 1 << 26

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_STEP: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_TEXTS: Final = ("candidate", "journal", "step", "reason", "until")
_KEYS: Final = ("format", *_TEXTS, "tool", "note", "modes", "differences")


class WaiverError(Exception):
    """A file that is no waiver, or a folder that cannot be read; one sentence that names it."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A divergence that is accepted until a day, that day included.

    ``file`` is what reports call it; ``journal`` is a path from the project's folder. ``modes`` holds, for each mode in
    which the step differs, the fingerprint of every field that does.
    """

    file: str
    candidate: str
    journal: str
    step: str
    modes: Mapping[Mode, Mapping[str, str]]
    reason: str
    until: str

    def expired(self, today: str | None) -> bool:
        """Whether its day is over; without a date nobody knows, and it is taken as valid."""
        return today is not None and today > self.until


@dataclass(frozen=True, slots=True)
class Waivers:
    """Every waiver of a project. ``folder`` is the project's."""

    folder: Path = Path()
    all: tuple[Waiver, ...] = ()

    @staticmethod
    def read(folder: Path, below: str) -> Waivers:
        """Those in a folder of the project's; an empty path, or no such folder: none. Raises :class:`WaiverError`."""
        place = folder / below
        try:
            names = sorted(os.listdir(place), key=os.fsencode) if below else []  # noqa: PTH208 - names alone
        except FileNotFoundError:
            names = []
        except OSError as error:
            message = f"{below}: the waivers cannot be read: {error.strerror}"
            raise WaiverError(message) from None
        found: dict[tuple[str, str, str], Waiver] = {}
        for name in names:
            if name.startswith("."):
                continue
            shown = visible(f"{below.rstrip('/')}/{name}")
            waiver = _read(place / name, shown)
            key = (waiver.candidate, waiver.journal, waiver.step)
            if key in found:
                message = f"{shown}: {found[key].file} waives step {waiver.step} of {visible(waiver.journal)} already"
                raise WaiverError(message)
            found[key] = waiver
        return Waivers(folder, tuple(found.values()))

    def of(self, candidate: str) -> dict[tuple[str, str], Waiver]:
        """Those of a candidate, by the real path of the journal and the number of the step."""
        return {
            (os.path.realpath(self.folder / one.journal), one.step): one
            for one in self.all
            if one.candidate == candidate
        }


def is_date(text: str) -> bool:
    """Whether a text is a day such as ``2026-12-31``."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _read(file: Path, shown: str) -> Waiver:
    document = _document(file)
    why = document if isinstance(document, str) else _defect(document)
    if isinstance(document, str) or why is not None:
        message = f"{shown}: {why}"
        raise WaiverError(message)
    texts = {key: str(document[key]) for key in _TEXTS}
    return Waiver(shown, modes=_modes(document["modes"]), **texts)


def _document(file: Path) -> Mapping[str, object] | str:
    """What a file holds, or why it can be no waiver."""
    if file.suffix != ENDS or not file.is_file():
        return f"only waivers (files called *{ENDS}) belong in this folder"
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        document = json.loads(data.decode("utf-8")) if len(data) <= MOST_BYTES else None
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except (ValueError, RecursionError):
        return "no JSON, and so no waiver"
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return f'no waiver (expected an object with "format": "{FORMAT}")'
    return document


def _defect(document: Mapping[str, object]) -> str | None:
    """What is wrong with a waiver, if anything is."""
    unknown = next((key for key in document if key not in _KEYS), None)
    if unknown is not None:
        return f"it has the unknown key {quoted(unknown)}"
    for key in _TEXTS:
        value = document.get(key)
        if not isinstance(value, str) or not value.strip():
            return f'"{key}" is no text, or an empty one'
    until, step = str(document["until"]), str(document["step"])
    if not is_date(until):
        return f'"until" is {quoted(until)}, and no date such as 2026-12-31'
    if not _STEP.fullmatch(step):
        return f'"step" is {quoted(step)}, and no number of a step such as 12 or 3.2'
    if not _modes(document.get("modes")):
        return '"modes" does not hold the sha256 of each field that differs, for isolated, chained or both'
    return None


def _modes(value: object) -> Mapping[Mode, Mapping[str, str]]:
    """The fingerprints by mode and field; nothing where they are not what they must be."""
    known = {str(mode): mode for mode in Mode}
    if not isinstance(value, dict) or not all(key in known for key in value):
        return {}
    for fields in value.values():
        if not isinstance(fields, dict) or not fields:
            return {}
        if not all(isinstance(one, str) and _DIGEST.fullmatch(one) for one in fields.values()):
            return {}
    return {known[key]: dict(fields) for key, fields in value.items()}
