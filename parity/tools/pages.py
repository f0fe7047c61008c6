"""The pages of a project: their names, their listing, their titles (contract: memory.md, Names and Listing).

Contents are bytes. Titles and results are built as text in which a byte that is not UTF-8 is a lone surrogate, and
turned into clean text once, when a result is whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import convert, strings, utf8
from parity.rules import rule
from parity.tools.interface import PageLocked, PageUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, Env, PageStore

EXTENSION: Final = ".md"
ERROR: Final = "[erreur] {reason}"
NAME_EMPTY: Final = "nom vide"
NAME_INVALID: Final = "nom invalide (alphanum, ._-)"
NOT_FOUND: Final = "page '{file}' introuvable"
LOCKED: Final = "page '{file}' chiffrée — mémoire verrouillée"
LOCKED_TITLE: Final = "🔒 (chiffré — mémoire verrouillée)"

_ALPHABET: Final = re.compile("[A-Za-z0-9._-]+")


class PageError(Exception):
    """A page that a tool cannot name or read; ``reason`` is what stands after ``[erreur] ``."""

    def __init__(self, reason: str) -> None:
        """``reason`` is one clause, in the tools' language."""
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is listed. ``content`` is None when it could not be read."""

    file: str
    content: bytes | None

    @property
    def title(self) -> str:
        """The title shown: that of the content, or the text that stands for a page that could not be read."""
        return listed_title(self.content)


@rule("memory/arguments/text")
def text_argument(args: Args, name: str) -> str:
    """An argument that is text as it is; anything else, or none, is empty."""
    given = args.get(name)
    return given if isinstance(given, str) else ""


@rule("memory/arguments/number")
def number_argument(args: Args, name: str) -> int:
    """A JSON number truncated as Go's ``int(float64)``; anything else, or none, is 0."""
    given = args.get(name)
    return convert.int64(given) if isinstance(given, float) else 0


@rule("memory/names/empty")
def trimmed_name(file: str) -> str:
    """TrimSpace. Raises :class:`PageError` when nothing is left."""
    name = strings.trim_space(file)
    if not name:
        raise PageError(NAME_EMPTY)
    return name


@rule("memory/names/extension")
def is_markdown(name: str, target: GoTarget) -> bool:
    """Whether a name ends in ``.md`` under Go's ToLower, which makes one character of one: the last three tell."""
    return strings.to_lower(name[-len(EXTENSION) :], target) == EXTENSION


@rule("memory/names/alphabet")
def checked_name(name: str) -> str:
    """The name itself if it is wholly of ``A-Z a-z 0-9 . _ -``. Raises :class:`PageError` otherwise."""
    if _ALPHABET.fullmatch(name) is None:
        raise PageError(NAME_INVALID)
    return name


@rule("memory/names/normalised", "memory/names/case")
def page_name(file: str, target: GoTarget) -> str:
    """The file name of a page as a model names it: ``..`` gives ``...md``. Raises :class:`PageError`."""
    name = trimmed_name(file)
    return checked_name(name if is_markdown(name, target) else name + EXTENSION)


@rule("memory/listing/entries")
def page_names(pages: PageStore, target: GoTarget) -> list[str]:
    """The listing: what does not start with ``.`` and ends in ``.md`` in any case, in the store's order, by bytes."""
    return [name for name in pages.names() if not name.startswith(".") and is_markdown(name, target)]


@rule("memory/listing/unreadable")
def listed_content(pages: PageStore, name: str) -> bytes | None:
    """The content, or None for a page that cannot be read: locked, damaged, refused by the system, or gone by now."""
    try:
        return pages.read(name)
    except PageUnreadable:
        return None


@rule("memory/listing/locked-title")
def listed_title(content: bytes | None) -> str:
    """The title of a page as it is listed."""
    return LOCKED_TITLE if content is None else title(content)


def listing(pages: PageStore, target: GoTarget) -> list[Page]:
    """Every page, as the tools and a person see them."""
    return [Page(name, listed_content(pages, name)) for name in page_names(pages, target)]


@rule("memory/listing/title")
def title(content: bytes) -> str:
    """The first line that is not empty after TrimSpace, without its leading ``#`` and TrimSpace; empty if none."""
    for line in _lines(content):
        text = strings.trim_space(strings.trim_space(utf8.text(line)).lstrip("#"))
        if text:
            return text
    return ""


@rule("memory/mem_read/unreadable")
def read_page(file: str, env: Env) -> tuple[str, bytes]:
    """The normalised name and the content of the page that ``file`` names.

    Raises :class:`PageError`: a page of a bad name, an absent and a damaged one are not found, a sealed one is locked.
    """
    try:
        name = page_name(file, env.target)
        return name, env.need_memory().pages.read(name)
    except PageLocked:
        raise PageError(LOCKED.format(file=file)) from None
    except (PageError, PageUnreadable):
        raise PageError(NOT_FOUND.format(file=file)) from None


def error_text(reason: str) -> str:
    """The result of a tool that failed."""
    return ERROR.format(reason=reason)


@rule("memory/result/clean")
def result_text(result: str) -> str:
    """A whole result as JSON carries it: U+FFFD for each byte that is not UTF-8, told over all its bytes at once."""
    return utf8.decode(utf8.encode(result))


def _lines(content: bytes) -> Iterator[bytes]:
    """The lines, cut at newlines only; one by one, since a title mostly stands on the first."""
    start = 0
    while (end := content.find(b"\n", start)) >= 0:
        yield content[start:end]
        start = end + 1
    yield content[start:]
