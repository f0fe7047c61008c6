"""``python -m replay`` is the command ``loki-parity``."""

import sys

from replay.supervisor import command

if __name__ == "__main__":
    sys.exit(command())
