"""What a project says of its gate, in ``[tool.loki-parity]`` of the nearest pyproject.toml."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.fields import COMPARED, OF_CASES

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = "pyproject.toml"
TABLE: Final = "tool.loki-parity"

_KEYS: Final = ("journals", "floors", "least-compared", "regressions", "waivers", "require-signed", "redact")


class ConfigurationError(Exception):
    """The table is not there or says what cannot be; one sentence that names the file and the key."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The journals that the gate judges, and the floors below which its green proves nothing; see also :class:`Policy`.

    ``journals`` are paths as written, relative to ``folder``, where the pyproject.toml lies. ``regressions`` is a
    folder of journals that fuzzing wrote, judged besides: it may be empty, or not be there; an empty text is none.
    So is ``waivers``, the folder of the divergences that are accepted for now.
    """

    folder: Path
    journals: tuple[str, ...]
    least_journals: int
    least_steps: int
    regressions: str = ""
    least_compared: Mapping[str, int] = field(default_factory=dict)
    """Field to the least number of steps in which what Go recorded of it is compared."""
    waivers: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds for every journal of a project, whether or not its gate names it.

    ``require_signed``: a journal without a hash chain is not judged. ``redact``: rules of ``record``, name to regular
    expression.
    """

    require_signed: bool = False
    redact: Mapping[str, str] = field(default_factory=dict)


def policy(start: Path | None = None) -> Policy:
    """The policy of the nearest pyproject.toml with the table; there is none where there is no table, or no folder.

    Raises :class:`ConfigurationError`.
    """
    try:
        start = _working_folder() if start is None else start
    except ConfigurationError:
        return Policy()
    found = _nearest_table(start)
    return Policy() if found is None else _policy(found[1])


def nearest(start: Path | None = None) -> Configuration:
    """The configuration of the nearest pyproject.toml in ``start``, by default the working folder, or above.

    Raises :class:`ConfigurationError`, also where the working folder is gone.
    """
    found = _nearest_table(_working_folder() if start is None else start)
    if found is None:
        message = f"no {FILE} with [{TABLE}] here or above: name the journals to judge"
        raise ConfigurationError(message)
    return _configuration(*found)


def _nearest_table(start: Path) -> tuple[Path, Mapping[str, object]] | None:
    """The folder of the nearest table, and the table."""
    for folder in (start, *start.parents):
        file = folder / FILE
        table = _table(file) if os.path.lexists(file) else None
        if table is not None:
            return folder, table
    return None


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        message = f"the working folder cannot be used: {error.strerror}"
        raise ConfigurationError(message) from error


def _table(file: Path) -> Mapping[str, object] | None:
    try:
        document = tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError as error:
        message = f"{FILE} cannot be read: {error.strerror}"
        raise ConfigurationError(message) from error
    except ValueError as error:  # not UTF-8, or not TOML
        message = f"{FILE} cannot be read: {error}"
        raise ConfigurationError(message) from error
    tool = document.get("tool")
    table = tool.get("loki-parity") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        message = f"{FILE}: [{TABLE}] is not a table"
        raise ConfigurationError(message)
    return table


def _configuration(folder: Path, table: Mapping[str, object]) -> Configuration:
    _only(table, _KEYS, TABLE)
    journals = table.get("journals")
    if not isinstance(journals, list) or not journals or not all(isinstance(one, str) and one for one in journals):
        message = f"{FILE}: {TABLE}.journals must be a list of paths, and not empty"
        raise ConfigurationError(message)
    floors = table.get("floors")
    if not isinstance(floors, dict):
        message = f"{FILE}: {TABLE}.floors must be a table with journals and steps"
        raise ConfigurationError(message)
    _only(floors, ("journals", "steps"), f"{TABLE}.floors")
    return Configuration(
        folder,
        tuple(journals),
        _floor(floors, "floors", "journals"),
        _floor(floors, "floors", "steps"),
        _folder(table, "regressions"),
        _least_compared(table),
        _folder(table, "waivers"),
    )


def _folder(table: Mapping[str, object], key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        message = f"{FILE}: {TABLE}.{key} must be the path of a folder"
        raise ConfigurationError(message)
    return value


def _least_compared(table: Mapping[str, object]) -> Mapping[str, int]:
    least = table.get("least-compared", {})
    if not isinstance(least, dict):
        message = f"{FILE}: {TABLE}.least-compared must be a table of fields and numbers of steps"
        raise ConfigurationError(message)
    _only(least, tuple(dict.fromkeys((*COMPARED, *OF_CASES))), f"{TABLE}.least-compared")
    return {name: _floor(least, "least-compared", name) for name in least}


def _policy(table: Mapping[str, object]) -> Policy:
    _only(table, _KEYS, TABLE)
    required = table.get("require-signed", False)
    if not isinstance(required, bool):
        message = f"{FILE}: {TABLE}.require-signed must be true or false"
        raise ConfigurationError(message)
    redact = table.get("redact", {})
    if not isinstance(redact, dict) or not all(isinstance(one, str) for one in redact.values()):
        message = f"{FILE}: {TABLE}.redact must be a table of names and regular expressions"
        raise ConfigurationError(message)
    return Policy(required, redact)


def _only(table: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            message = f"{FILE}: {where} has no key {key!r}; it has {' and '.join(known)}"
            raise ConfigurationError(message)


def _floor(table: Mapping[str, object], where: str, key: str) -> int:
    value = table.get(key)
    if type(value) is not int or value < 1:
        message = f"{FILE}: {TABLE}.{where}.{key} must be a whole number above 0"
        raise ConfigurationError(message)
    return value
