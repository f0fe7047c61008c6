"""The same run gives the same bytes whatever surrounds it: locale, zone, encodings, proxies, colours, folders."""

from __future__ import annotations

import re
import shutil
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from real_command import DIVERGED, LOGS, MATCH, PROJECT, Ran, environment, loki_parity

if TYPE_CHECKING:
    from collections.abc import Mapping

SURROUNDINGS: Final = {
    "locale": {"LC_ALL": "C"},
    "posix-locale": {"LANG": "POSIX"},
    "ascii-for-good": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "unknown-locale": {"LC_ALL": "xx_YY.ISO-8859-15"},
    "zone": {"TZ": "Pacific/Kiritimati"},
    "wrong-zone": {"TZ": "Nowhere/Nothing", "PYTHONTZPATH": ""},
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "ascii": {"PYTHONIOENCODING": "ascii:strict"},
    "proxy": {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "socks5://[::1]:9"},
    "no-colour": {"NO_COLOR": "1"},
    "forced-colour": {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color", "COLUMNS": "20"},
    "hashes": {"PYTHONHASHSEED": "12345"},
    "optimised": {"PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"},
    "development": {"PYTHONDEVMODE": "1"},
    "warnings-are-errors": {"PYTHONWARNINGS": "error"},
    "home": {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a journal in which a step diverges, at a character beyond ASCII."""
    made = tmp_path_factory.mktemp("surroundings")
    wrong = small_journals.step("recall", {"id": "r1"}, small_journals.FOUND.replace("été", "e\u0301té"), note="é")
    small_journals.write(made, small_journals.recall(small_journals.right(), wrong), "journal é.json")
    return made


def judged(folder: Path, env: Mapping[str, str]) -> tuple[Ran, bytes]:
    report = folder / "report.jsonl"
    report.unlink(missing_ok=True)
    paths = ("journal é.json", str(LOGS))
    return loki_parity("run", *paths, "--report-json", "report.jsonl", cwd=folder, env=env), report.read_bytes()


@pytest.fixture(scope="module")
def usual(folder: Path) -> tuple[Ran, bytes]:
    """What the run gives in the usual surroundings."""
    found = judged(folder, environment(LC_ALL="C.UTF-8"))
    assert found[0].status == DIVERGED
    assert "    recorded   U+0065 LATIN SMALL LETTER E\n" in found[0].out
    assert "\x1b" not in found[0].out
    return found


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_change_nothing(name: str, folder: Path, usual: tuple[Ran, bytes]) -> None:
    assert judged(folder, environment() | SURROUNDINGS[name]) == usual


def test_another_working_folder_changes_nothing(tmp_path: Path) -> None:
    floors = "{ journals = 1, steps = 1 }"
    (tmp_path / "pyproject.toml").write_text(f'[tool.loki-parity]\njournals = ["logs"]\nfloors = {floors}\n')
    shutil.copytree(LOGS, tmp_path / "logs")
    (tmp_path / "a" / "b").mkdir(parents=True)
    runs = []
    for below in (tmp_path, tmp_path / "a" / "b"):
        ran = loki_parity("run", "--report-json", str(tmp_path / "report.jsonl"), cwd=below)
        runs.append((ran, (tmp_path / "report.jsonl").read_bytes()))
    assert runs[0] == runs[1]
    assert runs[0][0].status == MATCH


def test_no_absolute_path_stands_in_a_report(folder: Path, usual: tuple[Ran, bytes]) -> None:
    for text in (usual[0].out, usual[1].decode()):
        for path in (folder, PROJECT):
            assert re.search(rf"(?<!\.\.){re.escape(str(path))}", text) is None


def test_the_installed_command_is_the_same(folder: Path, usual: tuple[Ran, bytes]) -> None:
    installed = Path(sysconfig.get_path("scripts")) / "loki-parity"
    assert installed.exists()
    code = f"import runpy; runpy.run_path({str(installed)!r}, run_name='__main__')"
    report = folder / "report.jsonl"
    ran = loki_parity("run", "journal é.json", str(LOGS), "--report-json", "report.jsonl", cwd=folder, code=code)
    assert (ran, report.read_bytes()) == usual
