"""``--shard``: each part says that it is one, ``report`` puts them together and refuses what is no whole run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
import small_journals
from journal_lines import golden, lines, write
from real_command import BAD_INPUT, DIVERGED, LOGS, MATCH, NOT_JUDGED

import replay.report
from replay.cli import main

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS: Final = ("1/3", "2/3", "3/3")
SCHEMA: Final = json.loads((Path(replay.report.__path__[0]) / "schema.json").read_text(encoding="utf-8"))
VALIDATOR: Final = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def judged(*arguments: object, shard: str, status: int = MATCH) -> str:
    """Judge a part; the name of its report."""
    name = f"{shard.replace('/', '-of-')}.jsonl"
    words = ("run", *map(str, arguments), "--transport", "memory", "--shard", shard, "--report-json", name)
    assert main(words) == status
    return name


def merged(capsys: pytest.CaptureFixture[str], names: Sequence[str], status: int) -> str:
    capsys.readouterr()
    assert main(["report", *names]) == status
    captured = capsys.readouterr()
    return captured.out + captured.err


def three() -> dict[str, Any]:
    return small_journals.recall(small_journals.right(), small_journals.unread(), small_journals.searched())


def test_all_parts_together_are_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, lines(golden("recall")))
    names = [judged(file, LOGS / "keepimg.json", shard=shard) for shard in PARTS]
    assert merged(capsys, names, MATCH) == "verdict    MATCH: all 384 outcomes match what Go recorded\n"
    for name in names:
        header, *_, footer = (tmp_path / name).read_text().splitlines()
        VALIDATOR.validate(json.loads(header))
        VALIDATOR.validate(json.loads(footer))


def test_a_part_says_that_it_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged(write(tmp_path, lines(three())), shard="1/2")
    told = capsys.readouterr().out
    assert "isolated  3 of 3 match (the journal has 3)" in told
    assert "chained   none of 3 steps is in this shard" in told
    assert "shard 1/2: a part, and no green by itself; loki-parity report puts all 2 together" in told
    assert told.endswith("verdict    MATCH: all 3 outcomes of this shard match what Go recorded\n")


def test_a_part_in_which_nothing_is_says_so_and_is_no_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, shard=f"{number}/9") for number in range(1, 10)]
    assert "verdict    MATCH: all 0 outcomes of this shard match" in capsys.readouterr().out
    assert merged(capsys, names, MATCH) == "verdict    MATCH: all 6 outcomes match what Go recorded\n"


def test_a_part_that_is_missing_is_no_green(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, shard=shard) for shard in PARTS]
    assert "problem    1 of 3 shards is missing: 2\n" in merged(capsys, [names[0], names[2]], NOT_JUDGED)
    assert main(["report", names[0], "--html", "a.html"]) == NOT_JUDGED


def test_a_part_that_is_there_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, shard=shard) for shard in PARTS]
    assert "(isolated) is in 1-of-3.jsonl too" in merged(capsys, [*names, names[0]], BAD_INPUT)


def test_parts_of_two_divisions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, shard="1/2", status=MATCH), judged(file, shard="3/3")]
    assert "these are shards of 2 and of 3: of two runs" in merged(capsys, names, BAD_INPUT)


def test_parts_of_two_journals_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    first = judged(file, shard="1/2")
    small_journals.write(tmp_path, {**three(), "about": "another"})
    second = judged(file, shard="2/2")
    assert "journal.json is another journal here than in the files before" in merged(capsys, [first, second], BAD_INPUT)


def test_parts_that_were_given_other_journals_or_modes_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = small_journals.write(tmp_path, three())
    other = small_journals.write(tmp_path, three(), "other.json")
    names = [judged(file, shard="1/2"), judged(file, other, shard="2/2")]
    assert "2-of-2.jsonl:1: another run than 1-of-2.jsonl" in merged(capsys, names, BAD_INPUT)
    judged(file, "--mode", "chained", shard="2/2")
    assert "2-of-2.jsonl:1: another run than 1-of-2.jsonl" in merged(capsys, names, BAD_INPUT)


def test_a_part_in_which_a_journal_could_not_be_read_keeps_the_whole_from_being_green(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = small_journals.write(tmp_path, three())
    first = judged(file, shard="1/2")
    file.write_text("{")
    names = [first, judged(file, shard="2/2", status=BAD_INPUT)]
    assert "0 of 3 steps of journal.json (chained) were due in the shards" in merged(capsys, names, BAD_INPUT)


def test_what_is_wrong_in_one_part_is_wrong_in_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = [small_journals.right(), small_journals.unread(), small_journals.wrong()]
    file = write(tmp_path, lines(small_journals.recall(*steps)))
    names = [judged(file, "--mode", "isolated", shard=shard, status=status) for shard, status in
             zip(PARTS, (MATCH, MATCH, DIVERGED), strict=True)]  # fmt: skip
    assert merged(capsys, names, DIVERGED) == "verdict    DIVERGED: 1 of 3 outcomes is no match\n"


def test_floors_hold_for_the_whole_and_not_for_a_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_journals.write(tmp_path, three())
    project = '[tool.loki-parity]\njournals = ["journal.json"]\nfloors = {{ journals = 1, steps = {} }}\n'
    for floor, status in ((3, MATCH), (4, NOT_JUDGED)):
        (tmp_path / "pyproject.toml").write_text(project.format(floor))
        told = merged(capsys, [judged(shard=shard) for shard in PARTS], status)
        assert ("problem    3 steps were judged, fewer than the floor of 4" in told) == (status == NOT_JUDGED)


def test_chosen_steps_are_shared_out_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, "--tool", "recall", shard=shard) for shard in PARTS]
    assert "all 4 outcomes match" in merged(capsys, names, MATCH)


def test_several_candidates_have_parts_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = small_journals.write(tmp_path, three())
    both = ("--candidate", "port", "--candidate", "facade")
    names = [judged(file, *both, shard=shard) for shard in ("1/2", "2/2")]
    assert "all 12 outcomes match" in merged(capsys, names, MATCH)


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1/0", "1", "a/b", "1/2/3", "-1/2", "1/10000", "1/2\n"])
def test_what_is_no_part_is_refused(shard: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", "x.json", f"--shard={shard}"])
    assert ended.value.code == BAD_INPUT
    assert "is no part of a whole (expected such as 3/16, from 1/16 to 16/16)" in capsys.readouterr().err


def test_parts_that_count_the_steps_of_a_journal_otherwise_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = small_journals.write(tmp_path, three())
    names = [judged(file, shard=shard) for shard in ("1/2", "2/2")]
    other = Path(names[1])
    other.write_text(other.read_text().replace('"of":3', '"of":4'))
    sentence = "2-of-2.jsonl: journal.json (isolated) has 4 steps here and 3 in the files before"
    assert sentence in merged(capsys, names, BAD_INPUT)
