"""An oracle that does what it should: it says hello, and gives back the ``s`` of every question."""

from __future__ import annotations

import json
import sys

HELLO = {
    "version": "go1.25.5",
    "unicode": "15.0.0",
    "goarch": "amd64",
    "model": "1",
    "questions": {"stdlib": ["to_lower"], "model": ["exec"]},
}

for line in sys.stdin:
    question = json.loads(line)
    if question["q"] == "refused":
        answer = {"id": question["id"], "error": "no question is called \x1b[31mrefused"}
    elif question["q"] == "panic":
        answer = {"id": question["id"], "by": "model", "panic": "runtime error"}
    else:
        answer = {"id": question["id"], "by": "stdlib", "out": HELLO if question["q"] == "hello" else question.get("s")}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
