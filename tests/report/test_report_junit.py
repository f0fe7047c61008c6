"""JUnit XML: valid whatever the run holds, a case for each step and mode, a failure as the terminal shows it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

from hostile_runs import runs
from hypothesis import HealthCheck, given, settings
from run_files import difference, footer, header, receipt, run_file, side, spot, step

from replay.report.junit import junit
from replay.report.read import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def document(folder: Path, lines: Sequence[dict[str, Any]], *, reveal: bool = False) -> ET.Element:
    run = read(run_file(folder / "run.jsonl", lines), reveal=reveal)
    return ET.fromstring("".join(junit(run, reveal=reveal)))  # noqa: S314 - our own document


def suites(folder: Path, steps: Sequence[dict[str, Any]], **more: Any) -> list[ET.Element]:  # noqa: ANN401 - JSON
    return list(document(folder, [header(), *steps, footer(steps, **more)]))


def test_each_step_and_mode_is_a_case_of_its_journals_suite(tmp_path: Path) -> None:
    steps = [step(1), step(1, mode="chained", note="n"), step(1, journal="logs/b.json")]
    found = suites(tmp_path, steps)
    assert [one.attrib["name"] for one in found] == [
        "logs/a.json isolated",
        "logs/a.json chained",
        "logs/b.json isolated",
    ]
    assert [one.attrib["tests"] for one in found] == ["1", "1", "1"]
    case = found[1][0]
    assert case.attrib == {
        "classname": "logs/a.json chained",
        "name": "1 recall_search — n",
        "file": "logs/a.json",
        "line": "1",
    }


def test_a_failure_is_what_the_terminal_shows(tmp_path: Path) -> None:
    found = [difference(recorded=side("é"), candidate=side("e"), place=spot(0, "é", "e"))]
    one = step(1, "diverged", differences=found, shown=["logs/a.json diverged", "  - <é> & \x1b[31m"])
    failure = suites(tmp_path, [one])[0][0][0]
    assert failure.tag == "failure"
    assert failure.text == "logs/a.json diverged\n  - <é> & ␛[31m"
    assert failure.attrib == {
        "type": "diverged",
        "message": (
            "diverged in result at line 1, column 1: recorded U+00E9 LATIN SMALL LETTER E WITH ACUTE, "
            "candidate U+0065 LATIN SMALL LETTER E"
        ),
    }


def test_a_difference_without_a_place_is_called_by_its_kind(tmp_path: Path) -> None:
    one = step(1, "diverged", differences=[difference(field="files['a.md']", kind="extra")])
    assert suites(tmp_path, [one])[0][0][0].attrib["message"] == "diverged in files['a.md'] (extra)"


def test_a_crash_is_an_error_and_a_call_through_go_a_failure(tmp_path: Path) -> None:
    root = document(tmp_path, [header(), *CRASHES, footer(CRASHES)])
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("2", "1", "1")
    assert [case[0].tag for case in root[0]] == ["error", "failure"]
    assert root[0][0][0].attrib["message"] == "crashed: ValueError: no in parity/a.py:3 in f"
    assert root[0][1][0].attrib["message"] == "went-through-go: not ported"


CRASHES = [step(1, "crashed"), step(2, "went-through-go")]


def test_what_belongs_to_no_step_is_an_error_of_the_run(tmp_path: Path) -> None:
    steps = [step(1)]
    one = receipt(steps, problems=["a problem"], left_out=[{"what": "state", "why": "none"}])
    refusals = [{"journal": "logs/b.json", "exit": 2, "sentence": "no journal"}]
    found = suites(
        tmp_path, steps, journals=[one], refusals=refusals, problems=["no floor"], exit=130, interrupted=True
    )
    assert found[1].attrib == {"name": "run", "tests": "5", "failures": "0", "errors": "5"}
    assert [(case.attrib["name"], case[0].attrib["message"]) for case in found[1]] == [
        ("logs/b.json", "no journal"),
        ("logs/a.json", "a problem"),
        ("logs/a.json", "state: none"),
        ("run", "no floor"),
        ("run", "the run was interrupted"),
    ]


def test_what_is_sealed_is_shown_only_when_it_is_asked_for(tmp_path: Path) -> None:
    opening = {"shown": ["the secret"], "sides": []}
    lines = [header(), one := step(1, "diverged", shown=["sealed"], sealed=True, opened=opening), footer([one])]
    assert document(tmp_path, lines)[0][0][0].text == "sealed"
    assert document(tmp_path, lines, reveal=True)[0][0][0].text == "the secret"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs())
def test_any_run_is_valid_xml_that_adds_up(tmp_path: Path, lines: list[dict[str, Any]]) -> None:
    run = read(run_file(tmp_path / "run.jsonl", lines))
    root = document(tmp_path, lines)
    cases = root.findall("testsuite/testcase")
    assert len(cases) == int(root.attrib["tests"])
    for name, tag in (("failures", "failure"), ("errors", "error")):
        assert len(root.findall(f"testsuite/testcase/{tag}")) == int(root.attrib[name])
        assert sum(int(one.attrib[name]) for one in root) == int(root.attrib[name])
    unequal = [one.told for one in run.steps if one.told]
    shown = [case[0].text or "" for case in cases if len(case) and case.attrib["classname"] != "run"]
    assert shown == ["\n".join(one.shown) for one in unequal]
