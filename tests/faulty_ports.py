"""Copies of the port with a fault in them, and the command as it is run on one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import small_journals
from real_command import PROJECT, environment, finish, start

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from real_command import Ran

_HEADS: Final = {
    "recall": "def recall(args: Args, env: Env) -> ToolAnswer:\n",
    "mem_add": "def mem_add(args: Args, env: Env) -> ToolAnswer:\n",
}


@dataclass(frozen=True, slots=True)
class FaultyPort:
    """A copy of the port in a folder, beside a folder to run in and one for what is temporary."""

    folder: Path

    @property
    def work(self) -> Path:
        """Where the command runs: ``journal.json`` lies there."""
        return self.folder / "work"

    @property
    def temporary(self) -> Path:
        """Where it makes what is temporary."""
        return self.folder / "temporary"

    def left(self) -> list[str]:
        """What lies in either folder, besides the journal."""
        found = (file.name for folder in (self.work, self.temporary) for file in folder.iterdir())
        return sorted(name for name in found if name != "journal.json")

    def started(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - those of real_command.start
        """The command, at work on the journal, without HTTP unless it is asked for."""
        transport = () if "--candidate" in arguments or "--transport" in arguments else ("--transport", "memory")
        env = environment(self.folder) | {"TMPDIR": str(self.temporary)}
        return start("run", "journal.json", *transport, *arguments, cwd=self.work, env=env, **more)

    def run(self, *arguments: str, **more: Any) -> Ran:  # noqa: ANN401 - as above
        """The command, to its end."""
        return finish(self.started(*arguments, **more))


def faulty(folder: Path, code: str, *, tool: str = "recall", journal: dict[str, Any] | None = None) -> FaultyPort:
    """A port whose ``tool`` begins with lines of code; the journal is one that the port answers rightly."""
    port = FaultyPort(folder)
    head = _HEADS[tool]
    lines = "".join(f"    {line}\n" for line in code.split("\n"))
    _copied(port, f"tools/{tool}.py", head, head + lines)
    small_journals.write(port.work, journal or small_journals.recall(small_journals.right()))
    return port


def changed(folder: Path, file: str, old: str, new: str, journal: dict[str, Any]) -> FaultyPort:
    """A port with another text in one of its files."""
    port = FaultyPort(folder)
    _copied(port, file, old, new)
    small_journals.write(port.work, journal)
    return port


def _copied(port: FaultyPort, file: str, old: str, new: str) -> None:
    port.work.mkdir()
    port.temporary.mkdir()
    shutil.copytree(PROJECT / "parity", port.folder / "parity")
    module = port.folder / "parity" / file
    text = module.read_text(encoding="utf-8")
    assert text.count(old) == 1
    module.write_text(text.replace(old, new), encoding="utf-8")
