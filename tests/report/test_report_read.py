"""A run's file: read as it stands, and every way in which it can be no run has its name, its line, one sentence."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from run_files import difference, footer, header, receipt, run_file, side, spot, step

from replay.report import read as reading
from replay.report.defects import Defect, RunFileError
from replay.report.read import read
from replay.report.run_values import Side

if TYPE_CHECKING:
    from pathlib import Path

    from replay.report.run_values import Told

STEPS = [step(1), step(2, "diverged"), step(3, "crashed"), step(4, "went-through-go")]


def refused(file: Path, kind: Defect, line: int, says: str) -> None:
    with pytest.raises(RunFileError) as caught:
        read(file, "run.jsonl")
    assert caught.value.kind is kind
    assert caught.value.line == line
    assert str(caught.value).startswith(f"run.jsonl:{line}: " if line else "run.jsonl: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def told(folder: Path, one: dict[str, Any], *, reveal: bool = False) -> Told:
    found = read(run_file(folder / "run.jsonl", [header(), one, footer([one])]), reveal=reveal).steps[0].told
    assert found is not None
    return found


def test_a_whole_run_is_read_as_it_stands(tmp_path: Path) -> None:
    run = read(run_file(tmp_path / "run.jsonl", [header(shard="1/2"), *STEPS, footer(STEPS)]))
    assert [one.outcome for one in run.steps] == ["match", "diverged", "crashed", "went-through-go"]
    assert [run.count(one.outcome) for one in run.steps] == [1, 1, 1, 1]
    assert (run.exit, run.unequal, run.judged, run.files) == (1, 3, 4, 1)
    assert (run.header.candidates[0].name, run.header.shard, run.header.selection) == ("port", "1/2", "")
    assert [one.told.says for one in run.steps[2:] if one.told] == [
        "ValueError: no in parity/a.py:3 in f",
        "not ported",
    ]


def test_a_crash_may_have_no_place(tmp_path: Path) -> None:
    assert told(tmp_path, step(1, "crashed", crash={"what": "it died", "where": ""})).says == "it died"


def test_a_selection_is_told_in_words(tmp_path: Path) -> None:
    selection = {"tools": ["recall"], "steps": [["1", "1"], ["3", "5"]], "fields": ["result"]}
    run = read(run_file(tmp_path / "run.jsonl", [header(selection=selection), STEPS[0], footer(STEPS[:1])]))
    assert run.header.selection == "tools recall; steps 1, 3-5; fields result"


def test_several_candidates_each_have_their_steps(tmp_path: Path) -> None:
    steps = [step(1, candidate="port"), step(1, candidate="go:1.25.5")]
    journals = [receipt([one], candidate=one["candidate"]) for one in steps]
    candidates = [{"name": one["candidate"], "transport": "pipe", "modules": {}} for one in steps]
    lines = [header(candidates=candidates), *steps, footer(steps, journals=journals)]
    run = read(run_file(tmp_path / "run.jsonl", lines))
    assert [one.name for one in run.header.candidates] == ["port", "go:1.25.5"]
    assert [one.named for one in run.steps] == [
        "step 1 of logs/a.json (isolated, port)",
        "step 1 of logs/a.json (isolated, go:1.25.5)",
    ]
    assert (run.judged, run.files) == (1, 1)


def test_what_was_not_judged_is_told_with_its_reason(tmp_path: Path) -> None:
    one = receipt(STEPS[:1], left_out=[{"what": "state", "why": "it cannot show it"}])
    lines = [header(), STEPS[0], footer(STEPS[:1], journals=[one], exit=3)]
    assert read(run_file(tmp_path / "run.jsonl", lines)).journals[0].left_out == ("state: it cannot show it",)


def test_a_run_before_anything_was_left_out_is_read_too(tmp_path: Path) -> None:
    one = receipt(STEPS[:1])
    del one["left_out"]
    run = read(run_file(tmp_path / "run.jsonl", [header(), STEPS[0], footer(STEPS[:1], journals=[one])]))
    assert run.journals[0].left_out == ()


def test_every_text_is_drawn_and_cut(tmp_path: Path) -> None:
    found = told(tmp_path, step(1, "diverged", note="\x1b[2J\u202e", shown=["a\x07b\ud800", "x" * 3000]))
    assert found.shown == ("a\u2407b\\u{D800}", "x" * 1000 + "\u2026[2,000 more]")


def test_bytes_that_are_not_utf_8_come_back_as_they_were(tmp_path: Path) -> None:
    raw = base64.b64encode(b"a\xff").decode()
    one = difference(recorded=side("a\ufffd", base64=raw), candidate=None, place=spot(0, "a", "b"), causes=[])
    found = told(tmp_path, step(1, "diverged", differences=[one])).differences[0]
    assert found.recorded == Side("text", "a\udcff", 0, 2)
    assert found.candidate is None
    assert found.spot is not None
    assert found.spot.column == 1


def test_causes_and_places_may_be_absent(tmp_path: Path) -> None:
    one = difference(causes=[{"name": "crlf", "extent": "whole"}])
    bare = {key: value for key, value in difference().items() if key not in {"causes", "sealed"}}
    found = told(tmp_path, step(1, "diverged", differences=[one, bare])).differences
    assert [each.causes for each in found] == [(("crlf", "whole"),), ()]
    assert [each.spot for each in found] == [None, None]


def test_what_is_sealed_is_taken_in_only_when_it_is_asked_for(tmp_path: Path) -> None:
    opening = {"shown": ["the secret"], "sides": [{"recorded": side("secret"), "candidate": None}]}
    one = step(1, "diverged", sealed=True, opened=opening, inherited=True)
    assert "secret" not in repr(told(tmp_path, one))
    found = told(tmp_path, one, reveal=True)
    assert found.opened == ("the secret",)
    assert found.opened_sides == ((Side("text", "secret", 0, 6), None),)
    assert found.inherited is True


def test_steps_that_say_no_more_than_they_must_are_read(tmp_path: Path) -> None:
    one = step(1, "went-through-go")
    del one["sealed"], one["shown"], one["inherited"]
    found = told(tmp_path, one)
    assert (found.sealed, found.shown, found.inherited) == (False, (), None)


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    refused(tmp_path / "none", Defect.UNREADABLE, 0, "it cannot be read: No such file or directory")
    refused(tmp_path, Defect.UNREADABLE, 0, "it cannot be read: Is a directory")


def test_an_empty_file_is_no_run(tmp_path: Path) -> None:
    refused(run_file(tmp_path / "run", []), Defect.EMPTY, 0, "an empty file, and no run")


def test_a_file_cut_off_between_two_lines_is_not_whole(tmp_path: Path) -> None:
    refused(run_file(tmp_path / "run", [header(), *STEPS]), Defect.CUT_OFF, 5, "without a footer")


def test_a_file_cut_off_inside_a_line_is_not_whole(tmp_path: Path) -> None:
    file = run_file(tmp_path / "run", [header(), *STEPS, footer(STEPS)])
    file.write_bytes(file.read_bytes()[:-20])
    refused(file, Defect.CUT_OFF, 6, "ends inside this line")


@pytest.mark.parametrize("line", [b"{]", b"\xff", b"[" * 100_000, b'{"a": NaN}', b"9" * 5000, b""])
def test_a_line_that_is_no_json_is_refused(tmp_path: Path, line: bytes) -> None:
    file = run_file(tmp_path / "run", [header()])
    file.write_bytes(file.read_bytes() + line + b"\n")
    refused(file, Defect.NOT_JSON, 2, "and a run is one JSON object a line")


def test_a_file_of_something_else_is_no_run(tmp_path: Path) -> None:
    refused(run_file(tmp_path / "run", [{"kind": "recall"}]), Defect.WRONG_SCHEMA, 1, "is not the header of a run")
    file = tmp_path / "list"
    file.write_text("[]\n")
    refused(file, Defect.WRONG_SCHEMA, 1, "is not the header of a run")


def test_another_version_of_the_format_is_refused(tmp_path: Path) -> None:
    file = run_file(tmp_path / "run", [header(schema="loki-parity-run/2\x1b")])
    refused(file, Defect.WRONG_SCHEMA, 1, "the schema is loki-parity-run/2\u241b, and loki-parity-run/1 is read")


def test_two_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    lines = [header(), *STEPS, footer(STEPS), header()]
    refused(run_file(tmp_path / "run", lines), Defect.DUPLICATED, 7, "something follows the footer")
    refused(run_file(tmp_path / "run", [header(), header()]), Defect.DUPLICATED, 2, "a second header")


def test_a_step_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    lines = [header(), STEPS[0], STEPS[0]]
    refused(run_file(tmp_path / "run", lines), Defect.DUPLICATED, 3, "step 1 of logs/a.json (isolated) is there twice")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (7, "the line is not an object"),
        ({}, "type is missing"),
        ({"type": "other"}, "type is not header, step or footer"),
        (step(1) | {"outcome": "green"}, "outcome is not one of match, diverged, crashed, went-through-go"),
        (step(1) | {"outcome": []}, "outcome is not one of match"),
        (step(1) | {"note": 1}, "note is not a text"),
        (step(1) | {"at": {"path": "", "line": -1}}, "at.line is not a whole number"),
        (step(1) | {"at": {"path": "", "line": 1.5}}, "at.line is not a whole number"),
        (step(1) | {"at": {"path": "", "line": True}}, "at.line is not a whole number"),
        (step(1) | {"at": {"path": "", "line": 10**30}}, "at.line is not a whole number"),
        (step(1) | {"compared": {"a\x00": "1"}}, "compared.a\\x00 is not a whole number"),
        (step(1, "crashed") | {"inherited": "no"}, "inherited is not true or false"),
        (step(1, "diverged") | {"differences": {}}, "differences is not an array"),
        (step(1, "diverged") | {"differences": [1] * 51}, "differences is not an array of at most 50 elements"),
        (step(1, "diverged") | {"shown": [1]}, "shown[0] is not a text"),
        (step(1, "diverged", differences=[difference(kind="odd")]), "differences[0].kind is not one of changed"),
        (
            step(1, "diverged", differences=[difference(recorded=side("x", base64="?"))]),
            "differences[0].recorded.base64 is not base64",
        ),
        (
            step(1, "diverged", differences=[difference(recorded=side("x" * 2001))]),
            "differences[0].recorded.text is not a text of at most 2000 characters",
        ),
    ],
)
def test_a_line_that_is_misshapen_is_refused_by_its_path(tmp_path: Path, line: object, says: str) -> None:
    file = run_file(tmp_path / "run", [header()])
    with file.open("a") as stream:
        stream.write(json.dumps(line) + "\n")
    refused(file, Defect.MALFORMED, 2, says.replace("\\x00", "\u2400"))


def test_a_footer_that_is_misshapen_is_refused(tmp_path: Path) -> None:
    lines = [header(), STEPS[0], footer(STEPS[:1], exit=7)]
    refused(run_file(tmp_path / "run", lines), Defect.MALFORMED, 3, "exit is not an exit status of a run")


def test_a_footer_that_counts_other_steps_than_there_are_is_refused(tmp_path: Path) -> None:
    lines = [header(), *STEPS[1:], footer(STEPS)]
    says = "0 steps of logs/a.json (isolated) are match, and the footer counts 1"
    refused(run_file(tmp_path / "run", lines), Defect.INCONSISTENT, 5, says)


def test_a_footer_that_counts_nothing_of_an_outcome_agrees_with_none(tmp_path: Path) -> None:
    end = footer(STEPS[:1])
    end["journals"][0]["modes"]["isolated"]["outcomes"]["diverged"] = 0
    assert read(run_file(tmp_path / "run", [header(), STEPS[0], end])).exit == 0


@pytest.mark.parametrize(
    "more",
    [
        {"problems": ["no floor"]},
        {"refusals": [{"journal": "logs/b.json", "exit": 2, "sentence": "no journal"}]},
    ],
)
def test_a_verdict_that_is_better_than_the_run_is_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    lines = [header(), STEPS[0], footer(STEPS[:1], **more)]
    refused(run_file(tmp_path / "run", lines), Defect.INCONSISTENT, 3, "says that all is well, and not all is")


def test_a_line_and_a_file_of_hostile_size_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = run_file(tmp_path / "run", [header(), *STEPS, footer(STEPS)])
    monkeypatch.setattr(reading, "MOST_BYTES", 2000)
    refused(file, Defect.TOO_LARGE, 6, "more than 2,000 bytes")
    monkeypatch.setattr(reading, "LONGEST_LINE", 100)
    refused(file, Defect.TOO_LARGE, 1, "a line of more than 100 bytes")
