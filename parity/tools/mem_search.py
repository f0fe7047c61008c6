"""``mem_search(query, limit)``: finds pages by words (contract: memory.md, mem_search).

Pages are read again at every search. What is worked out from a content is kept by that content's own bytes and serves
as long as a page of these bytes is listed.

Why it is exact not to lower-case whole pages. Only where the terms occur is asked for. A term is in lower case itself,
so of a content only those characters matter that lower-case to a character of a term: all the others may stay as they
are. And each is found by its spelling in UTF-8, also between bytes that are not UTF-8: its first byte is no
continuation byte, so Go's decoder starts afresh on it. Only U+FFFD, for which such bytes stand, needs the whole.

Why counting in the name and in the content apart is exact: a term holds no space, so it never lies across the newline
that joins them, and lower-casing goes character by character.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from parity.gostd import math, strings, unicode, utf8
from parity.rules import rule
from parity.tools.interface import GoPanic, ToolAnswer
from parity.tools.labels import label
from parity.tools.pages import (
    listed_content,
    listed_title,
    lowered_name,
    number_argument,
    page_names,
    result_text,
    text_argument,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, Env, Memory

NONE_FOUND: Final = "[aucun résultat]"
HIT: Final = "- {file} — {title}\n  {snippet}\n"
ELLIPSIS: Final = "…"
SLICE_PANIC: Final = "runtime error: slice bounds out of range [{start}:{end}]"

DEFAULT_LIMIT: Final = 8
MOST: Final = 30
NAME_WEIGHT: Final = 4.0
TITLE_WEIGHT: Final = 2.0
HEAD_BYTES: Final = 160
BYTES_BEFORE: Final = 60
BYTES_AFTER: Final = 100

_BEYOND_ASCII: Final = 0x80
_ASCII_LOWER: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")

_MOST_KEPT: Final = 64 << 20
"""Bytes of contents whose workings one search leaves for the next: a bound on memory, not a rule of Go."""


@rule("memory/mem_search/limit")
def limit_argument(args: Args) -> int:
    """How many hits; 0 and below and over 30 are 8."""
    limit = number_argument(args, "limit")
    return limit if 0 < limit <= MOST else DEFAULT_LIMIT


@rule("memory/mem_search/terms")
def terms_of(query: str, target: GoTarget) -> list[str]:
    """The distinct Fields of ToLower(query), as first met."""
    return list(dict.fromkeys(strings.fields(strings.to_lower(query, target))))


@rule("memory/mem_search/idf")
def inverse_frequency(pages: int, holding: int) -> float:
    """How rare a term is: ``ln((n+1)/(df+1)) + 1``."""
    return math.log((pages + 1) / (holding + 1)) + 1


@rule("memory/mem_search/tf")
@lru_cache(maxsize=1024)
def frequency(count: int) -> float:
    """How often a term occurs: ``1 + ln(cnt)``."""
    return 1 + math.log(float(count))


@rule("memory/mem_search/field")
def field_weight(term: str, name: str, title: str) -> float:
    """1, and 4 more if the name holds the term, and 2 more if the title does; both in lower case."""
    weight = 1.0
    if term in name:
        weight += NAME_WEIGHT
    if term in title:
        weight += TITLE_WEIGHT
    return weight


@rule("memory/mem_search/flat")
def flattened(content: bytes) -> bytes:
    """The content's Fields joined by one space."""
    return utf8.encode(" ".join(strings.fields(utf8.text(content))))


@rule("memory/mem_search/first")
def first_index(lowered: bytes, terms: Iterable[str]) -> int | None:
    """The smallest byte index at which any term occurs, or None."""
    found = (lowered.find(term.encode()) for term in terms)
    return min((index for index in found if index >= 0), default=None)


@rule("memory/mem_search/head")
def head(flat: bytes) -> bytes:
    """What is shown of a page in whose text no term occurs: all of it, or its first 160 bytes and an ellipsis."""
    return flat if len(flat) <= HEAD_BYTES else flat[:HEAD_BYTES] + ELLIPSIS.encode()


