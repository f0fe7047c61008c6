"""An oracle that answers as often as its argument says, reads nothing more, and does not end."""

from __future__ import annotations

import json
import sys
import time

for _ in range(int(sys.argv[1])):
    question = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps({"id": question["id"], "by": "model", "out": 1}) + "\n")
    sys.stdout.flush()
time.sleep(600)
