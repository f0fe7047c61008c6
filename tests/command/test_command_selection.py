"""Which steps are judged: by tool, by number, in which mode, up to the first that does not match."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import DIVERGED, LOGS, MATCH, NOT_JUDGED, loki_parity

if TYPE_CHECKING:
    from pathlib import Path

NOTHING: Final = "problem    nothing to judge: the selection chooses no step of these journals"


def steps(folder: Path, *arguments: str) -> tuple[int, list[tuple[str, str]]]:
    """The exit status, and mode and number of every step that was judged."""
    ran = loki_parity("run", "--transport", "memory", *arguments, "--report-json", "report.jsonl", cwd=folder)
    lines: list[dict[str, Any]] = [json.loads(line) for line in (folder / "report.jsonl").read_text().splitlines()]
    return ran.status, [(line["mode"], line["step"]) for line in lines if line["type"] == "step"]


def three(folder: Path) -> str:
    journal = small_journals.recall(small_journals.right(), small_journals.searched(), small_journals.unread())
    return str(small_journals.write(folder, journal))


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        ([], ["1", "2", "3"]),
        (["--step", "2"], ["2"]),
        (["--step", "2-3"], ["2", "3"]),
        (["--step", "3-3"], ["3"]),
        (["--step", "1", "--step", "3"], ["1", "3"]),
        (["--step", "2-900000000"], ["2", "3"]),
        (["--tool", "recall_search"], ["2"]),
        (["--tool", "recall", "--step", "2-3"], ["3"]),
        (["--tool", "recall", "--tool", "recall_search"], ["1", "2", "3"]),
    ],
)
def test_a_selection_chooses_what_is_judged_in_both_modes(
    arguments: list[str], chosen: list[str], tmp_path: Path
) -> None:
    judged = [(mode, number) for mode in ("isolated", "chained") for number in chosen]
    assert steps(tmp_path, three(tmp_path), *arguments) == (MATCH, judged)


@pytest.mark.parametrize(
    ("arguments", "modes"),
    [
        (["--mode", "chained"], ["chained"]),
        (["--mode", "isolated"], ["isolated"]),
        (["--mode", "chained", "--mode", "isolated"], ["isolated", "chained"]),
        (["--mode", "chained", "--mode", "chained"], ["chained"]),
    ],
)
def test_a_mode_is_run_once_and_isolated_first(arguments: list[str], modes: list[str], tmp_path: Path) -> None:
    judged = [(mode, number) for mode in modes for number in ("1", "2", "3")]
    assert steps(tmp_path, three(tmp_path), *arguments) == (MATCH, judged)


@pytest.mark.parametrize(
    "arguments",
    [["--tool", "recal"], ["--step", "4"], ["--step", "0"], ["--step", "1.1"], ["--tool", "recall", "--step", "2"]],
    ids=" ".join,
)
def test_a_selection_that_chooses_nothing_is_not_judged(arguments: list[str], tmp_path: Path) -> None:
    ran = loki_parity("run", "--transport", "memory", three(tmp_path), *arguments, cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert ran.out.splitlines()[-2:] == [NOTHING, "verdict    NOT JUDGED: nothing was judged"]
    assert "match" not in ran.out


def test_an_operation_of_a_case_a_case_and_a_range_of_both(tmp_path: Path) -> None:
    for arguments, first, last in (
        (["--step", "13.2"], "13.2", "13.2"),
        (["--step", "13.2-13"], "13.2", "13.10"),
        (["--step", "12-13"], "12.1", "13.10"),
    ):
        status, judged = steps(tmp_path, str(LOGS / "keepimg.json"), "--mode", "isolated", *arguments)
        assert status == MATCH
        assert (judged[0][1], judged[-1][1]) == (first, last)


def test_a_selection_says_so_and_needs_no_floor_of_the_whole(tmp_path: Path) -> None:
    floors = "{ journals = 1, steps = 3 }"
    (tmp_path / "pyproject.toml").write_text(f'[tool.loki-parity]\njournals = ["journal.json"]\nfloors = {floors}\n')
    three(tmp_path)
    ran = loki_parity("run", "--transport", "memory", "--step", "2", cwd=tmp_path)
    assert ran.status == MATCH
    assert "judged     1 journal (floor 1), 1 step (floor 1) · a selection, not the whole" in ran.out


def test_a_divergence_that_was_not_chosen_is_not_seen(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    assert steps(tmp_path, "journal.json", "--step", "1")[0] == MATCH
    assert steps(tmp_path, "journal.json", "--step", "2")[0] == DIVERGED


def test_x_stops_at_the_first_step_that_does_not_match(tmp_path: Path) -> None:
    journal = small_journals.recall(small_journals.right(), small_journals.wrong(), small_journals.wrong())
    small_journals.write(tmp_path, journal, "a.json")
    small_journals.write(tmp_path, journal, "b.json")
    for option in ("-x", "--stop-at-first"):
        assert steps(tmp_path, "a.json", "b.json", option) == (DIVERGED, [("isolated", "1"), ("isolated", "2")])
    ran = loki_parity("run", "--transport", "memory", "a.json", "-x", cwd=tmp_path)
    assert " · stopped at the first that did not match\n" in ran.out
    assert ran.out.endswith("verdict    DIVERGED: 1 of 2 outcomes is no match\n")


def test_the_memory_transport_says_that_it_proves_nothing_about_http(tmp_path: Path) -> None:
    file = three(tmp_path)
    ran = loki_parity("run", "--transport", "memory", file, cwd=tmp_path)
    assert ran.status == MATCH
    assert " · direct calls in memory, which say nothing about HTTP\n" in ran.out
    assert " · real HTTP\n" in loki_parity("run", file, cwd=tmp_path).out
