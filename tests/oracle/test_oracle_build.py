"""The oracle's program: built once, kept by content, whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay.oracle import build
from replay.oracle.build import SOURCES, built, source_hashes
from replay.oracle.cache import cache_folder
from replay.oracle.errors import BuildError
from replay.oracle.toolchain import Toolchain

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeGo = Callable[..., Toolchain]

WRITES = "open(target, 'w').write('#!/bin/sh\\necho built\\n'); os.chmod(target, 0o700)"


@pytest.fixture
def go(tmp_path: Path) -> MakeGo:
    """A go command that notes each call and then does as its body says."""

    def make(body: str = WRITES, version: str = "go1.25.5") -> Toolchain:
        file = tmp_path / f"go-{abs(hash(body))}"
        file.write_text(
            f"#!{sys.executable}\nimport os, sys\ntarget = sys.argv[sys.argv.index('-o') + 1]\n"
            f"calls = open({str(tmp_path / 'calls')!r}, 'a')\n"
            f"calls.write(' '.join(sys.argv[1:]) + '|' + os.getcwd() + '\\n')\ncalls.close()\n{body}\n"
        )
        file.chmod(0o700)
        return Toolchain(file, version)

    return make


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    for name, text in {"go.mod": "module m\n", "main.go": "package main\n", "main_test.go": "package main\n"}.items():
        (folder / name).write_text(text)
    return folder


def calls(tmp_path: Path) -> int:
    noted = tmp_path / "calls"
    return len(noted.read_text().splitlines()) if noted.exists() else 0


def refusal(toolchain: Toolchain, cache: Path, sources: Path = SOURCES) -> str:
    with pytest.raises(BuildError) as error:
        built(toolchain, cache=cache, sources=sources)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_it_is_built_once_and_can_be_run(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    program = built(go(), cache=tmp_path / "cache", sources=sources)
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"built\n"  # noqa: S603 - built here
    assert built(go(), cache=tmp_path / "cache", sources=sources) == program
    assert calls(tmp_path) == 1


def test_it_is_built_where_its_sources_are_and_never_there_itself(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    built(go(), cache=tmp_path / "cache", sources=sources)
    arguments, _, folder = (tmp_path / "calls").read_text().rstrip("\n").partition("|")
    assert arguments.startswith("build -trimpath -buildvcs=false -mod=readonly -o ")
    assert arguments.endswith(" .")
    assert folder == str(sources)
    assert sorted(file.name for file in sources.iterdir()) == ["go.mod", "main.go", "main_test.go"]


@pytest.mark.parametrize("change", ["source", "module", "version"])
def test_other_sources_or_another_go_are_another_program(
    tmp_path: Path, go: MakeGo, sources: Path, change: str
) -> None:
    first = built(go(), cache=tmp_path / "cache", sources=sources)
    if change != "version":
        (sources / {"source": "main.go", "module": "go.mod"}[change]).write_text("changed\n")
    second = built(go(version="go1.27.3") if change == "version" else go(), cache=tmp_path / "cache", sources=sources)
    assert second != first
    assert first.exists()
    assert calls(tmp_path) == 2


def test_its_tests_are_no_part_of_it(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    built(go(), cache=tmp_path / "cache", sources=sources)
    (sources / "main_test.go").write_text("changed\n")
    built(go(), cache=tmp_path / "cache", sources=sources)
    assert calls(tmp_path) == 1


def test_what_is_there_and_cannot_be_run_is_built_again(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    program = built(go(), cache=tmp_path / "cache", sources=sources)
    program.chmod(0o600)
    assert os.access(built(go(), cache=tmp_path / "cache", sources=sources), os.X_OK)


def test_two_that_build_at_once_both_have_a_whole_program(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    slow = go(f"import time\ntime.sleep(0.5)\n{WRITES}")
    code = (
        "import sys; from pathlib import Path; from replay.oracle.build import built; "
        "from replay.oracle.toolchain import Toolchain; "
        f"print(built(Toolchain(Path({str(slow.go)!r}), 'go1.25.5'), cache=Path({str(tmp_path / 'cache')!r}), "
        f"sources=Path({str(sources)!r})))"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)]  # noqa: S603 - as above
    programs = {one.communicate(timeout=60)[0] for one in both}
    assert [one.returncode for one in both] == [0, 0]
    assert len(programs) == 1
    assert calls(tmp_path) == 2
    left = sorted(path.name for path in (tmp_path / "cache" / "oracle").iterdir())
    assert [name for name in left if name.startswith("building-")] == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "sys.stderr.write('# m\\n./main.go:3:1: syntax error: x\\nmore\\n'); sys.exit(1)",
            "./main.go:3:1: syntax error: x",
        ),
        ("sys.stderr.write('go: go.mod requires go >= 1.25\\n'); sys.exit(1)", "go: go.mod requires go >= 1.25"),
        ("sys.stderr.write('\\n# \\n'); sys.exit(5)", "status 5"),
        ("pass", "status 0"),
    ],
)
def test_a_build_that_fails_is_one_sentence(tmp_path: Path, go: MakeGo, sources: Path, body: str, why: str) -> None:
    assert refusal(go(body), tmp_path / "cache", sources) == f"go1.25.5 cannot build the oracle: {why}"
    assert not list((tmp_path / "cache" / "oracle").glob("model-*"))


def test_a_build_that_does_not_end_is_ended(
    tmp_path: Path, go: MakeGo, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SECONDS", 1.0)
    text = refusal(go("import time\ntime.sleep(60)"), tmp_path / "cache", sources)
    assert text == "go1.25.5 did not build the oracle within 1 seconds"


def test_a_go_that_is_gone_is_told(tmp_path: Path, sources: Path) -> None:
    gone = Toolchain(tmp_path / "gone", "go1.25.5")
    assert refusal(gone, tmp_path / "cache", sources) == f"{tmp_path / 'gone'} does not run: No such file or directory"


def test_a_cache_that_cannot_be_written_is_told_with_a_way_out(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "oracle"
    assert refusal(go(), tmp_path / "file", sources) == (
        f"the oracle cannot be kept in {folder}: Not a directory (name another folder with --cache)"
    )


def test_sources_that_are_not_there_are_told(tmp_path: Path, go: MakeGo) -> None:
    expected = "the sources of the oracle are not installed: there is no go.mod among them"
    assert refusal(go(), tmp_path / "cache", tmp_path / "nowhere") == expected


def test_sources_that_cannot_be_read_are_told(tmp_path: Path, go: MakeGo, sources: Path) -> None:
    (sources / "odd.go").mkdir()
    assert refusal(go(), tmp_path / "cache", sources) == "the sources of the oracle cannot be read: Is a directory"


def test_without_a_folder_it_is_kept_in_the_persons_cache(
    tmp_path: Path, go: MakeGo, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "cache_folder", lambda: tmp_path / "own")
    assert built(go(), sources=sources).parent == tmp_path / "own" / "oracle"


def test_the_programs_own_sources_are_all_of_it() -> None:
    found = source_hashes()
    assert {"go.mod", "main.go", "ask.go"} <= set(found)
    assert not [name for name in found if name.endswith("_test.go")]


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"HOME": "/h"}, "/h/.cache/loki-parity"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/loki-parity"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/loki-parity"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": ""}, "/h/.cache/loki-parity"),
        ("darwin", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/h/Library/Caches/loki-parity"),
        ("win32", {"HOME": "/h", "LOCALAPPDATA": "/l"}, "/l/loki-parity/Cache"),
        ("win32", {"HOME": "/h"}, "/h/AppData/Local/loki-parity/Cache"),
    ],
)
def test_the_cache_is_where_the_system_keeps_caches(platform: str, environment: dict[str, str], folder: str) -> None:
    assert cache_folder(environment, platform) == Path(folder)


def test_a_person_without_home_has_a_cache_too() -> None:
    assert cache_folder({}, "linux").is_absolute()
