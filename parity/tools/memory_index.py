"""The index MEMORY.md, kept by code when a page is added (contract: memory.md, The index)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import strings, utf8
from parity.rules import rule
from parity.tools.pages import listed_content, title

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Memory

INDEX: Final = "MEMORY.md"
SEED: Final = (
    "# Index mémoire — {project}\n"
    "\n"
    "Une ligne par page de ce projet (`- [titre](fichier.md) — accroche`). Tenu à jour automatiquement à la création et"
    " à la suppression d'une page ; l'accroche après le titre, elle, est libre.\n"
)
LINK: Final = "]({file})"
ENTRY: Final = "- [{title}]({file})\n"


@rule("memory/index/itself")
def is_index(name: str, target: GoTarget) -> bool:
    """Whether a page's name is the index's under Go's EqualFold; such a page is not entered."""
    return strings.equal_fold(name, INDEX, target)


@rule("memory/index/blank")
def is_blank(index: bytes | None) -> bool:
    """Whether there is no index to add to: blank after TrimSpace, or unreadable."""
    return index is None or not strings.trim_space(utf8.text(index))


@rule("memory/index/seed")
def seed(project_name: str) -> bytes:
    """What a new index holds."""
    return SEED.format(project=project_name).encode()


@rule("memory/index/present")
def has_entry(index: bytes, name: str) -> bool:
    """Whether a line of the index already links to the page, whatever stands around."""
    return LINK.format(file=name).encode() in index


@rule("memory/index/entry")
def with_entry(index: bytes, name: str, content: bytes) -> bytes:
    """The index without its trailing newlines, a newline, and the page's line: its title, or failing that its name."""
    entry = ENTRY.format(title=title(content) or name, file=name)
    return index.rstrip(b"\n") + b"\n" + utf8.encode(entry)


@rule("memory/index/kept")
def enter(memory: Memory, name: str, content: bytes, target: GoTarget) -> None:
    """Enter a page that was just added. Raises :class:`parity.tools.interface.WriteRefused`.

    The index is written as any page: a fresh one is seeded first, so its ``.bak`` is then the seed.
    """
    if is_index(name, target):
        return
    index = listed_content(memory.pages, INDEX)
    if index is None or is_blank(index):
        index = seed(memory.project_name)
        memory.pages.write(INDEX, index)
    if not has_entry(index, name):
        memory.pages.write(INDEX, with_entry(index, name, content))
