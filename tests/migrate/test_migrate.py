"""``loki-parity migrate``: journals without a name or with French keys become the named format, value for value."""

from __future__ import annotations

import hashlib
import json
import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from journal_lines import lines, write
from real_command import BAD_INPUT, LOGS, MATCH, NOT_JUDGED, loki_parity

from replay import cli
from replay.journal import load
from replay.migrate import command
from replay.written_file import write_whole
from replay.written_journal import values, written

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from replay.journal.model import Journal

FRENCH: Final = {
    "blocks": "Blocs",
    "steps": "étapes",
    "tool": "outil",
    "result": "résultat",
    "label": "libellé",
    "note": "remarque",
    "files": "fichiers",
    "trackers": "suivis",
    "events": "points",
    "now": "heure",
    "clock": "horloge",
    "project": "projet",
    "initial": "départ",
    "content": "contenu",
    "op": "op",
}
"""Names of ours to those that a journal of Loki's own repository may have."""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def french(tree: Any, *, free: bool = False) -> Any:  # noqa: ANN401 - JSON
    """A journal's tree with French keys; never inside args, and not where keys are free."""
    if isinstance(tree, list):
        return [french(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key if free else FRENCH.get(key, key): value
        if key == "args"
        else french(value, free=key in {"files", "trackers", "config"} and not free)
        for key, value in tree.items()
    }


def without_a_name(folder: Path, name: str) -> Path:
    """A golden journal as one would be that is older than the format's name."""
    journal = json.loads((LOGS / name).read_text(encoding="utf-8"))
    for key in ("format", "kind"):
        del journal[key]
    return small_journals.write(folder, french(journal), name)


def without_arguments(journal: Journal) -> Journal:
    return replace(values(journal), steps=tuple(replace(step, raw_args=b"") for step in values(journal).steps))


@pytest.mark.parametrize("name", ["recall.json", "outils.json", "scelles.json"])
def test_a_journal_with_french_keys_becomes_the_named_format_with_the_same_values(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = without_a_name(tmp_path, name)
    before = old.read_bytes()
    assert cli.main(["migrate", name]) == MATCH
    out = capsys.readouterr().out
    new = tmp_path / name.replace(".json", "-migrated.json")
    assert old.read_bytes() == before
    assert json.loads(new.read_text())["format"] == "loki-parity-journal/1"
    assert not load(new).notes
    assert values(load(new)) == values(load(old))
    assert without_arguments(load(new)) == without_arguments(load(LOGS / name))  # they were written with other spaces
    assert "no format was named: it is loki-parity-journal/1\n" in out
    assert '"étapes" is read as "steps"\n' in out
    assert f"written    {new.name} · sha256 {hashlib.sha256(new.read_bytes()).hexdigest()}\n" in out
    assert f"it was     {name} · sha256 {hashlib.sha256(before).hexdigest()}: " in out
    assert cli.main(["drift", name, new.name]) == MATCH
    assert cli.main(["migrate", new.name]) == MATCH
    assert capsys.readouterr().out.endswith("is loki-parity-journal/1 already: nothing to do\n")


def test_arguments_stay_the_same_bytes(tmp_path: Path) -> None:
    args = b'{ "id" : "\\ud800",\n"id": 1e999, "x": "\xff\xed\xa0\x80" }'
    (tmp_path / "a.json").write_bytes(b'{"blocs":[],"appels":[{"nom":"recall","arguments":' + args + b',"result":""}]}')
    assert cli.main(["migrate", "a.json", "--out", "b.json"]) == MATCH
    assert load(tmp_path / "b.json").steps[0].raw_args == args
    assert args in (tmp_path / "b.json").read_bytes()


def test_in_place_the_file_is_replaced_and_keeps_who_may_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = without_a_name(tmp_path, "scelles.json")
    file.chmod(0o640)
    before = values(load(file))
    assert cli.main(["migrate", "scelles.json", "--in-place"]) == MATCH
    assert values(load(file)) == before
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["scelles.json"]
    out = capsys.readouterr().out
    assert json.loads((LOGS / "scelles.json").read_text())["dek"] not in out


def test_a_named_journal_and_a_report_are_left_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = (LOGS / "keepimg.json").read_bytes()
    (tmp_path / "a.json").write_bytes(golden)
    assert cli.main(["migrate", "a.json", "--out", "b.json"]) == MATCH
    assert (tmp_path / "b.json").read_bytes() == golden
    assert "a.json is loki-parity-journal/1 already: the same bytes\n" in capsys.readouterr().out
    assert cli.main(["run", "a.json", "--report-json", "r.jsonl", "--step", "1", "--transport", "memory"]) == MATCH
    capsys.readouterr()
    assert cli.main(["migrate", "r.jsonl", "--in-place"]) == MATCH
    assert capsys.readouterr().out == "r.jsonl is loki-parity-run/1 already: nothing to do\n"


def test_a_report_of_a_newer_format_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.jsonl").write_text('{"type":"header","schema":"loki-parity-run/2"}\n')
    for verb in (["migrate", "r.jsonl"], ["report", "r.jsonl", "--github"], ["status", "--report", "r.jsonl"]):
        assert cli.main(verb) == BAD_INPUT
        sentence = "loki-parity-run/1 is read, the only version that this loki-parity reads: a newer one wrote the file"
        assert sentence in capsys.readouterr().err


REFUSED: Final[Mapping[str, tuple[tuple[str, ...], int, str]]] = {
    "newer": (("newer.json",), BAD_INPUT, "a newer one wrote the file"),
    "newer-run": (("--in-place", "newer.json"), BAD_INPUT, "a newer one wrote the file"),
    "no-file": (("none.json",), BAD_INPUT, "none.json: found no such file"),
    "no-json": (("bad.json",), BAD_INPUT, "bad.json:1:2: found the end of the file"),
    "folder": ((".",), BAD_INPUT, "found a folder"),
    "cut-report": (("cut.jsonl",), BAD_INPUT, "cut.jsonl:"),
    "another-go": (("go.json",), NOT_JUDGED, 'found Go "go1.99"'),
    "there": (("old.json", "--out", "bad.json"), BAD_INPUT, "bad.json is there already: it is not replaced"),
    "itself": (("old.json", "--out", "old.json"), BAD_INPUT, "old.json is there already: it is not replaced"),
    "no-folder": (("old.json", "--out", "none/x.json"), BAD_INPUT, "none/x.json cannot be written: No such file"),
    "read-only": (("old.json", "--out", "/proc/x.json"), BAD_INPUT, "/proc/x.json cannot be written: "),
    "no-name": (("old.json", "--out", "a\0b"), BAD_INPUT, "cannot be written: embedded null byte"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_migrated_is_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "newer.json").write_text('{"étages": [], "format": "loki-parity-journal/2"}')
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "cut.jsonl").write_text('{"type":"header"}\n')
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), go={"version": "go1.99"}), "go.json")
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "old.json")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    arguments, status, sentence = REFUSED[name]
    assert cli.main(["migrate", *arguments]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_values_that_would_be_others_are_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(journal: Journal) -> bytes:
        return written(journal).replace(b"plage", b"plaje")

    monkeypatch.setattr(command, "written", wrong)
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "old.json")
    assert cli.main(["migrate", "old.json"]) == NOT_JUDGED
    assert "its values would be others, so nothing was written" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["old.json"]


