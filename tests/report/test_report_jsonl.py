"""The run as JSON lines: whole or not there, and every text in it bounded and clean."""

from __future__ import annotations

import base64
import json
import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import pytest
from fake_candidates import Truthful, Vicious, off_by_one_character
from real_command import LOGS

from replay.candidates.interface import Identity
from replay.compare import ABSENT, Difference
from replay.journal import load
from replay.journal.model import Place
from replay.outcome import Compared, Crashed, Diverged, Mode, Outcome, StepRef, WentThroughGo
from replay.report.jsonl import JsonLines, ReportError, write
from replay.report.replaced import HTML
from replay.run import Plan, Selection, run
from replay.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD = '{"type":"header","schema":"loki-parity-run/0"}\n'
"""An older report, which may be replaced."""

JOURNAL: Final = load(LOGS / "recall.json", file_name="recall.json")
SOURCE: Final = Source(LOGS / "recall.json", "recall.json")
STEP: Final = StepRef("a.json", "1", "mem_read", "", Place("a.json", "steps[0]", 1), Mode.ISOLATED)


def written(tmp_path: Path, *outcomes: Outcome) -> list[dict[str, Any]]:
    file = tmp_path / "report.jsonl"
    with JsonLines.to(file) as (report,):
        for outcome in outcomes:
            report.outcome(outcome)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def difference(recorded: Any, candidate: Any) -> Diverged:  # noqa: ANN401 - any value
    return Diverged(STEP, Compared({}), (Difference("result", "changed", recorded, candidate),))


def sides(tmp_path: Path, recorded: Any, candidate: Any) -> tuple[Any, Any]:  # noqa: ANN401 - JSON
    (line,) = written(tmp_path, difference(recorded, candidate))
    return line["differences"][0]["recorded"], line["differences"][0]["candidate"]


def test_no_file_is_no_report() -> None:
    with JsonLines.to(None) as reports:
        assert reports == ()


def test_a_run_is_a_header_its_steps_and_a_footer(tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    plan = Plan([SOURCE], selection=Selection(frozenset({"recall"}), (("1", "3"),), frozenset({"result"})))
    with JsonLines.to(file) as reports:
        run(plan, Vicious(JOURNAL, off_by_one_character, 2), reports)
    header, *steps, footer = map(json.loads, file.read_text().splitlines())
    assert header["candidate"]["name"] == "truthful"
    assert header["selection"] == {"tools": ["recall"], "steps": [["1", "3"]], "fields": ["result"]}
    assert [(line["mode"], line["step"], line["outcome"]) for line in steps] == [
        (mode, number, "diverged" if number == "2" else "match")
        for mode in ("isolated", "chained")
        for number in ("1", "2", "3")
    ]
    assert footer["counts"] == {"match": 4, "diverged": 2, "crashed": 0, "went-through-go": 0}
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_texts_are_cut_around_the_place_where_they_part(tmp_path: Path) -> None:
    alike = "x" * 5000
    recorded, candidate = sides(tmp_path, alike + "é" + alike, alike + "e" + alike)
    assert (recorded["from"], recorded["length"], len(recorded["text"])) == (4500, 10_001, 2000)
    assert (recorded["text"][500], candidate["text"][500]) == ("é", "e")


def test_bytes_that_are_not_utf_8_are_there_as_bytes_too(tmp_path: Path) -> None:
    recorded, candidate = sides(tmp_path, b"a\xff", b"ab")
    assert recorded == {
        "type": recorded["type"],
        "text": "a\ufffd",
        "from": 0,
        "length": 2,
        "base64": base64.b64encode(b"a\xff").decode(),
    }
    assert "base64" not in candidate


def test_other_values_are_outlined_pages_are_their_text_and_what_is_absent_is_null(tmp_path: Path) -> None:
    nested: Any = ()
    for _ in range(500):
        nested = (nested,)
    recorded, candidate = sides(tmp_path, nested, 7)
    assert len(recorded["text"]) < 100
    assert candidate["text"] == "7"
    assert sides(tmp_path, {"sealed": False, "content": b"page"}, ABSENT)[0]["text"] == "page"
    assert sides(tmp_path, {"sealed": False, "content": b"page"}, ABSENT)[1] is None


def test_fifty_differences_of_a_step_are_written_and_all_are_counted(tmp_path: Path) -> None:
    many = tuple(Difference(f"diff[{at}]", "changed", "a", "b") for at in range(70))
    (line,) = written(tmp_path, Diverged(STEP, Compared({}), many))
    assert (len(line["differences"]), line["differences_total"]) == (50, 70)


def test_what_is_no_character_is_written_as_a_question_mark_and_every_line_is_ascii(tmp_path: Path) -> None:
    crash, through = written(
        tmp_path, Crashed(replace(STEP, note="\udcff"), "x\ud800\U0001f600", "a:1"), WentThroughGo(STEP, "\x1b\udc80")
    )
    assert (crash["crash"]["what"], crash["note"], through["reason"]) == ("x?\U0001f600", "?", "\x1b?")
    assert (tmp_path / "report.jsonl").read_bytes().isascii()


def test_an_error_of_the_run_itself_is_not_taken_for_one_of_the_report(tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    file.write_text(OLD)
    with pytest.raises(OSError, match="something else"), JsonLines.to(file):
        raise OSError(5, "something else")
    assert file.read_text() == OLD
    assert list(tmp_path.iterdir()) == [file]


def test_a_report_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, reason in (
        (tmp_path, "Is a directory"),
        (tmp_path / "missing" / "a", "No such file or directory"),
        (tmp_path / ("a" * 300), "File name too long"),
    ):
        with pytest.raises(ReportError, match=f"^the report .* cannot be written: {reason}$"), JsonLines.to(file):
            pass
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    with pytest.raises(ReportError, match="Read-only file system"), JsonLines.to(tmp_path / "report.jsonl"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_is_the_report_s_error() -> None:
    with pytest.raises(ReportError, match=r"^the report /dev/full cannot be written: No space left on device$"):
        run_into(Path("/dev/full"))


def run_into(file: Path) -> None:
    with JsonLines.to(file) as reports:
        run(Plan([SOURCE]), Truthful(JOURNAL), reports)


def test_a_device_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def refused(*_: object, **__: object) -> IO[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ReportError, match="Permission denied"), JsonLines.to(pipe):
        pass


def test_an_error_without_words_is_shown_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> Iterator[str]:
        message = "no words"
        raise OSError(message)

    monkeypatch.setattr(tempfile, "mkstemp", refused)
    with pytest.raises(ReportError, match=r"cannot be written: no words$"), JsonLines.to(tmp_path / "report.jsonl"):
        pass


def test_a_report_of_another_form_follows_the_same_rules(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    write(file, HTML, ["<p>", "é", "</p>"])
    assert file.read_text(encoding="utf-8") == "<p>é</p>"
    with pytest.raises(ReportError, match="No space left on device"):
        write(Path("/dev/full"), HTML, ["x" * 100_000])


def test_several_candidates_stand_in_the_header_and_in_every_step(tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    with JsonLines.to(file) as (report,):
        report.begin(Plan([SOURCE]), Identity("port", "http"), Identity("go", "pipe", reads_seen=False))
        report.outcome(WentThroughGo(STEP, "x"), "port")
        report.end_all([], 3)
    header, step, footer = map(json.loads, file.read_text().splitlines())
    assert [one["name"] for one in header["candidates"]] == ["port", "go"]
    assert [one["can"]["reads"] for one in header["candidates"]] == [True, False]
    assert (step["candidate"], footer["exit"], footer["steps"]) == ("port", 3, 0)
