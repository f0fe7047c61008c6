"""``loki-parity report``: what it builds of a kept run, how it ends, and why it builds nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pytest
import run_files
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, LOGS, MATCH, environment, finish, loki_parity, start

from replay import report_command
from replay.cli import main
from replay.report.drawing import draw
from replay.rules.book import BookError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def kept(folder: Path, *steps: dict[str, Any], name: str = "run.jsonl") -> Path:
    return run_files.run_file(folder / name, [run_files.header(), *steps, run_files.footer(steps)])


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(report_command.SUMMARY, raising=False)


def test_a_run_that_was_kept_becomes_a_page_and_junit_that_say_the_same(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    ran = loki_parity("run", "journal.json", "--transport", "memory", "--report-json", "run.jsonl", cwd=tmp_path)
    assert ran.status == DIVERGED
    built = loki_parity("report", "run.jsonl", "--html", "a.html", "--junit", "a.xml", cwd=tmp_path)
    assert (built.status, built.err) == (DIVERGED, "")
    assert built.out == "verdict    DIVERGED: 2 of 4 outcomes are no match\n"
    assert "2 of 4 outcomes are no match" in (tmp_path / "a.html").read_text(encoding="utf-8")
    failures = ET.parse(tmp_path / "a.xml").findall("*/testcase/failure")  # noqa: S314 - our own document
    assert [one.text is not None and one.text in ran.out for one in failures] == [True, True]


def test_two_reports_of_a_run_are_the_same_bytes(tmp_path: Path) -> None:
    kept(tmp_path, run_files.step(1, "diverged"))
    for name in ("a", "b"):
        seed = environment() | {"PYTHONHASHSEED": str(ord(name))}
        arguments = ("report", "run.jsonl", "--html", f"{name}.html", "--junit", f"{name}.xml")
        assert loki_parity(*arguments, cwd=tmp_path, env=seed).status == DIVERGED
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_a_green_run_ends_in_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(kept(tmp_path, run_files.step(1))), "--junit", "a.xml"]) == MATCH
    assert capsys.readouterr().out == "verdict    MATCH: 1 outcome matches what Go recorded\n"


def test_shards_are_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [kept(tmp_path, run_files.step(1), name="a"), kept(tmp_path, run_files.step(2, "crashed"), name="b")]
    assert main(["report", *map(str, files), "--html", "a.html"]) == DIVERGED
    assert "1 of 2 outcomes is no match" in capsys.readouterr().out


def test_github_is_told_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(kept(tmp_path, run_files.step(1, "crashed"))), "--github"]) == DIVERGED
    out = capsys.readouterr().out
    assert out.startswith("::error file=logs/a.json,line=1,")
    assert "## loki-parity: DIVERGED\n" in out


def test_the_job_summary_goes_to_the_file_that_github_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv(report_command.SUMMARY, str(summary))
    assert main(["report", str(kept(tmp_path, run_files.step(1))), "--github"]) == MATCH
    assert summary.read_text(encoding="utf-8").startswith("before\n## loki-parity: MATCH\n")
    assert "##" not in capsys.readouterr().out


def test_a_job_summary_that_cannot_be_written_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(report_command.SUMMARY, "/dev/full")
    assert main(["report", str(kept(tmp_path, run_files.step(1))), "--github"]) == BAD_INPUT
    err = capsys.readouterr().err
    assert err == "loki-parity: the job summary ($GITHUB_STEP_SUMMARY) cannot be written: No space left on device\n"


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
@pytest.mark.parametrize("option", ["--html", "--junit"])
def test_a_run_that_is_read_is_never_replaced_under_whatever_name(
    tmp_path: Path, option: str, link: Callable[[str, str], None] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(tmp_path, run_files.step(1)).read_bytes()
    if link is not None:
        link("run.jsonl", "other")
    assert main(["report", "run.jsonl", option, "run.jsonl" if link is None else "other"]) == BAD_INPUT
    assert capsys.readouterr() == (
        "",
        f"loki-parity: {option} names a run that is to be read: a report never replaces one\n",
    )
    assert (tmp_path / "run.jsonl").read_bytes() == before


def test_two_reports_never_go_to_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(tmp_path, run_files.step(1))
    (tmp_path / "link").symlink_to("a")
    for other in ("a", "./a", "link"):
        assert main(["report", "run.jsonl", "--html", "a", "--junit", other]) == BAD_INPUT
        assert capsys.readouterr().err == "loki-parity: --html and --junit name the same file\n"
        assert not (tmp_path / "a").exists()


def test_the_job_summary_is_neither_a_run_nor_another_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept(tmp_path, run_files.step(1)).read_bytes()
    monkeypatch.setenv(report_command.SUMMARY, "run.jsonl")
    assert main(["report", "run.jsonl", "--github"]) == BAD_INPUT
    assert "$GITHUB_STEP_SUMMARY names a run that is to be read" in capsys.readouterr().err
    assert (tmp_path / "run.jsonl").read_bytes() == before
    assert main(["report", "run.jsonl", "--html", "a.html"]) == MATCH, "it is not asked for"


@pytest.mark.parametrize("option", ["--html", "--junit"])
def test_a_file_that_is_no_report_of_the_form_is_not_replaced_and_an_older_one_is(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path, run_files.step(1))
    (tmp_path / "notes").write_text("mine")
    assert main(["report", "run.jsonl", option, "notes"]) == BAD_INPUT
    form = "HTML page" if option == "--html" else "XML document"
    sentence = f"the report notes is not written: what stands there is no {form}, and it would be lost"
    assert capsys.readouterr().err == f"loki-parity: {sentence}\n"
    assert (tmp_path / "notes").read_text() == "mine"
    (tmp_path / "empty").touch()
    for _ in range(2):
        assert main(["report", "run.jsonl", option, "empty"]) == MATCH
    assert (tmp_path / "empty").stat().st_size > 100


def test_nothing_to_build_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(kept(tmp_path, run_files.step(1)))]) == BAD_INPUT
    assert "nothing to build: name --html FILE, --junit FILE or --github" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "run.jsonl: it cannot be read: No such file or directory"),
        (b"", "run.jsonl: an empty file, and no run"),
        (b"\x1b[2J", "run.jsonl:1: this line is no JSON, and a run is one JSON object a line"),
        (b"{}\n", "run.jsonl:1: the first line is not the header of a run"),
    ],
)
def test_a_file_that_is_no_run_is_one_sentence_and_no_report(tmp_path: Path, content: bytes | None, says: str) -> None:
    if content is not None:
        (tmp_path / "run.jsonl").write_bytes(content)
    ran = loki_parity("report", "run.jsonl", "--html", "a.html", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (BAD_INPUT, "", f"loki-parity: {says}\n")
    assert not (tmp_path / "a.html").exists()


@pytest.mark.parametrize(
    ("place", "says"), [("/dev/full", "No space left on device"), ("none/a.html", "No such file or directory")]
)
@pytest.mark.parametrize("form", ["--html", "--junit"])
def test_a_report_that_cannot_be_written_is_said(tmp_path: Path, form: str, place: str, says: str) -> None:
    kept(tmp_path, *(run_files.step(number, "diverged") for number in range(1, 50)))
    ran = loki_parity("report", "run.jsonl", form, place, cwd=tmp_path)
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err == f"loki-parity: the report {place} cannot be written: {says}\n"


def test_an_interrupt_ends_in_130_and_leaves_no_report(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.jsonl")
    process = start(
        "report",
        "run.jsonl",
        "--html",
        "a.html",
        cwd=tmp_path,
        in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with (tmp_path / "run.jsonl").open("w") as stream:  # opened when the command has opened it too
        stream.write("{")
        stream.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        ran = finish(process)
    assert (ran.status, ran.err) == (INTERRUPTED, "loki-parity: interrupted\n")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["run.jsonl"]


def test_each_tool_leads_to_its_rules(tmp_path: Path) -> None:
    tools = ("recall_search", "tracker", "relay")
    kept(tmp_path, *(run_files.step(at, "diverged", tool=tool) for at, tool in enumerate(tools, start=1)))
    assert main(["report", "run.jsonl", "--html", "a.html"]) == DIVERGED
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    for rule in ("recall_search/order", "tracker/slug", "labels/tracker", "labels/argument", "keepimg/relay/mark"):
        assert f'id="rule-{rule}"' in page
    assert 'id="rule-recall/id/prefix"' not in page


def test_a_report_can_do_without_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost() -> None:
        raise BookError

    monkeypatch.setattr(report_command, "book", lost)
    assert main(["report", str(kept(tmp_path, run_files.step(1, "diverged"))), "--html", "a.html"]) == DIVERGED
    assert 'id="rule-' not in (tmp_path / "a.html").read_text(encoding="utf-8")


def sealed_journal(folder: Path) -> None:
    """A sealed memory whose record is off by a letter, so that the port diverges from it."""
    shutil.copy(LOGS / "scelles.json", folder / "journal.json")
    journal = json.loads((folder / "journal.json").read_text(encoding="utf-8"))
    for step in journal["steps"]:
        step["result"] = step["result"].replace("e", "é")
    (folder / "journal.json").write_text(json.dumps(journal), encoding="utf-8")


@pytest.mark.parametrize("asked", [False, True])
def test_the_texts_of_a_sealed_memory_are_in_a_report_only_when_both_verbs_are_asked(
    tmp_path: Path, *, asked: bool
) -> None:
    sealed_journal(tmp_path)
    journal = json.loads((tmp_path / "journal.json").read_text(encoding="utf-8"))
    texts = [step["result"] for step in journal["steps"] if len(step["result"]) > 20]
    reveal = ["--reveal"] if asked else []
    ran = loki_parity(
        "run", "journal.json", "--transport", "memory", "--report-json", "run.jsonl", *reveal, cwd=tmp_path
    )
    assert ran.status == DIVERGED
    forms = ("--html", "a.html", "--junit", "a.xml", "--github")
    for more in ([], ["--reveal"]):
        built = loki_parity("report", "run.jsonl", *forms, *more, cwd=tmp_path)
        assert built.status == DIVERGED
        page, junit = ((tmp_path / name).read_text(encoding="utf-8") for name in ("a.html", "a.xml"))
        shown = asked and bool(more)
        for whole in texts:
            line = escape(draw(whole.split("\n")[0][:40], ends=False))
            assert (line in junit) is shown
            assert line not in built.out
        assert ('"opened"' in page) is shown
    assert journal["dek"] not in (tmp_path / "run.jsonl").read_text(encoding="utf-8") + page + junit
