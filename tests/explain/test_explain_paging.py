"""Names, titles, diffs, snippets of pages and their ranking, told step by step (contract: memory.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import small_journals
from stand_in_oracle import StandIn

from parity.gostd.target import GO_1_25
from replay.explain.explanation import ExplainError
from replay.explain.paging import (
    explain_diff,
    explain_name,
    explain_page_score,
    explain_page_snippet,
    explain_title,
)
from replay.journal import load
from replay.oracle.client import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from replay.explain.explanation import Explanation
    from replay.fields import Value
    from replay.journal.model import Journal
    from replay.oracle.client import Question


def value(explanation: Explanation, rule: str) -> Value:
    (found,) = [part for part in explanation.parts if rule in part.rules]
    return found.value if found.lines is None else found.lines


@pytest.mark.parametrize(
    ("name", "file"), [(" notes ", "notes.md"), ("..", "...md"), ("X.MD", "X.MD"), ("MEMORY", "MEMORY.md")]
)
def test_a_name_leads_to_a_file(name: str, file: str) -> None:
    told = explain_name(name, GO_1_25)
    assert told.result == f"the file {file}"
    assert value(told, "memory/names/inside") == file.encode()
    assert value(told, "memory/index/itself") is (file == "MEMORY.md")
    (ask,) = told.asks
    assert ask(StandIn.saying({"name": file, "error": None}).oracle).same


@pytest.mark.parametrize(
    ("name", "error"),
    [(" \u3000", "nom vide"), ("a b", "nom invalide (alphanum, ._-)"), ("é", "nom invalide (alphanum, ._-)")],
)
def test_a_bad_name_has_the_contracts_text(name: str, error: str) -> None:
    told = explain_name(name, GO_1_25)
    assert told.result == f"[erreur] {error}"
    assert "memory/names/inside" not in told.rules
    (ask,) = told.asks
    assert ask(StandIn.saying({"name": "", "error": error}).oracle).same


def test_a_name_that_no_folder_can_hold_is_told() -> None:
    told = explain_name("a" * 300, GO_1_25)
    assert value(told, "memory/names/inside") == f"the file name '{'a' * 80}' is 303 bytes long, over 255"


@pytest.mark.parametrize(
    ("content", "title"), [("##\n\n# Été \n", "Été"), ("", ""), ("\u00a0#\u00a0a\udcff", "a\udcff")]
)
def test_a_title_is_the_first_line_that_is_not_empty(content: str, title: str) -> None:
    told = explain_title(content, GO_1_25)
    assert told.result == title
    (ask,) = told.asks
    assert ask(StandIn.saying({"b64": "Yf8="} if title == "a\udcff" else title).oracle).same


def test_a_diff_shows_its_entries_and_how_they_were_found() -> None:
    told = explain_diff("a\nb\nc", "a\nc\nd", GO_1_25)
    assert value(told, "memory/diff/common") == 2
    assert value(told, "memory/diff/walk") == ("4 entries",)
    assert value(told, "memory/diff/cut") == ("  a", "- b", "  c", "+ d")
    assert told.result == "4 entries"
    (ask,) = told.asks
    answer = [{"op": " ", "text": "a"}, {"op": "-", "text": "b"}, {"op": " ", "text": "c"}, {"op": "+", "text": "d"}]
    assert ask(StandIn.saying(answer).oracle).same


def test_a_diff_of_long_texts_is_all_of_both() -> None:
    told = explain_diff("a\n" * 400, "b", GO_1_25)
    assert value(told, "memory/diff/long") == ("401 lines removed, 1 added",)
    assert told.result == "121 entries"


def test_a_snippet_of_a_page_is_cut_by_bytes_of_the_lower_case() -> None:
    told = explain_page_snippet("x" * 100 + " Mot " + "y" * 200, "mot", GO_1_25)
    assert value(told, "memory/mem_search/first") == 101
    assert told.result == "…" + "x" * 59 + " Mot " + "y" * 96 + "…"
    (ask,) = told.asks
    assert ask(StandIn.saying(told.result).oracle).same


def test_a_page_without_the_term_shows_its_head() -> None:
    told = explain_page_snippet("z" * 161, "mot", GO_1_25)
    assert value(told, "memory/mem_search/first") is None
    assert value(told, "memory/mem_search/head") == b"z" * 160 + "…".encode()


def test_where_go_crashes_that_is_the_answer() -> None:
    told = explain_page_snippet("Ⱥ" * 76 + " mot", "mot", GO_1_25)
    text = "runtime error: slice bounds out of range [169:156]"  # 76 × 3 + 1 − 60, and the page's 156 bytes
    assert told.result == f"Go crashes: {text}"
    assert value(told, "memory/mem_search/panic") == (f"Go crashes: {text}",)
    (ask,) = told.asks
    assert ask(StandIn.saying(Answer("model", None, text)).oracle).same


PAGES = {
    "initial": {"files": {"a.md": "# Nathan\nNathan aime podman", "b.md": "podman", "c.md": "rien"}, "trackers": {}}
}


def journal(folder: Path, **head: object) -> Journal:
    add = small_journals.step(
        "mem_add",
        {"file": "d", "content": "podman podman"},
        "[ok] page 'd' créée",
        files={"d.md": "podman podman\n"},
        trackers={},
    )
    blank = small_journals.step("mem_read", {"file": "d"}, "1\tpodman podman")
    return load(
        small_journals.write(folder, small_journals.memory(add, blank, **{**PAGES, **head})), file_name="j.json"
    )


def test_the_ranking_of_pages_shows_every_factor(tmp_path: Path) -> None:
    told = explain_page_score(journal(tmp_path), b'{"query":"Nathan podman"}', GO_1_25)
    # n = 3; df(nathan) = 1, df(podman) = 2; ln 2 + 1 and ln(4/3) + 1, in float64 as Go has them
    rare, common = math.log(2) + 1, math.log(4 / 3) + 1
    twice = 1 + math.log(2)
    lines = value(told, "memory/mem_search/score")
    assert isinstance(lines, tuple)
    assert value(told, "memory/mem_search/df") == ("nathan: 1 of 3 pages", "podman: 2 of 3 pages")
    assert str(lines[0]).startswith("1. a.md matched 2, score ")
    assert lines[1] == f"     nathan: idf {rare!r} × tf {twice!r} (of 2) × field 3 = {rare * twice * 3!r}"
    assert lines[2] == f"     podman: idf {common!r} × tf 1.0 (of 1) × field 1 = {common!r}"
    assert lines[3:5] == (
        f"2. b.md matched 1, score {common!r} — podman",
        f"     podman: idf {common!r} × tf 1.0 (of 1) × field 3 = {common * 3!r}",
    ) or str(lines[3]).startswith("2. b.md matched 1, score ")
    assert value(told, "memory/mem_search/order") == ("a.md", "b.md")
    assert told.result.startswith("- a.md — Nathan\n")
    assert told.title == 'score of "Nathan podman" in j.json'


def test_a_page_beyond_the_limit_is_shown_as_such_and_an_absent_one_is_told(tmp_path: Path) -> None:
    told = explain_page_score(journal(tmp_path), b'{"query":"podman","limit":1}', GO_1_25, file="c.md")
    lines = value(told, "memory/mem_search/score")
    assert isinstance(lines, tuple)
    assert any(str(line).endswith(" · beyond the limit of 1") for line in lines)
    assert lines[-1] == "c.md is not found: no term occurs in it, or it is not listed"


def test_of_many_pages_the_best_are_shown_and_the_one_that_is_asked_about(tmp_path: Path) -> None:
    files = {f"p{number:02}.md": "podman" for number in range(40)}
    found = journal(tmp_path, initial={"files": files, "trackers": {}})
    told = explain_page_score(found, b'{"query":"podman"}', GO_1_25, file="p35.md")
    lines = value(told, "memory/mem_search/score")
    assert isinstance(lines, tuple)
    assert [str(line).partition(" matched")[0] for line in lines if not str(line).startswith(" ")] == [
        *(f"{rank}. p{rank - 1:02}.md" for rank in range(1, 31)),
        "36. p35.md",
        "40 pages are found",
    ]


@pytest.mark.parametrize("step", [1, 2])
def test_after_a_step_the_pages_are_those_that_it_recorded_or_the_last_that_were(tmp_path: Path, step: int) -> None:
    told = explain_page_score(journal(tmp_path), b'{"query":"podman"}', GO_1_25, step)
    assert told.result == "- d.md — podman podman\n  podman podman"
    assert told.title == f'score of "podman" in j.json after step {step}'


@pytest.mark.parametrize("step", [0, 3])
def test_a_step_that_is_not_there_is_refused(tmp_path: Path, step: int) -> None:
    with pytest.raises(ExplainError, match=f"^j.json has no step {step}: it has 2$"):
        explain_page_score(journal(tmp_path), b"{}", GO_1_25, step)


def test_without_a_term_every_page_is_shown_and_nothing_is_rare(tmp_path: Path) -> None:
    told = explain_page_score(journal(tmp_path), b'{"query":" "}', GO_1_25)
    assert value(told, "memory/mem_search/df") == ()
    assert value(told, "memory/mem_search/order") == ("a.md", "b.md", "c.md")


def test_real_go_searches_the_same_pages(tmp_path: Path) -> None:
    told = explain_page_score(journal(tmp_path), b'{"query":"rien"}', GO_1_25)
    stand_in = StandIn(lambda question: _exec(question, "- c.md — rien\n  rien"))
    (ask,) = told.asks
    assert ask(stand_in.oracle).same
    assert [question["q"] for question in stand_in.asked] == ["reset", "restore", "exec", "close"]
    assert ask(StandIn(lambda question: _exec(question, "autre")).oracle).same is False


def _exec(question: Question, result: str) -> object:
    return {"result": result, "label": "rien", "diff": []} if question["q"] == "exec" else True


def test_a_search_in_which_go_crashes_is_told_as_such(tmp_path: Path) -> None:
    grown = {"files": {"a.md": "Ⱥ" * 76 + " mot"}, "trackers": {}}
    told = explain_page_score(journal(tmp_path, initial=grown), b'{"query":"mot"}', GO_1_25)
    text = "runtime error: slice bounds out of range [169:156]"
    assert told.result == f"Go crashes: {text}"
    (ask,) = told.asks

    def answer(question: Question) -> object:
        crashed = Answer("model", {"label": "mot", "diff": []}, text)
        return crashed if question["q"] == "exec" else True

    assert ask(StandIn(answer).oracle).same
