"""``loki-parity drift`` as a person runs it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pretended_go
import pytest
import small_journals
from real_command import (
    BAD_INPUT,
    DIVERGED,
    INTERRUPTED,
    LOGS,
    MATCH,
    NOT_JUDGED,
    PROJECT,
    Ran,
    environment,
    loki_parity,
)

from replay.cli import main
from replay.drift import command
from replay.drift.real_go import Beside, Sweep
from replay.oracle.errors import OracleDiedError
from replay.rules.book import Book, BookError

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = ["--go-version", "1.25.5", "--go-version", "1.27.3"]


def drift(*arguments: str, cwd: Path = PROJECT, **more: Any) -> Ran:  # noqa: ANN401 - as real_command has it
    return loki_parity("drift", *arguments, cwd=cwd, **more)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two journals that differ in one result; it is the working folder."""
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "old.json")
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()), "new.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_journals_that_differ_are_told_and_make_it_red(two: Path) -> None:
    ran = drift("old.json", "new.json", cwd=two)
    assert (ran.status, ran.err) == (DIVERGED, "")
    assert ran.out.startswith("old.json → new.json\nstep 1 recall changed — un bloc, mal noté\n")
    assert "    line 2, column 9: U+0067 LATIN SMALL LETTER G → U+006A LATIN SMALL LETTER J\n" in ran.out
    assert ran.out.endswith("steps: 0 added, 0 removed, 1 changed, 0 the same\n")


def test_two_journals_that_are_the_same_are_green() -> None:
    ran = drift("logs/recall.json", "logs/recall.json")
    assert (ran.status, ran.err) == (MATCH, "")
    assert ran.out == "logs/recall.json → logs/recall.json\nsteps: 0 added, 0 removed, 0 changed, 41 the same\n"


