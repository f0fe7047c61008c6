"""``--report-json``: whole or not there, never in the place of what is no file, never with half of an old one."""

from __future__ import annotations

import json
import os
import resource
import stat
import threading
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, LOGS, MATCH, NOT_JUDGED, loki_parity

if TYPE_CHECKING:
    from pathlib import Path

OLD = '{"type":"header","schema":"loki-parity-run/0"}\n'
"""An older report, which may be replaced."""


def run(folder: Path, report: str, journal: dict[str, Any] | None = None) -> tuple[int, str]:
    """The exit status and standard error of a run that writes a report."""
    small_journals.write(folder, journal or small_journals.recall(small_journals.right()))
    ran = loki_parity("run", "--transport", "memory", "journal.json", "--report-json", report, cwd=folder)
    return ran.status, ran.err


def test_a_report_begins_with_a_header_and_ends_with_a_footer_that_holds_the_exit_status(tmp_path: Path) -> None:
    assert run(tmp_path, "report.jsonl", small_journals.recall(small_journals.wrong())) == (DIVERGED, "")
    header, *_, footer = map(json.loads, (tmp_path / "report.jsonl").read_text().splitlines())
    assert (header["type"], footer["type"], footer["exit"]) == ("header", "footer", DIVERGED)


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ("folder", "Is a directory"),
        ("", "Is a directory"),
        ("missing/report.jsonl", "No such file or directory"),
        ("journal.json/report.jsonl", "Not a directory"),
        ("/proc/report.jsonl", "No such file or directory"),
        ("/dev/full", "No space left on device"),
        ("a" * 256, "File name too long"),
    ],
)
def test_a_report_that_cannot_be_written_is_one_sentence_and_leaves_nothing_behind(
    report: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    assert run(tmp_path, report) == (
        BAD_INPUT,
        f"loki-parity: the report {report or '.'} cannot be written: {reason}\n",
    )
    assert sorted(os.listdir(tmp_path)) == ["folder", "journal.json"]  # noqa: PTH208 - names are all it is about


def test_an_existing_report_is_replaced_whole_even_if_it_cannot_be_written_to(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    report.write_text(OLD)
    report.chmod(0o444)
    with report.open() as reader:
        assert run(tmp_path, "report.jsonl") == (MATCH, "")
        assert reader.read() == OLD
    assert report.read_text().startswith('{"type":"header"')
    assert stat.S_IMODE(report.stat().st_mode) == 0o644


def test_a_report_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    report.write_text(OLD)
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    ran = loki_parity(
        *("run", "--transport", "memory", "journal.json", "--report-json", "report.jsonl"),
        cwd=tmp_path,
        in_child=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
    )
    assert (ran.status, ran.err) == (
        BAD_INPUT,
        "loki-parity: the report report.jsonl cannot be written: File too large\n",
    )
    assert report.read_text() == OLD
    assert sorted(os.listdir(tmp_path)) == ["journal.json", "report.jsonl"]  # noqa: PTH208 - as above


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link.jsonl").symlink_to("elsewhere/report.jsonl")
    assert run(tmp_path, "link.jsonl") == (MATCH, "")
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "elsewhere" / "report.jsonl").read_text().startswith('{"type":"header"')


def test_a_device_and_a_pipe_stay_what_they_are(tmp_path: Path) -> None:
    before = os.stat("/dev/null").st_rdev  # noqa: PTH116 - a device
    assert run(tmp_path, "/dev/null") == (MATCH, "")
    assert os.stat("/dev/null").st_rdev == before  # noqa: PTH116 - as above
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    assert run(tmp_path, "pipe") == (MATCH, "")
    reader.join()
    assert read[0].startswith('{"type":"header"')
    assert read[0].endswith("}\n")


def test_two_runs_write_the_same_bytes_to_both(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    runs = []
    for name in ("one.jsonl", "two.jsonl"):
        paths = ("journal.json", str(LOGS))
        ran = loki_parity("run", *paths, "--report-json", name, cwd=tmp_path)
        runs.append((ran, (tmp_path / name).read_bytes()))
    assert runs[0] == runs[1]
    assert runs[0][0].status == DIVERGED


def test_a_full_disk_under_the_memory_is_said_and_not_held_against_the_port(tmp_path: Path) -> None:
    paths = (str(LOGS / "outils.json"), str(LOGS / "recall.json"))
    ran = loki_parity(
        *("run", *paths, "--transport", "memory"),
        cwd=tmp_path,
        in_child=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)),
    )
    assert ran.status == NOT_JUDGED
    assert "  problem   the port's memory cannot be kept: the folder of the pages cannot be used: EFBIG\n" in ran.out
    assert "  isolated  41 of 41 match · " in ran.out


def test_a_port_that_cannot_have_a_folder_is_said(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    ran = loki_parity(
        *("run", "--transport", "memory", "journal.json"),
        cwd=tmp_path,
        in_child=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (ran.status, ran.out) == (NOT_JUDGED, "")
    assert ran.err.startswith("loki-parity: the port cannot be started: No usable temporary directory found")


def test_a_file_that_is_no_report_is_not_replaced_and_nothing_is_judged(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    ran = loki_parity("run", "journal.json", "--report-json", "pyproject.toml", cwd=tmp_path)
    sentence = "what stands there is no run as JSON lines, and it would be lost"
    assert (ran.status, ran.out) == (BAD_INPUT, "")
    assert ran.err == f"loki-parity: the report pyproject.toml is not written: {sentence}\n"
    assert (tmp_path / "pyproject.toml").read_text() == "[project]\n"
