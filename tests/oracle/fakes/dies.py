"""An oracle that ends after as many answers as its argument says, with some last words."""

from __future__ import annotations

import json
import sys

for _ in range(int(sys.argv[1])):
    question = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps({"id": question["id"], "by": "model", "out": 1}) + "\n")
    sys.stdout.flush()
sys.stderr.write("goroutine 1 [running]:\npanic: out of \x1b[31mcheese\n")
sys.stderr.flush()
sys.exit(3)
