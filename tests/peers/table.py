"""The table: what this project and other tools notice of each class. ``nox -s peers`` makes their environments.

``python tests/peers/table.py syrupy=/venv/bin/python …`` runs the command, in a process of its own for each class, and
each tool by its driver, in the environment named. It exits with 0 if this project catches all without a false alarm.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]

import own_column  # noqa: E402 - the path is set first
import planting  # noqa: E402 - as above
import scenes  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OWN: Final = "loki-parity"
TABLES: Final = ("divergences", "harmless")
DRIVERS: Final = {
    "apiparity-check": ("drive_apiparity.py",),
    "mcp-recorder": ("drive_mcp_recorder.py",),
    "syrupy": ("drive_snapshots.py", "syrupy"),
    "localstack-snapshot": ("drive_snapshots.py", "localstack-snapshot"),
    "approvaltests": ("drive_snapshots.py", "approvaltests"),
}
WORDS: Final = {
    ("divergences", "noticed"): own_column.CAUGHT,
    ("divergences", "quiet"): own_column.MISSED,
    ("harmless", "noticed"): own_column.ALARM,
    ("harmless", "quiet"): own_column.QUIET,
    ("control", "noticed"): own_column.ALARM,
}
ORDER: Final = (own_column.CAUGHT, own_column.MISSED, "hangs", own_column.QUIET, own_column.ALARM, "n/a", "broken")

Column = dict[str, str]


def own(folder: Path) -> Column:
    """This project's column, every class by the real command."""
    classes = [(table, row) for table in TABLES for row in planting.rows(table)]

    def judged(one: tuple[str, planting.Row]) -> str:
        table, row = one
        found, why = own_column.verdict(row, folder / table / row.name)
        return f"{found}: {why}" if why else found

    with ThreadPoolExecutor(2) as pool:
        found = pool.map(judged, classes)
        return {f"{table}/{row.name}": one for (table, row), one in zip(classes, found, strict=True)}


def peer(name: str, python: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a tool's driver."""
    script, *words = DRIVERS[name]
    arguments = [python, str(HERE / script), *words, str(folder / "scenes.json"), str(folder / f"{name}.found")]
    return subprocess.Popen(arguments, cwd=folder)  # noqa: S603 - our own drivers


def column(found: Mapping[str, str]) -> Column:
    """A peer's column in the table's words."""
    return {name: WORDS.get((name.partition("/")[0], one), one) for name, one in found.items()}


def printed(columns: Mapping[str, Column]) -> Sequence[str]:
    """The table, its counts first."""
    lines = []
    for table in TABLES:
        names = [f"{table}/{row.name}" for row in planting.rows(table)]
        lines += [f"## {table} ({len(names)})", "", row_of(["class", *columns]), row_of(["---"] * (1 + len(columns)))]
        for word in ORDER:
            counts = [Counter(short(one[name]) for name in names)[word] for one in columns.values()]
            if any(counts):
                lines.append(row_of([f"**{word}**", *(f"**{count}**" for count in counts)]))
        lines += [row_of([name.partition("/")[2], *(short(one[name]) for one in columns.values())]) for name in names]
        lines.append("")
    reasons = {one for each in columns.values() for one in each.values() if ": " in one}
    return [*lines, *sorted(reasons)]


def short(word: str) -> str:
    """A verdict without its reason."""
    return word.partition(":")[0]


def row_of(cells: Sequence[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Run all, print the table."""
    pythons = dict(one.partition("=")[::2] for one in arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenes.json").write_text(json.dumps(scenes.every()), encoding="utf-8")
        running = {peer_name: peer(peer_name, python, folder) for peer_name, python in pythons.items()}
        columns = {OWN: own(folder / "own")}
        for peer_name, process in running.items():
            if process.wait() != 0:
                sys.exit(f"{peer_name}: its driver ended with status {process.returncode}")
            found = json.loads((folder / f"{peer_name}.found").read_text(encoding="utf-8"))
            columns[peer_name] = column(found)
            if found["control/nothing-planted"] != "quiet":
                sys.exit(f"{peer_name} raises an alarm where nothing is planted")
    sys.stdout.write("\n".join(printed(columns)) + "\n")
    return 0 if set(columns[OWN].values()) == {own_column.CAUGHT, own_column.QUIET} else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
