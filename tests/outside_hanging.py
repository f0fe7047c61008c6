"""A program that says hello at once and then answers no call: ``--candidate cmd:`` with a deadline that is short."""

import json
import sys
import time

for line in sys.stdin:
    number = json.loads(line)["id"]
    if number:
        time.sleep(60)
    sys.stdout.write(json.dumps({"id": number, "result": {"can": ["exec"]}}) + "\n")
    sys.stdout.flush()
