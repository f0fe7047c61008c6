"""An oracle that is ended by a signal in the middle of an answer."""

from __future__ import annotations

import os
import signal
import sys

sys.stdin.readline()
sys.stdout.write('{"id":0,"by":"mo')
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
