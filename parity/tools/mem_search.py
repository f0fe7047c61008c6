"""``mem_search(query, limit)``: finds pages by words (contract: memory.md, mem_search).

Pages are read again at every search. What is worked out from a name and a content is kept by these very bytes, and
serves as long as such a page is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from parity.gostd import math, strings, utf8
from parity.rules import rule
from parity.tools.interface import ToolAnswer
from parity.tools.labels import label
from parity.tools.pages import listed_content, number_argument, page_names, result_text, text_argument
from parity.tools.searched_page import Key, SearchedPage, letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, Env, Memory

NONE_FOUND: Final = "[aucun résultat]"
HIT: Final = "- {file} — {title}\n  {snippet}\n"

DEFAULT_LIMIT: Final = 8
MOST: Final = 30
NAME_WEIGHT: Final = 4.0
TITLE_WEIGHT: Final = 2.0

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


@rule("memory/mem_search/count")
def occurrences(terms: Iterable[bytes], hay: bytes) -> list[int]:
    """How often each term occurs, occurrences not overlapping."""
    return [hay.count(term) for term in terms]


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


@dataclass(slots=True)
class Hit:
    """A page that is found: how often each term occurs in it, how many terms do, its score."""

    page: SearchedPage
    counts: list[int]
    matched: int = 0
    score: float = 0.0

    @rule("memory/mem_search/score")
    def judge(self, terms: Sequence[str], rarities: Sequence[float]) -> None:
        """Add each term that occurs, in order, in float64: ``score += idf * tf * field``."""
        for term, rarity, count in zip(terms, rarities, self.counts, strict=True):
            if count:
                self.matched += 1
                weight = field_weight(term, self.page.lowered_name, self.page.lowered_title)
                self.score += rarity * frequency(count) * weight


@rule("memory/mem_search/matching")
def found(pages: Iterable[SearchedPage], terms: Sequence[str], target: GoTarget) -> list[Hit]:
    """All pages when there is no term, else those in which one occurs; not judged yet, in listing order."""
    letters = letters_of(terms, target)
    needles = [term.encode() for term in terms]
    counted = ((page, occurrences(needles, page.hay(letters))) for page in pages)
    return [Hit(page, counts) for page, counts in counted if any(counts) or not terms]


@rule("memory/mem_search/df")
def holding(hits: Sequence[Hit]) -> list[int]:
    """For each term how many pages hold it; a page that was not found holds none."""
    return [sum(map(bool, column)) for column in zip(*(hit.counts for hit in hits), strict=True)]


@rule("memory/mem_search/panics-beyond-limit")
def check_snippets(hits: Iterable[Hit], terms: Sequence[str]) -> None:
    """Go makes the snippet of every page that matched, in listing order, before it ranks: the first crash counts.

    Raises :class:`parity.tools.interface.GoPanic`.
    """
    for hit in hits:
        if terms and hit.page.can_panic:
            hit.page.snippet(terms)


@rule("memory/mem_search/order")
def ranked(hits: Iterable[Hit], limit: int) -> list[Hit]:
    """More matched terms first, then the higher score, then the order of the listing; cut at ``limit``."""
    return sorted(hits, key=lambda hit: (-hit.matched, -hit.score))[:limit]


@rule("memory/mem_search/result")
def hits_text(hits: Sequence[Hit], terms: Sequence[str]) -> str:
    """Two lines a hit, the trailing newlines of the whole removed; another text when there is none."""
    if not hits:
        return NONE_FOUND
    entries = (
        HIT.format(file=hit.page.file, title=hit.page.title, snippet=utf8.text(hit.page.snippet(terms))) for hit in hits
    )
    return result_text("".join(entries).rstrip("\n"))


def mem_search(args: Args, env: Env) -> ToolAnswer:
    """The tool. Raises :class:`parity.tools.interface.GoPanic` where Go crashes."""
    terms = terms_of(text_argument(args, "query"), env.target)
    pages = _listed(env.need_memory(), env.target)
    hits = found(pages, terms, env.target)
    check_snippets(hits, terms)
    rarities = [inverse_frequency(len(pages), number) for number in holding(hits)]
    for hit in hits:
        hit.judge(terms, rarities)
    return ToolAnswer(hits_text(ranked(hits, limit_argument(args)), terms), label("mem_search", args, env.target))


def _listed(memory: Memory, target: GoTarget) -> list[SearchedPage]:
    """Every listed page; what is worked out from these is kept for the next search, up to a bound."""
    key = ("mem_search", target.unicode)
    known = memory.memo.get(key)
    kept: dict[Key, SearchedPage] = known if isinstance(known, dict) else {}
    fresh: dict[Key, SearchedPage] = {}
    room = _MOST_KEPT
    listed = []
    for file in page_names(memory.pages, target):
        found_now: Key = (file, listed_content(memory.pages, file))
        page = kept.get(found_now) or SearchedPage(found_now, target)
        if room > 0:
            fresh[page.key] = page  # its own bytes: those just read are let go
            room -= page.size
        listed.append(page)
    memory.memo[key] = fresh
    return listed
