"""``name``, ``title``, ``diff``, the snippet of a page, and why a page ranks where it does (contract: memory.md)."""

from __future__ import annotations

import itertools
from contextlib import closing
from typing import TYPE_CHECKING, Final

from parity.gostd import json, strings, utf8
from parity.stores import file_names
from parity.stores.errors import FileNameError
from parity.stores.ram import RamMemory
from parity.stores.seal import NONCE_SIZE
from parity.stores.state import Settings, State
from parity.tools import line_diff, mem_search, memory_index, page_snippet, pages
from parity.tools.interface import Env, GoPanic
from parity.tools.searched_page import SearchedPage
from replay import fields as named
from replay.candidates.go import GoSession
from replay.counted import counted
from replay.explain.explanation import (
    ExplainError,
    Explanation,
    Verdict,
    bytes_of,
    library,
    part,
    question,
    text_of,
)
from replay.journal.model import Expected, Place, Step
from replay.oracle import wire
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from parity.gostd.target import GoTarget
    from replay.explain.explanation import Part
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.oracle.client import Oracle

MOST_RANKED: Final = 30
"""How many pages of a ranking are shown."""

_TITLE: Final = 60
_LINES: Final = 40


def explain_name(text: str, target: GoTarget) -> Explanation:
    """The file that a page's name leads to."""
    given = text_of(text)
    parts: list[Part] = []
    try:
        trimmed = pages.trimmed_name(given)
        parts.append(part(pages.trimmed_name, trimmed))
        parts.append(part(pages.is_markdown, pages.is_markdown(trimmed, target)))
        name: str | None = pages.page_name(given, target)
        error = None
    except pages.PageError as refused:
        name, error = None, refused.reason
    parts.append(part(pages.page_name, name if error is None else error))
    result = pages.error_text(error) if error is not None else f"the file {name}"
    if name is not None:
        parts.append(part(file_names.file_name, _in_folder(name)))
        parts.append(part(memory_index.is_index, memory_index.is_index(name, target)))
    ask = question("the name", {"q": "page_name", "s": wire.text(given)}, {"name": name or "", "error": error})
    return Explanation(f'name "{cut(given)}"', target, tuple(parts), result, (ask,))


def _in_folder(name: str) -> Value:
    try:
        return file_names.file_name(name)
    except FileNameError as error:
        return str(error)


def explain_title(text: str, target: GoTarget) -> Explanation:
    """The title of a page of such a content."""
    content = bytes_of(text)
    title = pages.title(content)
    ask = question("the title", {"q": "title", "s": wire.text(content)}, title)
    return Explanation(f'title of "{cut(content)}"', target, (part(pages.title, title),), title, (ask,))


def explain_diff(old: str, new: str, target: GoTarget) -> Explanation:
    """The diff of two texts as a person is shown it."""
    before, after = text_of(old), text_of(new)
    ours, theirs = line_diff.lines_of(before), line_diff.lines_of(after)
    shown = line_diff.line_diff(before, after)
    parts = [
        part(line_diff.lines_of, tuple(ours)),
        part(line_diff.lines_of, tuple(theirs)),
    ]
    if max(len(ours), len(theirs)) > line_diff.MOST_COMPARED:
        parts.append(part(line_diff.whole, lines=(f"{counted(len(ours), 'line')} removed, {len(theirs):,} added",)))
    else:
        parts.append(part(line_diff.common_lengths, line_diff.common_lengths(ours, theirs)[0][0]))
        parts.append(part(line_diff.walked, lines=(counted(len(line_diff.walked(ours, theirs)), "entry", "entries"),)))
    parts.append(part(line_diff.cut, lines=tuple(f"{one.op} {cut(one.text)}" for one in shown[:_LINES])))
    ask = question(
        "the diff", {"q": "line_diff", "old": wire.text(before), "new": wire.text(after)}, named.diff_value(shown)
    )
    return Explanation("diff", target, tuple(parts), counted(len(shown), "entry", "entries"), (ask,))


def explain_page_snippet(text: str, query: str, target: GoTarget) -> Explanation:
    """What mem_search shows of a page of such a content."""
    content, given = bytes_of(text), text_of(query)
    terms = mem_search.terms_of(given, target)
    flat = page_snippet.flattened(content)
    lowered = strings.to_lower(utf8.text(flat), target).encode()
    index = page_snippet.first_index(lowered, terms)
    shown, crash = _snippet(SearchedPage(("page.md", content), target), terms)
    parts = [
        part(mem_search.terms_of, tuple(terms)),
        part(page_snippet.flattened, flat),
        library("strings.ToLower", "2.1", lowered),
        part(page_snippet.first_index, index),
        part(
            page_snippet.head if index is None else page_snippet.window,
            shown,
            lines=None if crash is None else (f"Go crashes: {crash}",),
        ),
    ]
    result = utf8.decode(shown) if crash is None else f"Go crashes: {crash}"
    port: Value = utf8.text(shown) if crash is None else {"panic": crash}
    asked = {"q": "page_snippet", "query": wire.text(given), "content": wire.text(content)}
    title = f'snippet of "{cut(content)}" for "{cut(given)}"'
    return Explanation(title, target, tuple(parts), result, (question("the snippet", asked, port),))


