"""Kills a writer at random moments, again and again, and looks at what it left: ``killed_writer.py ROOT ROUNDS SEED``.

After each kill every page is whole, one version of it or another; the index can be read and its lines are whole;
nothing else is listed. Prints how many kills left a temporary file behind, which the next opening must have removed.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from parity.gostd.target import GO_1_25
from parity.stores.disk import DiskMemory
from parity.stores.state import Settings
from parity.tools.interface import Env, Tracker, TrackerEvent
from parity.tools.mem_add import mem_add
from parity.tools.mem_edit import mem_edit
from parity.tools.pages import page_names

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 50_000
VERSION = re.compile(rb"# Version (\d+)\n(?:line \1\n)+end \1\n")
ADDED = re.compile(rb"# Added (\d+-\d+)\nend\n")
INDEX_LINE = re.compile(r"- \[(?:Added|Version) [0-9-]+\]\([a-z0-9-]+\.md\)")
LONGEST_LIFE = 0.02


def version(number: int) -> bytes:
    line = b"line %d\n" % number
    return b"# Version %d\n" % number + line * (SIZE // len(line)) + b"end %d\n" % number


def opened(root: Path) -> DiskMemory:
    return DiskMemory(root, Settings(), nonces=lambda: b"")


def write_for_ever(root: Path, life: int) -> None:
    memory = opened(root)
    env = Env(GO_1_25, memory=memory)
    for number in itertools.count(life * 1000):
        memory.pages.write("page.md", version(number))
        mem_add({"file": f"added-{life}-{number}", "content": f"# Added {life}-{number}\nend"}, env)
        mem_edit({"file": "page", "old": f"# Version {number}\n", "new": f"# Version {number}\n"}, env)
        memory.trackers.put("points", Tracker("points", (TrackerEvent(str(number), number, "x" * SIZE),)))


def killed_after(seconds: float, work: Callable[[], None]) -> None:
    child = os.fork()
    if not child:
        work()
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def check(memory: DiskMemory, folder: Path) -> None:
    for name in page_names(memory.pages, GO_1_25):
        content = memory.pages.read(name)
        if name == "MEMORY.md":
            head, _, lines = content.decode().partition("libre.\n")
            assert head.startswith("# Index mémoire — Générale\n\n"), head
            assert all(map(INDEX_LINE.fullmatch, lines.splitlines())), lines
        elif name == "page.md":
            assert VERSION.fullmatch(content), content[:100]
        else:
            assert ADDED.fullmatch(content), (name, content[:100])
    points = memory.trackers.get("points")
    assert points is None or [len(event.text) for event in points.events] == [SIZE]
    assert leftovers(folder) == []


def leftovers(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir() if not entry.name.endswith((".md", ".md.bak"))]


def main() -> None:
    root, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    folder = root / "memory" / "generale"
    opened(root).pages.write("page.md", version(0))
    left = 0
    for life in range(1, rounds + 1):
        killed_after(chance.random() * LONGEST_LIFE, lambda life=life: write_for_ever(root, life))  # type: ignore[misc]
        left += bool(leftovers(folder))
        check(opened(root), folder)
    print(f"{rounds} kills, leftovers after {left}, {len(list(folder.iterdir()))} files")  # noqa: T201 - its report


if __name__ == "__main__":
    main()
