"""A page as mem_search sees it: what is worked out from its name and its content, each when it is first asked for.

Why it is exact not to lower-case whole pages. Only where the terms occur is asked for. A term is in lower case itself,
so of a page only those characters matter that lower-case to a character of a term: all the others may stay as they
are. And each is found by its spelling in UTF-8, also between bytes that are not UTF-8: its first byte is no
continuation byte, so Go's decoder starts afresh on it. Only U+FFFD, for which such bytes stand, needs the whole.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from parity.gostd import strings, unicode, utf8
from parity.rules import rule
from parity.tools.page_snippet import BYTES_BEFORE, first_index, flattened, head, window
from parity.tools.pages import listed_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parity.gostd.target import GoTarget

Key: TypeAlias = "tuple[str, bytes | None]"
"""A page's name and content; None for one that could not be read, which is searched as an empty one."""

Letters: TypeAlias = "tuple[tuple[bytes, bytes], ...]"
"""Spellings in UTF-8: of letters and of their lower case."""

_BEYOND_ASCII: Final = 0x80
_ASCII_LOWER: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")


def letters_of(terms: Iterable[str], target: GoTarget) -> Letters | None:
    """The letters beyond ASCII whose lower case is in a term; None when the terms ask for bytes that are not UTF-8."""
    characters = frozenset("".join(terms))
    if utf8.REPLACEMENT in characters:
        return None
    spellings = _spellings(target)
    return tuple(pair for character in sorted(characters) for pair in spellings.get(character, ()))


class SearchedPage:
    """One page under one target."""

    def __init__(self, key: Key, target: GoTarget) -> None:
        """``key`` is the name and the content."""
        self.key = key
        self.file, self._given = key
        self.lowered_name = strings.to_lower(self.file, target)
        self._target = target
        self._ascii_hay = self.lowered_name.encode() + b"\n" + self._content.translate(_ASCII_LOWER)
        self._is_ascii = self._ascii_hay.isascii()

    @rule("memory/mem_search/hay")
    def hay(self, letters: Letters | None) -> bytes:
        """``ToLower(name + newline + content)`` as far as terms of these ``letters`` can tell; None: as Go gives it."""
        if letters is None:
            return self.lowered_name.encode() + b"\n" + _lowered(self._content, self._target)
        hay = self._ascii_hay
        if not self._is_ascii:
            for spelling, lower in letters:
                hay = hay.replace(spelling, lower)
        return hay

    @cached_property
    def title(self) -> str:
        """The title as listed."""
        return listed_title(self._given)

    @cached_property
    def lowered_title(self) -> str:
        """The title in lower case."""
        return strings.to_lower(self.title, self._target)

    @rule("memory/mem_search/snippet")
    def snippet(self, terms: Iterable[str]) -> bytes:
        """What is shown of the page. Raises :class:`parity.tools.interface.GoPanic`."""
        index = first_index(self._lowered_flat, terms)
        return head(self._flat) if index is None else window(self._flat, index)

    @cached_property
    def can_panic(self) -> bool:
        """Whether the lower case may be so much longer that a term can lie over 60 bytes past the end of the flat text.

        Flattening takes the same bytes from both. Bytes that are not UTF-8 grow to three each.
        """
        grown = sum(self._content.count(spelling) * growth for spelling, growth in _growing(self._target))
        return grown > BYTES_BEFORE or not utf8.valid(self._content)

    @property
    def size(self) -> int:
        """The bytes of the content."""
        return len(self._content)

    @property
    def _content(self) -> bytes:
        return self._given or b""

    @cached_property
    def _flat(self) -> bytes:
        return flattened(self._content)

    @cached_property
    def _lowered_flat(self) -> bytes:
        return _lowered(self._flat, self._target)


@lru_cache
def _spellings(target: GoTarget) -> dict[str, Letters]:
    """Each lower case with the letters beyond ASCII that have it."""
    found: dict[str, Letters] = {}
    for upper, lower in unicode.lower_pairs(target):
        if upper >= _BEYOND_ASCII:
            found[chr(lower)] = (*found.get(chr(lower), ()), (chr(upper).encode(), chr(lower).encode()))
    return found


def _lowered(text: bytes, target: GoTarget) -> bytes:
    return strings.to_lower(utf8.text(text), target).encode()


@lru_cache
def _growing(target: GoTarget) -> tuple[tuple[bytes, int], ...]:
    """The letters whose lower case has more bytes: their spelling, and how many more."""
    letters = ((chr(upper).encode(), chr(lower).encode()) for upper, lower in unicode.lower_pairs(target))
    return tuple((upper, len(lower) - len(upper)) for upper, lower in letters if len(lower) > len(upper))
