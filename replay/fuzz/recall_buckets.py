"""The boundaries of the rules of recall.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from parity.gostd import strings
from replay.fuzz import texts
from replay.fuzz.reached import (
    all_of,
    answers,
    args,
    argument,
    holds,
    number,
    of_type,
    raw_holds,
    result,
    seen_is,
    shows,
)
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from replay.fuzz.reached import Reached

_LAST: Final = str((1 << 64) - 1)
_AFTER_LAST: Final = str(1 << 64)

_FOUND: Final = holds("rappelé verbatim]\n")
_ABSENT: Final = holds("introuvable")
_HITS: Final = result(lambda text: text.startswith("Blocs trouvés"))
_NONE: Final = "[aucun bloc archivé ne correspond]"
_READS_NOTHING: Final = shows("requests", lambda reads: reads == ())
_READS_ONCE: Final = shows("requests", lambda reads: len(cast("Sequence[object]", reads)) == 1)
_NO_TEXT: Final = shows("label", lambda value: value == "")


def _is_blank(text: str) -> bool:
    return bool(text) and not strings.trim_space(text)


def _found(test: Callable[[str], object]) -> Reached:
    """A block is found by an id of which something holds."""
    return all_of(_FOUND, argument("id", test))


def _malformed(test: Callable[[str], object]) -> Reached:
    """Nothing is found by an id of which something holds."""
    return all_of(_ABSENT, argument("id", test))


def _ends_in_digits(text: str) -> bool:
    return text[-1:] in frozenset("0123456789")


def _is_foreign(text: str) -> bool:
    return any(character in texts.foreign_digits() for character in text)


def _starts_with_separator(text: str) -> bool:
    return text[:1] in frozenset("\x1c\x1d\x1e\x1f") and _ends_in_digits(text)


def _is_well_formed(text: str) -> bool:
    return text.startswith("r") and text[1:].isdecimal() and text.isascii()


def _query(test: Callable[[str], object]) -> Reached:
    return argument("query", test)


def _limit(test: Callable[[float], object]) -> Reached:
    """Blocks are found under a limit of which something holds."""
    return all_of(_HITS, number("limit", test))


def _count(expected: int) -> Reached:
    return result(lambda text: text.count("\n- r") == expected)


def _line(test: Callable[[str], object]) -> Reached:
    """A line of the hits is so."""
    return all_of(_HITS, result(lambda text: any(map(test, text.split("\n")))))


def _more_blocks_than(count: int) -> Reached:
    return seen_is("blocks", lambda blocks: len(cast("Sequence[object]", blocks)) > count)


RECALL: Final = (
    Bucket("recall/id/missing", "no text", of_type("id", float, bool, list, dict)),
    Bucket("recall/id/missing", "blank", argument("id", _is_blank)),
    Bucket("recall/id/missing", "absent", lambda seen, _: "id" not in args(seen)),
    Bucket("recall/id/prefix", "r", _found(lambda text: text.startswith("r"))),
    Bucket("recall/id/prefix", "R", _found(lambda text: text.startswith("R"))),
    Bucket("recall/id/prefix", "rR", _found(lambda text: text.startswith("rR"))),
    Bucket("recall/id/prefix", "none", _found(lambda text: text[:1].isdecimal())),
    Bucket("recall/id/prefix", "Rr", _malformed(lambda text: text.startswith("Rr") and _ends_in_digits(text))),
    Bucket("recall/id/prefix", "rr", _malformed(lambda text: text.startswith("rr") and _ends_in_digits(text))),
    Bucket("recall/id/prefix", "a space of Go after it", _found(lambda text: text[1:2] in frozenset(texts.GO_SPACES))),
    Bucket("recall/id/digits", "leading zeros", _found(lambda text: "r00" in text)),
    Bucket("recall/id/digits", "thousands of zeros", argument("id", lambda text: "0" * 4301 in text)),
    Bucket("recall/id/digits", "2^64 - 1 is there", _found(lambda text: _LAST in text)),
    Bucket("recall/id/digits", "2^64", _malformed(lambda text: _AFTER_LAST in text)),
    Bucket("recall/id/malformed", "another script's digits", _malformed(_is_foreign)),
    Bucket("recall/id/malformed", "sign", _malformed(lambda text: "+" in text or "-" in text)),
    Bucket("recall/id/malformed", "underscore", _malformed(lambda text: "1_0" in text)),
    Bucket("recall/id/malformed", "U+001C to U+001F", _malformed(_starts_with_separator)),
    Bucket(
        "recall/id/malformed", "a prefix alone", _malformed(lambda text: strings.trim_space(text) in {"r", "R", "rR"})
    ),
    Bucket("recall/id/malformed", "nothing is read", all_of(_ABSENT, _READS_NOTHING)),
    Bucket("recall/result/absent", "well formed", _malformed(_is_well_formed)),
    Bucket("recall/result/absent", "quoted with an escape", holds("introuvable", "\\u")),
    Bucket("recall/result/found", "label with a newline", holds("a\nb, rappelé verbatim]")),
    Bucket("recall/result/found", "empty content", result(lambda text: text.endswith("rappelé verbatim]\n"))),
    Bucket("labels/argument", "no text", _NO_TEXT),
)

SEARCH: Final = (
    Bucket(
        "recall_search/query/missing",
        "no text",
        all_of(answers("[erreur] query manquante"), of_type("query", float, list)),
    ),
    Bucket("recall_search/query/missing", "blank", _query(_is_blank)),
    Bucket("recall_search/keywords", "÷ in a word", _query(lambda text: "÷÷" in text)),
    Bucket("recall_search/keywords", "U+0130", _query(lambda text: "İ" in text)),
    Bucket("recall_search/keywords", "Kelvin", _query(lambda text: "\u212a" in text)),
    Bucket("recall_search/keywords", "one rune of two bytes", _query(lambda text: text == "é")),
    Bucket("recall_search/keywords", "twice the same", _query(lambda text: "ab ab" in text)),
    Bucket("recall_search/limit", "0 and below", _limit(lambda value: value <= 0)),
    Bucket("recall_search/limit", "below 1, cut to 0", _limit(lambda value: 0 < value < 1)),
    Bucket("recall_search/limit", "1", all_of(_limit(lambda value: value == 1), _count(1))),
    Bucket("recall_search/limit", "20", _limit(lambda value: value == 20)),
    Bucket("recall_search/limit", "21", _limit(lambda value: value == 21)),
    Bucket("recall_search/limit", "20 of more", all_of(_count(20), _more_blocks_than(20))),
    Bucket("recall_search/limit", "2^63 and above", _limit(lambda value: value >= 2.0**63)),
    Bucket("recall_search/limit", "another type", all_of(_HITS, of_type("limit", str, bool))),
    Bucket("recall_search/limit", "beyond float64", all_of(_HITS, raw_holds(b"e400"))),
    Bucket("recall_search/order", "five of more", all_of(_count(5), _more_blocks_than(5))),
    Bucket("recall_search/reads", "a keyword, one read", all_of(_HITS, _READS_ONCE)),
    Bucket("recall_search/reads", "no keyword, no read", all_of(answers(_NONE), _READS_NOTHING)),
    Bucket("recall_search/score", "several hits", _line(lambda line: line.startswith("- r2"))),
    Bucket("recall_search/result/none", "nothing holds a word", all_of(answers(_NONE), _READS_ONCE)),
    Bucket(
        "recall_search/result/hits",
        "an empty snippet at the end",
        all_of(_HITS, result(lambda text: text.endswith("  "))),
    ),
    Bucket("recall_search/result/hits", "a label with a newline", holds("— a\nb\n")),
    Bucket("recall_search/snippet", "cut", all_of(_HITS, holds("…"))),
    Bucket("recall_search/snippet", "160 runes, whole", _line(lambda line: len(line) == 162 and line[-1] != "…")),
    Bucket("recall_search/snippet", "161 runes, cut", _line(lambda line: len(line) == 163 and line[-1] == "…")),
    Bucket(
        "recall_search/snippet", "a space at the cut", _line(lambda line: 155 < len(line) < 163 and line[-1] == "…")
    ),
    Bucket("labels/argument", "no text", _NO_TEXT),
)
