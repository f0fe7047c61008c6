"""``mem_add(file, content)``: a new page, entered in the index (contract: memory.md, mem_add)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from parity.rules import rule
from parity.tools import memory_index
from parity.tools.interface import ToolAnswer, WriteRefused
from parity.tools.labels import label
from parity.tools.line_diff import line_diff
from parity.tools.pages import PageError, error_text, page_name, text_argument

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, DiffLine, Env, Memory

EXISTS: Final = "la page existe déjà — utilise mem_edit pour la modifier"
CREATED: Final = "[ok] page '{file}' créée"


@rule("memory/mem_add/exists")
def check_absent(memory: Memory, name: str) -> None:
    """Raises :class:`parity.tools.pages.PageError` when a file of that name is there, readable or not."""
    if memory.pages.exists(name):
        raise PageError(EXISTS)


@rule("memory/mem_add/body")
def body(content: str) -> bytes:
    """What the page holds: the content without its trailing newlines, and one newline."""
    return (content.rstrip("\n") + "\n").encode()


@rule("memory/mem_add/index-refused")
def enter_if_possible(memory: Memory, name: str, content: bytes, target: GoTarget) -> None:
    """Enter the page in the index; that the index could not be written does not undo the page."""
    with suppress(WriteRefused):
        memory_index.enter(memory, name, content, target)


@rule("memory/mem_add/created")
def created_text(file: str) -> str:
    """The result, with the file as received."""
    return CREATED.format(file=file)


@rule("memory/mem_add/diff")
def created_diff(content: str) -> tuple[DiffLine, ...]:
    """The content as received, all added."""
    return line_diff("", content)


def mem_add(args: Args, env: Env) -> ToolAnswer:
    """The tool."""
    announced = label("mem_add", args, env.target)
    file, content = text_argument(args, "file"), text_argument(args, "content")
    try:
        _add(file, body(content), env)
    except PageError as error:
        return ToolAnswer(error_text(error.reason), announced)
    except WriteRefused as refused:
        return ToolAnswer(error_text(refused.text), announced, system_error=refused.system)
    return ToolAnswer(created_text(file), announced, created_diff(content))


@rule("memory/mem_add/written-then-indexed")
def _add(file: str, content: bytes, env: Env) -> None:
    name = page_name(file, env.target)
    memory = env.need_memory()
    with memory.exclusive():
        check_absent(memory, name)
        memory.pages.write(name, content)
        enter_if_possible(memory, name, content, env.target)
