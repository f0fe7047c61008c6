"""Ids, queries, snippets of blocks and their ranking, told step by step (contract: recall.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from real_command import LOGS
from stand_in_oracle import StandIn
from vectors_reader import TARGETS, vectors

from parity.gostd import utf8
from parity.gostd.target import GO_1_25, GO_1_27
from parity.tools.interface import Block
from replay.explain.recalling import explain_id, explain_query, explain_score, explain_snippet
from replay.journal import load

if TYPE_CHECKING:
    from replay.explain.explanation import Explanation
    from replay.fields import Value
    from replay.journal.model import Journal

NOT_FOUND = "introuvable — vérifie l'id, ou utilise recall_search pour le retrouver par mots-clés"


def value(explanation: Explanation, rule: str) -> Value:
    """What the part of a rule gave."""
    (found,) = [part for part in explanation.parts if rule in part.rules]
    return found.value if found.lines is None else found.lines


def block(seq: int, label: str, content: str) -> Block:
    return Block(f"r{seq}", seq, label, "tool", content, 0)


def journal(*blocks: Block) -> Journal:
    return replace(load(LOGS / "recall.json"), file="j.json", blocks=blocks)


def test_an_id_is_trimmed_stripped_of_its_prefixes_and_read() -> None:
    told = explain_id(" rR7\u00a0", GO_1_25)
    assert value(told, "recall/id/missing") == " rR7\u00a0"
    assert value(told, "recall/id/prefix") == "7"
    assert value(told, "recall/id/digits") == 7
    assert value(told, "recall/id/malformed") == ("the block of seq 7 is asked for",)
    assert told.rules == [
        "recall/id/missing",
        "recall/id/prefix",
        "recall/id/digits",
        "recall/id/malformed",
        "recall/result/absent",
    ]
    assert told.result == f'[erreur] bloc " rR7\\u00a0" {NOT_FOUND}'
    assert told.notes == ("the archive is empty: name a journal with --journal to look the block up",)


def test_a_malformed_id_asks_for_nothing_and_has_gos_error() -> None:
    told = explain_id("Rr7", GO_1_25)
    assert value(told, "recall/id/digits") == ('strconv.ParseUint: parsing "r7": invalid syntax',)
    assert value(told, "recall/id/malformed") == ("nothing is asked for",)
    assert told.result == f'[erreur] bloc "Rr7" {NOT_FOUND}'
    assert told.notes == ()


def test_a_blank_id_is_missing_and_nothing_more_is_told() -> None:
    told = explain_id(" ", GO_1_25)
    assert told.rules == ["recall/id/missing"]
    assert told.result == "[erreur] id manquant"
    assert told.asks == ()


def test_with_an_archive_the_block_itself_is_shown() -> None:
    told = explain_id("r7", GO_1_25, [block(6, "a", "b"), block(7, "été", "à la plage\n")])
    assert told.result == "[r7 — été, rappelé verbatim]\nà la plage\n"
    assert "recall/result/found" in told.rules
    assert told.notes == ()


def test_every_part_has_a_sentence_and_a_place() -> None:
    for part in explain_id("r7", GO_1_25).parts:
        assert part.says
        assert part.rules or part.section.startswith("go-semantics.md, ")


def test_the_sentence_of_a_part_is_the_functions_own_without_markup() -> None:
    prefix = explain_id("r7", GO_1_25).parts[2]
    assert (
        prefix.says == "TrimSpace, one leading `r`, then one leading `R`, TrimSpace again: `rR7` is `7`, `Rr7` is `r7`."
    )


def test_every_id_of_the_vectors_is_read_as_real_go_read_it() -> None:
    checked = 0
    for target, entry in vectors("parse_id"):
        if utf8.clean(entry["in"]) != entry["in"]:
            continue
        answer = {"value": entry.get("value_with_err", entry.get("out")), "error": entry.get("err")}
        for ask in explain_id(entry["in"], target).asks:
            assert ask(StandIn.saying(answer).oracle).same, entry
            checked += 1
    assert checked > 400


def test_a_lying_go_is_noticed() -> None:
    (ask,) = explain_id("r7", GO_1_25).asks
    verdict = ask(StandIn.saying({"value": "8", "error": None}).oracle)
    assert not verdict.same
    assert (verdict.by, verdict.go, verdict.port) == (
        "stdlib",
        {"value": "8", "error": None},
        {"value": "7", "error": None},
    )


def test_a_query_is_lowered_and_cut_into_keywords() -> None:
    told = explain_query("İSTANBUL 3÷2 a straße", GO_1_25)
    assert value(told, "recall_search/keywords") == ("istanbul", "3÷2", "stra")
    assert told.result == "every block is read, and looked through for 3 keywords"


def test_a_query_without_a_keyword_finds_nothing() -> None:
    told = explain_query("à l d'", GO_1_25)
    assert value(told, "recall_search/keywords") == ()
    assert told.result == "[aucun bloc archivé ne correspond]"
    assert told.rules[-1] == "recall_search/result/none"


def test_a_blank_query_is_missing() -> None:
    told = explain_query("\u3000", GO_1_25)
    assert (told.result, told.asks) == ("[erreur] query manquante", ())


def test_every_query_of_the_vectors_has_the_keywords_of_real_go() -> None:
    checked = 0
    for target, entry in vectors("tokens"):
        if utf8.clean(entry["in"]) != entry["in"]:
            continue
        told = explain_query(entry["in"], target)
        if not told.asks:
            continue
        by_model, by_library = told.asks
        words = list(dict.fromkeys(entry["ordered"]))
        assert by_model(StandIn.saying(words).oracle).same, entry
        assert by_library(StandIn.saying(entry).oracle).same, entry
        checked += 1
    assert checked > 1000


def test_an_answer_without_its_list_differs_and_raises_nothing() -> None:
    _, by_library = explain_query("été", GO_1_25).asks
    assert not by_library(StandIn.saying("été").oracle).same


def test_a_snippet_is_folded_and_cut_at_160_runes() -> None:
    told = explain_snippet("a\u0085 " + "b" * 200, GO_1_25)
    assert told.result == "a " + "b" * 158 + "…"
    (ask,) = told.asks
    assert ask(StandIn(lambda question: {"s": question["s"]}).oracle).same is False
    assert ask(StandIn.saying("a " + "b" * 158 + "…").oracle).same


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)
def test_the_quoted_id_depends_on_the_go_that_is_copied(target: object) -> None:
    told = explain_id("r\u1c89", GO_1_25 if target is GO_1_25 else GO_1_27)
    shown = '"r\\u1c89"' if target is GO_1_25 else '"r\u1c89"'
    assert told.result == f"[erreur] bloc {shown} {NOT_FOUND}"


def test_bytes_that_are_not_utf_8_reach_the_tool_as_replacement_characters() -> None:
    assert explain_id("r\udcff", GO_1_25).result == f'[erreur] bloc "r\ufffd" {NOT_FOUND}'


BLOCKS = (
    block(1, "train et billet", "rien"),
    block(2, "autre", "le TRAIN de nuit"),
    block(3, "train", "train"),
    block(4, "rien", "rien"),
)


def test_the_ranking_says_what_each_keyword_gives_each_block() -> None:
    told = explain_score(journal(*BLOCKS), b'{"query":"train billet"}', GO_1_25)
    assert value(told, "recall_search/score") == (
        "1. r1 score 4 — train et billet (train: label 2; billet: label 2)",
        "2. r3 score 3 — train (train: label 2 + content 1)",
        "3. r2 score 1 — autre (train: content 1)",
    )
    assert value(told, "recall_search/order") == ("r1", "r3", "r2")
    assert value(told, "recall_search/limit") == 5
    assert told.result.startswith("Blocs trouvés (rappelle le bon avec recall(id)) :\n- r1 — train et billet\n")


def test_beyond_the_limit_a_block_is_shown_as_such() -> None:
    told = explain_score(journal(*BLOCKS), b'{"query":"train","limit":1}', GO_1_25)
    assert value(told, "recall_search/score") == (
        "1. r3 score 3 — train (train: label 2 + content 1)",
        "2. r1 score 2 — train et billet (train: label 2) · beyond the limit of 1",
        "3. r2 score 1 — autre (train: content 1) · beyond the limit of 1",
    )
    assert value(told, "recall_search/order") == ("r3",)


@pytest.mark.parametrize(
    ("block_id", "line"),
    [("r4", "r4 holds no keyword: score 0 is no hit"), ("r9\x1b", "r9␛ is not in the archive")],
)
def test_a_block_that_does_not_rank_is_told_why(block_id: str, line: str) -> None:
    told = explain_score(journal(*BLOCKS), b'{"query":"train"}', GO_1_25, block_id)
    lines = value(told, "recall_search/score")
    assert isinstance(lines, tuple)
    assert lines[-1] == line


def test_of_many_blocks_the_best_are_shown_and_the_one_that_is_asked_about() -> None:
    many = journal(*(block(seq, "train", "") for seq in range(1, 41)))
    lines = value(explain_score(many, b'{"query":"train"}', GO_1_25, "r3"), "recall_search/score")
    assert isinstance(lines, tuple)
    assert lines[0] == "1. r40 score 2 — train (train: label 2)"
    assert lines[20:] == ("38. r3 score 2 — train (train: label 2) · beyond the limit of 5", "40 blocks hold a keyword")


def test_a_missing_query_ranks_nothing() -> None:
    told = explain_score(journal(*BLOCKS), b'{"query":" "}', GO_1_25)
    assert told.result == "[erreur] query manquante"
    assert value(told, "recall_search/score") == ()
    assert told.title == 'score of "" in j.json'


def test_real_go_is_given_the_archive_and_then_searches_it() -> None:
    told = explain_score(journal(*BLOCKS), b'{"query":"\xff"}', GO_1_25)
    stand_in = StandIn(lambda question: 4 if question["q"] == "archive" else "[aucun bloc archivé ne correspond]")
    assert all(ask(stand_in.oracle).same for ask in told.asks)
    handed, searched = stand_in.asked
    assert handed["archive"] == searched["archive"]
    assert handed["blocks"] == [
        {"id": one.id, "seq": one.seq, "label": one.label, "role": "tool", "content": one.content, "created": 0}
        for one in BLOCKS
    ]
    assert searched["args"] == {"b64": "eyJxdWVyeSI6Iv8ifQ=="}
