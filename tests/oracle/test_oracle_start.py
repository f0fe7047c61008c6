"""From a version to a running oracle, and the small command that builds and runs the program."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import pretended_go
import pytest

from parity.gostd.target import TargetNotOfferedError
from replay.oracle.command import main
from replay.oracle.errors import BuildError, NoGoError, WrongOracleError
from replay.oracle.start import oracle, program_hashes, running_environment

if TYPE_CHECKING:
    from pathlib import Path

ECHO = '    return question["s"]'
OTHER = pretended_go.go


def test_it_is_found_built_started_and_checked(tmp_path: Path) -> None:
    with oracle("1.25.5", go=pretended_go.go(tmp_path, ECHO), cache=tmp_path / "cache") as asked:
        assert asked.ask_one({"q": "echo", "s": "é"}).out == "é"
    assert asked.ended


def test_a_program_of_another_version_is_not_taken(tmp_path: Path) -> None:
    go = pretended_go.go(tmp_path, ECHO)
    go.write_text(go.read_text().replace('\\"version\\": \\"go1.25.5\\"', '\\"version\\": \\"go1.24.11\\"'))
    go.write_text(go.read_text().replace('"version": "go1.25.5"', '"version": "go1.24.11"'))
    with (
        pytest.raises(WrongOracleError, match=r"of the Go go1\.24\.11, and go1\.25\.5 was asked for"),
        oracle("1.25.5", go=go, cache=tmp_path / "cache"),
    ):
        pytest.fail("it was taken")


def test_a_version_that_the_port_does_not_know_is_refused_before_anything_is_looked_for() -> None:
    with pytest.raises(TargetNotOfferedError), oracle("1.20.1"):
        pytest.fail("it was taken")


def test_no_go_and_a_failing_build_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NoGoError), oracle("1.25.5", go=tmp_path / "none"):
        pytest.fail("there is none")
    go = pretended_go.go(tmp_path, ECHO)
    (tmp_path / "file").touch()
    with pytest.raises(BuildError), oracle("1.25.5", go=go, cache=tmp_path / "file"):
        pytest.fail("it was built")


def test_zones_come_from_the_files_that_the_port_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GODEBUG", "hostile")
    environment = running_environment()
    assert os.path.exists(f"{environment['ZONEINFO']}/Europe/Paris")  # noqa: PTH110 - a text of the environment
    assert "GODEBUG" not in environment


def test_a_receipt_names_the_programs_sources() -> None:
    assert "replay/oracle/model/main.go" in program_hashes()


# --- python -m replay.oracle ---


def test_without_more_the_command_says_where_the_program_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    go = pretended_go.go(tmp_path, ECHO)
    assert main(["--go", str(go), "--cache", str(tmp_path / "cache"), "1.25.5"]) == 0
    assert capsys.readouterr().out.startswith(str(tmp_path / "cache" / "oracle" / "model-"))


def test_with_arguments_it_runs_the_program_and_ends_as_it_does(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    go = pretended_go.go(tmp_path, ECHO)
    script = (
        f"#!{sys.executable}\\nimport os, sys\\nprint(sys.argv[1:], len(os.environ['ZONEINFO']) > 0)\\nsys.exit(5)\\n"
    )
    text = go.read_text()
    start = text.index("program.write(")
    go.write_text(text[:start] + f'program.write("{script}")\n' + text[text.index("\n", start) + 1 :])
    assert main(["--go", str(go), "--cache", str(tmp_path / "c"), "1.25.5", "generate", "-seed", "1"]) == 5
    assert capfd.readouterr().out == "['generate', '-seed', '1'] True\n"


@pytest.mark.parametrize(("version", "why"), [("1.25.5", "no Go 1.25.5 here"), ("1.99", "no Go 1.99 here")])
def test_where_there_is_no_go_the_command_ends_with_3(
    version: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--go", str(tmp_path / "none"), version]) == 3
    assert why in capsys.readouterr().err


def test_the_command_is_the_modules_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["oracle", "--go", "/nonexistent/go", "1.25.5"])
    with pytest.raises(SystemExit) as end:
        importlib.import_module("replay.oracle.__main__")
    assert end.value.code == 3
    assert "no Go 1.25.5 here" in capsys.readouterr().err
