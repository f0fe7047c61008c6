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


def reports(script: str, *calls: tuple[str, ...]) -> list[str]:
    """What the script prints, once for each call, all of them running at the same time."""
    path = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))
    running = [
        subprocess.Popen(  # noqa: S603 - our own scripts
            [sys.executable, str(HERE / script), *arguments],
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for arguments in calls
    ]
    said = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * len(calls), said
    return [out.strip() for out, _ in said]


def test_processes_that_write_at_the_same_time_lose_nothing_and_one_alone_wins_a_race(tmp_path: Path) -> None:
    memory = DiskMemory(tmp_path, Settings(), nonces=lambda: b"")
    shared = "".join(f"<{name} 0>\n" for name in WRITERS).encode()
    memory.restore(State({"shared.md": shared, "token.md": b"free"}))
    answers = reports("concurrent_writer.py", *((str(tmp_path), name, str(PAGES)) for name in WRITERS))
    assert sorted(answers) == ["[erreur] old introuvable dans la page"] * (len(WRITERS) - 1) + ["took"]
    assert memory.pages.read("shared.md") == "".join(f"<{name} {PAGES}>\n" for name in WRITERS).encode()
    index = memory.pages.read("MEMORY.md").decode().split("\n")
    expected = [f"- [{name} {number}]({name}-{number}.md)" for name in WRITERS for number in range(PAGES)]
    assert sorted(line for line in index if line.startswith("- [")) == sorted(expected)


def test_a_writer_killed_at_any_moment_leaves_whole_pages_a_readable_index_and_no_page_too_many(tmp_path: Path) -> None:
    (said,) = reports("killed_writer.py", (str(tmp_path), str(KILLS), "20261016"))
    kills, leftovers, _ = said.split(", ")
    assert kills == f"{KILLS} kills"
    assert int(leftovers.removeprefix("leftovers after ")) > 0