def test_an_interrupt_comes_before_the_file_or_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(file: Path, content: bytes, mode: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        write_whole(file, content, mode)

    monkeypatch.setattr(command, "write_whole", interrupted)
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "old.json")
    assert cli.main(["migrate", "old.json"]) == 130
    assert capsys.readouterr().err == "loki-parity: interrupted\n"
    assert load(tmp_path / "old-migrated.json").steps
    assert len(list(tmp_path.iterdir())) == 2


def test_the_real_command_migrates_and_refuses(tmp_path: Path) -> None:
    without_a_name(tmp_path, "recall.json")
    ran = loki_parity("migrate", "recall.json", cwd=tmp_path)
    assert (ran.status, ran.err) == (MATCH, "")
    assert loki_parity("run", "recall-migrated.json", cwd=tmp_path).status == MATCH
    ran = loki_parity("migrate", "recall.json", cwd=tmp_path)
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err == "loki-parity: recall-migrated.json is there already: it is not replaced\n"


@pytest.mark.parametrize("name", ["recall", "outils", "keepimg"])
def test_lines_become_the_one_object_that_they_were(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["show", str(LOGS / f"{name}.json"), "--as-lines"]) == MATCH
    file = tmp_path / "journal.jsonl"
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert cli.main(["migrate", "journal.jsonl"]) == MATCH
    out = capsys.readouterr().out
    assert out.startswith(f"{file.read_bytes().count(10) - 2} lines in one JSON object\n")
    assert f"it was     journal.jsonl · sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}: " in out
    assert on_a_line(load(tmp_path / "journal-migrated.json")) == on_a_line(load(LOGS / f"{name}.json"))


def on_a_line(journal: Journal) -> Journal:
    """The values of a journal, all of its arguments without line ends: these go where a journal becomes lines."""
    steps = tuple(replace(step, raw_args=json.dumps(json.loads(step.raw_args)).encode()) for step in journal.steps)
    return values(replace(journal, steps=steps))


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        (None, ["--in-place"], "becomes one JSON object in another file: name it with --out"),
        (None, ["--out", "other.jsonl"], "other.jsonl: what is written is one JSON object, and .jsonl is the name"),
        ("", [], "found an empty file"),
        ("nothing", [], "journal.jsonl: found no such file"),
    ],
)
def test_lines_that_cannot_become_one_object_are_left_alone(
    text: str | None, arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "journal.jsonl"
    write(tmp_path, lines(small_journals.recall(small_journals.right())))
    if text is not None:
        file.write_text(text)
    if text == "nothing":
        file.unlink()
    before = sorted((one.name, one.read_bytes()) for one in tmp_path.iterdir())
    assert cli.main(["migrate", "journal.jsonl", *arguments]) == BAD_INPUT
    assert sentence in capsys.readouterr().err
    assert sorted((one.name, one.read_bytes()) for one in tmp_path.iterdir()) == before
