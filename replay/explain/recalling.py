"""``id``, ``query``, the snippet of a block, and why a block ranks where it does (contract: recall.md)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import json, strconv, strings
from parity.tools import recall, recall_search
from parity.tools.interface import Env
from replay.counted import counted
from replay.explain.explanation import Explanation, library, part, question, text_of
from replay.oracle import wire
from replay.report.drawing import draw
from replay.report.value_text import cut
from replay.rules.book import marked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Block
    from parity.tools.recall_search import Term
    from replay.explain.explanation import Verdict
    from replay.journal.model import Journal
    from replay.oracle.client import Oracle

MOST_RANKED: Final = 20
"""How many blocks of a ranking are shown."""

_ARCHIVE: Final = "explain"
_LABEL: Final = 60


@dataclass(slots=True)
class _Archive:
    """An archive that remembers what was read of it."""

    items: Sequence[Block] = ()
    memo: dict[object, object] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)

    def block(self, seq: int) -> Block | None:
        self.read.append(seq)
        return next((block for block in self.items if block.seq == seq), None)

    def blocks(self) -> _Archive:
        return self


def explain_id(text: str, target: GoTarget, blocks: Sequence[Block] = ()) -> Explanation:
    """What ``recall`` makes of an id; ``blocks`` are those that it may find."""
    given = text_of(text)
    args = {"id": given}
    archive = _Archive(blocks)
    parts = [part(recall.id_argument, recall.id_argument(args))]
    asks = []
    if recall.id_argument(args) is not None:
        value, error = _parsed(given, target)
        found = recall.find(given, archive)
        read = f"the block of seq {archive.read[0]} is asked for" if archive.read else "nothing is asked for"
        parts += [
            library("strings.TrimSpace", "2.2", strings.trim_space(given)),
            part(recall.without_prefix, recall.without_prefix(given)),
            part(recall.parse_id, value) if error is None else part(recall.parse_id, lines=(draw(error),)),
            part(recall.find, lines=(read,)),
        ]
        if found is None:
            parts.append(part(recall.absent_text, recall.absent_text(given, target)))
        else:
            parts.append(part(recall.found_text, recall.found_text(found)))
        asks.append(
            question(
                "the id read by strconv.ParseUint",
                {"q": "parse_id", "s": wire.text(given)},
                {"value": str(value), "error": error},
            )
        )
    result = recall.recall(args, Env(target, archive=archive)).result
    notes = ("the archive is empty: name a journal with --journal to look the block up",)
    title = f'id "{cut(given)}"'
    return Explanation(title, target, tuple(parts), result, tuple(asks), notes if archive.read and not blocks else ())


def _parsed(given: str, target: GoTarget) -> tuple[int, str | None]:
    """What the port reads, and Go's text of the error."""
    try:
        return recall.parse_id(given), None
    except strconv.NumError as error:
        return error.value, error.text(target)


def explain_query(text: str, target: GoTarget) -> Explanation:
    """What ``recall_search`` looks for."""
    given = text_of(text)
    parts = [part(recall_search.query_argument, recall_search.query_argument({"query": given}))]
    if parts[0].value is None:
        return Explanation(f'query "{cut(given)}"', target, tuple(parts), recall_search.MISSING_QUERY)
    words = recall_search.keywords(given, target)
    parts += [
        library("strings.ToLower", "2.1", strings.to_lower(given, target)),
        part(recall_search.keywords, words),
    ]
    if words:
        result = f"every block is read, and looked through for {counted(len(words), 'keyword')}"
    else:
        parts.append(part(recall_search.none_text, recall_search.none_text()))
        result = recall_search.none_text()
    asks = (
        question("the keywords", {"q": "keywords", "s": wire.text(given)}, words),
        question(
            "the keywords in order, by strings.FieldsFunc",
            {"q": "tokens", "s": wire.text(given)},
            tuple(sorted(words)),
            lambda said: said["out"] if isinstance(said, dict) else said,
        ),
    )
    return Explanation(f'query "{cut(given)}"', target, tuple(parts), result, asks)


def explain_snippet(text: str, target: GoTarget) -> Explanation:
    """How a block's content is shown among hits."""
    given = text_of(text)
    shown = recall_search.snippet(given)
    parts = (
        library("strings.Fields", "2.2", tuple(strings.fields(given))),
        part(recall_search.snippet, shown),
    )
    ask = question("the snippet", {"q": "block_snippet", "s": wire.text(given)}, shown)
    return Explanation(f'snippet of "{cut(given)}"', target, parts, shown, (ask,))


