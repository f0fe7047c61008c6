"""The HTML report: one file that loads nothing, whose every text is text, and whose bytes depend on the run alone."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from hostile_runs import runs
from hypothesis import HealthCheck, given, settings
from run_files import difference, footer, header, receipt, run_file, side, spot, step

from replay.report import html as page_module
from replay.report.html import RuleLink, html
from replay.report.read import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from replay.report.run_values import ToldRun

SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Parsed(HTMLParser):
    """The elements, the texts outside scripts and styles, and what the scripts hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._in = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self._in = tag
            if tag == "script":
                self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._in:
            self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = attributes, text + data
        elif not self._in and data.strip():
            self.texts.append(data.strip())

    @property
    def data(self) -> list[Any]:
        """What the JSON in the page says: the steps, then the details."""
        return [json.loads(text) for attributes, text in self.scripts if attributes.get("type") == "application/json"]


def told(folder: Path, lines: Sequence[dict[str, Any]], *, reveal: bool = False) -> ToldRun:
    return read(run_file(folder / "run.jsonl", lines), reveal=reveal)


def page(folder: Path, steps: Sequence[dict[str, Any]], *, reveal: bool = False, **more: Any) -> str:  # noqa: ANN401 - JSON
    return "".join(html(told(folder, [header(), *steps, footer(steps, **more)], reveal=reveal), RULES))


RULES = {"recall_search": [RuleLink("recall_search/order", "recall.md, 4", "parity.tools.order")]}


def test_the_page_names_verdict_receipt_counts_and_drill(tmp_path: Path) -> None:
    text = " ".join(Parsed(page(tmp_path, [step(1), step(2, "diverged")])).texts)
    for said in (
        "DIVERGED 1 of 2 outcomes is no match",
        "Candidate port , reached by http, 1 module",
        "1 journal (floor 1)",
        "logs/a.json",
        "go1.25.5, Unicode 15.0.0, amd64",
        "1 of 2 match, 1 diverged",
        "not recorded: label 2",
        "tolerance tracker-order: 1 time, 2 characters",
        "1 of 1 found",
        "no step to plant in: label",
    ):
        assert said in re.sub(r"\s+", " ", text)


def test_a_green_page_has_no_rules_and_no_problems(tmp_path: Path) -> None:
    text = " ".join(Parsed(page(tmp_path, [step(1)])).texts)
    assert "1 outcome matches what Go recorded" in text
    assert "Rules" not in text
    assert "Problems" not in text


def test_what_was_not_judged_stands_on_the_page(tmp_path: Path) -> None:
    steps = [step(1)]
    empty = receipt(steps, modes={}, journal="logs/b.json", left_out=[{"what": "state", "why": "it shows none"}])
    model = receipt(steps, source="model", problems=["a step is missing"], notes=["state not recorded"])
    refusals = [{"journal": "logs/c.json", "exit": 3, "sentence": "logs/c.json is not ported"}]
    journals = [model, empty]
    made = page(tmp_path, steps, journals=journals, refusals=refusals, problems=["no floor"], exit=3)
    text = " ".join(Parsed(made).texts)
    assert "state not recorded" in text
    for said in ("written by a model", "a step is missing", "state: it shows none", "is not ported", "no floor"):
        assert said in text
    assert "nothing diverged, but not everything could be judged" in text


def test_a_match_of_what_a_model_wrote_says_so(tmp_path: Path) -> None:
    steps = [step(1)]
    text = page(tmp_path, steps, journals=[receipt(steps, source="model")])
    assert "1 outcome matches what Go recorded or the model wrote" in text


def test_a_match_of_a_reduced_journal_is_no_match_of_what_go_recorded(tmp_path: Path) -> None:
    steps = [step(1)]
    text = page(tmp_path, steps, journals=[receipt(steps, source="reduced")])
    assert "1 outcome matches what a reduced journal holds, which is no recording" in text
    assert "reduced from a journal, not recorded" in text
    both = [receipt(steps, source="recorded"), receipt(steps, modes={}, journal="logs/b.json", source="reduced")]
    assert "what Go recorded or a reduced journal holds" in page(tmp_path, steps, journals=both)


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    text = page(tmp_path, [step(1)], exit=130, interrupted=True, stopped=True)
    assert "interrupted after 1 outcome" in text
    assert "stopped at the first that did not match" in text


def test_several_candidates_are_told_apart(tmp_path: Path) -> None:
    steps = [step(1, candidate=name) for name in ("port", "go:1.25.5")]
    journals = [receipt([one], candidate=one["candidate"]) for one in steps]
    candidates = [{"name": one["candidate"], "transport": "pipe", "modules": {}} for one in steps]
    run = told(tmp_path, [header(candidates=candidates, shard=""), *steps, footer(steps, journals=journals)])
    parsed = Parsed("".join(html(run, {})))
    assert parsed.data[0]["candidates"] == ["port", "go:1.25.5"]
    assert parsed.texts.count("go:1.25.5") == 2


