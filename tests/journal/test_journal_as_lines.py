"""A journal as lines is the same journal: every value has the characters that it had."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from real_command import BAD_INPUT, LOGS, MATCH

from replay.cli import main
from replay.journal import load
from replay.journal.as_lines import as_lines

if TYPE_CHECKING:
    from pathlib import Path

    from replay.journal.model import KeepimgCase, KeepimgStep, Step


def told(one: Step | KeepimgCase | KeepimgStep) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(one) if field.name not in ("at", "steps")]
    return {name: getattr(one, name) for name in names}


@pytest.mark.parametrize("name", ["recall", "outils", "scelles", "verrouille", "keepimg"])
def test_lines_are_the_same_journal(name: str, tmp_path: Path) -> None:
    golden = load(LOGS / f"{name}.json")
    file = tmp_path / "j.jsonl"
    file.write_bytes(b"".join(as_lines((LOGS / f"{name}.json").read_bytes(), golden)))
    lines = load(file)
    for field in ("kind", "about", "target", "source", "blocks", "settings", "zone", "initial"):
        assert getattr(golden, field) == getattr(lines, field)
    for ours, theirs in zip(golden.steps, lines.steps, strict=True):
        assert {**told(ours), "raw_args": b"".join(map(bytes.strip, ours.raw_args.split(b"\n")))} == told(theirs)
    for case, other in zip(golden.cases, lines.cases, strict=True):
        assert [told(case), *map(told, case.steps)] == [told(other), *map(told, other.steps)]


def test_the_command_writes_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(LOGS / "recall.json"), "--as-lines"]) == MATCH
    out = capfd.readouterr().out
    file = tmp_path / "j.jsonl"
    file.write_text(out, encoding="utf-8")
    assert len(load(file).steps) == 41
    assert main(["show", str(file), "--as-lines"]) == BAD_INPUT
    assert "j.jsonl: this is a journal of lines already" in capfd.readouterr().err
    (tmp_path / "cut.json").write_text("{")
    assert main(["show", str(tmp_path / "cut.json"), "--as-lines"]) == BAD_INPUT
    assert "found the end of the file" in capfd.readouterr().err


def test_args_are_written_as_they_are_or_not_at_all(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    step = b'{"tool":"recall",\n"args":{"id" :\n"\xc3\xa9\\ud800"},"result":"x"}'
    for bytes_of_it, status in ((step, MATCH), (step.replace(b"\xc3", b""), BAD_INPUT)):
        (tmp_path / "j.json").write_bytes(b'{"blocs":[],"steps":[' + bytes_of_it + b"]}")
        assert main(["show", str(tmp_path / "j.json"), "--as-lines"]) == status
    out, err = capfd.readouterr()
    _, line, end, rest = out.split("\n")
    assert line == '{"tool":"recall","args":{"id" :"\u00e9\\ud800"},"result":"x"}'
    assert (end, rest) == ('{"end":{"steps":1}}', "")
    assert "j.json: its args hold bytes that are not UTF-8" in err


def test_a_signed_journal_stays_one_object(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own = {"go": {"version": "go1.25.5", "commit": "0a1b"}, "recorder": "loki-parity 9", "count": 1}
    step = '{"tool":"recall","args":{},"result":"a"}'
    head = f'loki-parity-journal/1 signed\n{json.dumps(own)}\n"kind":"recall"\n"blocks":[]'
    first = hashlib.sha256(head.encode()).digest()
    told = {**own, "head": first.hex(), "steps": [hashlib.sha256(first + step.encode()).hexdigest()]}
    file = tmp_path / "j.json"
    file.write_text(f'{{"kind":"recall","signed":{json.dumps(told)},"blocks":[],"steps":[{step}]}}')
    assert load(file).signed is not None
    assert main(["show", str(file), "--as-lines"]) == BAD_INPUT
    assert "j.json: it is signed, and a journal of lines cannot be" in capfd.readouterr().err
