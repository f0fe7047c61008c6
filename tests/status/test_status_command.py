"""``loki-parity status``: without a report it says what exists; with one, no more than that run proved."""

from __future__ import annotations

import json
import os
import shutil
import signal
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from real_command import (
    BAD_INPUT,
    DIVERGED,
    INTERRUPTED,
    LOGS,
    MATCH,
    NOT_JUDGED,
    PROJECT,
    environment,
    finish,
    loki_parity,
    start,
)

from replay import cli
from replay.rules.book import BookError
from replay.status import command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FAST: Final = ("--transport", "memory")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's journals, and in run.jsonl and facade.jsonl what runs of them proved."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(LOGS, folder / "logs")
    shutil.copy(PROJECT / "pyproject.toml", folder)
    before = os.getcwd()  # noqa: PTH109 - it is given back to chdir
    os.chdir(folder)
    try:
        assert cli.main(["run", "--report-json", "run.jsonl"]) == MATCH
        facade = ["--candidate", "facade", "--report-json", "facade.jsonl"]
        assert cli.main(["run", "logs/recall.json", *facade]) == MATCH
    finally:
        os.chdir(before)
    return folder


@pytest.fixture(autouse=True)
def in_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(project)
    yield
    (project / "other.jsonl").unlink(missing_ok=True)


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = MATCH) -> dict[str, Any]:
    """What ``--json`` says of each system, by its id."""
    capsys.readouterr()
    assert cli.main(["status", "--json", *arguments]) == status
    return {one["id"]: one for one in json.loads(capsys.readouterr().out)["systems"]}


def states(systems: dict[str, Any]) -> dict[str, str]:
    return {name: one["verdicts"][0]["state"] for name, one in systems.items()}


def why(systems: dict[str, Any], name: str) -> str:
    return "; ".join(systems[name]["verdicts"][0]["why"])


def other(project: Path, change: Callable[[list[dict[str, Any]]], None]) -> str:
    """The run with something else in it."""
    lines = [json.loads(line) for line in (project / "run.jsonl").read_text().splitlines()]
    change(lines)
    (project / "other.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "other.jsonl"


def test_without_a_report_nothing_is_called_green(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["status"]) == MATCH
    out = capsys.readouterr().out
    assert "this is what exists, not that it is green" in out
    assert "GREEN" not in out
    assert "21 steps of logs/recall.json" in out
    assert all(one["verdicts"] is None for one in told(capsys).values())


def test_a_lot_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(told(capsys, "--lot", "32")) == {"32/images", "32/routes", "32/loop"}


def test_with_a_report_of_the_port_each_system_is_what_that_run_proved(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "--report", "run.jsonl", status=NOT_JUDGED)
    assert states(found) == {
        "46/recall": "green",
        "46/recall_search": "green",
        "46/archive-reads": "green",
        "46/host": "by tests",
        "46/turn": "not judged",
        "46/journal": "green",
        "40/pages": "green",
        "40/sealed": "green",
        "40/tracker": "green",
        "40/clock": "green",
        "40/shared-memory": "by tests",
        "40/journal": "green",
        "40/turn": "not judged",
        "32/images": "green",
        "32/routes": "not judged",
        "32/loop": "by tests",
    }
    assert why(found, "46/turn") == "no report of a run of the candidate facade"


def test_with_both_reports_no_system_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "--report", "run.jsonl", "--report", "facade.jsonl", "--lot", "46")
    assert states(found)["46/turn"] == "green"
    assert [one["candidate"] for one in found["46/recall"]["verdicts"]] == ["port, http", "facade, http"]
    assert cli.main(["status", "--report", "run.jsonl", "--report", "facade.jsonl", "--lot", "46"]) == MATCH
    out = capsys.readouterr().out
    assert "    GREEN      facade, http\n" in out
    assert "    BY TESTS   no journal judges it: its tests do\n" in out
    assert "what these runs proved: run.jsonl, facade.jsonl. Tests were counted, not run\n" in out


