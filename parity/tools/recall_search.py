"""``recall_search(query, limit)``: finds archived blocks by keywords (contract: recall.md, recall_search).

The archive only grows and a block never changes, so what was folded for one answer's bytes serves the next search.

Why folding to one byte a character is exact: a keyword is made of ``a-z 0-9 U+00E0..U+00FF`` alone, so whether it
occurs in ``ToLower(text)`` depends only on which characters lower into that alphabet and which do not. Each of the
first kind becomes its own Latin-1 byte, each of the second a space, one for one; a keyword lies inside one run of the
alphabet or nowhere.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from heapq import heappop, heappush
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from parity.gostd import convert, strings, unicode
from parity.rules import rule
from parity.tools.interface import ToolAnswer
from parity.tools.labels import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args, Block, Blocks, Env

MISSING_QUERY: Final = "[erreur] query manquante"
NONE_FOUND: Final = "[aucun bloc archivé ne correspond]"
HEADER: Final = "Blocs trouvés (rappelle le bon avec recall(id)) :\n"
HIT: Final = "- {id} — {label}\n  {snippet}\n"

DEFAULT_LIMIT: Final = 5
MOST: Final = 20
SHORTEST_KEYWORD: Final = 2
SNIPPET_RUNES: Final = 160
LABEL_WEIGHT: Final = 2
CONTENT_WEIGHT: Final = 1

ALPHABET: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789" + "".join(map(chr, range(0xE0, 0x100))))
"""What a keyword is made of; it holds the division sign U+00F7, not the multiplication sign U+00D7."""


@rule("recall_search/query/missing")
def query_argument(args: Args) -> str | None:
    """The ``query`` as received, or None when it is not text or is blank after Go's TrimSpace."""
    given = args.get("query")
    if isinstance(given, str) and strings.trim_space(given):
        return given
    return None


@rule("recall_search/keywords")
def keywords(query: str, target: GoTarget) -> tuple[str, ...]:
    """The distinct keywords of a query, as met: ToLower, cut on every rune outside the alphabet, two runes or more."""
    words = _fold(query, target).split(b" ")
    return tuple(dict.fromkeys(word.decode("latin-1") for word in words if len(word) >= SHORTEST_KEYWORD))


@rule("recall_search/limit")
def limit_argument(args: Args) -> int:
    """A JSON number truncated as Go's ``int(float64)``, any other type ignored; at most 20, and 5 when not above 0."""
    given = args.get("limit")
    limit = convert.int64(given) if isinstance(given, float) else 0
    if limit <= 0:
        return DEFAULT_LIMIT
    return min(limit, MOST)


@rule("recall_search/snippet")
def snippet(content: str) -> str:
    """Go's Fields joined by one space; over 160 runes, the first 160, TrimSpace, then an ellipsis."""
    flat = " ".join(strings.fields(content))
    if len(flat) <= SNIPPET_RUNES:
        return flat
    return strings.trim_space(flat[:SNIPPET_RUNES]) + "…"


@rule("recall_search/result/none")
def none_text() -> str:
    """The text when no keyword is left of the query, or no block holds one."""
    return NONE_FOUND


@rule("recall_search/result/hits")
def hits_text(hits: Iterable[tuple[Block, str]]) -> str:
    """One entry a hit, labels as they are; the trailing newlines of the whole are removed."""
    entries = (HIT.format(id=block.id, label=block.label, snippet=text) for block, text in hits)
    return (HEADER + "".join(entries)).rstrip("\n")


class Index:
    """What was worked out from one answer's blocks: their folded texts, newest first, and their snippets."""

    def __init__(self, blocks: Sequence[Block], target: GoTarget) -> None:
        """Fold every label and content once; ``target`` says by which Unicode they are lower-cased.

        ``blocks`` stand in ascending ``seq``, as an archive gives them.
        """
        self._newest_first = blocks[::-1]
        self._labels = Texts([_fold(block.label, target) for block in self._newest_first])
        self._contents = Texts([_fold(block.content, target) for block in self._newest_first])
        self._snippets: dict[int, str] = {}

    def search(self, words: Iterable[str], limit: int) -> list[tuple[Block, str]]:
        """The best ``limit`` blocks, each with its snippet."""
        best = ranked(self._terms(words), len(self._newest_first), limit)
        return [(self._newest_first[at], self._snippet(at)) for at in best]

    @rule("recall_search/score")
    def _terms(self, words: Iterable[str]) -> list[Term]:
        """What a score adds up: for each keyword 2 where the label holds it, 1 where the content does, each once."""
        fields = ((self._labels, LABEL_WEIGHT), (self._contents, CONTENT_WEIGHT))
        return [Term(texts, word.encode("latin-1"), weight) for word in words for texts, weight in fields]

    def _snippet(self, at: int) -> str:
        if at not in self._snippets:
            self._snippets[at] = snippet(self._newest_first[at].content)
        return self._snippets[at]


