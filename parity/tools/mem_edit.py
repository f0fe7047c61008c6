"""``mem_edit(file, old, new)``: one place of a page replaced (contract: memory.md, mem_edit).

The index is never touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.rules import rule
from parity.tools.interface import ToolAnswer, WriteRefused
from parity.tools.labels import label
from parity.tools.line_diff import line_diff
from parity.tools.pages import PageError, error_text, read_page, text_argument

if TYPE_CHECKING:
    from parity.tools.interface import Args, Env

OLD_EMPTY: Final = "old vide"
OLD_ABSENT: Final = "old introuvable dans la page"
OLD_REPEATED: Final = "old apparaît {count} fois — ajoute du contexte pour le rendre unique"
UP_TO_DATE: Final = "[ok] page '{file}' déjà à jour — la page contient déjà cette modification"
EDITED: Final = "[ok] page '{file}' modifiée"


@rule("memory/mem_edit/old-empty")
def check_old(old: bytes) -> None:
    """Raises :class:`parity.tools.pages.PageError` for an empty ``old``; asked only once the page was read."""
    if not old:
        raise PageError(OLD_EMPTY)


@rule("memory/mem_edit/up-to-date")
def is_up_to_date(content: bytes, old: bytes, new: bytes) -> bool:
    """Whether ``old`` is not in the page but ``new``, which is not empty, is: nothing is written then."""
    return old not in content and bool(new) and new in content


@rule("memory/mem_edit/occurrences")
def replaced(content: bytes, old: bytes, new: bytes) -> bytes:
    """The page with its one ``old`` replaced. Raises :class:`parity.tools.pages.PageError` for none or several.

    Occurrences that overlap count once, as in Go's ``strings.Count``.
    """
    count = content.count(old)
    if not count:
        raise PageError(OLD_ABSENT)
    if count > 1:
        raise PageError(OLD_REPEATED.format(count=count))
    return content.replace(old, new)


@rule("memory/mem_edit/result")
def mem_edit(args: Args, env: Env) -> ToolAnswer:
    """The tool: the diff is that of ``old`` against ``new``, not of the page."""
    announced = label("mem_edit", args, env.target)
    file, old, new = (text_argument(args, name) for name in ("file", "old", "new"))
    try:
        written = _edit(file, old.encode(), new.encode(), env)
    except PageError as error:
        return ToolAnswer(error_text(error.reason), announced)
    except WriteRefused as refused:
        return ToolAnswer(error_text(refused.text), announced, system_error=refused.system)
    if not written:
        return ToolAnswer(UP_TO_DATE.format(file=file), announced)
    return ToolAnswer(EDITED.format(file=file), announced, line_diff(old, new))


@rule("memory/mem_edit/index-untouched")
def _edit(file: str, old: bytes, new: bytes, env: Env) -> bool:
    """Whether the page was written. Raises PageError and WriteRefused."""
    memory = env.need_memory()
    with memory.exclusive():
        name, content = read_page(file, env)
        check_old(old)
        if is_up_to_date(content, old, new):
            return False
        memory.pages.write(name, replaced(content, old, new))
    return True