@rule("memory/mem_search/window", "memory/mem_search/panic")
def window(flat: bytes, index: int) -> bytes:
    """60 bytes before ``index`` and 100 from it on, ellipses where something is cut.

    ``index`` counts bytes of the lower case, which can be longer: where it lies over 60 bytes past the end of ``flat``
    Go slices backwards and crashes. That is the one way its slice can fail, as its end never passes the text's.
    Raises :class:`parity.tools.interface.GoPanic`.
    """
    start = max(index - BYTES_BEFORE, 0)
    end = min(index + BYTES_AFTER, len(flat))
    if start > end:
        raise GoPanic(SLICE_PANIC.format(start=start, end=end))
    before = ELLIPSIS.encode() if start > 0 else b""
    after = ELLIPSIS.encode() if end < len(flat) else b""
    return before + flat[start:end] + after


Letters: TypeAlias = "tuple[tuple[bytes, bytes], ...]"
"""Spellings in UTF-8: of letters and of their lower case."""


class Workings:
    """What is worked out from one content under one target, each when it is first asked for."""

    def __init__(self, content: bytes | None, target: GoTarget) -> None:
        """``content`` is None for a page that could not be read: it is searched as an empty one."""
        self._given = content
        self._content = content or b""
        self._target = target
        self._is_ascii = self._content.isascii()
        self._ascii_lowered = self._content.translate(_ASCII_LOWER)
        self.size = len(self._content)

    def lowered(self, letters: Letters | None) -> bytes:
        """The content with ASCII and ``letters`` in lower case; None: as Go's ToLower gives it."""
        if letters is None:
            return _lowered(self._content, self._target)
        if self._is_ascii:
            return self._ascii_lowered
        text = self._ascii_lowered
        for spelling, lower in letters:
            text = text.replace(spelling, lower)
        return text

    @cached_property
    def title(self) -> str:
        """The title as listed."""
        return listed_title(self._given)

    @cached_property
    def lowered_title(self) -> str:
        """The title in lower case."""
        return strings.to_lower(self.title, self._target)

    @cached_property
    def can_panic(self) -> bool:
        """Whether the lower case may be so much longer that a term can lie over 60 bytes past the end of the flat text.

        Flattening takes the same bytes from both. Bytes that are not UTF-8 grow to three each.
        """
        grown = sum(self._content.count(spelling) * growth for spelling, growth in _growing(self._target))
        return grown > BYTES_BEFORE or not utf8.valid(self._content)

    @rule("memory/mem_search/snippet")
    def snippet(self, terms: Iterable[str]) -> bytes:
        """What is shown of the page. Raises :class:`parity.tools.interface.GoPanic`."""
        index = first_index(self._lowered_flat, terms)
        return head(self._flat) if index is None else window(self._flat, index)

    @cached_property
    def _flat(self) -> bytes:
        return flattened(self._content)

    @cached_property
    def _lowered_flat(self) -> bytes:
        return _lowered(self._flat, self._target)


@dataclass(slots=True)
class Hit:
    """A page under judgement: how many terms it matched and its score; ``name`` is in lower case."""

    file: str
    name: str
    workings: Workings
    counts: list[int]
    matched: int = 0
    score: float = 0.0

    @rule("memory/mem_search/score")
    def judge(self, terms: Sequence[str], rarities: Sequence[float]) -> None:
        """Add each term that occurs, in order, in float64: ``score += idf * tf * field``."""
        for term, rarity, count in zip(terms, rarities, self.counts, strict=True):
            if count:
                self.matched += 1
                weight = field_weight(term, self.name, self.workings.lowered_title)
                self.score += rarity * frequency(count) * weight


@rule("memory/mem_search/hay")
def occurrences(term: bytes, name: bytes, content: bytes) -> int:
    """How often a term occurs in ``ToLower(name + newline + content)``, occurrences not overlapping."""
    return name.count(term) + content.count(term)


