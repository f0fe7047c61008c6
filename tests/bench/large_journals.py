"""Large journals of lines: memory, time beside a tenth of the steps, two processes beside one; ratios of one run.

``python tests/bench/large_journals.py [STEPS]``, by default 1,000,000. The journal is the 41 calls of
``logs/recall.json`` over and over, judged with ``--transport memory``, isolated and chained, with the drill.
Not a test: what is measured is said, and the exit status is 0 whatever it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parents[2] / "logs" / "recall.json"
STEPS: Final = 1_000_000

_RUN_AND_TELL: Final = """
import os, re, sys, time
from pathlib import Path
from replay.cli import main
start = time.monotonic()
status = main(["run", *sys.argv[1:], "--transport", "memory"])
wall = time.monotonic() - start
times = os.times()
peak = re.search("VmHWM:[ \\t]*([0-9]+) kB", Path("/proc/self/status").read_text())[1]
sys.stderr.write(f"{wall} {times.user + times.system + times.children_user + times.children_system} {peak}")
sys.exit(status)
"""


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds by the clock, seconds of processors, megabytes of the judging process at its most."""

    wall: float
    processor: float
    megabytes: float


def write(file: Path, steps: int) -> None:
    """A journal of so many steps."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    calls = [json.dumps(step, ensure_ascii=False) for step in golden.pop("steps")]
    head = {"format": "loki-parity-journal/1", "kind": "recall", **golden, "follow": "steps"}
    with file.open("w", encoding="utf-8") as lines:
        lines.write(f"{json.dumps(head, ensure_ascii=False)}\n")
        lines.writelines(f"{call}\n" for call in islice(cycle(calls), steps))
        lines.write(f'{{"end":{{"steps":{steps}}}}}\n')


def run(file: Path, *options: str) -> Cost:
    """Judge a journal; every step must match."""
    command = [sys.executable, "-c", _RUN_AND_TELL, str(file), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this project's own command
    wall, processor, kilobytes = map(float, done.stderr.split())
    return Cost(wall, processor, kilobytes / 1024)


def say(what: str, cost: Cost) -> None:
    """A line of the table."""
    sys.stdout.write(
        f"{what:<32} {cost.wall:8.1f} s  {cost.processor:8.1f} s of processors  {cost.megabytes:6.0f} MB\n"
    )
    sys.stdout.flush()


def main() -> None:
    """Measure, and print what was measured."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
    with tempfile.TemporaryDirectory(prefix="loki-parity-bench-") as folder:
        files = {count: Path(folder) / f"{count}.jsonl" for count in (steps // 10, steps)}
        for count, file in files.items():
            write(file, count)
        tenth = run(files[steps // 10])
        say(f"{steps // 10:,} steps", tenth)
        one = run(files[steps])
        say(f"{steps:,} steps", one)
        two = run(files[steps], "-j", "2")
        say(f"{steps:,} steps, -j 2", two)
    sys.stdout.write(f"ten times the steps: {one.processor / tenth.processor:.2f} times the processor time\n")
    sys.stdout.write(f"-j 2: {one.wall / two.wall:.2f} times as fast by the clock\n")


if __name__ == "__main__":
    main()