def test_the_page_loads_nothing_and_its_policy_allows_its_own_script_only(tmp_path: Path) -> None:
    parsed = Parsed(page(tmp_path, [step(1, "diverged")]))
    assert not [one for one in parsed.elements if {"src", "srcset", "action", "data"} & one[1].keys()]
    assert {one[1]["href"] for one in parsed.elements if "href" in one[1]} == {"#steps"}
    policy = next(one[1]["content"] for one in parsed.elements if one[1].get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http:" not in policy


def test_a_step_that_matches_is_a_row_and_one_that_does_not_has_details(tmp_path: Path) -> None:
    one = difference(
        recorded=side("ab"),
        candidate=None,
        place=spot(1, "ab", "ao"),
        causes=[{"name": "crlf", "extent": "whole"}],
    )
    steps = [step(1), step(2, "diverged", differences=[one], inherited=False), step(3, "crashed", inherited=True)]
    rows, first, second = Parsed(page(tmp_path, steps)).data
    assert [row[2:5] for row in rows["rows"]] == [[0, "1", 0], [0, "2", 0], [0, "3", 0]]
    assert rows["fields"] == ["result"]
    assert rows["rules"] == {"recall_search": ["recall_search/order"]}
    assert first["inherited"] == "its own: it differs from Go's own state too"
    assert first["differences"][0]["causes"] == ["crlf (whole)"]
    assert first["differences"][0]["at"] == "line 1, column 2 (byte 1, rune 1, UTF-16 1)"
    assert first["differences"][0]["sides"][0]["mark"] == 1
    assert first["differences"][0]["sides"][1] is None
    assert second["says"] == "ValueError: no in parity/a.py:3 in f"
    assert second["inherited"].startswith("inherited: ")


def test_a_field_is_filtered_by_its_head(tmp_path: Path) -> None:
    found = [difference(field=field) for field in ("files['a.md'].content", "diff[3].text", "result")]
    assert Parsed(page(tmp_path, [step(1, "diverged", differences=found)])).data[0]["fields"] == [
        "files",
        "diff",
        "result",
    ]


def test_a_long_side_is_shown_around_the_place(tmp_path: Path) -> None:
    one = difference(recorded=side("x" * 2000, length=9000, start=500), place=spot(0, "a", "b") | {"rune": 1500})
    found = Parsed(page(tmp_path, [step(1, "diverged", differences=[one])])).data[1]["differences"][0]["sides"][0]
    assert (found["from"], found["left"], found["length"]) == (1200, 6800, 9000)


def test_steps_that_match_are_counted_beyond_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MOST_MATCHES", 2)
    rows = Parsed(page(tmp_path, [step(1), step(2), step(3), step(4, "crashed")])).data[0]
    assert [row[3] for row in rows["rows"]] == ["1", "2", "4"]
    assert rows["leftOut"] == 1


def test_what_is_sealed_is_not_in_the_page_unless_it_was_asked_for(tmp_path: Path) -> None:
    one = difference(field="files['a.md'].content", sealed=True, recorded=side("", length=6), candidate=None)
    opening = {"shown": ["the secret"], "sides": [{"recorded": side("secret"), "candidate": None}]}
    steps = [step(1, "diverged", differences=[one], sealed=True, opened=opening)]
    assert "secret" not in page(tmp_path, steps)
    detail = Parsed(page(tmp_path, steps, reveal=True)).data[1]
    assert detail["opened"]["differences"][0]["sides"][0]["pieces"] == ["secret"]


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    steps = [step(1), step(2, "diverged"), step(3, "crashed", tool="recall")]
    assert page(tmp_path, steps) == page(tmp_path, steps)


def test_an_empty_run_is_a_page(tmp_path: Path) -> None:
    lines = [header(journals=[]), footer([], exit=3, problems=["nothing to judge"])]
    assert Parsed("".join(html(told(tmp_path, lines), {}))).data[0]["rows"] == []


KNOWN = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "p",
        "h1",
        "h2",
        "h3",
        "span",
        "bdi",
        "strong",
        "main",
        "section",
        "dl",
        "div",
        "dt",
        "dd",
        "ul",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
        "noscript",
        "form",
        "label",
        "input",
        "select",
        "button",
        "kbd",
        "ol",
        "script",
        "code",
    }
)
"""Every element that the template has."""


@SLOW
@given(runs())
def test_no_text_of_a_run_becomes_markup(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    run = told(tmp_path, lines)
    text = "".join(html(run, {}))
    parsed = Parsed(text)
    assert {name for name, _ in parsed.elements} <= KNOWN
    assert len(parsed.scripts) == 2 + sum(one.told is not None for one in run.steps)
    assert not any(key.startswith("on") or key in {"src", "style"} for _, one in parsed.elements for key in one)
    text.encode()
    shown = "\n".join(parsed.texts)
    for refusal in run.refusals:
        assert refusal.sentence.strip() in shown
    rows = parsed.data[0]
    assert [rows["journals"][row[1]] for row in rows["rows"]] == [one.journal for one in run.steps]
    assert [row[6] for row in rows["rows"]] == [one.note for one in run.steps]
    assert [one["says"] for one in parsed.data[1:]] == [one.told.says for one in run.steps if one.told]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
