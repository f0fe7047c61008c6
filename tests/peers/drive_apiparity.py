"""apiparity-check, as its manual shows: ``apiparity compare`` of a corpus over HTTP, an old server and a new one.

The old server gives what was recorded, the new one what the candidate answers, each in the order of the corpus, state
after a call included in its answer. Its best mode: bodies as JSON, headers not compared, since no class is about them.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from apiparity.cli import main
from peer_server import serving

STATUS = {0: "quiet", 1: "noticed", 2: "noticed"}


def outcome(scene: dict[str, Any]) -> str:
    """``noticed``, ``quiet``, or why it is not applicable."""
    if any("reads" in step for step in scene["golden"]):
        return "n/a: it sees answers, not what the candidate asks of others"
    with tempfile.TemporaryDirectory() as name, serving(scene, "golden") as old, serving(scene, "actual") as new:
        folder = Path(name)
        cases = [
            {
                "id": f"step-{at}",
                "method": "POST",
                "path": f"/{at}",
                "json": step["call"],
                "timeout_seconds": 2,
                "compare_headers": False,
            }
            for at, step in enumerate(scene["golden"])
        ]
        corpus = folder / "corpus.json"
        corpus.write_text(json.dumps({"version": 1, "cases": cases}).replace("${", "$ {"))
        arguments = ["compare", "--corpus", str(corpus), "--old-url", old, "--new-url", new]
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            status = main([*arguments, "--allow-mutating-requests", "--output", str(folder / "out"), "--quiet"])
        if status == 2:
            return f"broken: {said.getvalue()[:300]}"
        return STATUS[status]


if __name__ == "__main__":
    scenes = json.loads(Path(sys.argv[1]).read_text())
    found = {f"{one['table']}/{one['name']}": "n/a" if one["nothing"] else outcome(one) for one in scenes}
    Path(sys.argv[2]).write_text(json.dumps(found))