def _snippet(page: SearchedPage, terms: Sequence[str]) -> tuple[bytes, str | None]:
    """What is shown, or the text of Go's crash."""
    try:
        return page.snippet(terms), None
    except GoPanic as panic:
        return b"", panic.text


def explain_page_score(
    journal: Journal, raw_args: bytes, target: GoTarget, step: int | None = None, file: str | None = None
) -> Explanation:
    """Why the pages of a journal rank as they do; ``step`` is after which one, ``file`` a page shown wherever it is."""
    state = _state(journal, step)
    nonces = itertools.count(1)
    memory = RamMemory(journal.settings or Settings(), nonces=lambda: next(nonces).to_bytes(NONCE_SIZE, "big"))
    memory.restore(state)
    args = json.unmarshal_args(raw_args, target)
    query = pages.text_argument(args, "query")
    terms = mem_search.terms_of(query, target)
    names = pages.page_names(memory.pages, target)
    listed = [SearchedPage((name, pages.listed_content(memory.pages, name)), target) for name in names]
    hits = mem_search.found(listed, terms, target)
    holding = mem_search.holding(hits)
    rarities = [mem_search.inverse_frequency(len(listed), number) for number in holding]
    for hit in hits:
        hit.judge(terms, rarities)
    limit = mem_search.limit_argument(args)
    order = mem_search.ranked(hits, len(hits))
    parts = (
        part(mem_search.terms_of, tuple(terms)),
        part(
            mem_search.holding,
            lines=tuple(_each(terms, [f"{number} of {counted(len(listed), 'page')}" for number in holding])),
        ),
        part(mem_search.inverse_frequency, lines=tuple(_each(terms, map(repr, rarities)))),
        part(mem_search.Hit.judge, lines=tuple(_ranking(order, terms, rarities, limit, file))),
        part(mem_search.limit_argument, limit),
        part(mem_search.ranked, tuple(hit.page.file for hit in order[:limit])),
    )
    try:
        result = mem_search.mem_search(args, Env(target, memory=memory)).result
        port: Value = result
    except GoPanic as panic:
        result = f"Go crashes: {panic.text}"
        port = {"panic": panic.text}
    title = f'score of "{cut(query)}" in {cut(journal.file)}' + ("" if step is None else f" after step {step}")
    return Explanation(title, target, parts, result, (_ask_search(journal, state, raw_args, port),))


def _state(journal: Journal, step: int | None) -> State:
    """The state that a journal starts from, or that it recorded after a step. Raises :class:`ExplainError`."""
    state = journal.initial or State()
    if step is None:
        return state
    if not 1 <= step <= len(journal.steps):
        message = f"{cut(journal.file)} has no step {step}: it has {len(journal.steps)}"
        raise ExplainError(message)
    files, trackers = state.files, state.trackers
    for one in journal.steps[:step]:
        files = files if one.expected.files is None else one.expected.files
        trackers = trackers if one.expected.trackers is None else one.expected.trackers
    return State(files, trackers)


def _each(terms: Sequence[str], what: Iterable[str]) -> Iterator[str]:
    """Something about each term; there is nothing where no page is found."""
    return (f"{cut(term)}: {said}" for term, said in zip(terms, what, strict=False))


def _ranking(
    order: Sequence[mem_search.Hit], terms: Sequence[str], rarities: Sequence[float], limit: int, file: str | None
) -> Iterator[str]:
    for rank, hit in enumerate(order, start=1):
        if rank > MOST_RANKED and hit.page.file != file:
            continue
        beyond = "" if rank <= limit else f" · beyond the limit of {limit}"
        title = cut(hit.page.title, _TITLE)
        yield f"{rank}. {hit.page.file} matched {hit.matched}, score {hit.score!r} — {title}{beyond}"
        for term, rarity, count in zip(terms, rarities, hit.counts, strict=True):
            if count:
                yield f"     {_share(hit.page, term, rarity, count)}"
    if len(order) > MOST_RANKED:
        yield f"{len(order)} pages are found"
    if file is not None and all(hit.page.file != file for hit in order):
        yield f"{cut(file)} is not found: no term occurs in it, or it is not listed"


def _share(page: SearchedPage, term: str, rarity: float, count: int) -> str:
    """What one term gives a page."""
    alone = mem_search.Hit(page, [count])
    alone.judge([term], [rarity])
    frequency = mem_search.frequency(count)
    field = mem_search.field_weight(term, page.lowered_name, page.lowered_title)
    return f"{cut(term)}: idf {rarity!r} × tf {frequency!r} (of {count}) × field {field:g} = {alone.score!r}"


def _ask_search(journal: Journal, state: State, raw_args: bytes, port: Value) -> Callable[[Oracle], Verdict]:
    step = Step(1, "mem_search", "", raw_args, None, Expected(), Place(journal.file, "", 0))

    def ask(oracle: Oracle) -> Verdict:
        with closing(GoSession(oracle, journal)) as session:
            session.restore(state.files, state.trackers)
            fields = session.call(step).fields
        go = {"panic": fields[named.PANIC]} if named.PANIC in fields else fields[named.RESULT]
        return Verdict("the result of mem_search", "model", go, port)

    return ask
