"""Real Go beside the port: the model, compiled by a Go that is installed here, asked and timed."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, Final

from replay.oracle.build import built
from replay.oracle.client import Oracle
from replay.oracle.start import running_environment
from replay.oracle.toolchain import find

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = "1.25.5"
_SEARCHES: Final = "queries.json"


class GoModel:
    """The model as a program; ``folder`` is where files for it are put."""

    def __init__(self, folder: Path, go: Path | None = None, cache: Path | None = None) -> None:
        """Raises :class:`replay.oracle.errors.OracleError` when there is no such Go or it cannot build the model."""
        self._program = built(find(VERSION, go), cache=cache)
        self._folder = folder

    def oracle(self) -> Oracle:
        """The model as one that answers questions; to be closed."""
        return Oracle([str(self._program), "ask"], environment=running_environment())

    def search_seconds(self, bench: str, queries: list[str], **options: Path) -> float:
        """Seconds that one search takes natural Go code, over all ``queries``, once it is warm."""
        listed = self._folder / _SEARCHES
        listed.write_text(json.dumps(queries), encoding="utf-8")
        named = [part for name, value in options.items() for part in (f"-{name}", str(value))]
        done = subprocess.run(  # noqa: S603 - the program that was built here
            [self._program, "bench", bench, "-queries", listed, "-runs", "1", *named],
            env=running_environment(),
            capture_output=True,
            check=True,
        )
        said: dict[str, Any] = json.loads(done.stdout)
        return float(said["median_ns"]) / 1e9
