"""``loki-parity show``: a journal's steps, one of them whole, its pages on request; nothing is obeyed, secrets stay."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import BAD_INPUT, INTERRUPTED, LOGS, MATCH, NOT_JUDGED, finish, loki_parity, start

from replay.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["show", *map(str, arguments)]) == MATCH
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["show", *map(str, arguments)]) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def memory(folder: Path, *steps: dict[str, Any], **head: Any) -> Path:  # noqa: ANN401 - JSON
    return small_journals.write(folder, small_journals.memory(*steps, **head))


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_steps_are_listed_with_tool_result_and_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = (small_journals.right(), small_journals.unread())
    journal = small_journals.recall(*steps, about="deux pas", go={"version": "go1.24"})
    file = small_journals.write(tmp_path, journal)
    lines = shown(capsys, file).splitlines()
    assert lines[0].endswith("journal.json  recall · go1.24, Unicode 15.0.0, amd64")
    assert lines[2:4] == ["  deux pas", "  2 blocks"]
    assert lines[-2].split() == ["1", "recall", "46", "characters", "un", "bloc"]
    assert lines[-1].split() == ["2", "recall", "20", "characters", "sans", "id"]


def test_what_had_to_be_inferred_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = small_journals.recall(small_journals.right())
    del journal["kind"]
    assert 'no kind is named: recall, as "blocks" tells' in shown(capsys, small_journals.write(tmp_path, journal))


def test_only_the_steps_of_some_tools_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, LOGS / "recall.json", "--tool", "recall_search").splitlines()
    assert {line.split()[1] for line in lines[lines.index("") + 1 :]} == {"recall_search"}
    lines = shown(capsys, LOGS / "keepimg.json", "--tool", "finish").splitlines()
    assert {line.split()[1] for line in lines[lines.index("") + 1 :]} == {"finish"}
    assert "no step of mem_read" in refused(capsys, LOGS / "recall.json", "--tool", "mem_read")


def test_a_step_is_shown_whole_and_every_character_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = {
        "tool": "mem_edit",
        "note": "\x1b[2J",
        "now": "2026-10-16T09:30:00.000007123Z",
        "args": {"file": "a.md"},
        "label": "a.md",
        "result": "un\u202e\n\u00a0deux\n",
        "diff": [{"op": "+", "text": "a\tb"}],
        "files": {"a.md": "a\nb", "b.md": {"base64": "/w=="}},
        "trackers": {"g/p": {"name": "p", "events": [{"id": "e\x1b", "ts": 0, "text": "x", "date_only": False}]}},
    }
    before = {"files": {"a.md": "a", "c.md": "c"}, "trackers": {}}
    assert shown(capsys, memory(tmp_path, step, initial=before), "--step", 1).splitlines() == [
        "step 1 mem_edit — ␛[2J",
        "  at journal.json:1 at steps[0]",
        "  clock      1792143000000007123 (2026-10-16 09:30:00.000 UTC, recorded)",
        "  arguments  16 bytes",
        '    1 │ {"file": "a.md"}',
        "  label      4 characters",
        "    1 │ a.md",
        "  result     10 characters",
        "    1 │ un\\u{202E}",
        "    2 │ ⍽deux",
        "  diff       1 line",
        "    + a⇥b",
        "  files      2",
        "    a.md  plain, 3 bytes  changed",
        "    b.md  plain, 1 byte  new",
        "    c.md  gone",
        "  trackers   1",
        "    g/p  1 point",
        "      e␛  0 (1970-01-01 00:00:00.000 UTC)  x",
    ]


def test_files_are_compared_with_those_of_the_step_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[dict[str, Any]] = [
        {"tool": "mem_read", "result": "", "files": {"a.md": "a"}},
        {"tool": "mem_read", "result": "", "files": {"a.md": "a"}},
        {"tool": "mem_read", "result": ""},
        {"tool": "mem_read", "panic": "runtime error", "files": {"a.md": "a"}},
    ]
    file = memory(tmp_path, *steps)
    assert "a.md  plain, 1 byte  new" in shown(capsys, file, "--step", 1)
    assert "a.md  plain, 1 byte\n" in shown(capsys, file, "--step", 2)
    assert "  files" not in shown(capsys, file, "--step", 3)
    last = shown(capsys, file, "--step", 4)
    assert "a.md  plain, 1 byte  new" in last
    assert "  panic      13 characters\n    1 │ runtime error\n" in last
    assert "panic" in shown(capsys, file).splitlines()[-1]


def test_a_page_is_opened_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = memory(tmp_path, {"tool": "mem_read", "result": "", "files": {"a.md": {"base64": "YQr/"}}})
    assert "\\xff" not in shown(capsys, file, "--step", 1)
    page = shown(capsys, file, "--step", 1, "--page", "a.md").splitlines()[-3:]
    assert page == ["  page a.md  3 bytes", "    1 │ a", "    2 │ \\xff"]
    assert "no page b.md after step 1" in refused(capsys, file, "--step", 1, "--page", "b.md")
    assert "name the step with --step" in refused(capsys, file, "--page", "a.md")


def test_the_texts_of_a_sealed_memory_are_shown_only_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    file = LOGS / "scelles.json"
    journal = json.loads(file.read_text(encoding="utf-8"))
    number = next(at for at, step in enumerate(journal["steps"], start=1) if step.get("diff"))
    text = journal["steps"][number - 1]["result"]
    arguments = (file, "--step", number, "--page", "secret.md")
    hidden = shown(capsys, *arguments)
    assert text not in hidden
    assert "  page secret.md 46 characters, sealed; --reveal shows it" in hidden
    assert "secret.md  sealed, 46 bytes" in hidden
    opened = shown(capsys, *arguments, "--reveal")
    assert text in opened
    assert "  page secret.md 46 bytes\n    1 │ " in opened
    assert journal["dek"] not in hidden + opened
    listed = shown(capsys, file)
    assert "texts: sealed; --reveal shows it" in listed
    assert "its key is there" in listed
    assert "texts:" not in shown(capsys, file, "--reveal")


def test_points_of_a_sealed_memory_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = {"id": "e", "ts": 0, "text": "secret", "date_only": False}
    step = {"tool": "tracker", "result": "", "trackers": {"g/p": {"name": "p", "events": [event]}}}
    text = shown(capsys, memory(tmp_path, step, dek="00" * 32), "--step", 1)
    assert text.endswith("    g/p  1 point\n")


def test_what_a_memory_is_stands_in_its_heading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = {"tool": "mem_read", "result": ""}
    file = memory(tmp_path, step, clock={"tz": "Europe/Paris"}, locked=True)
    text = shown(capsys, file)
    assert "  project generale · zone Europe/Paris · locked\n" in text
    assert " · no key\n" in shown(capsys, memory(tmp_path, step))


def test_an_operation_of_a_case_is_shown_as_a_tree(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, LOGS / "keepimg.json", "--step", "1.1").splitlines()
    assert lines[0].startswith("step 1.1 ")
    assert lines[2:4] == ["  operation", "    {"]
    assert "  after" in lines


def test_a_recall_has_no_clock(capsys: pytest.CaptureFixture[str]) -> None:
    assert "clock" not in shown(capsys, LOGS / "recall.json", "--step", 5)


def test_a_step_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no step 42: 41 are there" in refused(capsys, LOGS / "recall.json", "--step", 42)
    assert "no step 1.99: 151 are there" in refused(capsys, LOGS / "keepimg.json", "--step", "1.99")
    with pytest.raises(SystemExit) as caught:
        main(["show", "x", "--step", "\x1b"])
    assert caught.value.code == BAD_INPUT


def test_a_bad_journal_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    assert main(["show", "a.json"]) == BAD_INPUT
    ran = loki_parity("show", "a.json", cwd=tmp_path)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (BAD_INPUT, "", 1)
    (tmp_path / "empty").mkdir()
    assert loki_parity("show", "empty", cwd=tmp_path).status == NOT_JUDGED


def test_an_interrupt_ends_in_130(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    process = start(
        "show",
        "a.json",
        cwd=tmp_path,
        in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert ran.status in {INTERRUPTED, BAD_INPUT}
