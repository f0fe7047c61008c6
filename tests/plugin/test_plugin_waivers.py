"""Waivers under pytest: a waived step is an item that was expected to fail, for as long as the waiver is good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
import small_journals
from real_command import MATCH

from replay.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = "pytester"

PROJECT: Final = """\
[tool.loki-parity]
journals = ["logs/journal.json"]
floors = { journals = 1, steps = 1 }
waivers = "divergences"
"""


@pytest.fixture
def logs(pytester: pytest.Pytester) -> Path:
    """A project whose second step is wrong, and waived."""
    folder = pytester.mkdir("logs")
    (pytester.path / "pyproject.toml").write_text(PROJECT)
    small_journals.write(folder, small_journals.recall(small_journals.right(), small_journals.wrong()))
    why = ("--reason", "plage", "--until", "2026-12-31", "--transport", "memory")
    assert main(["waive", "logs/journal.json", "--step", "2", *why]) == MATCH
    return folder


def inner(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:hypothesispytest", "--parity-transport", "memory", "logs", *arguments)


@pytest.mark.usefixtures("logs")
def test_a_waived_step_was_expected_to_fail(pytester: pytest.Pytester) -> None:
    result = inner(pytester, "--parity-today", "2026-12-31", "-rx")
    result.assert_outcomes(passed=2, xfailed=2)
    result.stdout.fnmatch_lines(["*1 waived, the first until 2026-12-31, plage (divergences/logs-journal-2.json)"])


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("today", "says"),
    [
        (["--parity-today", "2027-01-01"], "a waiver has expired: divergences/logs-journal-2.json, *"),
        ([], "whether divergences/logs-journal-2.json has expired was not judged: name the day with --parity-today *"),
        (["--parity-today", "tomorrow"], "--parity-today: 'tomorrow' is no date such as 2026-12-31"),
    ],
    ids=["expired", "no day", "no date"],
)
def test_a_waiver_out_of_time_fails(today: list[str], says: str, pytester: pytest.Pytester) -> None:
    result = inner(pytester, *today, "-k", "isolated-2 or chained")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([says])


def test_a_stale_waiver_and_one_that_is_none_fail(pytester: pytest.Pytester, logs: Path) -> None:
    small_journals.write(logs, small_journals.recall(small_journals.right(), small_journals.right()))
    result = inner(pytester, "--parity-today", "2026-12-31")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["a waiver is stale: divergences/logs-journal-2.json, *the step matches now*"])
    (pytester.path / "divergences/logs-journal-2.json").write_text("{}")
    result = inner(pytester, "--parity-today", "2026-12-31", "-k", "isolated-1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["divergences/logs-journal-2.json: no waiver *"])
