"""``python -m replay`` is the command ``loki-parity``."""

import sys

from replay.cli import main

if __name__ == "__main__":
    sys.exit(main())
