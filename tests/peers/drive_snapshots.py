"""The three snapshot libraries, as their manuals show: a pytest file, a first run that records, a second that compares.

``python drive_snapshots.py LIBRARY SCENES FOUND`` with syrupy, localstack-snapshot or approvaltests. A test is a class:
it calls the candidate step by step and matches each answer, parsed from its JSON, against the snapshot; what a
candidate asks of others is part of what is matched, as a test can see that too. The libraries read no HTTP: what shows
there alone is not applicable. Each in its best mode: syrupy and approvaltests with JSON. Candidates that hang or die
are tests in a process of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HEAD = """
import json, os, signal, sys, time
import pytest

SCENES = {f"{one['table']}/{one['name']}": one for one in json.load(open(os.environ["SCENES"])) if not one["nothing"]}
SIDE = os.environ["SIDE"]
NAMES = [name for name, one in SCENES.items() if SIDE == "golden" or not one["ends"]]
if "ENDS" in os.environ:
    NAMES = [os.environ["ENDS"]]


def called(scene, at):
    if SIDE == "actual" and scene["ends"] and at == len(scene["actual"]) - 1:
        if scene["ends"] == "hangs":
            time.sleep(600)
        elif scene["ends"] == "raises":
            raise IndexError("list index out of range")
        elif scene["ends"] == "exits":
            sys.exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
    step = scene[SIDE][at]
    seen = {"answer": json.loads(step["body"])}
    if "reads" in step:
        seen["reads"] = step["reads"]
    return seen

"""

SYRUPY = """
from syrupy.extensions.json import JSONSnapshotExtension


@pytest.mark.parametrize("name", NAMES)
def test_scene(name, snapshot):
    scene = SCENES[name]
    for at in range(len(scene["golden"])):
        one = snapshot(name=f"{name}-{at}".replace("/", "-"), extension_class=JSONSnapshotExtension)
        assert called(scene, at) == one
"""

LOCALSTACK = """
@pytest.mark.parametrize("name", NAMES)
def test_scene(name, snapshot):
    scene = SCENES[name]
    for at in range(len(scene["golden"])):
        snapshot.match(f"step-{at}", called(scene, at))
"""

APPROVALS = """
from approvaltests import set_default_reporter, verify_as_json
from approvaltests.namer import NamerFactory
from approvaltests.reporters.report_quietly import ReportQuietly


@pytest.mark.parametrize("name", NAMES)
def test_scene(name):
    scene = SCENES[name]
    seen = [called(scene, at) for at in range(len(scene["golden"]))]
    verify_as_json(seen, options=NamerFactory.with_parameters(name.replace("/", "-")).with_reporter(ReportQuietly()))
"""

TESTS = {
    "syrupy": (SYRUPY, ["--snapshot-update"], ["--snapshot-warn-unused"]),
    "localstack-snapshot": (LOCALSTACK, ["--snapshot-update"], ["--snapshot-verify"]),
    "approvaltests": (APPROVALS, [], []),
}
HANG = 60
"""Seconds after which a run that waits for a candidate is stopped from outside."""


def run(
    folder: Path, scenes: str, side: str, options: list[str], ends: str | None = None, *, hangs: bool = False
) -> int:
    """The exit status of pytest; -1: it had to be stopped."""
    environment = {**os.environ, "SCENES": scenes, "SIDE": side, "PYTHONDONTWRITEBYTECODE": "1"}
    if ends is not None:
        environment["ENDS"] = ends
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", "report.xml", *options]
    try:
        limit = HANG if hangs else None
        done = subprocess.run(  # noqa: S603 - pytest, in this environment
            words, cwd=folder, env=environment, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return -1
    return done.returncode


def failed(folder: Path) -> set[str]:
    """The names of the scenes whose test failed."""
    cases = ET.parse(folder / "report.xml").iter("testcase")  # noqa: S314 - pytest wrote it
    return {
        case.get("name", "").removeprefix("test_scene[").removesuffix("]")
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }


def approve(folder: Path) -> None:
    """A person's approval: what was received is renamed."""
    for received in folder.glob("*.received.*"):
        received.rename(received.with_name(received.name.replace(".received.", ".approved.")))


def driven(library: str, scenes: str, folder: Path) -> dict[str, str]:
    """What the library noticed, scene by scene."""
    test, record, compare = TESTS[library]
    (folder / "test_scenes.py").write_text(HEAD + test)
    (folder / "pytest.ini").write_text("[pytest]\n")  # else that of a project further up would hold
    if library == "localstack-snapshot":
        (folder / "conftest.py").write_text('pytest_plugins = ["localstack_snapshot.pytest.snapshot"]\n')
        (folder / "pyproject.toml").write_text("")
    given = {f"{one['table']}/{one['name']}": one for one in json.loads(Path(scenes).read_text())}
    run(folder, scenes, "golden", record)
    approve(folder)
    # The control: nothing may fail when the same answers come again.
    if run(folder, scenes, "golden", compare) != 0:
        message = f"{library} fails on its own recording: {sorted(failed(folder))}"
        raise SystemExit(message)
    run(folder, scenes, "actual", compare)
    bad = failed(folder)
    found = {}
    for name, one in given.items():
        if one["nothing"]:
            found[name] = "n/a"
        elif one["habit"]:
            found[name] = "n/a: it reads no HTTP"
        elif one["ends"]:
            status = run(folder, scenes, "actual", compare, name, hangs=one["ends"] == "hangs")
            found[name] = "hangs: it has no deadline" if status == -1 else "noticed" if status else "quiet"
        else:
            found[name] = "noticed" if name in bad else "quiet"
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        Path(sys.argv[3]).write_text(json.dumps(driven(sys.argv[1], sys.argv[2], Path(place))))
