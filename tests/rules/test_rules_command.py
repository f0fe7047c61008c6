"""``loki-parity rules`` as a person runs it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

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
    environment,
    loki_parity,
)

from replay.cli import main
from replay.rules import command
from replay.rules.book import Book, BookError

if TYPE_CHECKING:
    from pathlib import Path


def test_every_rule_is_exercised_by_a_step_or_a_test() -> None:
    ran = loki_parity("rules", cwd=PROJECT)
    assert ran.status == MATCH
    assert ran.err == ""
    assert ran.out.endswith("rules that no step and no test exercises: none\n")
    assert "recall/id/prefix  recall.md, recall(id), 2\n    17 steps, 1 test\n    logs/recall.json 5-21\n" in ran.out


def test_two_runs_print_the_same_bytes() -> None:
    runs = [
        loki_parity("rules", "--json", cwd=PROJECT, env=environment(PYTHONHASHSEED=seed)).out for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    found = {one["id"]: one for one in json.loads(runs[0])["rules"]}
    assert found["recall_search/reads"]["steps"] == {"logs/recall.json": [str(number) for number in range(22, 42)]}


def test_of_a_step_the_rules_are_named_with_their_functions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", str(LOGS / "outils.json"), "--step", "48", "--rule", "tracker/view"]) == MATCH
    overview = "parity.tools.tracker_view.overview"
    order = "parity.tools.tracker_view.by_last_point"
    out = capsys.readouterr().out
    assert f"tracker/view/overview-order  tracker.md, The view, overview\n    {order}\n" in out
    assert f"tracker/view/overview  tracker.md, The view, overview\n    {overview}\n" in out
    assert out.endswith("outils.json 48\n\n2 rules are exercised by these steps\n")
    assert main(["rules", str(LOGS / "keepimg.json"), "--step", "23.8", "--json"]) == MATCH
    found = {one["id"]: list(one["steps"].values()) for one in json.loads(capsys.readouterr().out)["rules"]}
    assert found["keepimg/measure/shares"] == [["23.8"]]


def test_a_step_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", str(LOGS / "recall.json"), "--step", "99", "--step", "3"]) == BAD_INPUT
    assert capsys.readouterr().err == "loki-parity: no step 99 in 1 journal\n"
    with pytest.raises(SystemExit) as ended:
        main(["rules", "--step", "x"])
    assert ended.value.code == BAD_INPUT
    assert "argument --step: 'x' is not a step (12)" in capsys.readouterr().err


def test_rules_are_chosen_by_how_they_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", str(LOGS / "recall.json"), "--rule", "recall/id", "--rule", "labels/"]) == MATCH
    shown = [line.partition(" ")[0] for line in capsys.readouterr().out.split("\n") if line[:1].isalpha()]
    assert shown[:6] == [
        "labels/argument",
        "labels/tracker",
        "recall/id/digits",
        "recall/id/malformed",
        "recall/id/missing",
        "recall/id/prefix",
    ]


def test_a_start_that_no_rule_has_is_bad_input() -> None:
    ran = loki_parity("rules", "--rule", "recal/", cwd=PROJECT)
    assert (ran.status, ran.out, ran.err) == (BAD_INPUT, "", "loki-parity: no rule begins with 'recal/'\n")


def test_a_bad_journal_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    ran = loki_parity("rules", "a.json", cwd=tmp_path)
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err.startswith("loki-parity: a.json:1")


def test_a_go_that_is_not_offered_is_not_judged(tmp_path: Path) -> None:
    journal = small_journals.recall(small_journals.right(), go={"version": "go1.99.0"})
    ran = loki_parity("rules", str(small_journals.write(tmp_path, journal)), cwd=tmp_path)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")


def test_without_a_project_there_is_nothing_to_judge(tmp_path: Path) -> None:
    ran = loki_parity("rules", cwd=tmp_path)
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert "name the journals to judge" in ran.err


def test_a_port_without_its_book_is_not_judged(tmp_path: Path) -> None:
    for package in ("parity", "replay", "fake_go"):
        shutil.copytree(PROJECT / package, tmp_path / package)
    (tmp_path / "parity" / "PORT.toml").unlink()
    ran = loki_parity("rules", str(LOGS), cwd=tmp_path, env=environment(tmp_path))
    assert ran.err == "loki-parity: PORT.toml cannot be read: No such file or directory\n"
    assert (ran.status, ran.out) == (NOT_JUDGED, "")


def test_a_rule_that_nothing_exercises_makes_it_red(tmp_path: Path) -> None:
    for package in ("parity", "replay", "fake_go"):
        shutil.copytree(PROJECT / package, tmp_path / package)
    port = tmp_path / "parity" / "PORT.toml"
    text = port.read_text(encoding="utf-8")
    before, _, after = text.partition('id = "keepimg/turn-start"')
    tests, _, rest = after.partition("]")
    kept = tests.partition("tests = [")[0]
    port.write_text(f'{before}id = "keepimg/turn-start"{kept}tests = []{rest}', encoding="utf-8")
    ran = loki_parity("rules", str(LOGS / "recall.json"), cwd=tmp_path, env=environment(tmp_path))
    assert ran.status == DIVERGED
    assert ran.out.endswith("rules that no step and no test exercises: keepimg/turn-start\n")


def test_an_interrupt_ends_it_with_130(tmp_path: Path) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import replay.rules.command as command, replay.cli as cli;"
        "command.rules_of_steps = lambda journals: signal.raise_signal(signal.SIGINT);"
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    ran = loki_parity("rules", str(LOGS), cwd=tmp_path, code=code)
    assert (ran.status, ran.out, ran.err) == (INTERRUPTED, "", "loki-parity: interrupted\n")


@pytest.mark.parametrize("arguments", [["no.json"], ["--rule", "nothing/", str(LOGS / "recall.json")]])
def test_what_cannot_be_used_is_bad_input(arguments: list[str]) -> None:
    assert main(["rules", *arguments]) == BAD_INPUT


def test_without_a_book_nothing_is_judged(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> Book:
        sentence = "PORT.toml is no TOML: x"
        raise BookError(sentence)

    monkeypatch.setattr(command, "book", refuse)
    assert main(["rules"]) == NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: PORT.toml is no TOML: x\n"


def test_in_this_process_all_of_it_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    assert main(["rules", "logs/verrouille.json"]) == MATCH
    assert "\nmemory/sealed/damaged  memory.md, mem_read\n" in capsys.readouterr().out
    assert main(["rules", "logs/verrouille.json", "--json"]) == MATCH
    assert json.loads(capsys.readouterr().out)["unexercised"] == []