def test_what_moved_from_one_go_to_another_is_told_the_same_in_every_run(tmp_path: Path) -> None:
    runs = [
        drift(*VERSIONS, str(LOGS / "recall.json"), "--no-go", cwd=tmp_path, env=environment(PYTHONHASHSEED=seed))
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert (runs[0].status, runs[0].err) == (DIVERGED, "")
    assert "  recall_search keywords: none (recall_search/keywords · recall.md, recall_search, 2)\n" in runs[0].out
    assert "  unicode.ToLower: 55 code points\n    U+1C89, U+A7CB..U+A7CC, U+A7CE, U+A7D2, " in runs[0].out
    assert "  strconv.IsPrint: 10,615 code points, 10,615 added and 0 removed\n" in runs[0].out
    assert "  TrimSpace and Fields: none (" in runs[0].out
    assert "steps: 0 of 41 would change\n" in runs[0].out
    assert len(runs[0].out) < 20_000


def test_without_a_project_the_tables_are_told_and_no_step_is_run(tmp_path: Path) -> None:
    ran = drift(*VERSIONS, "--no-go", cwd=tmp_path)
    assert (ran.status, ran.err) == (DIVERGED, "")
    assert "steps: none was run\n  no pyproject.toml with [tool.loki-parity] here or above" in ran.out


def test_without_a_go_it_says_what_it_cannot_do(tmp_path: Path) -> None:
    ran = drift(*VERSIONS, cwd=tmp_path, env=environment() | {"PATH": str(tmp_path)})
    assert (ran.status, ran.err) == (DIVERGED, "")
    assert "\nreal Go\n  not asked: no Go 1.25.5 here (" in ran.out


def test_an_oracle_that_dies_is_one_sentence_after_all_the_rest(tmp_path: Path) -> None:
    go = pretended_go.go(tmp_path, pretended_go.DYING)
    ran = drift(*VERSIONS, "--go", str(go), "--cache", str(tmp_path / "cache"), cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert ran.err.startswith("loki-parity: the oracle ended with status 7")
    assert ran.err.count("\n") == 1
    assert "unicode.ToLower: 55 code points" in ran.out


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([], BAD_INPUT, "drift takes two journals, or --go-version twice; 0 journals were given"),
        (["logs/recall.json"], BAD_INPUT, "drift takes two journals, or --go-version twice; 1 journal was given"),
        (["logs/recall.json", "missing.json"], BAD_INPUT, "missing.json"),
        (["logs", "logs/recall.json"], BAD_INPUT, "logs: this folder holds 5 journals, and one is wanted"),
        (
            ["logs/recall.json", "logs/keepimg.json"],
            BAD_INPUT,
            "logs/recall.json is a journal of the kind recall and logs/keepimg.json of the kind keepimg",
        ),
        (["--go-version", "1.25.5"], BAD_INPUT, "drift takes --go-version twice: the old version, then the new one"),
        (["--go-version", "1.25.5", "--go-version", "new"], BAD_INPUT, "'new' is not a Go version"),
        (["--go-version", "1.25.5", "--go-version", "1.99"], NOT_JUDGED, "Go 1.99 is not offered"),
        ([*VERSIONS, "missing.json"], BAD_INPUT, "missing.json"),
        ([*VERSIONS, "--frob"], BAD_INPUT, "unrecognized arguments: --frob"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    arguments: list[str],
    status: int,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(PROJECT)
    try:
        ended = main(["drift", *arguments])
    except SystemExit as refused:
        ended = int(str(refused.code))
    out, err = capsys.readouterr()
    assert (ended, out) == (status, "")
    assert err.count("\n") == 1
    assert sentence in err


@pytest.mark.parametrize(
    "arguments", ["logs/recall.json", "logs/recall.json missing.json", "--go-version x --go-version y"]
)
def test_bad_input_is_one_sentence_of_the_real_command(arguments: str) -> None:
    ran = drift(*arguments.split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (BAD_INPUT, "", 1)


def test_an_interrupt_ends_it_with_130(two: Path) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import replay.drift.journals as journals, replay.cli as cli;"
        "journals.rules_of_steps = lambda *_: signal.raise_signal(signal.SIGINT);"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    ran = drift("old.json", "new.json", cwd=two, code=code)
    assert (ran.status, ran.out, ran.err) == (INTERRUPTED, "", "loki-parity: interrupted\n")


@pytest.mark.usefixtures("two")
def test_in_this_process_two_journals_are_told_in_words_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drift", "old.json", "new.json"]) == DIVERGED
    assert capsys.readouterr().out.startswith("old.json → new.json\n")
    assert main(["drift", "old.json", "new.json", "--json"]) == DIVERGED
    assert [one["kind"] for one in json.loads(capsys.readouterr().out)["changes"]] == ["changed"]
    assert main(["drift", "old.json", "old.json"]) == MATCH


def project(folder: Path, monkeypatch: pytest.MonkeyPatch, *, journals: str = '["recall.json"]') -> None:
    shutil.copy(LOGS / "recall.json", folder)
    floors = "{ journals = 1, steps = 1 }"
    (folder / "pyproject.toml").write_text(f"[tool.loki-parity]\njournals = {journals}\nfloors = {floors}\n")
    monkeypatch.chdir(folder)


def test_the_configured_journals_are_run_under_both_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, monkeypatch)
    assert main(["drift", *VERSIONS, "--no-go"]) == DIVERGED
    out = capsys.readouterr().out
    assert "steps: 0 of 41 would change\n" in out
    assert out.endswith("real Go was not asked\n")


def test_a_configured_journal_that_is_bad_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, monkeypatch, journals='["missing.json"]')
    assert main(["drift", *VERSIONS, "--no-go"]) == BAD_INPUT
    assert "missing.json" in capsys.readouterr().err


def test_between_two_versions_that_answer_alike_it_is_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["drift", "--go-version", "1.24", "--go-version", "1.25.5", "--no-go"]) == MATCH
    assert "  unicode.ToLower: none\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (Beside((Sweep("go1.24.11", 9), Sweep("go1.25.5", 9)), steps_agree=True), MATCH),
        (Beside((Sweep("go1.24.11", 9, ("d",)), Sweep("go1.25.5", 9)), steps_agree=True), DIVERGED),
        (Beside((Sweep("go1.24.11", 9), Sweep("go1.25.5", 9)), steps_agree=False), DIVERGED),
        (Beside((Sweep("go1.24.11", missing="no Go"),), steps_agree=None), MATCH),
    ],
)
def test_real_go_that_says_otherwise_makes_it_red(
    said: Beside,
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "beside", lambda *_: said)
    arguments = ["drift", "--go-version", "1.24", "--go-version", "1.25.5"]
    assert main(arguments) == status
    assert "\nreal Go\n" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == status
    assert len(json.loads(capsys.readouterr().out)["real_go"]["asked"]) == len(said.sweeps)


def test_a_broken_oracle_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def die(*_: object) -> Beside:
        sentence = "the oracle ended"
        raise OracleDiedError(sentence)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "beside", die)
    assert main(["drift", *VERSIONS]) == NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: the oracle ended\n"


def test_without_a_book_nothing_is_judged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> Book:
        sentence = "PORT.toml is no TOML: x"
        raise BookError(sentence)

    monkeypatch.setattr(command, "book", refuse)
    assert main(["drift", *VERSIONS]) == NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: PORT.toml is no TOML: x\n"
