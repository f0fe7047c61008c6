"""What the command prints and what its reports look like, as a person has reviewed it: the files in ``__snapshots__``.

They are written by the nox session ``snapshots`` only, beside the old ones, as ``NAME.pending``, and taken over with
``loki-parity review tests/snapshots``. What changes with every edit of the port (its hashes) is left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import environment
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from replay.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion
    from syrupy.data import SnapshotCollection

pytest_plugins = "pytester"

TEXTS: Final = Path(__file__).with_name("__snapshots__") / Path(__file__).stem
ENDS: Final = "txt"
PENDING: Final = ".pending"
UPDATE: Final = ("--snapshot-update", "--snapshot-ignore-file-extensions", "pending")
"""As the nox session ``snapshots`` has it: what waits already is no snapshot that nobody uses."""

_HASHES: Final = re.compile(r'(?<="modules":)\{[^}]*\}|[0-9]+ modules(, sha256 [0-9a-f]{16}…)?')
_PARTS_OF_A_PAGE: Final = re.compile(r"(?s)(<style>).*?(</style>)|(<script>).*?(</script>)|&#39;sha256-.*?&#39;")


class WaitsForReview(SingleFileSnapshotExtension):
    """A text in a file of its own; a new one never replaces the old one, but waits beside it."""

    _write_mode = WriteMode.TEXT
    file_extension = ENDS

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """Without taking CR LF for LF, as reading a text does."""
        del snapshot_name, session_id
        file = Path(snapshot_location)
        return file.read_bytes().decode("utf-8") if file.exists() else None

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, name_order: dict[str, int] | None = None
    ) -> None:
        del name_order
        text = next(iter(snapshot_collection)).data
        Path(f"{snapshot_collection.location}{PENDING}").write_text(str(text), encoding="utf-8", newline="")


def journals(folder: Path) -> None:
    """A project with differences of a few sorts: a character, an invisible one, a label, a page, a point, a crash."""
    (folder / "pyproject.toml").write_text(
        '[tool.loki-parity]\njournals = ["recall.json", "memory.json"]\nfloors = { journals = 2, steps = 2 }\n'
        'waivers = "divergences"\n'
    )
    nbsp = small_journals.FOUND.replace("à la", "à\u00a0la")
    recall = small_journals.recall(
        small_journals.right(),
        {**small_journals.wrong(), "label": "r2"},
        small_journals.step("recall", {"id": "r1"}, nbsp, note="une espace insécable"),
        {"tool": "recall", "args": {"id": "r9"}, "panic": "runtime error", "note": "un arrêt de Go"},
    )
    page = {"autre.md": "une page\n", "MEMORY.md": "# Index mémoire — Générale\n"}
    added = small_journals.step(
        "mem_add", {"file": "note", "content": "un\ndeux"}, "[ok] page 'note' créée", files=page, note="une page"
    )
    point = {"id": "1790000000000000001", "ts": 1790000000000, "text": "72 kg", "date_only": False}
    trackers = {"generale/poids": {"name": "poids", "events": [point]}}
    unknown = "[erreur] page inconnue"
    view = small_journals.step("mem_read", {"file": "rien"}, unknown, trackers=trackers, note="un point")
    small_journals.write(folder, recall, "recall.json")
    small_journals.write(folder, small_journals.memory(added, view), "memory.json")


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints, behind the command itself, and its exit status."""
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = int(ended.code or 0)
    told = capsys.readouterr()
    return f"$ loki-parity {' '.join(arguments)}\n{told.out}{told.err}[exit {int(status)}]\n"


def _kept(capsys: pytest.CaptureFixture[str]) -> None:
    ran(capsys, "run", "--transport", "memory", "--mode", "isolated", "--report-json", "run.jsonl")


def _report(name: str, option: str) -> Callable[[pytest.CaptureFixture[str]], str]:
    def made(capsys: pytest.CaptureFixture[str]) -> str:
        _kept(capsys)
        ran(capsys, "report", "run.jsonl", option, name)
        return Path(name).read_text(encoding="utf-8")

    return made


def _github(capsys: pytest.CaptureFixture[str]) -> str:
    _kept(capsys)
    return ran(capsys, "report", "run.jsonl", "--github")


def _lines(capsys: pytest.CaptureFixture[str]) -> str:
    _kept(capsys)
    return Path("run.jsonl").read_text(encoding="utf-8")


def _page(capsys: pytest.CaptureFixture[str]) -> str:
    return _PARTS_OF_A_PAGE.sub(r"\1\2\3\4", _report("run.html", "--html")(capsys))