def letters_of(terms: Iterable[str], target: GoTarget) -> Letters | None:
    """The letters beyond ASCII whose lower case is in a term; None when the terms ask for bytes that are not UTF-8."""
    characters = frozenset("".join(terms))
    if utf8.REPLACEMENT in characters:
        return None
    return tuple(
        (chr(upper).encode(), chr(lower).encode())
        for upper, lower in unicode.lower_pairs(target)
        if upper >= _BEYOND_ASCII and chr(lower) in characters
    )


@rule("memory/mem_search/matching")
def matching(hits: Iterable[Hit], terms: Sequence[str]) -> list[Hit]:
    """All pages when there is no term, else those that matched one."""
    return [hit for hit in hits if hit.matched or not terms]


@rule("memory/mem_search/order")
def ranked(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """More matched terms first, then the higher score, then the order of the listing; cut at ``limit``."""
    return sorted(hits, key=lambda hit: (-hit.matched, -hit.score))[:limit]


@rule("memory/mem_search/panics-beyond-limit")
def check_snippets(hits: Iterable[Hit], terms: Sequence[str]) -> None:
    """Go makes the snippet of every page that matched, in listing order, before it ranks: the first crash counts.

    Raises :class:`parity.tools.interface.GoPanic`.
    """
    for hit in hits:
        if hit.workings.can_panic:
            hit.workings.snippet(terms)


@rule("memory/mem_search/result")
def hits_text(hits: Sequence[Hit], terms: Sequence[str]) -> str:
    """Two lines a hit, the trailing newlines of the whole removed; another text when there is none."""
    if not hits:
        return NONE_FOUND
    entries = (
        HIT.format(file=hit.file, title=hit.workings.title, snippet=utf8.text(hit.workings.snippet(terms)))
        for hit in hits
    )
    return result_text("".join(entries).rstrip("\n"))


def judged(memory: Memory, terms: Sequence[str], target: GoTarget) -> list[Hit]:
    """Every listed page, judged, in listing order."""
    letters = letters_of(terms, target)
    needles = [term.encode() for term in terms]
    hits = []
    for file, workings in _listed(memory, target):
        name = lowered_name(file, target)
        spelled, content = name.encode(), workings.lowered(letters)
        hits.append(Hit(file, name, workings, [occurrences(needle, spelled, content) for needle in needles]))
    holding = (sum(map(bool, column)) for column in zip(*(hit.counts for hit in hits), strict=True))
    rarities = [inverse_frequency(len(hits), number) for number in holding]
    for hit in hits:
        hit.judge(terms, rarities)
    return hits


def mem_search(args: Args, env: Env) -> ToolAnswer:
    """The tool. Raises :class:`parity.tools.interface.GoPanic` where Go crashes."""
    terms = terms_of(text_argument(args, "query"), env.target)
    hits = matching(judged(env.need_memory(), terms, env.target), terms)
    check_snippets(hits, terms)
    result = hits_text(ranked(hits, limit_argument(args)), terms)
    return ToolAnswer(result, label("mem_search", args, env.target))


def _listed(memory: Memory, target: GoTarget) -> list[tuple[str, Workings]]:
    """Each page's name and workings; those of this listing are kept for the next."""
    key = ("mem_search", target.unicode)
    known = memory.memo.get(key)
    kept: dict[bytes | None, Workings] = known if isinstance(known, dict) else {}
    fresh: dict[bytes | None, Workings] = {}
    room = _MOST_KEPT
    listed = []
    for file in page_names(memory.pages, target):
        content = listed_content(memory.pages, file)
        workings = fresh.get(content) or kept.get(content) or Workings(content, target)
        if room > 0:
            fresh[content] = workings
            room -= workings.size
        listed.append((file, workings))
    memory.memo[key] = fresh
    return listed


def _lowered(text: bytes, target: GoTarget) -> bytes:
    return strings.to_lower(utf8.text(text), target).encode()


@lru_cache
def _growing(target: GoTarget) -> tuple[tuple[bytes, int], ...]:
    """The letters whose lower case has more bytes: their spelling, and how many more."""
    letters = ((chr(upper).encode(), chr(lower).encode()) for upper, lower in unicode.lower_pairs(target))
    return tuple((upper, len(lower) - len(upper)) for upper, lower in letters if len(lower) > len(upper))
