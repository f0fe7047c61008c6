"""``python -m replay.oracle VERSION ARGUMENT…``: build the model with a Go version, once, and run it.

Its answer is what the model writes (model/PROTOCOL.md); without an argument it is where the built program is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from parity.gostd.target import TargetNotOfferedError
from replay.oracle.build import built
from replay.oracle.errors import OracleError
from replay.oracle.start import running_environment
from replay.oracle.toolchain import find

if TYPE_CHECKING:
    from collections.abc import Sequence

CANNOT: int = 3
"""The exit status when there is no Go, or it cannot build the model."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is the model's own."""
    parser = argparse.ArgumentParser(prog="python -m replay.oracle", description="Build the model once, and run it.")
    parser.add_argument("--go", type=Path, metavar="FILE", help="the go command that builds it (default: found)")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where it is kept (default: your cache folder)")
    parser.add_argument("version", help="a Go version such as 1.25.5")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the model is asked to do")
    options = parser.parse_args(arguments)
    try:
        program = built(find(options.version, options.go), cache=options.cache)
    except (OracleError, TargetNotOfferedError) as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT
    if not options.arguments:
        sys.stdout.write(f"{program}\n")
        return 0
    command = [str(program), *options.arguments]
    return subprocess.run(command, env=running_environment(), check=False).returncode  # noqa: S603 - the model
