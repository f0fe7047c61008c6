"""An oracle that says hello as its argument tells it: JSON that replaces members of an honest one."""

from __future__ import annotations

import json
import sys

HELLO = {"version": "go1.25.5", "unicode": "15.0.0", "goarch": "amd64", "model": "1", "questions": {}}

for line in sys.stdin:
    number = json.loads(line)["id"]
    out = json.loads(sys.argv[1])
    said = HELLO | out if isinstance(out, dict) else out
    sys.stdout.write(json.dumps({"id": number, "by": "stdlib", "out": said}) + "\n")
    sys.stdout.flush()
