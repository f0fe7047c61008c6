"""The verb ``record`` as it is typed, in this process; and scenarios for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import small_journals
from real_command import LOGS

from replay.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

RECALL: Final = LOGS / "recall.json"
PAGES: Final = LOGS / "outils.json"
SEALED: Final = LOGS / "scelles.json"


@dataclass(frozen=True, slots=True)
class Said:
    """The exit status and both outputs."""

    status: int
    out: str
    err: str


class Recorder:
    """Types ``record`` and ``run``, in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.out = folder / "out.json"
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Said:
        """Type ``record`` with these arguments."""
        return self.typed("record", *arguments)

    def typed(self, *arguments: object) -> Said:
        """Type anything."""
        try:
            status = main([str(one) for one in arguments])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else -1
        said = self._capsys.readouterr()
        return Said(status, said.out, said.err)

    def journal(self, *arguments: object) -> dict[str, Any]:
        """Record into ``out``, which must go well; the journal."""
        said = self(*arguments, "--out", self.out)
        assert (said.status, said.err) == (0, "")
        found: dict[str, Any] = json.loads(self.out.read_bytes())
        return found

    def gate(self, file: Path | None = None, *arguments: str) -> Said:
        """Judge the port on what was recorded."""
        return self.typed("run", file or self.out, "--transport", "memory", *arguments)

    def left(self) -> list[str]:
        """What lies in the folder."""
        return sorted(one.name for one in self.folder.iterdir())


def small(folder: Path, *steps: dict[str, Any], name: str = "small.json") -> Path:
    """A journal of a few recall steps; by default three that the port answers as recorded."""
    chosen = steps or (small_journals.right(), small_journals.unread(), small_journals.searched())
    return small_journals.write(folder, small_journals.recall(*chosen), name)
