"""``python -m replay.oracle``: build the model with a Go version, once, and run it."""

from __future__ import annotations

import sys

from replay.oracle.command import main

sys.exit(main())
