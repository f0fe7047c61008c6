"""A tolerance tells in every form of report how often it was used and how many recorded characters it hid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import small_journals
from real_command import MATCH

from replay.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_a_tolerance_hid_is_told_on_the_terminal_in_json_lines_and_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # Go walks a map, so two trackers without a point come in any order (tracker.md, The view); "b\n- a" is hidden.
    overview = 'Trackers du projet (2) :\n- b\n- a\nZoom : tracker(name:"<nom>") pour le détail d\'un tracker.'
    trackers = {f"generale/{name}": {"name": name, "events": []} for name in "ab"}
    step = small_journals.step("tracker", {}, overview, trackers=trackers)
    small_journals.write(tmp_path, small_journals.memory(step, initial={"files": {}, "trackers": trackers}))
    assert main(["run", "--transport", "memory", "journal.json", "--report-json", "run.jsonl"]) == MATCH
    assert capsys.readouterr().out.count(" · tolerance tracker-order: 1 time, 5 characters\n") == 2
    *_, footer = map(json.loads, (tmp_path / "run.jsonl").read_text().splitlines())
    for mode in footer["journals"][0]["modes"].values():
        assert mode["tolerances"] == {"tracker-order": {"times": 1, "characters": 5}}
    assert main(["report", "run.jsonl", "--html", "run.html"]) == MATCH
    assert (tmp_path / "run.html").read_text().count("tolerance tracker-order: 1 time, 5 characters") == 2