def _waived(capsys: pytest.CaptureFixture[str]) -> str:
    waive = (
        "waive",
        "recall.json",
        "--step",
        "2-3",
        "--reason",
        "plage",
        "--until",
        "2026-12-31",
        "--transport",
        "memory",
    )
    judged = ("run", "--transport", "memory", "--mode", "isolated", "recall.json", "--step", "1-3")
    first = ran(capsys, *waive)
    return (
        first
        + Path("divergences/recall-2.json").read_text(encoding="utf-8")
        + "".join(ran(capsys, *judged, *day) for day in ((), ("--today", "2026-12-31"), ("--today", "2027-01-01")))
    )


def _review(capsys: pytest.CaptureFixture[str]) -> str:
    value = json.loads(Path("recall.json").read_text(encoding="utf-8"))
    for step in value["steps"][:3]:
        step["result"] = step["result"].replace("verbatim", "tel quel")
    value["steps"].pop()
    value["about"] = "enregistré à nouveau"
    Path("recall.json.pending").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return ran(capsys, "review", "recall.json") + ran(capsys, "review", "recall.json", "--accept", "3", "--reject", "1")


def _help(capsys: pytest.CaptureFixture[str]) -> str:
    return "".join(ran(capsys, *verb, "--help") for verb in ((), ("run",), ("review",), ("waive",), ("drift",)))


def _explain(capsys: pytest.CaptureFixture[str]) -> str:
    asked = (("id", " r R7 "), ("id", "7"), ("query", "Été, à la PLAGE"), ("name", "Ma Page.md"))
    return "".join(ran(capsys, "explain", *one, "--no-go") for one in asked)


CASES: Final[dict[str, Callable[[pytest.CaptureFixture[str]], str]]] = {
    "run": lambda capsys: ran(capsys, "run", "--transport", "memory"),
    "run-json": _lines,
    "run-html": _page,
    "run-junit": _report("run.xml", "--junit"),
    "run-github": _github,
    "waived": _waived,
    "review": _review,
    "explain": _explain,
    "help": _help,
}


@pytest.mark.parametrize("name", CASES)
def test_printed(
    name: str,
    snapshot: SnapshotAssertion,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    journals(tmp_path)
    text = _HASHES.sub("…", CASES[name](capsys))
    assert text == snapshot(extension_class=WaitsForReview)


def test_every_snapshot_is_used_and_none_waits() -> None:
    here = sorted(one.name for one in TEXTS.iterdir())
    assert here == sorted(f"test_printed[{name}].{ENDS}" for name in CASES)


def test_nothing_is_written_while_the_gate_is_red(tmp_path: Path) -> None:
    project = Path(__file__).parents[2]
    (tmp_path / "noxfile.py").write_bytes((project / "noxfile.py").read_bytes())
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()), "a.json")
    table = '[tool.loki-parity]\njournals = ["a.json"]\nfloors = { journals = 1, steps = 1 }\n'
    (tmp_path / "pyproject.toml").write_text(table)
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, does in (("loki-parity", f'exec {sys.executable} -m replay "$@"'), ("pytest", "touch written")):
        (commands / name).write_text(f"#!/bin/sh\n{does}\n")
        (commands / name).chmod(0o755)

    def nox() -> int:
        return subprocess.run(
            [sys.executable, "-m", "nox", "-s", "snapshots", "--no-venv", "--no-install"],
            cwd=tmp_path,
            env=environment(PATH=f"{commands}:{os.environ['PATH']}"),
            capture_output=True,
            check=False,
            timeout=60,
        ).returncode

    assert nox() == 1
    assert not (tmp_path / "written").exists()
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "a.json")
    assert nox() == 0
    assert (tmp_path / "written").exists()


def test_a_text_that_differs_fails_and_a_new_one_never_replaces_the_old(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parents[2]}:{Path(__file__).parents[1]}")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID"):
        monkeypatch.delenv(name, raising=False)  # syrupy would leave the report to other workers
    inner: Any = pytester.makepyfile(
        test_inner=f"""
        import importlib.util
        found = importlib.util.spec_from_file_location("kept", {str(Path(__file__))!r})
        kept = importlib.util.module_from_spec(found)
        found.loader.exec_module(kept)

        def test_text(snapshot):
            assert "new\\r\\n" == snapshot(extension_class=kept.WaitsForReview)
        """
    )
    texts = inner.with_name("__snapshots__") / "test_inner"
    texts.mkdir(parents=True)
    (texts / "test_text.txt").write_bytes(b"new\n")
    (texts / "unused.txt").write_text("nobody asks for it\n")
    pytester.runpytest_subprocess("-p", "no:cacheprovider", *UPDATE)
    assert (texts / "test_text.txt").read_bytes() == b"new\n"
    assert (texts / "test_text.txt.pending").read_bytes() == b"new\r\n"
    (texts / "test_text.txt.pending").rename(texts / "test_text.txt")
    (texts / "unused.txt").write_text("nobody asks for it\n")
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert ran.ret == 1
    ran.stdout.fnmatch_lines(["*1 snapshot unused*"])
