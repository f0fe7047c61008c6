"""Waivers through the command: a divergence is waived if and only if it is the very one that was accepted, in time."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, MATCH, NOT_JUDGED, loki_parity

import replay.run
from replay import workers
from replay.cli import main
from replay.compare import ABSENT, Difference
from replay.report import github, terminal
from replay.waivers.digest import digests, plain, side_digest

PROJECT: Final = """\
[tool.loki-parity]
journals = ["logs/a.json"]
floors = { journals = 1, steps = 1 }
waivers = "tests/divergences"
"""
UNTIL: Final = "2026-12-31"
AFTER: Final = "2027-01-01"
REASON: Final = "plage, et non plaje"
RIGHT, WRONG, UNREAD = small_journals.right(), small_journals.wrong(), small_journals.unread()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose one journal has a wrong step, the second."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "logs").mkdir()
    journal(tmp_path, small_journals.recall(RIGHT, WRONG, UNREAD))
    return tmp_path


def journal(folder: Path, value: dict[str, Any]) -> None:
    small_journals.write(folder / "logs", value, "a.json")


def waive(*steps: str, until: str = UNTIL, journal: str = "logs/a.json", more: tuple[str, ...] = ()) -> int:
    numbers = [part for step in steps for part in ("--step", step)]
    return main(["waive", journal, *numbers, "--reason", REASON, "--until", until, "--transport", "memory", *more])


def run(*arguments: str, today: str | None = UNTIL) -> int:
    day = [] if today is None else ["--today", today]
    return main(["run", "--transport", "memory", *day, *arguments])


def waiver(folder: Path, step: str = "2") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"tests/divergences/logs-a-{step}.json").read_text(encoding="utf-8"))
    return found


def rewritten(folder: Path, **changes: object) -> None:
    """The waiver with some keys as a hand wrote them; None: without the key."""
    kept = {key: value for key, value in {**waiver(folder), **changes}.items() if value is not None}
    (folder / "tests/divergences/logs-a-2.json").write_text(json.dumps(kept), encoding="utf-8")


def test_a_waived_divergence_is_told_as_such_and_is_green(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == DIVERGED
    assert waive("2") == MATCH
    assert (folder / "tests/divergences/logs-a-2.json").exists()
    assert run() == MATCH
    out = capsys.readouterr().out
    line = f"waived until 2026-12-31, {REASON} (tests/divergences/logs-a-2.json)\n"
    assert out.count(f"logs/a.json step 2 recall (isolated): {line}") == 1
    assert out.count(f"logs/a.json step 2 recall (chained): {line}") == 1
    assert "  isolated  2 of 3 match · 1 waived · " in out
    assert "planted divergences found, each in its step, field and character" in out
    assert out.endswith("verdict    MATCH: 4 of 6 outcomes match what Go recorded, 2 are waived\n")
    assert run("-x") == MATCH


def test_the_file_holds_both_outputs_their_hashes_the_reason_and_the_day(folder: Path) -> None:
    assert waive("1-3") == MATCH
    assert os.listdir(folder / "tests/divergences") == ["logs-a-2.json"]  # noqa: PTH208 - only names
    found = waiver(folder)
    both = (WRONG["result"], RIGHT["result"])  # the record is wrong on purpose, the port right
    assert found["differences"] == [
        {
            "field": "result",
            "kind": "changed",
            "at": "line 2, column 9: U+006A LATIN SMALL LETTER J → U+0067 LATIN SMALL LETTER G",
            **{
                side: {"text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
                for side, text in zip(("recorded", "candidate"), both, strict=True)
            },
        }
    ]
    assert {key: found[key] for key in ("candidate", "journal", "step", "tool", "note", "reason", "until")} == {
        "candidate": "port",
        "journal": "logs/a.json",
        "step": "2",
        "tool": "recall",
        "note": "un bloc, mal noté",
        "reason": REASON,
        "until": UNTIL,
    }
    assert {mode: list(fields) for mode, fields in found["modes"].items()} == {
        "isolated": ["result"],
        "chained": ["result"],
    }


def test_the_day_after_the_last_it_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waive("2")
    assert run(today=UNTIL) == MATCH
    assert run(today=AFTER) == DIVERGED
    out = capsys.readouterr().out
    of = "tests/divergences/logs-a-2.json, for step 2 of logs/a.json"
    assert f"a waiver has expired: {of} (isolated): it held until {UNTIL}" in out
    assert "verdict    DIVERGED: 2 of 6 outcomes are no match\n" in out
    del folder


def test_without_a_day_nobody_knows_and_that_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert waive("2") == MATCH
    assert run(today=None) == NOT_JUDGED
    out = capsys.readouterr().out
    says = "1 waiver is there, and whether it has expired was not judged: name the day with --today YYYY-MM-DD"
    assert f"problem    {says}\n" in out
    journal(folder, small_journals.recall(RIGHT, WRONG, WRONG))
    assert waive("3") == MATCH
    capsys.readouterr()
    assert run(today=None) == NOT_JUDGED
    assert "problem    2 waivers are there, and whether they have expired" in capsys.readouterr().out


def test_a_project_without_waivers_needs_no_day(folder: Path) -> None:
    journal(folder, small_journals.recall(RIGHT))
    assert run(today=None) == MATCH
    (folder / "pyproject.toml").write_text(PROJECT.replace('waivers = "tests/divergences"\n', ""))
    assert run(today=None) == MATCH
    assert waive("1") == BAD_INPUT


def test_another_wrong_output_is_not_the_one_that_was_accepted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waive("2")
    journal(folder, small_journals.recall(RIGHT, {**WRONG, "result": WRONG["result"] + "!"}, UNREAD))
    assert run() == DIVERGED
    says = "a waiver is for another output: tests/divergences/logs-a-2.json, for step 2 of logs/a.json (chained): "
    assert says in capsys.readouterr().out
    journal(folder, small_journals.recall(RIGHT, {**WRONG, "label": "r9"}, UNREAD))  # one more field differs
    assert run() == DIVERGED
    assert says in capsys.readouterr().out
    assert waive("2") == BAD_INPUT
    assert (
        "step 2 is waived by tests/divergences/logs-a-2.json already (--replace writes it again)"
        in capsys.readouterr().err
    )
    assert waive("2", more=("--replace",)) == MATCH
    assert sorted(waiver(folder)["modes"]["isolated"]) == ["label", "result"]
    assert run() == MATCH
    assert run("--field", "label") == MATCH
    assert run("--field", "requests") == MATCH


def test_a_step_that_matches_again_makes_its_waiver_stale(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waive("2")
    journal(folder, small_journals.recall(RIGHT, RIGHT, UNREAD))
    assert run() == NOT_JUDGED
    out = capsys.readouterr().out
    assert (
        "a waiver is stale: tests/divergences/logs-a-2.json, for step 2 of logs/a.json (isolated): the step matches"
        in out
    )
    journal(folder, small_journals.recall(RIGHT))
    assert run() == NOT_JUDGED
    assert (
        "a waiver is stale: tests/divergences/logs-a-2.json: logs/a.json has no step 2 (isolated)"
        in capsys.readouterr().out
    )
    assert run("--mode", "chained", "logs/a.json") == NOT_JUDGED
    assert run("--step", "1") == MATCH  # what a selection leaves out is not judged, nor are its waivers
    (folder / "tests/divergences/logs-a-2.json").unlink()
    assert run() == MATCH


def test_a_waiver_of_a_journal_that_is_not_judged_is_stale_in_a_whole_run_only(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waive("2")
    journal(folder, small_journals.recall(RIGHT))
    (folder / "tests/divergences/logs-a-2.json").write_text(json.dumps({**waiver(folder), "journal": "logs/gone.json"}))
    assert run() == NOT_JUDGED
    assert "logs/gone.json is none of the journals that were judged" in capsys.readouterr().out
    assert run("logs/a.json", today=None) == MATCH


def test_journals_are_known_by_their_place_wherever_the_command_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "logs")
    assert waive("2", journal="a.json") == MATCH
    assert waiver(folder)["journal"] == "logs/a.json"
    assert run("a.json") == MATCH
    assert run("../logs/a.json", str(folder / "logs/a.json")) == MATCH
    assert run() == MATCH


def test_a_crash_cannot_be_waived_and_a_waiver_does_not_hide_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from parity.tools import registry  # noqa: PLC0415 - the port, with a fault

    def dies(*_: object) -> object:
        message = "dead"
        raise ValueError(message)

    waive("2")
    monkeypatch.setitem(registry.TOOLS, "recall", dies)
    assert run() == DIVERGED
    out = capsys.readouterr().out
    assert "the candidate crashed: ValueError: dead" in out
    assert "a waiver is for another output: " in out
    assert waive("3") == BAD_INPUT
    assert "step 3 of logs/a.json crashed: only a wrong output can be waived" in capsys.readouterr().err
    (folder / "pyproject.toml").write_text(PROJECT.replace('waivers = "tests/divergences"\n', ""))
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert waive("2") == BAD_INPUT
    assert "no folder for waivers is configured: [tool.loki-parity] needs waivers = " in capsys.readouterr().err


def test_a_waiver_is_for_its_candidate_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waive("2")
    assert run("--candidate", "facade") == DIVERGED
    assert "waive" not in capsys.readouterr().out.split("verdict")[0].split("\n", 1)[1]
    assert run("--candidate", "facade", "--candidate", "port") == DIVERGED
    assert "waived until 2026-12-31" in capsys.readouterr().out
    del folder


def test_an_inherited_divergence_is_waived_in_its_mode(folder: Path) -> None:
    add = small_journals.step("mem_add", {"file": "a", "content": "x"}, "[ok] page 'a' crée", trackers={})
    read = small_journals.step("mem_read", {"file": "a"}, "y")
    journal(folder, small_journals.memory({**add, "files": {}}, read))
    assert waive("1-2") == MATCH
    assert set(waiver(folder, "1")["modes"]) == {"isolated", "chained"}
    assert run() == MATCH


def test_a_sealed_memorys_waiver_holds_hashes_and_no_text(folder: Path) -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "un secret")
    journal(
        folder, small_journals.memory(step, dek="00" * 32, initial={"files": {"a.md": "autre secret"}, "trackers": {}})
    )
    assert waive("1") == MATCH
    written = (folder / "tests/divergences/logs-a-1.json").read_text(encoding="utf-8")
    assert "secret" not in written
    assert waiver(folder, "1")["differences"][0]["recorded"] == {"sha256": hashlib.sha256(b"un secret").hexdigest()}
    assert run() == MATCH


def test_pages_and_lists_are_written_as_what_they_are(folder: Path) -> None:
    add = small_journals.step("mem_add", {"file": "a", "content": "é"}, "[ok] page 'a' créée", trackers={})
    journal(
        folder,
        small_journals.memory(
            {**add, "files": {"a.md": {"base64": "/w=="}, "b.md": "b", "MEMORY.md": "x"}, "diff": []}
        ),
    )
    assert waive("1") == MATCH
    told = {one["field"]: one for one in waiver(folder, "1")["differences"]}
    assert told["files['a.md'].content"]["recorded"]["value"] == {"base64": "/w=="}
    assert told["files['a.md'].content"]["candidate"]["text"] == "é\n"
    assert told["files['b.md']"]["recorded"]["value"]["sealed"] is False
    assert "candidate" not in told["files['b.md']"]
    assert run() == MATCH


def test_reports_of_every_form_tell_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waive("2")
    assert run("--report-json", "run.jsonl") == MATCH
    header, *steps, footer = map(json.loads, (folder / "run.jsonl").read_text().splitlines())
    schema = json.loads(Path(github.__file__).with_name("schema.json").read_text())
    for line in (header, *steps, footer):
        jsonschema.validate(line, schema)
    assert header["today"] == UNTIL
    waived = {"file": "tests/divergences/logs-a-2.json", "reason": REASON, "until": UNTIL}
    assert [one.get("waived") for one in steps] == [None, waived, None] * 2
    assert footer["counts"] == {"match": 4, "diverged": 0, "crashed": 0, "went-through-go": 0, "waived": 2}
    capsys.readouterr()
    assert main(["report", "run.jsonl", "--html", "run.html", "--junit", "run.xml", "--github"]) == MATCH
    out = capsys.readouterr().out
    assert "::error" not in out
    assert "| match | diverged | crashed | went-through-go | waived | steps | drill |" in out
    assert out.count("waived until 2026&#45;12&#45;31") == 2
    assert out.endswith("verdict    MATCH: 4 of 6 outcomes match what Go recorded, 2 are waived\n")
    xml = (folder / "run.xml").read_text()
    assert 'failures="0" errors="0" skipped="1"' in xml
    assert (
        xml.count('<skipped message="waived until 2026-12-31, plage, et non plaje (tests/divergences/logs-a-2.json);')
        == 2
    )
    page = (folder / "run.html").read_text()
    assert '<div class="waived"><dt>waived</dt><dd>2</dd></div>' in page
    assert f"waived until {UNTIL}, {REASON}" in page


def test_many_waived_steps_are_counted(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "SHOWN_AT_ALL", 4)
    monkeypatch.setattr(github, "_MOST_LINES", 4)
    journal(folder, small_journals.recall(*[WRONG] * 3))
    assert waive("1-3") == MATCH
    assert run("--report-json", "run.jsonl") == MATCH
    assert "… and 2 more steps that are waived\n" in capsys.readouterr().out
    assert main(["report", "run.jsonl", "--github"]) == MATCH
    assert "- and 2 more\n" in capsys.readouterr().out


DEFECTS: Final = {
    "format": ({"format": "x"}, 'no waiver (expected an object with "format": "loki-parity-waiver/1")'),
    "unknown": ({"untill": "x"}, 'it has the unknown key "untill"'),
    "reason": ({"reason": " "}, '"reason" is no text, or an empty one'),
    "journal": ({"journal": 3}, '"journal" is no text, or an empty one'),
    "candidate": ({"candidate": None}, '"candidate" is no text, or an empty one'),
    "until": ({"until": "2026-02-30"}, '"until" is "2026-02-30", and no date such as 2026-12-31'),
    "other digits": ({"until": "２026-02-20"}, "and no date such as 2026-12-31"),
    "step": ({"step": "two"}, '"step" is "two", and no number of a step'),
    "modes": ({"modes": {}}, '"modes" does not hold the sha256'),
    "mode": ({"modes": {"sideways": {"result": "0" * 64}}}, '"modes" does not hold the sha256'),
    "fields": ({"modes": {"isolated": {}}}, '"modes" does not hold the sha256'),
    "hash": ({"modes": {"isolated": {"result": "0" * 63}}}, '"modes" does not hold the sha256'),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_file_that_is_no_waiver_is_one_sentence(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waive("2")
    changes, says = DEFECTS[name]
    rewritten(folder, **changes)  # type: ignore[arg-type]
    assert run() == BAD_INPUT
    err = capsys.readouterr().err
    assert err.startswith("loki-parity: tests/divergences/logs-a-2.json: ")
    assert says in err
    assert err.count("\n") == 1


def test_other_files_two_for_one_step_and_a_folder_that_is_none_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waive("2")
    place = folder / "tests/divergences"
    (place / ".hidden").write_text("x")
    assert run() == MATCH
    (place / "again.json").write_text(json.dumps(waiver(folder)))
    assert run() == BAD_INPUT
    assert (
        "tests/divergences/logs-a-2.json: tests/divergences/again.json waives step 2 of logs/a.json already"
        in capsys.readouterr().err
    )
    (place / "again.json").write_bytes(b"\xff")
    assert run() == BAD_INPUT
    assert "again.json: no JSON, and so no waiver" in capsys.readouterr().err
    (place / "again.json").rename(place / "README")
    assert run() == BAD_INPUT
    assert "README: only waivers (files called *.json) belong in this folder" in capsys.readouterr().err
    (place / "README").unlink()
    (folder / "pyproject.toml").write_text(PROJECT.replace("tests/divergences", "logs/a.json"))
    assert run() == BAD_INPUT
    assert "logs/a.json: the waivers cannot be read: Not a directory" in capsys.readouterr().err
    (folder / "pyproject.toml").write_text(PROJECT.replace('"tests/divergences"', "3"))
    assert run() == NOT_JUDGED
    assert "tool.loki-parity.waivers must be the path of a folder" in capsys.readouterr().err


def test_a_waiver_that_the_system_does_not_let_be_read_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from replay.waivers import waiver as module  # noqa: PLC0415 - root reads every file, so the reading is refused here

    waive("2")
    assert (folder / "tests/divergences/logs-a-2.json").stat().st_size > 100
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    assert run() == BAD_INPUT
    assert "no waiver" in capsys.readouterr().err

    former = Path.open

    def refuse(path: Path, *arguments: Any, **options: Any) -> object:  # noqa: ANN401 - as pathlib has it
        if path.name == "logs-a-2.json":
            raise OSError(13, os.strerror(13))
        return former(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)
    assert run() == BAD_INPUT
    assert "logs-a-2.json: it cannot be read: Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["logs/a.json", "--step", "1"], BAD_INPUT, "logs/a.json: nothing differs in these steps, so there is nothing"),
        (["logs/a.json", "--step", "9"], BAD_INPUT, "logs/a.json: it has no such step, so there is nothing to waive"),
        (["logs/b.json", "--step", "1"], BAD_INPUT, "logs/b.json: found no such file"),
    ],
)
def test_what_cannot_be_waived_is_one_sentence_and_writes_nothing(
    arguments: list[str], status: int, says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["waive", *arguments, "--reason", "r", "--until", UNTIL]) == status
    assert says in capsys.readouterr().err
    assert not (folder / "tests").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--reason", "r", "--until", "31.12.2026"], "'31.12.2026' is no date such as 2026-12-31"),
        (["--reason", " ", "--until", UNTIL], "a reason is a line of 1 to 1000 characters"),
        (["--reason", "two\nlines", "--until", UNTIL], "a reason is a line of 1 to 1000 characters"),
    ],
)
def test_a_day_is_a_day_and_a_reason_a_line(
    arguments: list[str], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["waive", "logs/a.json", "--step", "2", *arguments])
    assert ended.value.code == BAD_INPUT
    assert says in capsys.readouterr().err
    del folder


def test_places_that_cannot_hold_a_waiver_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tests").write_text("in the way")
    assert waive("2") == BAD_INPUT
    assert "tests/divergences: the waivers cannot be read: Not a directory" in capsys.readouterr().err
    (folder / "tests").unlink()
    waive("2")
    rewritten(folder, step="3")
    assert waive("2") == BAD_INPUT
    assert "tests/divergences/logs-a-2.json is there already, and waives something else" in capsys.readouterr().err
    (folder / "tests/divergences/logs-a-2.json").unlink()
    (folder / "tests/divergences").rmdir()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, os.strerror(30))

    with pytest.MonkeyPatch.context() as patched:  # a read-only disk needs rights that CI lacks
        patched.setattr(type(folder), "mkdir", refuse)
        assert waive("2") == BAD_INPUT
    assert "tests/divergences cannot be made: Read-only file system" in capsys.readouterr().err
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "replace", refuse)
        assert waive("2") == BAD_INPUT
    assert "cannot be written: Read-only file system" in capsys.readouterr().err
    assert os.listdir(folder / "tests/divergences") == []  # noqa: PTH208 - only names


def test_without_a_project_or_a_port_nothing_is_waived(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").unlink()
    assert waive("2") == NOT_JUDGED
    assert "name the journals to judge" in capsys.readouterr().err
    assert run("logs/a.json") == DIVERGED
    (folder / "pyproject.toml").write_text(PROJECT)
    monkeypatch.setattr("tempfile.tempdir", "/nonexistent")
    assert waive("2") == NOT_JUDGED
    assert "the port cannot be started" in capsys.readouterr().err


def test_the_command_itself_waives_and_judges(folder: Path) -> None:
    arguments = ("waive", "logs/a.json", "--step", "2", "--reason", REASON, "--until", UNTIL)
    ran = loki_parity(*arguments, cwd=folder)
    assert (ran.status, ran.out, ran.err) == (MATCH, f"tests/divergences/logs-a-2.json: step 2, until {UNTIL}\n", "")
    ran = loki_parity("run", "--today", UNTIL, cwd=folder)
    assert (ran.status, ran.err) == (MATCH, "")
    first = (folder / "tests/divergences/logs-a-2.json").read_bytes()
    assert loki_parity(*arguments, "--replace", cwd=folder).status == MATCH
    assert (folder / "tests/divergences/logs-a-2.json").read_bytes() == first


def test_no_two_values_have_one_fingerprint() -> None:
    values: list[Any] = [None, True, 1, 1.0, "1", b"1", (), {}, (1,), ("1",), {"a": 1}, {"a": b"1"}, ({"a": 1},)]
    found = {digests([Difference("f", "type", None, one, ("f",))])["f"] for one in [*values, ABSENT]}
    assert len(found) == len(values) + 1
    assert digests([Difference("f", "type", None, 1)]).keys() == {"f"}
    assert side_digest("é") == side_digest("é".encode()) == hashlib.sha256("é".encode()).hexdigest()
    assert side_digest({"content": b"x", "sealed": False}) == hashlib.sha256(b"x").hexdigest()
    assert plain({"b": b"x", "a": (1.5,)}) == {"a": [1.5], "b": {"base64": "eA=="}}


PARTS: Final = ("1/2", "2/2")


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> tuple[str, bytes]:
    capsys.readouterr()
    assert run(*arguments, "--report-json", "run.jsonl") == status
    return capsys.readouterr().out, Path("run.jsonl").read_bytes()


def workers_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share out whatever there is, a step in a piece."""
    monkeypatch.setattr(replay.run, "WORTH_SHARING", 1)
    monkeypatch.setattr(workers, "_LEAST", 1)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("now", "status"),
    [((RIGHT, WRONG, UNREAD), MATCH), ((RIGHT, RIGHT, UNREAD), NOT_JUDGED), ((RIGHT,), NOT_JUDGED)],
    ids=["waived", "matches now", "no such step"],
)
@pytest.mark.parametrize("more", [(), ("-x",)])
def test_several_processes_judge_waivers_as_one_does(
    now: tuple[dict[str, Any], ...],
    status: int,
    more: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert waive("2") == MATCH
    journal(Path(), small_journals.recall(*now))
    alone = told(capsys, *more, status=status)
    workers_share(monkeypatch)
    assert told(capsys, "-j", "2", *more, status=status) == alone


def parts(status: int, *, today: str | None = UNTIL) -> list[str]:
    """Judge each part; the names of their reports."""
    names = [f"{part[0]}.jsonl" for part in PARTS]
    found = [run("--shard", part, "--report-json", name, today=today) for part, name in zip(PARTS, names, strict=True)]
    assert max(found) == status
    return names


@pytest.mark.usefixtures("folder")
def test_a_part_waives_its_own_steps_and_no_part_calls_a_waiver_of_another_stale(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert waive("2") == MATCH
    names = parts(MATCH)
    assert "stale" not in capsys.readouterr().out
    assert main(["report", *names]) == MATCH
    assert capsys.readouterr().out == "verdict    MATCH: 4 of 6 outcomes match what Go recorded, 2 are waived\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("now", "sentence", "times"),
    [
        ((RIGHT, RIGHT, UNREAD), "for step 2 of logs/a.json (isolated): the step matches now", 1),
        ((RIGHT,), "logs/a.json has no step 2 (isolated)", 1),
    ],
    ids=["matches now", "no such step"],
)
def test_a_stale_waiver_is_told_once_by_what_the_parts_come_to(
    now: tuple[dict[str, Any], ...], sentence: str, times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert waive("2") == MATCH
    journal(Path(), small_journals.recall(*now))
    names = parts(NOT_JUDGED)
    capsys.readouterr()
    assert main(["report", *names]) == NOT_JUDGED
    captured = capsys.readouterr()
    assert (captured.out + captured.err).count(sentence) == times


@pytest.mark.usefixtures("folder")
def test_every_part_needs_to_be_told_the_day(capsys: pytest.CaptureFixture[str]) -> None:
    assert waive("2") == MATCH
    names = parts(NOT_JUDGED, today=None)
    capsys.readouterr()
    assert main(["report", *names]) == NOT_JUDGED
    captured = capsys.readouterr()
    assert (captured.out + captured.err).count("name the day with --today YYYY-MM-DD") == 1
