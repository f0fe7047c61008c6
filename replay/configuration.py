"""What a project says of its gate, in ``[tool.loki-parity]`` of the nearest pyproject.toml."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = "pyproject.toml"
TABLE: Final = "tool.loki-parity"


class ConfigurationError(Exception):
    """The table is not there or says what cannot be; one sentence that names the file and the key."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The journals that the gate judges, and the floors below which its green proves nothing.

    ``journals`` are paths as written, relative to ``folder``, where the pyproject.toml lies. ``regressions`` is a
    folder of journals that fuzzing wrote, judged besides: it may be empty, or not be there; an empty text is none.
    """

    folder: Path
    journals: tuple[str, ...]
    least_journals: int
    least_steps: int
    regressions: str = ""


def nearest(start: Path | None = None) -> Configuration:
    """The configuration of the nearest pyproject.toml in ``start``, by default the working folder, or above.

    Raises :class:`ConfigurationError`, also where the working folder is gone.
    """
    start = _working_folder() if start is None else start
    for folder in (start, *start.parents):
        file = folder / FILE
        if not os.path.lexists(file):
            continue
        table = _table(file)
        if table is not None:
            return _configuration(folder, table)
    message = f"no {FILE} with [{TABLE}] here or above: name the journals to judge"
    raise ConfigurationError(message)


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
    _only(table, ("journals", "floors", "regressions"), TABLE)
    journals = table.get("journals")
    if not isinstance(journals, list) or not journals or not all(isinstance(one, str) and one for one in journals):
        message = f"{FILE}: {TABLE}.journals must be a list of paths, and not empty"
        raise ConfigurationError(message)
    floors = table.get("floors")
    if not isinstance(floors, dict):
        message = f"{FILE}: {TABLE}.floors must be a table with journals and steps"
        raise ConfigurationError(message)
    _only(floors, ("journals", "steps"), f"{TABLE}.floors")
    regressions = table.get("regressions", "")
    if not isinstance(regressions, str):
        message = f"{FILE}: {TABLE}.regressions must be the path of a folder"
        raise ConfigurationError(message)
    return Configuration(folder, tuple(journals), _floor(floors, "journals"), _floor(floors, "steps"), regressions)


def _only(table: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            message = f"{FILE}: {where} has no key {key!r}; it has {' and '.join(known)}"
            raise ConfigurationError(message)


def _floor(floors: Mapping[str, object], key: str) -> int:
    value = floors.get(key)
    if type(value) is not int or value < 1:
        message = f"{FILE}: {TABLE}.floors.{key} must be a whole number above 0"
        raise ConfigurationError(message)
    return value