def explain_score(journal: Journal, raw_args: bytes, target: GoTarget, block_id: str | None = None) -> Explanation:
    """Why the blocks of a journal rank as they do for a search; ``block_id`` is one shown wherever it stands."""
    args = json.unmarshal_args(raw_args, target)
    query = recall_search.query_argument(args)
    words = () if query is None else recall_search.keywords(query, target)
    limit = recall_search.limit_argument(args)
    ranking = _Ranking(journal.blocks, words, target, limit)
    hits = ranking.index.search(words, limit)
    parts = (
        part(recall_search.query_argument, query),
        part(recall_search.keywords, words),
        part(recall_search.limit_argument, limit),
        part(_SCORE, lines=tuple(ranking.lines(block_id))),
        part(recall_search.ranked, tuple(block.id for block, _ in hits)),
        *(part(recall_search.snippet, snippet) for _, snippet in hits[:1]),
    )
    result = recall_search.recall_search(args, Env(target, archive=_Archive(journal.blocks))).result
    title = f'score of "{cut(query or "")}" in {cut(journal.file)}'
    return Explanation(title, target, parts, result, tuple(_asks(journal.blocks, raw_args, result)))


_SCORE: Final = marked()["recall_search/score"]
"""The rule of the score: for each keyword and each of a block's two texts, where it stands and what that weighs."""


class _Ranking:
    """Every block that holds a keyword, best first, and what each keyword gives each."""

    def __init__(self, blocks: Sequence[Block], words: Sequence[str], target: GoTarget, limit: int) -> None:
        self.index = recall_search.Index(blocks, target)
        self._newest_first = blocks[::-1]
        self._limit = limit
        self._weights = {word: self._weights_of(word) for word in words}
        self._order = recall_search.ranked(self._terms(words), len(blocks), len(blocks))

    def _terms(self, words: Sequence[str]) -> list[Term]:
        return cast("list[Term]", _SCORE(self.index, words))

    def _weights_of(self, word: str) -> dict[int, list[int]]:
        """What one keyword gives each block that holds it, by position: the weights of the label, the content, both."""
        found: dict[int, list[int]] = {}
        for term in self._terms([word]):
            while term.at < len(self._newest_first):
                found.setdefault(term.at, []).append(term.weight)
                term.move(term.at + 1)
        return found

    def lines(self, block_id: str | None) -> Iterator[str]:
        """The blocks shown, the best ones and the one that is asked about."""
        ids = [self._newest_first[at].id for at in self._order]
        for rank, at in enumerate(self._order, start=1):
            if rank <= MOST_RANKED or ids[rank - 1] == block_id:
                yield self._line(rank, at)
        if len(ids) > MOST_RANKED:
            yield f"{len(ids)} blocks hold a keyword"
        if block_id is not None and block_id not in ids:
            known = any(block.id == block_id for block in self._newest_first)
            yield f"{cut(block_id)} {'holds no keyword: score 0 is no hit' if known else 'is not in the archive'}"

    def _line(self, rank: int, at: int) -> str:
        block = self._newest_first[at]
        held = {word: weights[at] for word, weights in self._weights.items() if at in weights}
        why = "; ".join(f"{word}: {_sum(weights)}" for word, weights in held.items())
        score = sum(sum(weights) for weights in held.values())
        beyond = "" if rank <= self._limit else f" · beyond the limit of {self._limit}"
        return f"{rank}. {block.id} score {score} — {cut(block.label, _LABEL)} ({why}){beyond}"


def _sum(weights: Sequence[int]) -> str:
    return " + ".join(f"{_FIELDS[weight]} {weight}" for weight in weights)


_FIELDS: Final = {recall_search.LABEL_WEIGHT: "label", recall_search.CONTENT_WEIGHT: "content"}


def _asks(blocks: Sequence[Block], raw_args: bytes, result: str) -> Iterator[Callable[[Oracle], Verdict]]:
    """Hand the archive over, then search it."""
    held = [asdict(block) for block in blocks]
    yield question("the blocks of the archive", {"q": "archive", "archive": _ARCHIVE, "blocks": held}, len(held))
    searched = {"q": "recall_search", "archive": _ARCHIVE, "args": wire.text(raw_args)}
    yield question("the result of recall_search", searched, result)
