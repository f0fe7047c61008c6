"""recall.md, recall_search. Texts and cases are the contract's and real Go's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_reader import TARGETS, every_vector, tables

from parity.gostd import strings, utf8
from parity.gostd.target import GO_1_25
from parity.tools.interface import Block, Env
from parity.tools.recall_search import (
    ALPHABET,
    Index,
    Term,
    Texts,
    keywords,
    limit_argument,
    ranked,
    recall_search,
    snippet,
)

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget


@dataclass
class Served:
    items: list[Block]
    memo: dict[object, object] = field(default_factory=dict)


@dataclass
class Reads:
    served: Served
    count: int = 0

    def block(self, seq: int) -> Block | None:
        raise AssertionError(seq)

    def blocks(self) -> Served:
        self.count += 1
        return self.served


def block(seq: int, label: str, content: str) -> Block:
    return Block(f"r{seq}", seq, label, "tool", content, 0)


def search(blocks: list[Block], **args: object) -> tuple[str, int]:
    archive = Reads(Served(blocks))
    return recall_search(args, Env(GO_1_25, archive=archive)).result, archive.count


class Counted(Term):
    """Counts how often it is moved on."""

    moves = 0

    def move(self, to: int) -> None:
        self.moves += 1
        super().move(to)


def ids(result: str) -> list[str]:
    return re.findall(r"^- (r[0-9]+) ", result, re.MULTILINE)  # a label may hold a line that begins with a dash


@every_vector("tokens")
def test_keywords_are_those_of_go(target: GoTarget, entry: dict[str, Any]) -> None:
    found = keywords(utf8.clean(entry["in"]), target)
    assert list(found) == list(dict.fromkeys(entry["ordered"]))
    assert sorted(found) == entry["out"]


@pytest.mark.parametrize("target", TARGETS)
def test_every_character_folds_into_the_alphabet_exactly_when_go_lowers_it_there(target: GoTarget) -> None:
    lower = dict(tables(target)["to_lower"])
    for point in range(0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        lowered = chr(lower.get(point, point))
        expected = (lowered * 2,) if lowered in ALPHABET else ()
        assert keywords(chr(point) * 2, target) == expected


def test_the_alphabet_is_that_of_the_contract() -> None:
    assert {chr(point) for point in (*range(0x61, 0x7B), *range(0x30, 0x3A), *range(0xE0, 0x100))} == ALPHABET


@pytest.mark.parametrize("query", [None, 3.0, ["train"], {}, True, "", " \n\u2003"])
def test_a_query_that_is_no_text_or_blank_is_missing_and_nothing_is_read(query: object) -> None:
    assert search([], query=query) == ("[erreur] query manquante", 0)


def test_an_absent_query_is_missing() -> None:
    assert search([]) == ("[erreur] query manquante", 0)


@pytest.mark.parametrize("query", ["à l d'", "ΣΊΣΥΦΟΣ", "×× _-", "é"])
def test_a_query_without_a_keyword_finds_nothing_and_reads_nothing(query: str) -> None:
    assert search([block(1, query, query)], query=query) == ("[aucun bloc archivé ne correspond]", 0)


def test_no_block_with_a_keyword_gives_the_same_text_after_one_read() -> None:
    assert search([block(1, "a", "b")], query="absent") == ("[aucun bloc archivé ne correspond]", 1)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (None, 5), ("2", 5), ([], 5), (True, 5), ({}, 5), (0.0, 5), (-4.0, 5), (0.9, 5), (-0.9, 5), (1.0, 1),
        (3.9, 3), (20.0, 20), (20.9, 20), (21.0, 20), (100.0, 20), (1e300, 5), (-1e300, 5), (9.3e18, 5), (9.2e18, 20),
    ],
)  # fmt: skip
def test_a_limit_is_truncated_and_bounded(limit: object, expected: int) -> None:
    assert limit_argument({"limit": limit}) == expected


def test_an_absent_limit_is_five() -> None:
    assert limit_argument({}) == 5


def test_a_keyword_scores_two_in_the_label_and_one_in_the_content_each_once() -> None:
    blocks = [
        block(1, "train train", ""),
        block(2, "", "train train train"),
        block(3, "Train", "TRAIN"),
        block(4, "", ""),
    ]
    assert ids(search(blocks, query="train")[0]) == ["r3", "r1", "r2"]


def test_scores_of_keywords_add_up_and_a_repeated_keyword_counts_once() -> None:
    blocks = [block(1, "", "train gare"), block(2, "", "train")]
    result, _ = search(blocks, query="train TRAIN gare")
    assert ids(result) == ["r1", "r2"]


def test_a_keyword_may_lie_inside_a_word() -> None:
    assert ids(search([block(1, "", "entraînement")], query="traîne")[0]) == ["r1"]


def test_a_keyword_never_spans_two_texts() -> None:
    assert (
        search([block(1, "tra", "gare"), block(2, "in", "")], query="train")[0] == "[aucun bloc archivé ne correspond]"
    )


def test_order_is_score_then_the_most_recent() -> None:
    blocks = [block(1, "train", ""), block(2, "", "train"), block(3, "", "train"), block(2**64 - 1, "", "train")]
    assert ids(search(blocks, query="train")[0]) == ["r1", "r18446744073709551615", "r3", "r2"]


def test_hits_are_cut_at_the_limit() -> None:
    blocks = [block(seq, "", "train") for seq in range(1, 31)]
    assert ids(search(blocks, query="train")[0]) == ["r30", "r29", "r28", "r27", "r26"]
    assert len(ids(search(blocks, query="train", limit=25.0)[0])) == 20


def test_the_result_has_no_newline_at_its_end() -> None:
    result, _ = search([block(1, "train", "\n\n")], query="train")
    assert result == "Blocs trouvés (rappelle le bon avec recall(id)) :\n- r1 — train\n  "


def test_a_label_is_printed_as_it_is() -> None:
    assert "- r1 — train\tde\nnuit\n  x" in search([block(1, "train\tde\nnuit", "x")], query="train")[0]


def test_a_snippet_of_160_runes_is_whole() -> None:
    assert snippet("é" * 160) == "é" * 160
    assert snippet("é" * 161) == "é" * 160 + "…"


def test_a_snippet_is_trimmed_before_its_ellipsis() -> None:
    assert snippet("a" * 159 + " bcd") == "a" * 159 + "…"


def test_a_snippet_folds_the_spaces_of_go_and_no_other() -> None:
    assert snippet(" a\u00a0\u2003\n b\x1cc\u200bd ") == "a b\x1cc\u200bd"


def naive_search(blocks: list[Block], query: str, limit: int) -> list[str]:
    """As the contract says it, each block alone."""
    scored = []
    for one in blocks:
        label, content = strings.to_lower(one.label, GO_1_25), strings.to_lower(one.content, GO_1_25)
        score = sum(2 * (word in label) + (word in content) for word in keywords(query, GO_1_25))
        scored.append((-score, -one.seq))
    return [f"r{-seq}" for score, seq in sorted(scored)[:limit] if score]


@given(
    st.lists(st.text(alphabet="aàÀÂ9÷×İKÅŸẞſ \n-", max_size=12), min_size=1, max_size=4),
    st.text(alphabet="aàÀÂ9÷×İKÅŸẞſ", min_size=2, max_size=6),
)
def test_folding_finds_what_lower_casing_each_text_would_find(texts: list[str], query: str) -> None:
    blocks = [block(seq, text, text[::-1]) for seq, text in enumerate(texts)]
    assert ids(search(blocks, query=query)[0]) == naive_search(blocks, query, 5)


TEXTS = st.lists(st.sampled_from(["gare", "train", "quai", "ga", "été", "x"]), max_size=3).map(" ".join)


@given(
    st.lists(st.tuples(TEXTS, TEXTS), max_size=30),
    st.lists(st.sampled_from(["gare", "train", "quai", "ga", "té", "absent"]), min_size=1, max_size=4).map(" ".join),
    st.integers(min_value=1, max_value=20),
)
def test_the_best_hits_are_those_of_scoring_every_block(texts: list[tuple[str, str]], query: str, limit: int) -> None:
    blocks = [block(seq, *pair) for seq, pair in enumerate(texts)]
    assert ids(search(blocks, query=query, limit=float(limit))[0]) == naive_search(blocks, query, limit)


def test_what_was_folded_serves_the_next_search_of_the_same_answer() -> None:
    served = Served([block(1, "train", "gare")])
    env = Env(GO_1_25, archive=Reads(served))
    recall_search({"query": "train"}, env)
    (first,) = served.memo.values()
    recall_search({"query": "gare"}, env)
    (second,) = served.memo.values()
    assert isinstance(first, Index)
    assert second is first


def test_a_common_word_is_looked_for_in_no_more_blocks_than_the_best_hits_need() -> None:
    texts = Texts([b"quai gare", *[b"gare"] * 1000])
    rare, common = Counted(texts, b"quai", 1), Counted(texts, b"gare", 1)
    assert ranked([common, rare], 1001, 3) == [0, 1, 2]
    assert rare.moves + common.moves < 12
