"""What moves between two Go versions in the tables and the JSON of their standard libraries, by the port's own.

A code point is said to matter to a rule when the rule's own function answers otherwise for it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from parity.gostd import fmt, json, strconv, strings, unicode, url, utf8
from parity.tools import mem_search, memory_index, pages, recall_search, tracker, tracker_when

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from parity.gostd.target import GoTarget

Answer: TypeAlias = "Callable[[str, GoTarget], object]"
"""What a rule answers about one character."""

LOWER: Final = "unicode.ToLower"
FOLD: Final = "unicode.SimpleFold"
PRINT: Final = "strconv.IsPrint"
SPACE: Final = "unicode.IsSpace"

_SURROGATES: Final = range(0xD800, 0xE000)
_MANY: Final = "&" * 10_000 + "seq=1"


@dataclass(frozen=True, slots=True)
class Moved:
    """The code points for which a function answers otherwise, ascending; ``gone`` counts those that lost a property."""

    name: str
    points: tuple[int, ...]
    rules: tuple[str, ...] = ()
    gone: int | None = None


@dataclass(frozen=True, slots=True)
class Otherwise:
    """One probe that is answered otherwise, with both answers."""

    about: str
    old: str
    new: str


@lru_cache(maxsize=4)
def moved(old: GoTarget, new: GoTarget) -> tuple[Moved, ...]:
    """What moved in each table."""
    lowers = unicode.lower_table(old), unicode.lower_table(new)
    lower = [point for point in sorted({*lowers[0], *lowers[1]}) if lowers[0].get(point) != lowers[1].get(point)]
    rings = sorted({*unicode.fold_table(old), *unicode.fold_table(new), *_firsts(old), *_firsts(new)})
    fold = [point for point in rings if _fold(point, old) != _fold(point, new)]
    printed = [] if old.unicode == new.unicode else [*_printability(old, new)]
    gone = sum(unicode.is_print(chr(point), old) for point in printed)
    return (
        Moved(LOWER, tuple(lower)),
        Moved(FOLD, tuple(fold)),
        Moved(PRINT, tuple(printed), gone=gone),
        Moved(SPACE, ()),  # one set for every Go: the port has no second (go-semantics.md, 2.2)
    )


@lru_cache(maxsize=4)
def matters(old: GoTarget, new: GoTarget, points: frozenset[int]) -> tuple[Moved, ...]:
    """To which rules the moved code points matter: each rule is asked about each of them under both versions."""
    among = sorted(points)
    found = []
    for name, rules, answer in READERS:
        differing = [point for point in among if answer(chr(point), old) != answer(chr(point), new)]
        found.append(Moved(name, tuple(differing), rules))
    return tuple(found)


def _folds(word: str, matches: Callable[[str, GoTarget], bool]) -> Answer:
    """For each letter of a word whether the word still matches with a character in that letter's place."""

    def answer(character: str, go: GoTarget) -> object:
        return [matches(word[:at] + character + word[at + 1 :], go) for at in range(len(word))]

    return answer


READERS: Final[tuple[tuple[str, tuple[str, ...], Answer], ...]] = (
    ("recall_search keywords", ("recall_search/keywords",), lambda c, go: recall_search.keywords(c + c, go)),
    ("mem_search terms", ("memory/mem_search/terms",), mem_search.terms_of),
    ("%q", ("recall/result/absent", "tracker/when/misunderstood"), strconv.quote),
    ("TrimSpace and Fields", ("recall/id/missing", "recall_search/snippet"), lambda c, _: strings.trim_space(c)),
    ("EqualFold", ("memory/index/itself", "tracker/when/now"), unicode.simple_fold),
    ("EqualFold with MEMORY.md", ("memory/index/itself",), _folds(memory_index.INDEX, memory_index.is_index)),
    ("EqualFold with now", ("tracker/when/now",), _folds("now", tracker_when.is_now)),
    ("EqualFold with maintenant", ("tracker/when/now",), _folds("maintenant", tracker_when.is_now)),
    ("a name's .md", ("memory/names/extension",), _folds("a.md", pages.is_markdown)),
    ("a tracker's slug", ("tracker/slug",), lambda c, go: tracker.slug(f"a{c}a", go)),
)
"""What reads the tables: its name, its rules, and its answer about one character."""


def otherwise(old: GoTarget, new: GoTarget) -> tuple[Otherwise, ...]:
    """The probes of JSON and of query strings that are answered otherwise."""
    found = ((about, answer(old), answer(new)) for about, answer in PROBES)
    return tuple(Otherwise(about, before, after) for about, before, after in found if before != after)


_REPEATED: Final = b'{"limit":3,"limit":1e400}'

PROBES: Final[tuple[tuple[str, Callable[[GoTarget], str]], ...]] = (
    ('an argument beyond float64, {"limit":1e400}', lambda go: fmt.v(json.unmarshal_args(b'{"limit":1e400}', go))),
    ('the same, repeated: {"limit":3,"limit":1e400}', lambda go: fmt.v(json.unmarshal_args(_REPEATED, go))),
    ("a byte that is not UTF-8, written as JSON", lambda go: utf8.text(json.marshal("\udcff", go))),
    ("U+0008 and U+000C, written as JSON", lambda go: utf8.text(json.marshal("\b\f", go))),
    ("a query string of 10,001 parameters", lambda go: f"{len(url.parse_query(_MANY, go))} keys"),
)


def characters() -> Iterable[int]:
    """Every code point that text can hold: all but the surrogates."""
    return (point for point in range(sys.maxunicode + 1) if point not in _SURROGATES)


def _printability(old: GoTarget, new: GoTarget) -> Iterable[int]:
    return (point for point in characters() if unicode.is_print(chr(point), old) != unicode.is_print(chr(point), new))


def _firsts(go: GoTarget) -> Iterable[int]:
    return unicode.fold_table(go).values()


def _fold(point: int, go: GoTarget) -> str:
    return unicode.simple_fold(chr(point), go)
