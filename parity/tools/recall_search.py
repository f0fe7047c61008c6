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
from typing import TYPE_CHECKING, Final

from parity.gostd import convert, strings, unicode
from parity.rules import rule
from parity.tools.interface import ToolAnswer
from parity.tools.labels import label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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

_KEYWORDS_KEPT: Final = 4096
"""How many keywords' hits an index remembers before it forgets them all: a bound on memory, not a rule of Go."""


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


@rule("recall_search/order")
def ranked(scores: Iterable[tuple[int, int]], blocks: Sequence[Block], limit: int) -> list[int]:
    """The best ``limit`` of ``(position, score)`` pairs, as positions: score descending, then ``seq`` descending."""
    order = sorted(scores, key=lambda pair: (-pair[1], -blocks[pair[0]].seq))
    return [position for position, _ in order[:limit]]


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
    """What was worked out from one answer's blocks: their folded texts, each keyword's hits, their snippets."""

    def __init__(self, blocks: Sequence[Block], target: GoTarget) -> None:
        """Fold every label and content once; ``target`` says by which Unicode they are lower-cased."""
        self.blocks = blocks
        self._labels = _Texts([_fold(block.label, target) for block in blocks])
        self._contents = _Texts([_fold(block.content, target) for block in blocks])
        self._weights: dict[str, dict[int, int]] = {}
        self._snippets: dict[int, str] = {}

    @rule("recall_search/score")
    def scores(self, words: Iterable[str]) -> Iterator[tuple[int, int]]:
        """``(position, score)`` of each block that holds a keyword: 2 for the label, 1 for the content, each once."""
        total: dict[int, int] = {}
        for word in words:
            for position, weight in self._weight(word).items():
                total[position] = total.get(position, 0) + weight
        return iter(total.items())

    def snippet(self, position: int) -> str:
        """The snippet of the block at a position."""
        if position not in self._snippets:
            self._snippets[position] = snippet(self.blocks[position].content)
        return self._snippets[position]

    def _weight(self, word: str) -> dict[int, int]:
        known = self._weights.get(word)
        if known is not None:
            return known
        found = dict.fromkeys(self._contents.holding(word), CONTENT_WEIGHT)
        for position in self._labels.holding(word):
            found[position] = found.get(position, 0) + LABEL_WEIGHT
        if len(self._weights) >= _KEYWORDS_KEPT:
            self._weights.clear()
        self._weights[word] = found
        return found


class _Texts:
    """Folded texts laid end to end, so that one pass of C code looks through all of them."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._all = b" ".join(texts)
        self._starts: list[int] = []
        at = 0
        for text in texts:
            self._starts.append(at)
            at += len(text) + 1
        self._starts.append(at)

    def holding(self, word: str) -> Iterator[int]:
        """The positions of the texts that hold ``word``, ascending."""
        needle = word.encode("latin-1")
        at = self._all.find(needle)
        while at >= 0:
            position = bisect_right(self._starts, at) - 1
            yield position
            at = self._all.find(needle, self._starts[position + 1])


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
    best = ranked(index.scores(words), index.blocks, limit_argument(args))
    if not best:
        return none_text()
    return hits_text((index.blocks[position], index.snippet(position)) for position in best)
