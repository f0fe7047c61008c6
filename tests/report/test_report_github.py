"""Annotations and summary for GitHub: nothing that a run says ends a command or begins markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hostile_runs import runs
from hypothesis import HealthCheck, given, settings
from run_files import difference, footer, header, receipt, run_file, side, spot, step

from replay.report import github
from replay.report.github import commands, summary
from replay.report.read import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from replay.report.run_values import ToldRun


def told(folder: Path, steps: Sequence[dict[str, Any]], **more: Any) -> ToldRun:  # noqa: ANN401 - JSON
    return read(run_file(folder / "run.jsonl", [header(), *steps, footer(steps, **more)]))


def test_a_step_that_does_not_match_is_an_error_at_its_line(tmp_path: Path) -> None:
    found = [difference(recorded=side("é"), candidate=side("e"), place=spot(0, "é", "e"))]
    told_in_a_line = (
        "diverged in result at line 1, column 1: "
        "recorded U+00E9 LATIN SMALL LETTER E WITH ACUTE, candidate U+0065 LATIN SMALL LETTER E"
    )
    assert list(commands(told(tmp_path, [step(1), step(7, "diverged", differences=found)]))) == [
        f"::error file=logs/a.json,line=7,title=step 7 recall_search (isolated)::{told_in_a_line}"
    ]


def test_what_would_end_a_property_or_a_command_is_escaped(tmp_path: Path) -> None:
    hostile = step(1, "went-through-go", journal="a,b:c%.json", tool="t:,%", reason="50% of\n::error::x")
    assert list(commands(told(tmp_path, [hostile]))) == [
        "::error file=a%2Cb%3Ac%25.json,line=1,title=step 1 t%3A%2C%25 (isolated)::went-through-go: 50%25 of␤::error::x"
    ]


def test_of_several_candidates_each_error_names_its_own(tmp_path: Path) -> None:
    one = step(1, "crashed", candidate="port")
    run = told(tmp_path, [one], journals=[receipt([one], candidate="port")])
    assert ",title=step 1 recall_search (isolated of port)::" in next(commands(run))
    assert "<code>logs&#47;a&#46;json by port</code>" in "".join(summary(run))


def test_so_many_annotations_are_made_and_the_rest_is_counted(tmp_path: Path) -> None:
    run = told(tmp_path, [step(number, "crashed") for number in range(1, 6)], problems=["no floor"])
    lines = list(commands(run, most=2))
    assert len(lines) == 3
    assert lines[-1] == "::notice title=loki-parity::4 more errors: the job summary and the report hold them"


def test_problems_are_errors_without_a_place(tmp_path: Path) -> None:
    steps = [step(1)]
    one = receipt(steps, problems=["a problem"], notes=["a note"], left_out=[{"what": "state", "why": "none"}])
    refusals = [{"journal": "logs/b.json", "exit": 2, "sentence": "no journal"}]
    run = told(tmp_path, steps, journals=[one], refusals=refusals, problems=["no floor"], exit=2)
    said = ["no journal", "logs/a.json: a problem", "logs/a.json: state: none", "no floor"]
    assert list(commands(run)) == [f"::error title=loki-parity::{one}" for one in said]
    assert "- <code>no floor</code>\n" in "".join(summary(run))
    assert "a&#46;json&#58; a note</code>\n" in "".join(summary(run))


def test_the_summary_has_a_table_and_the_steps_that_do_not_match(tmp_path: Path) -> None:
    text = "".join(summary(told(tmp_path, [step(1), step(2, "diverged", shown=["<b> & `c` | é"])])))
    assert text.startswith("## loki-parity: DIVERGED\n\n1 of 2 outcomes is no match\n")
    assert "| <code>logs&#47;a&#46;json</code> | isolated | 1 | 1 | 0 | 0 | 2 | 1 of 1 |\n" in text
    assert "<pre>&#60;b&#62; &#38; &#96;c&#96; &#124; é</pre>" in text


def test_a_green_summary_has_no_steps(tmp_path: Path) -> None:
    text = "".join(summary(told(tmp_path, [step(1)])))
    assert text.startswith("## loki-parity: MATCH\n\n")
    assert "###" not in text


def test_many_steps_get_a_line_each_and_then_a_number(tmp_path: Path) -> None:
    text = "".join(summary(told(tmp_path, [step(number, "crashed") for number in range(1, 131)])))
    assert text.count("<details>") == github.MOST_DETAILS
    assert "<code>step 120 of logs&#47;a&#46;json &#40;isolated&#41;&#58; crashed&#58;" in text
    assert text.endswith("- and 10 more\n")


def test_a_summary_is_cut_before_github_refuses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github, "_MOST_BYTES", 300)
    text = "".join(summary(told(tmp_path, [step(1, "crashed")])))
    assert text.endswith("\n\n… cut off here: the report holds the rest\n")
    assert len(text.encode()) < 400


OURS = re.compile(r"</?(?:code|pre|details|summary)>|^\|---\|---\|(?:---:\|)+$", re.MULTILINE)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs())
def test_of_any_run_no_line_is_broken_and_no_markup_begins(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    run = read(run_file(tmp_path / "run.jsonl", lines))
    for line in commands(run):
        assert re.match(r"::(error|notice) [^\r\n]*::[^\r\n]*\Z", line)
        properties = line.split("::")[1].split(" ", 1)[1]
        assert set(re.findall(r"(?:^|,)([a-z]+)=", properties)) <= {"file", "line", "title"}
    text = "".join(summary(run))
    for line in OURS.sub("", text).split("\n"):
        assert "<" not in line
        assert "`" not in line
        assert "@" not in line
        if line.startswith("|"):
            assert line.count("|") == 9
    text.encode()
