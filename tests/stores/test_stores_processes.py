"""Several processes, and killed ones: what is written stays whole and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from parity.stores.disk import DiskMemory
from parity.stores.state import Settings, State

HERE: Final = Path(__file__).parent
PROJECT: Final = HERE.parents[1]
WRITERS: Final = ("a", "b", "c")
PAGES: Final = 8
KILLS: Final = 200


def started(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own scripts
        [sys.executable, str(HERE / script), *arguments],
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def report(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()


def test_processes_that_write_at_the_same_time_lose_nothing_and_one_alone_wins_a_race(tmp_path: Path) -> None:
    memory = DiskMemory(tmp_path, Settings(), nonces=lambda: b"")
    shared = "".join(f"<{name} 0>\n" for name in WRITERS).encode()
    memory.restore(State({"shared.md": shared, "token.md": b"free"}))
    running = [started("concurrent_writer.py", str(tmp_path), name, str(PAGES)) for name in WRITERS]
    answers = sorted(map(report, running))
    assert answers == ["[erreur] old introuvable dans la page"] * (len(WRITERS) - 1) + ["took"]
    assert memory.pages.read("shared.md") == "".join(f"<{name} {PAGES}>\n" for name in WRITERS).encode()
    index = memory.pages.read("MEMORY.md").decode().split("\n")
    expected = [f"- [{name} {number}]({name}-{number}.md)" for name in WRITERS for number in range(PAGES)]
    assert sorted(line for line in index if line.startswith("- [")) == sorted(expected)


def test_a_writer_killed_at_any_moment_leaves_whole_pages_a_readable_index_and_no_page_too_many(tmp_path: Path) -> None:
    kills, leftovers, _ = report(started("killed_writer.py", str(tmp_path), str(KILLS), "20261016")).split(", ")
    assert kills == f"{KILLS} kills"
    assert int(leftovers.removeprefix("leftovers after ")) > 0
