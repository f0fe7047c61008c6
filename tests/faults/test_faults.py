"""Faults as people write them: each is planted in a copy of the port, and the command must find it where it is.

A fault counts as found when the process exits with 1 and names the step, the field and what stands there on both
sides; a crash does not count. The same copy without a fault passes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import real_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

HERE: Final = Path(__file__).parent
TABLES: Final = ("recall", "memory")
GATE: Final = {"recall": "logs/recall.json", "memory": "logs/outils.json"}

_STEP: Final = re.compile(r"\bstep (?P<number>[0-9]+) [a-z_]+ \(isolated\)")


@dataclass(frozen=True, slots=True)
class Fault:
    """A row of a table; its keys are explained at the top of recall.toml."""

    name: str
    about: str
    file: str
    old: str
    new: str
    journal: str
    step: int
    field: str
    steps: tuple[int, ...]
    recorded: str = ""
    candidate: str = ""
    only: str = ""
    shows: str = ""

    @property
    def module(self) -> str:
        """The changed module's dotted name."""
        return "parity." + self.file.removesuffix(".py").replace("/", ".")


def faults(table: str) -> list[Fault]:
    rows = tomllib.loads((HERE / f"{table}.toml").read_text(encoding="utf-8"))["fault"]
    return [Fault(**{"journal": GATE[table], "steps": (row["step"],), **row}) for row in rows]


FAULTS: Final = [fault for table in TABLES for fault in faults(table)]
JOURNALS: Final = sorted({fault.journal for fault in FAULTS})


@dataclass(frozen=True, slots=True)
class Judged:
    """A run of the command, the text on its terminal and the report that it wrote."""

    ran: real_command.Ran
    header: dict[str, Any]
    footer: dict[str, Any]


def judge(folder: Path, *journals: str) -> Judged:
    """Run the command on the copy in ``folder``, in an empty folder beside it."""
    (folder / "empty").mkdir()
    report = folder / "report.jsonl"
    paths = [str(real_command.PROJECT / journal) for journal in journals]
    ran = real_command.loki_parity(
        "run", *paths, "--report-json", str(report), cwd=folder / "empty", env=real_command.environment(folder)
    )
    assert report.exists(), ran.err
    header, *_, footer = map(json.loads, report.read_text(encoding="utf-8").splitlines())
    return Judged(ran, header, footer)


def planted(fault: Fault, pristine: Path, folder: Path) -> tuple[Judged, str]:
    """Plant a fault in a copy of a copy and judge that; the verdict, and the hash of the changed module."""
    shutil.copytree(pristine / "parity", folder / "parity")
    file = folder / "parity" / fault.file
    text = file.read_text(encoding="utf-8")
    assert text.count(fault.old) == 1, f"{fault.file} holds the text {text.count(fault.old)} times"
    changed = text.replace(fault.old, fault.new).encode()
    file.write_bytes(changed)
    return judge(folder, fault.journal), hashlib.sha256(changed).hexdigest()


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    """A folder for all copies, in RAM if that can be."""
    with tempfile.TemporaryDirectory(prefix="loki-parity-faults-", dir=real_command.RAM) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def pristine(room: Path) -> Path:
    """A copy of the port, its compiled modules with it: a process that compiles all of them takes twice as long."""
    shutil.copytree(real_command.PROJECT / "parity", room / "pristine" / "parity")
    return room / "pristine"


@pytest.fixture(scope="module")
def unchanged(pristine: Path) -> Judged:
    """The copy without a fault, on every journal of the tables."""
    return judge(pristine, *JOURNALS)


@pytest.fixture(scope="module")
def planting(
    request: pytest.FixtureRequest, unchanged: Judged, pristine: Path, room: Path
) -> Iterator[Callable[[Fault], tuple[Judged, str]]]:
    """Plants a fault. Where no one else shares the work out, every fault that was asked for is planted ahead."""
    assert unchanged.ran.status == real_command.MATCH
    if "PYTEST_XDIST_WORKER" in os.environ:
        yield lambda fault: planted(fault, pristine, room / fault.name)
        return
    asked = [item.callspec.params.get("fault") for item in request.session.items if hasattr(item, "callspec")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        running: dict[str, Future[tuple[Judged, str]]] = {
            fault.name: pool.submit(planted, fault, pristine, room / fault.name)
            for fault in asked
            if isinstance(fault, Fault)
        }
        yield lambda fault: running[fault.name].result()
        pool.shutdown(cancel_futures=True)


def blocks(out: str) -> dict[int, list[str]]:
    """The lines about each isolated step that the terminal shows in full."""
    found: dict[int, list[str]] = {}
    current: list[str] = []
    for line in out.splitlines():
        head = re.match(r"step (?P<number>[0-9]+) [a-z_]+ \((?P<mode>[a-z]+)\)", line)
        if head is not None:
            current = []
            if head["mode"] == "isolated":
                found[int(head["number"])] = current
        elif line and not line.startswith(" "):
            current = []
        else:
            current.append(line)
    return found


def about(field: str, lines: list[str]) -> list[str]:
    """The lines about one field: its own, and what is indented under it."""
    starts = [at for at, line in enumerate(lines) if line.startswith(f"  {field}: ")]
    assert starts, f"{field} is not named in:\n" + "\n".join(lines)
    end = next((at for at in range(starts[0] + 1, len(lines)) if not lines[at].startswith("   ")), len(lines))
    return lines[starts[0] : end]


def test_the_tables_hold_enough_faults_of_either_family_and_no_name_twice() -> None:
    assert all(len(faults(table)) >= 15 for table in TABLES)
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_the_unchanged_port_passes(unchanged: Judged) -> None:
    assert unchanged.ran.status == real_command.MATCH
    assert unchanged.footer["counts"]["match"] == 2 * unchanged.footer["steps"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_in_its_step_and_field_and_at_its_character(
    fault: Fault, planting: Callable[[Fault], tuple[Judged, str]], unchanged: Judged
) -> None:
    judged, digest = planting(fault)
    modules = judged.header["candidate"]["modules"]
    others = unchanged.header["candidate"]["modules"]
    assert modules[fault.module] == digest, "it is not the copy that was judged"
    assert {name for name in modules if modules[name] != others[name]} == {fault.module}

    assert judged.ran.status == real_command.DIVERGED, judged.ran.out + judged.ran.err
    assert judged.footer["counts"]["crashed"] == 0
    assert {int(found["number"]) for found in _STEP.finditer(judged.ran.out)} == set(fault.steps)

    first, *rest = about(fault.field, blocks(judged.ran.out)[fault.step])
    if fault.only:
        assert fault.only in {"recorded", "candidate"}
        assert first.startswith(f"  {fault.field}: {ONE_SIDED[fault.only]} (")
        assert any(re.fullmatch(rf"    [-+] (1 │ )?{re.escape(fault.shows)}( \(.*\))?", line) for line in rest), rest
    else:
        assert f"    recorded   {fault.recorded}" in rest, rest
        assert f"    candidate  {fault.candidate}" in rest, rest


ONE_SIDED: Final = {
    "recorded": "recorded, missing from the candidate",
    "candidate": "in the candidate, not recorded",
}
