"""One of several processes that write to one memory: ``concurrent_writer.py ROOT NAME COUNT``.

It adds COUNT pages of its own, counts up its own line of the page ``shared.md`` each time, and tries once to take the
token in ``token.md``. Prints ``took`` or the tool's answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

from parity.gostd.target import GO_1_25
from parity.stores.disk import DiskMemory
from parity.stores.state import Settings
from parity.tools.interface import Env
from parity.tools.mem_add import mem_add
from parity.tools.mem_edit import mem_edit


def main() -> None:
    root, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    env = Env(GO_1_25, memory=DiskMemory(root, Settings(), nonces=lambda: b"", patience=60))
    for number in range(count):
        added = mem_add({"file": f"{name}-{number}", "content": f"# {name} {number}"}, env).result
        edit = {"file": "shared", "old": f"<{name} {number}>", "new": f"<{name} {number + 1}>"}
        edited = mem_edit(edit, env).result
        assert (added, edited) == (f"[ok] page '{name}-{number}' créée", "[ok] page 'shared' modifiée"), (added, edited)
    token = mem_edit({"file": "token", "old": "free", "new": f"taken by {name}"}, env).result
    print("took" if token.startswith("[ok]") else token)  # noqa: T201 - its report


if __name__ == "__main__":
    main()
