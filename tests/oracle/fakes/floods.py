"""An oracle that never stops: ``lines`` nobody asked for, one ``line`` without an end, or ``words`` of complaint."""

from __future__ import annotations

import itertools
import json
import sys
from contextlib import suppress

KIND = sys.argv[1]
with suppress(BrokenPipeError, KeyboardInterrupt):
    if KIND == "words":
        # It complains at every question, and is right all the same.
        for line in sys.stdin:
            sys.stderr.write("tut " * 100_000)
            sys.stderr.flush()
            sys.stdout.write(json.dumps({"id": json.loads(line)["id"], "by": "model", "out": 1}) + "\n")
            sys.stdout.flush()
    else:
        sys.stdin.readline()
        for number in itertools.count():
            sys.stdout.write(
                json.dumps({"id": number, "by": "model", "out": 1}) + "\n" if KIND == "lines" else "x" * 65536
            )
