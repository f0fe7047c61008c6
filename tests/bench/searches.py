"""Searches beside real Go: recall_search on an archive of 10,000 blocks, mem_search on a folder of 2,000 pages.

Go's side is the code that one writes first: every text is lower-cased in every search. Files are read again in every
search on both sides. Before anything is timed, both sides must give the same texts for every query.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from french import VOCABULARY, Prose
from measure import Figure, Target, beside, seconds

from parity.facade.archive import BlockList
from parity.gostd import utf8
from parity.gostd.target import GO_1_25
from parity.stores.disk import DiskMemory
from parity.stores.seal import NONCE_SIZE
from parity.stores.state import Settings
from parity.tools.interface import Block, Env
from parity.tools.mem_search import mem_search
from parity.tools.recall_search import recall_search
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from go_model import GoModel

    from parity.tools.interface import Tool

BLOCKS: Final = 10_000
BLOCK_BYTES: Final = 2048
PAGES: Final = 2000
PAGE_BYTES: Final = 4096
QUERIES: Final = 24
ROUNDS: Final = 5

_MOST_KEYWORDS: Final = 3


class DifferentAnswersError(Exception):
    """The port and Go do not find the same: then their speeds compare nothing."""


def queries(prose: Prose) -> list[str]:
    """Queries of one to three keywords, no keyword twice: half of them by frequency, half from all the rare ones."""
    seen: set[str] = set()

    def keyword() -> str:
        while True:
            word = prose.word() if prose.below(2) else VOCABULARY[prose.below(len(VOCABULARY))]
            if len(word) > 1 and word not in seen:
                seen.add(word)
                return word

    return [" ".join(keyword() for _ in range(1 + at % _MOST_KEYWORDS)) for at in range(QUERIES)]


def _title(prose: Prose) -> str:
    return prose.text(40).replace("\n", " ").strip(" ")


class _Archive:
    """An archive whose answer is decoded already."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self._list = BlockList(blocks)

    def block(self, seq: int) -> Block | None:
        raise NotImplementedError(seq)

    def blocks(self) -> BlockList:
        return self._list


def recall_searches(go: GoModel, folder: Path) -> Iterator[Figure]:
    """The first search of an archive, lower-casing included, and every further one while the archive is the same."""
    prose = Prose(1)
    blocks = tuple(
        Block(f"r{seq}", seq, _title(prose), "tool", prose.text(BLOCK_BYTES), seq) for seq in range(1, BLOCKS + 1)
    )
    asked = queries(Prose(2))
    archive = folder / "archive.json"
    archive.write_text(json.dumps([asdict(block) for block in blocks], ensure_ascii=False), encoding="utf-8")
    with go.oracle() as oracle:
        oracle.ask_one({"q": "archive", "archive": "bench", "blocks": [asdict(block) for block in blocks]})
        answers = oracle.ask({"q": "recall_search", "archive": "bench", "args": _args(query)} for query in asked)
        texts = [wire.read(answer.out) for answer in answers]
    _check(recall_search, Env(GO_1_25, archive=_Archive(blocks)), asked, texts)
    first, further = [], []
    for at in range(ROUNDS):
        env = Env(GO_1_25, archive=_Archive(blocks))
        query = asked[at]
        rival = go.search_seconds("recall_search", [query], archive=archive)
        first.append((1e3 * seconds(lambda: recall_search({"query": query}, env)), 1e3 * rival))  # noqa: B023 - run now
        others = asked[:at] + asked[at + 1 :]
        rival = go.search_seconds("recall_search", others, archive=archive)
        further.append((1e3 * _each(recall_search, env, others), 1e3 * rival))
    name = f"recall_search, {BLOCKS:,} blocks"
    yield beside(f"{name}, first search", "ms", first, Target(1.5))
    yield beside(f"{name}, further searches", "ms", further, Target(0.2))


def mem_searches(go: GoModel, folder: Path) -> Iterator[Figure]:
    """The first search of a folder, and further ones on unchanged contents, which are read again each time."""
    prose = Prose(3)
    root = folder / "memory-root"
    settings = Settings()
    pages = root / "memory" / settings.project_slug
    pages.mkdir(parents=True)
    contents = {f"page-{at:04}.md": f"# {_title(prose)}\n\n{prose.text(PAGE_BYTES)}" for at in range(PAGES)}
    for name, content in contents.items():
        (pages / name).write_text(content, encoding="utf-8", newline="\n")
    asked = queries(Prose(4))
    with go.oracle() as oracle:
        oracle.ask_one({"q": "reset", "kind": "memory", "initial": {"files": contents, "trackers": {}}})
        answers = oracle.ask(
            {"q": "exec", "tool": "mem_search", "args": _args(query), "state": False} for query in asked
        )
        texts = [wire.read(answer.out["result"]) if isinstance(answer.out, dict) else b"" for answer in answers]

    def env() -> Env:
        return Env(GO_1_25, memory=DiskMemory(root, settings, nonces=lambda: bytes(NONCE_SIZE)))

    _check(mem_search, env(), asked, texts)
    cold, further = [], []
    for at in range(ROUNDS):
        fresh = env()
        query = asked[at]
        rival = go.search_seconds("mem_search", [query], folder=pages)
        cold.append((1e3 * seconds(lambda: mem_search({"query": query}, fresh)), 1e3 * rival))  # noqa: B023 - run now
        others = asked[:at] + asked[at + 1 :]
        rival = go.search_seconds("mem_search", others, folder=pages)
        further.append((1e3 * _each(mem_search, fresh, others), 1e3 * rival))
    name = f"mem_search, {PAGES:,} pages"
    yield beside(f"{name}, cold", "ms", cold, Target(1.5))
    yield beside(f"{name}, further searches", "ms", further, Target(0.7))


def _args(query: str) -> str:
    return json.dumps({"query": query})


def _check(tool: Tool, env: Env, asked: list[str], texts: list[bytes]) -> None:
    """Raises :class:`DifferentAnswersError`."""
    for query, text in zip(asked, texts, strict=True):
        if tool({"query": query}, env).result != utf8.decode(text):
            message = f"the port and Go do not find the same for {query!r}"
            raise DifferentAnswersError(message)


def _each(tool: Tool, env: Env, asked: list[str]) -> float:
    """Seconds of one search, over several."""

    def searches() -> None:
        for query in asked:
            tool({"query": query}, env)

    return seconds(searches) / len(asked)