@rule("recall_search/order")
def ranked(terms: list[Term], end: int, limit: int) -> list[int]:
    """Which of the positions below ``end`` score best, ``limit`` of them: score descending, then ``seq`` descending.

    Blocks are met newest first, so once ``limit`` are found, another counts only with more than the least score of
    these. It lies no earlier than where enough terms, in the order of what they hold next, could add up to more: all
    terms move there at once (an algorithm known as WAND). A common word is thus looked for in few of its blocks.
    """
    best: list[tuple[int, int]] = []
    least = 0
    while (pivot := _pivot(terms, least, end)) < end:
        score = 0
        for term in terms:
            if term.at < pivot:
                term.move(pivot)
            if term.at == pivot:
                score += term.weight
                term.move(pivot + 1)
        if score > least:
            heappush(best, (score, -pivot))
            if len(best) > limit:
                heappop(best)
            if len(best) == limit:
                least = best[0][0]
    return [-at for _, at in sorted(best, reverse=True)]


def _pivot(terms: list[Term], least: int, end: int) -> int:
    """The first position at which terms that weigh more than ``least`` may come together; ``end`` if there is none."""
    terms.sort(key=_AT)
    while terms and terms[-1].at == end:
        terms.pop()
    weight = 0
    for term in terms:
        weight += term.weight
        if weight > least:
            return term.at
    return end


class Term:
    """A keyword in the labels or in the contents, its weight, and ``at``: a text that holds it, by position."""

    __slots__ = ("at", "needle", "texts", "weight")

    def __init__(self, texts: Texts, needle: bytes, weight: int) -> None:
        """``at`` is the first text that holds ``needle``."""
        self.texts = texts
        self.needle = needle
        self.weight = weight
        self.move(0)

    def move(self, to: int) -> None:
        """To the first text at ``to`` or after it that holds the keyword; beyond the last if none does."""
        starts = self.texts.starts
        found = self.texts.joined.find(self.needle, starts[to])
        self.at = bisect_right(starts, found) - 1 if found >= 0 else len(starts) - 1


_AT: Final = attrgetter("at")


class Texts:
    """Folded texts laid end to end, so that one sweep of C code looks through all of them."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        """``starts`` is where each begins, and at last where another one would."""
        self.joined = b" ".join(texts)
        self.starts = list(accumulate((len(text) + 1 for text in texts), initial=0))


@lru_cache(maxsize=4)
def _folding(target: GoTarget) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """How to fold: the few characters beyond Latin-1 that lower into the alphabet, and the table for Latin-1 bytes."""
    beyond = []
    table = bytearray(b" " * 256)
    for character in ALPHABET:
        table[ord(character)] = ord(character)
    for upper, lower in unicode.lower_pairs(target):
        if chr(lower) not in ALPHABET:
            continue
        if upper < len(table):
            table[upper] = lower
        else:
            beyond.append((chr(upper), chr(lower)))
    return tuple(beyond), bytes(table)


def _fold(text: str, target: GoTarget) -> bytes:
    """One byte a character: its lower case if that is in the alphabet, else a space."""
    beyond, table = _folding(target)
    if not text.isascii():
        for upper, lower in beyond:
            if upper in text:
                text = text.replace(upper, lower)
    return text.encode("latin-1", "replace").translate(table)


def _index(blocks: Blocks, target: GoTarget) -> Index:
    key = ("recall_search", target.unicode)
    index = blocks.memo.get(key)
    if not isinstance(index, Index):
        index = Index(blocks.items, target)
        blocks.memo[key] = index
    return index


def recall_search(args: Args, env: Env) -> ToolAnswer:
    """The tool. Raises :class:`parity.tools.interface.GoUnavailable` when Go does not answer the read."""
    return ToolAnswer(_result(args, env), label("recall_search", args, env.target))


@rule("recall_search/reads")
def _result(args: Args, env: Env) -> str:
    """Nothing is read when the query is missing or has no keyword; otherwise every block, once."""
    query = query_argument(args)
    if query is None:
        return MISSING_QUERY
    words = keywords(query, env.target)
    if not words:
        return none_text()
    index = _index(env.need_archive().blocks(), env.target)
    hits = index.search(words, limit_argument(args))
    return hits_text(hits) if hits else none_text()