def test_a_step_that_does_not_match_makes_its_systems_red_and_no_other(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        at = next(at for at, one in enumerate(lines) if one.get("tool") == "recall" and one["mode"] == "chained")
        keep = {key: lines[at][key] for key in ("type", "journal", "mode", "step", "tool", "note", "at", "requests")}
        crash = {"what": "x", "where": ""}
        lines[at] = {**keep, "outcome": "crashed", "inherited": None, "sealed": False, "shown": ["x"], "crash": crash}
        footer = lines[-1]
        tally = footer["journals"][0]["modes"]["chained"]["outcomes"]
        tally["match"] -= 1
        tally["crashed"] = 1
        footer["exit"] = 1

    found = told(capsys, "--report", other(project, change), status=DIVERGED)
    red = {name for name, state in states(found).items() if state == "red"}
    assert red == {"46/recall", "46/archive-reads", "46/journal"}
    assert why(found, "46/recall") == "logs/recall.json (chained): 1 of 21 steps does not match, first 1"


ALTERED: Final[dict[str, tuple[Callable[[list[dict[str, Any]]], None], str, str]]] = {
    "another-code": (
        lambda lines: lines[0]["candidate"]["modules"].update({"parity.rules": "0" * 64}),
        "46/recall",
        "the code that ran is another now than in that run",
    ),
    "another-journal": (
        lambda lines: lines[-1]["journals"][0].update(sha256="0" * 64),
        "46/recall",
        "logs/recall.json was another file then",
    ),
    "no-recording": (
        lambda lines: lines[-1]["journals"][0].update(source="model"),
        "46/recall",
        "logs/recall.json is no recording (model)",
    ),
    "a-problem": (
        lambda lines: lines[-1]["journals"][0].update(problems=["something"]),
        "46/recall",
        "logs/recall.json: something",
    ),
    "left-out": (
        lambda lines: lines[-1]["journals"][0].update(left_out=[{"what": "state", "why": "files"}]),
        "46/recall",
        "logs/recall.json: not judged: state: files",
    ),
    "a-plant-missed": (
        lambda lines: lines[-1]["journals"][0]["drill"][0].update(outcome="missed"),
        "46/recall",
        "logs/recall.json: the drill missed",
    ),
    "no-drill": (
        lambda lines: lines[-1]["journals"][0].update(drill=[]),
        "46/recall",
        "logs/recall.json: the drill planted nothing that was found",
    ),
    "only-some-fields": (
        lambda lines: lines[0]["selection"].update(fields=["result"]),
        "32/images",
        "only some fields were compared (fields result)",
    ),
    "no-http": (
        lambda lines: lines[0]["candidate"].update(transport="memory"),
        "46/archive-reads",
        "it was reached by memory, not by http",
    ),
    "reads-not-seen": (
        lambda lines: lines[-1]["journals"][0]["modes"]["isolated"]["fields"].pop("requests"),
        "46/archive-reads",
        "logs/recall.json (isolated): requests were not compared in every step",
    ),
}


@pytest.mark.parametrize("name", ALTERED)
def test_whatever_stands_in_the_way_of_green_is_said(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, system, sentence = ALTERED[name]
    found = told(capsys, "--report", other(project, change), status=NOT_JUDGED)
    assert states(found)[system] == "not judged"
    assert sentence in why(found, system)


def test_a_run_of_some_steps_proves_them_and_not_the_system(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "logs/recall.json", "--tool", "recall", "--mode", "chained", *FAST]
    assert cli.main([*arguments, "--report-json", "other.jsonl"]) == MATCH
    found = told(capsys, "--report", "other.jsonl", status=NOT_JUDGED)
    assert why(found, "46/recall") == "logs/recall.json (isolated): 21 of 21 steps were not judged"
    assert "logs/recall.json (chained): 20 of 20 steps were not judged" in why(found, "46/recall_search")
    assert why(found, "32/images") == "logs/keepimg.json was not judged"


def test_of_several_candidates_each_has_its_own_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    candidates = ("--candidate", "port", "--candidate", "facade")
    assert cli.main(["run", "logs/recall.json", *candidates, *FAST, "--report-json", "other.jsonl"]) == MATCH
    found = told(capsys, "--report", "other.jsonl", "--lot", "46", status=NOT_JUDGED)
    assert [one["state"] for one in found["46/recall"]["verdicts"]] == ["green", "green"]
    assert [one["state"] for one in found["46/turn"]["verdicts"]] == ["green"]
    assert [one["state"] for one in found["46/archive-reads"]["verdicts"]] == ["not judged", "green"]


def test_a_journal_that_is_not_here_is_said(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "elsewhere"
    shutil.copytree(LOGS, folder / "logs", dirs_exist_ok=True)
    shutil.copy(PROJECT / "pyproject.toml", folder)
    (folder / "logs" / "recall.json").write_text("{")
    monkeypatch.chdir(folder)
    assert cli.main(["status"]) == NOT_JUDGED
    captured = capsys.readouterr()
    assert captured.err.startswith("loki-parity: logs/recall.json:1:2: found the end of the file")
    assert "logs/recall.json is not here, 6 rules" in captured.out
    found = told(capsys, "--report", str(project / "run.jsonl"), status=NOT_JUDGED)
    assert why(found, "46/recall") == "logs/recall.json is not here"


def test_no_project_and_no_report_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cut.jsonl").write_text("{")
    for name in ("none.jsonl", str(tmp_path / "cut.jsonl")):
        assert cli.main(["status", "--report", name]) == BAD_INPUT
        assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.chdir(tmp_path)
    assert cli.main(["status"]) == NOT_JUDGED
    assert "name the journals to judge" in capsys.readouterr().err


def test_an_unusable_port_toml_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unusable() -> None:
        message = "PORT.toml is no TOML"
        raise BookError(message)

    monkeypatch.setattr(command, "book", unusable)
    assert cli.main(["status"]) == NOT_JUDGED
    assert capsys.readouterr().err == "loki-parity: PORT.toml is no TOML\n"


def test_the_real_command_tells_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = loki_parity("status", "--report", "run.jsonl", cwd=project, env=environment(PYTHONHASHSEED="7"))
    assert cli.main(["status", "--report", "run.jsonl"]) == ran.status == NOT_JUDGED
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (ran.out, ran.err)


def test_an_interrupt_ends_in_130(project: Path) -> None:
    os.mkfifo(project / "pipe")
    interruptible = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    process = start("status", "--report", "pipe", cwd=project, in_child=interruptible)
    with (project / "pipe").open("wb"):  # opens when the command opens it to read
        process.send_signal(signal.SIGINT)
        assert finish(process).status == INTERRUPTED
    (project / "pipe").unlink()
