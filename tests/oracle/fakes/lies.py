"""An oracle that answers every question with its argument, ``ID`` in it being the question's id."""

from __future__ import annotations

import json
import sys

for line in sys.stdin:
    number = json.loads(line)["id"]
    sys.stdout.write(sys.argv[1].replace("ID", str(number)) + "\n")
    sys.stdout.flush()
