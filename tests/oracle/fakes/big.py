"""An oracle with big answers: a million characters to each question, none of them read ahead."""

from __future__ import annotations

import json
import sys

for line in sys.stdin:
    sys.stdout.write(json.dumps({"id": json.loads(line)["id"], "by": "model", "out": "é" * 1_000_000}) + "\n")
    sys.stdout.flush()
