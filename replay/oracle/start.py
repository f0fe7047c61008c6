"""From a wanted version to a running oracle that is known to be of that version."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING

from parity.gostd import target as targets
from replay.oracle.build import built, source_hashes
from replay.oracle.client import PATIENCE, Oracle
from replay.oracle.toolchain import bare_environment, find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from parity.gostd.target import GoTarget
    from replay.oracle.toolchain import Toolchain


@contextmanager
def oracle(
    version: str, *, go: Path | None = None, cache: Path | None = None, patience: float = PATIENCE
) -> Iterator[Oracle]:
    """A running oracle of a Go version such as ``1.25.5``; ``go`` and ``cache`` as for ``find`` and ``built``.

    Raises an :class:`replay.oracle.errors.OracleError` when there is none, and
    :class:`parity.gostd.target.TargetNotOfferedError` for a version that the port does not know.
    """
    targets.parse(version)
    toolchain = find(version, go)
    program = built(toolchain, cache=cache)
    with Oracle([str(program), "ask"], environment=running_environment(), patience=patience) as started:
        started.check(toolchain.version, target_of(toolchain))
        yield started


def target_of(toolchain: Toolchain) -> GoTarget:
    """What the port must copy to answer as a toolchain does."""
    return targets.parse(toolchain.version)


def running_environment() -> dict[str, str]:
    """The environment in which the program runs: zones from the very files that the port reads them from."""
    return bare_environment(ZONEINFO=str(resources.files("tzdata") / "zoneinfo"))


def program_hashes() -> dict[str, str]:
    """The sha256 of every source of the program, named as a receipt names it."""
    return {f"replay/oracle/model/{name}": digest for name, digest in source_hashes().items()}
