"""The oracle's program, built once from its sources by one Go and kept by content.

Two processes that build at once each build in a folder of their own and rename the result into place: whoever comes
second replaces a program by the same program.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.oracle.cache import cache_folder
from replay.oracle.errors import BuildError
from replay.oracle.toolchain import PROCESSOR, SETTINGS, bare_environment

if TYPE_CHECKING:
    from replay.oracle.toolchain import Toolchain

SOURCES: Final = Path(__file__).parent / "model"
"""The program's own sources (PROTOCOL.md there)."""

_ARGUMENTS: Final = ("build", "-trimpath", "-buildvcs=false", "-mod=readonly")
SECONDS: Final = 600.0


def source_hashes(sources: Path = SOURCES) -> dict[str, str]:
    """The sha256 of every file that the program is built from, by name.

    Raises :class:`BuildError` when they cannot be read, or there are none.
    """
    try:
        files = sorted((*sources.glob("*.go"), *sources.glob("go.*")))
        found = {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in files
            if not file.name.endswith("_test.go")
        }
    except OSError as error:
        message = f"the sources of the oracle cannot be read: {error.strerror}"
        raise BuildError(message) from None
    if "go.mod" not in found:
        message = "the sources of the oracle are not installed: there is no go.mod among them"
        raise BuildError(message)
    return found


def built(toolchain: Toolchain, *, cache: Path | None = None, sources: Path = SOURCES) -> Path:
    """The program, built by a toolchain now or at some earlier time.

    ``cache`` is where built programs are kept, instead of the person's own cache folder. Raises :class:`BuildError`.
    """
    folder = (cache_folder() if cache is None else cache).absolute() / "oracle"
    program = folder / f"model-{_key(toolchain, sources)}"
    if program.is_file() and os.access(program, os.X_OK):
        return program
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="building-", dir=folder, ignore_cleanup_errors=True) as work:
            fresh = Path(work, "model")
            _build(toolchain, sources, fresh, folder)
            _sync(fresh)
            fresh.replace(program)
    except OSError as error:
        message = f"the oracle cannot be kept in {folder}: {error.strerror} (name another folder with --cache)"
        raise BuildError(message) from None
    return program


def _key(toolchain: Toolchain, sources: Path) -> str:
    """What the program is made of, in one word: every source, the Go, the way it is called."""
    lines = [toolchain.version, PROCESSOR, *_ARGUMENTS, *(f"{name}={value}" for name, value in SETTINGS.items())]
    lines += [f"{name} {digest}" for name, digest in source_hashes(sources).items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _build(toolchain: Toolchain, sources: Path, target: Path, folder: Path) -> None:
    environment = bare_environment(**SETTINGS, GOCACHE=str(folder / "go-build"), GOPATH=str(folder / "go-path"))
    environment["HOME"] = str(folder)
    try:
        done = subprocess.run(  # noqa: S603 - the toolchain that was found, on our own sources
            [str(toolchain.go), *_ARGUMENTS, "-o", str(target), "."],
            cwd=sources,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"{toolchain.version} did not build the oracle within {SECONDS:.0f} seconds"
        raise BuildError(message) from None
    except OSError as error:
        message = f"{toolchain.go} does not run: {error.strerror}"
        raise BuildError(message) from None
    if done.returncode != 0 or not target.is_file():
        message = f"{toolchain.version} cannot build the oracle: {_first_complaint(done.stderr, done.returncode)}"
        raise BuildError(message)


def _first_complaint(stderr: bytes, status: int) -> str:
    """The first line of what the compiler wrote that says something; lines with ``#`` only name a package."""
    lines = stderr.decode("utf-8", "replace").split("\n")
    return next((line.strip(" \t\r") for line in lines if line.strip(" \t\r#") and line[0] != "#"), f"status {status}")


def _sync(file: Path) -> None:
    """Make sure that what is renamed into place is whole even if the machine stops now."""
    with contextlib.suppress(OSError), file.open("rb") as stream:
        os.fsync(stream.fileno())
