"""A go command that is none: it says a version, and what it "builds" is a Python script that a test gives it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_GO: Final = """#!{python}
import os, sys
if sys.argv[1] == "version":
    print("go version {version} linux/amd64")
elif sys.argv[1] == "env":
    print("/nonexistent")
else:
    target = sys.argv[sys.argv.index("-o") + 1]
    with open(target, "w") as program:
        program.write({model!r})
    os.chmod(target, 0o700)
"""

_MODEL: Final = """#!{python}
import json, sys
def answer(question):
{body}
for line in sys.stdin:
    question = json.loads(line)
    if question["q"] == "hello":
        out = {{"version": "{version}", "unicode": "15.0.0", "goarch": "amd64", "model": "1", "questions": {{}}}}
    else:
        out = answer(question)
    print(json.dumps({{"id": question["id"], "by": "stdlib", "out": out}}), flush=True)
"""

DYING: Final = "    sys.exit(7)"
"""A model that ends at the first question that is not ``hello``."""


def go(folder: Path, body: str, version: str = "go1.25.5") -> Path:
    """The path of a go command whose model answers by ``body``, the body of ``def answer(question)``."""
    model = _MODEL.format(python=sys.executable, body=body, version=version)
    command = folder / f"pretended-{version}"
    command.write_text(_GO.format(python=sys.executable, version=version, model=model), encoding="utf-8")
    command.chmod(0o700)
    return command
