"""Shards of one run add up to the run, and what cannot be one run is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from run_files import footer, header, receipt, run_file, step

from replay.report.defects import Defect, RunFileError
from replay.report.merge import merge
from replay.report.read import read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from replay.report.run_values import ToldRun


def shard(folder: Path, name: str, steps: Sequence[dict[str, Any]], **more: Any) -> tuple[str, ToldRun]:  # noqa: ANN401 - JSON
    top = {key: more.pop(key) for key in ("shard", "floors", "candidate") if key in more}
    return name, read(run_file(folder / name, [header(**top), *steps, footer(steps, **more)]))


def refused(runs: Sequence[tuple[str, ToldRun]], kind: Defect, says: str) -> None:
    with pytest.raises(RunFileError) as caught:
        merge(runs)
    assert caught.value.kind is kind
    assert says in str(caught.value)


def test_one_file_is_itself(tmp_path: Path) -> None:
    one = shard(tmp_path, "a", [step(1)])
    assert merge([one]) is one[1]


def test_two_shards_add_up(tmp_path: Path) -> None:
    other = step(9, journal="logs/b.json")
    runs = [
        shard(tmp_path, "a", [step(1), step(2, mode="chained")], shard="1/2"),
        shard(tmp_path, "b", [step(2), step(3, "diverged"), other], shard="2/2"),
    ]
    merged = merge(runs)
    assert len(merged.steps) == 5
    assert (merged.exit, merged.judged, merged.files, merged.unequal) == (1, 4, 2, 1)
    assert merged.problems == ()
    assert merged.header.shard == "1/2, 2/2"
    tally = merged.journals[0].modes["isolated"]
    assert tally.outcomes == {"diverged": 1, "match": 2}
    assert (tally.steps, tally.characters, tally.tolerances) == (3, 9, {"tracker-order": (2, 4)})
    assert merged.journals[0].modes["chained"].steps == 1


def test_a_shard_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    merged = merge([shard(tmp_path, "a", [step(1)], shard="2/16")])
    assert merged.exit == 3
    assert merged.problems == ("15 of 16 shards are missing: 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, …",)


def test_few_missing_shards_are_all_named(tmp_path: Path) -> None:
    assert merge([shard(tmp_path, "a", [step(1)], shard="2/3")]).problems == ("2 of 3 shards are missing: 1, 3",)


def test_the_least_that_is_compared_of_a_field_holds_for_all_shards_together(tmp_path: Path) -> None:
    floors: dict[str, Any] = {"journals": 1, "steps": 1, "compared": {"result": 3, "label": 1}}
    runs = [shard(tmp_path, name, [step(at)], floors=floors, shard=f"{at}/2") for at, name in ((1, "a"), (2, "b"))]
    assert merge(runs).problems == (
        "result was compared in 2 steps that Go recorded, fewer than the floor of 3",
        "label was compared in 0 steps that Go recorded, fewer than the floor of 1",
    )
    assert merge(runs).exit == 3
    floors["compared"] = {"result": 2}
    runs = [shard(tmp_path, name, [step(at)], floors=floors, shard=f"{at}/2") for at, name in ((1, "a"), (2, "b"))]
    assert merge(runs).problems == ()


def test_of_a_model_nothing_counts_and_what_could_not_be_shown_is_not_missed_twice(tmp_path: Path) -> None:
    floors = {"journals": 1, "steps": 1, "compared": {"result": 1}}
    model = [receipt([step(1)], source="model")]
    runs = [shard(tmp_path, "a", [step(1)], floors=floors, shard="1/1", journals=model)]
    assert merge(runs).problems == ("result was compared in 0 steps that Go recorded, fewer than the floor of 1",)
    unseen = [receipt([step(1)], source="model", left_out=[{"what": "state", "why": "it shows none"}])]
    runs = [shard(tmp_path, "b", [step(1)], floors=floors, shard="1/1", journals=unseen, exit=3)]
    assert merge(runs).problems == ()


def test_floors_hold_for_all_shards_together(tmp_path: Path) -> None:
    floors = {"journals": 2, "steps": 4}
    runs = [shard(tmp_path, name, [step(at)], floors=floors, shard=f"{at}/2") for at, name in ((1, "a"), (2, "b"))]
    assert merge(runs).problems == (
        "1 journal was judged, fewer than the floor of 2",
        "2 steps were judged, fewer than the floor of 4",
    )


def test_what_a_shard_found_wrong_stays_wrong(tmp_path: Path) -> None:
    drills = [
        [{"class": "crlf", "outcome": one, "step": "1", "field": "result", "why": ""}]
        for one in ("not plantable", "missed", "found")
    ]
    runs = []
    for at, drill in enumerate(drills, start=1):
        one = receipt([step(at)], drill=drill, problems=["a"], left_out=[{"what": "state", "why": "b"}])
        runs.append(shard(tmp_path, str(at), [step(at)], journals=[one], exit=3, interrupted=at == 2))
    merged = merge(runs)
    assert [one.outcome for one in merged.journals[0].drill] == ["missed"]
    assert merged.journals[0].problems == ("a",)
    assert merged.journals[0].left_out == ("state: b",)
    assert (merged.exit, merged.interrupted, merged.stopped) == (3, True, False)


def test_the_worst_shard_decides(tmp_path: Path) -> None:
    refusal = {"journal": "logs/b.json", "exit": 2, "sentence": "no journal"}
    runs = [shard(tmp_path, "a", [step(1)]), shard(tmp_path, "b", [step(2)], exit=2, refusals=[refusal])]
    assert merge(runs).exit == 2


def test_a_step_in_two_files_is_refused(tmp_path: Path) -> None:
    runs = [shard(tmp_path, "a", [step(1)]), shard(tmp_path, "b", [step(1)])]
    refused(runs, Defect.DUPLICATED, "b: step 1 of logs/a.json (isolated) is in a too")


def test_a_shard_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    runs = [shard(tmp_path, "a", [step(1)], shard="1/2"), shard(tmp_path, "b", [step(2)], shard="1/2")]
    refused(runs, Defect.DUPLICATED, "b:1: shard 1/2 is in a too")


def test_runs_of_two_candidates_are_no_shards(tmp_path: Path) -> None:
    other = {"name": "go:1.25.5", "transport": "pipe", "modules": {}}
    runs = [shard(tmp_path, "a", [step(1)]), shard(tmp_path, "b", [step(2)], candidate=other)]
    refused(runs, Defect.MIXED, "b:1: another run than a")


def test_journals_of_one_name_and_two_contents_are_no_shards(tmp_path: Path) -> None:
    changed = [receipt([step(2)], sha256="cd" * 32)]
    runs = [shard(tmp_path, "a", [step(1)]), shard(tmp_path, "b", [step(2)], journals=changed)]
    refused(runs, Defect.MIXED, "b: logs/a.json is another journal here")
