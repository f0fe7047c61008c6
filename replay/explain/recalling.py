"""``id``, ``query``, the snippet of a block, and why a block ranks where it does (contract: recall.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from parity.gostd import json, strconv, strings
from parity.tools import recall, recall_search
from parity.tools.interface import Env
from replay.explain.explanation import Explanation, library, part, question, text_of
from replay.oracle import wire
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Block
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
            part(recall.parse_id, value if error is None else error),
            part(recall.find, read),
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
    notes = ("of an archive without blocks: name a journal with --journal to look the block up",)
    return Explanation(f'id "{cut(given)}"', target, tuple(parts), result, tuple(asks), () if blocks else notes)


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
        result = f"every block is read, and looked through for {len(words)} keywords"
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
    """Why the blocks of a journal rank as they do for a search; ``block_id`` is one that is shown wherever it stands."""
    args = json.unmarshal_args(raw_args, target)
    query = recall_search.query_argument(args)
    blocks = journal.blocks
    words = () if query is None else recall_search.keywords(query, target)
    index = recall_search.Index(blocks, target)
    scores = dict(index.scores(words))
    order = recall_search.ranked(scores.items(), blocks, len(blocks))
    limit = recall_search.limit_argument(args)
    ranking = _Ranking(blocks, scores, {word: dict(index.scores([word])) for word in words}, order, limit)
    parts = (
        part(recall_search.query_argument, query),
        part(recall_search.keywords, words),
        part(recall_search.limit_argument, limit),
        part(recall_search.Index.scores, lines=tuple(ranking.lines(block_id))),
        part(recall_search.ranked, tuple(blocks[at].id for at in order[:limit])),
        *(part(recall_search.snippet, recall_search.snippet(blocks[at].content)) for at in order[:1]),
    )
    result = recall_search.recall_search(args, Env(target, archive=_Archive(blocks))).result
    title = f'score of "{cut(query or "")}" in {cut(journal.file)}'
    return Explanation(title, target, parts, result, tuple(_asks(blocks, raw_args, result)))


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Every block that holds a keyword, best first, and what each keyword gives each."""

    blocks: Sequence[Block]
    scores: Mapping[int, int]
    pieces: Mapping[str, Mapping[int, int]]
    order: Sequence[int]
    limit: int

    def lines(self, block_id: str | None) -> Iterator[str]:
        """The blocks shown, the best ones and the one that is asked about."""
        for rank, at in enumerate(self.order, start=1):
            if rank <= MOST_RANKED or self.blocks[at].id == block_id:
                yield self._line(rank, at)
        if len(self.order) > MOST_RANKED:
            yield f"{len(self.order)} blocks hold a keyword"
        if block_id is not None and all(self.blocks[at].id != block_id for at in self.order):
            known = any(block.id == block_id for block in self.blocks)
            yield f"{cut(block_id)} {'holds no keyword: score 0 is no hit' if known else 'is not in the archive'}"

    def _line(self, rank: int, at: int) -> str:
        block = self.blocks[at]
        why = "; ".join(f"{cut(word)}: {_WHERE[weights[at]]}" for word, weights in self.pieces.items() if at in weights)
        beyond = "" if rank <= self.limit else f" · beyond the limit of {self.limit}"
        return f"{rank}. {block.id} score {self.scores[at]} — {cut(block.label, _LABEL)} ({why}){beyond}"


_WHERE: Final = {
    recall_search.LABEL_WEIGHT: f"label {recall_search.LABEL_WEIGHT}",
    recall_search.CONTENT_WEIGHT: f"content {recall_search.CONTENT_WEIGHT}",
    recall_search.LABEL_WEIGHT + recall_search.CONTENT_WEIGHT: (
        f"label {recall_search.LABEL_WEIGHT} + content {recall_search.CONTENT_WEIGHT}"
    ),
}
"""What a keyword's weight in a block says about where it stands."""


def _asks(blocks: Sequence[Block], raw_args: bytes, result: str) -> Iterator[Callable[[Oracle], Verdict]]:
    """Hand the archive over, then search it."""
    held = [
        {
            "id": one.id,
            "seq": one.seq,
            "label": one.label,
            "role": one.role,
            "content": one.content,
            "created": one.created,
        }
        for one in blocks
    ]
    yield question("the blocks of the archive", {"q": "archive", "archive": _ARCHIVE, "blocks": held}, len(held))
    searched = {"q": "recall_search", "archive": _ARCHIVE, "args": wire.text(raw_args)}
    yield question("the result of recall_search", searched, result)
