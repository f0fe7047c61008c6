"""The pytest plugin: which items there are, how they are chosen, what a failing one shows."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import LOGS, loki_parity

from replay import pytest_items
from replay.candidates.interface import CandidateNotReadyError
from replay.candidates.port import PortCandidate
from replay.drill import drill
from replay.engine import replay
from replay.journal import loads

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = "pytester"

ITEMS: Final = (
    "logs/journal.json::isolated-1-recall",
    "logs/journal.json::isolated-2-recall_search",
    "logs/journal.json::chained",
    "logs/journal.json::drill",
)


@pytest.fixture
def logs(pytester: pytest.Pytester) -> Path:
    """A folder of journals in a project of its own."""
    folder = pytester.mkdir("logs")
    small_journals.write(folder, small_journals.recall(small_journals.right(), small_journals.searched()))
    return folder


def inner(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """A run of pytest in this process; without hypothesis, which would be imported anew for each."""
    return pytester.runpytest_inprocess("-p", "no:hypothesispytest", *arguments)


def collected(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    result = inner(pytester, "--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line]


@pytest.mark.usefixtures("logs")
def test_a_journal_is_an_item_a_step_the_chained_run_and_the_drill(pytester: pytest.Pytester) -> None:
    assert collected(pytester, "logs") == list(ITEMS)
    result = inner(pytester, "logs")
    result.assert_outcomes(passed=4)


def test_a_reduced_journal_is_no_recording(logs: Path, pytester: pytest.Pytester) -> None:
    origin = {"journal": "a.json", "sha256": "0" * 64, "step": "1"}
    reduced = small_journals.recall(small_journals.right(), source="reduced", reduced_from=origin)
    small_journals.write(logs, reduced, "reduced.json")
    result = inner(pytester, "logs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*logs/reduced.json: a reduced journal is no recording, so it was not judged"])


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("expression", "chosen"),
    [("isolated", ITEMS[:2]), ("chained or drill", ITEMS[2:]), ("isolated-2-recall_search", ITEMS[1:2])],
)
def test_ids_are_made_for_k(expression: str, chosen: tuple[str, ...], pytester: pytest.Pytester) -> None:
    assert collected(pytester, "logs", "-k", expression) == list(chosen)


@pytest.mark.usefixtures("logs")
def test_the_items_are_shared_out_among_processes(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("logs", "-n", "2")
    result.assert_outcomes(passed=4)


def test_a_failing_item_shows_what_the_command_shows(pytester: pytest.Pytester, logs: Path) -> None:
    small_journals.write(logs, small_journals.recall(small_journals.right(), small_journals.wrong()))
    result = inner(pytester, "logs", "-k", "isolated")
    result.assert_outcomes(passed=1, failed=1)
    ran = loki_parity("run", "logs/journal.json", "--mode", "isolated", cwd=pytester.path)
    difference = ran.out.split("\nlogs/journal.json  recall")[0].splitlines()
    assert difference[0] == "logs/journal.json diverged"
    assert "step 2 recall (isolated) — un bloc, mal noté" in difference
    start = result.outlines.index(difference[0])
    assert result.outlines[start : start + len(difference)] == difference
    assert "Traceback" not in result.stdout.str()


def test_a_chunk_that_diverges_often_shows_five_differences_and_the_number_of_the_others(
    pytester: pytest.Pytester, logs: Path
) -> None:
    small_journals.write(logs, small_journals.recall(*[small_journals.wrong() for _ in range(8)]))
    result = inner(pytester, "logs", "-k", "chained", "--parity-transport", "memory")
    result.assert_outcomes(failed=1)
    shown = result.outlines[: next(i for i, line in enumerate(result.outlines) if "short test summary info" in line)]
    assert shown.count("logs/journal.json diverged") == 5  # under CI, pytest's summary repeats them
    assert "… and 3 more steps that do not match" in result.outlines


@pytest.mark.parametrize(
    ("journal", "sentence"),
    [
        ("{", "logs/journal.json:1:2: found the end of the file, expected a key*"),
        ('{"kind":"recal","steps":[]}', 'logs/journal.json:1:9 at kind: found the kind "recal", expected "recall"*'),
        ('{"kind":"recall","go":{"goarch":"arm64"}}', "logs/journal.json:1:* found the processor*"),
    ],
)
def test_a_bad_journal_is_an_error_of_one_sentence(
    journal: str, sentence: str, pytester: pytest.Pytester, logs: Path
) -> None:
    (logs / "journal.json").write_text(journal)
    result = inner(pytester, "logs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR collecting logs/journal.json*", sentence])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.usefixtures("logs")
def test_a_journal_that_is_not_signed_is_an_error_where_it_must_be(pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml("[tool.loki-parity]\nrequire-signed = true\n")
    result = inner(pytester, "logs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["logs/journal.json: it is not signed, and only signed journals are to be judged, *"])
    pytester.makepyprojecttoml("[tool.loki-parity]\nrequire-signed = 1\n")
    result = inner(pytester, "logs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["pyproject.toml: tool.loki-parity.require-signed must be true or false"])


@pytest.mark.usefixtures("logs")
def test_a_kind_that_is_not_ported_is_an_error(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_items, "KINDS", frozenset({"memory"}))
    result = inner(pytester, "logs")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["logs/journal.json: journals of the kind recall are not ported yet*"])


def test_every_kind_of_journal_has_items(pytester: pytest.Pytester, logs: Path) -> None:
    (logs / "journal.json").unlink()
    for name in ("keepimg.json", "scelles.json"):
        (logs / name).write_bytes((LOGS / name).read_bytes())
    items = collected(pytester, "logs")
    assert items[:2] == ["logs/keepimg.json::isolated-1-case", "logs/keepimg.json::isolated-2-case"]
    assert items[-3:] == [
        "logs/scelles.json::isolated-9-tracker",
        "logs/scelles.json::chained",
        "logs/scelles.json::drill",
    ]
    result = inner(pytester, "logs", "--parity-transport", "memory")
    result.assert_outcomes(passed=len(items))


def many(count: int) -> dict[str, Any]:
    return small_journals.recall(*[small_journals.unread() for _ in range(count)])


def test_more_than_2000_steps_are_judged_in_chunks(pytester: pytest.Pytester, logs: Path) -> None:
    small_journals.write(logs, many(2000))
    assert len(collected(pytester, "logs")) == 2002
    small_journals.write(logs, many(2001))
    items = collected(pytester, "logs")
    assert len(items) == 23
    assert items[:2] == ["logs/journal.json::isolated-1-to-100", "logs/journal.json::isolated-101-to-200"]
    assert items[20:] == [
        "logs/journal.json::isolated-2001-recall",
        "logs/journal.json::chained",
        "logs/journal.json::drill",
    ]
    result = inner(pytester, "logs", "--parity-transport", "memory")
    result.assert_outcomes(passed=23)


def test_more_than_2000_cases_are_judged_in_chunks() -> None:
    journal = json.loads((LOGS / "keepimg.json").read_bytes())
    case = journal["cases"][0]
    journal["cases"] = [case] * 2001
    found = list(pytest_items.parts(loads(json.dumps(journal).encode(), "many.json")))
    assert [part.name for part in (found[0], found[-1])] == ["isolated-1-to-100", "isolated-2001-case"]
    assert sum(len(part.due) for part in found) == 2001 * len(case["steps"])


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ("other/*.json", ["other/a.json"]),
        ("logs/jour*.json\n    other/a.json", ["logs/journal.json", "other/a.json"]),
        ("*.json", ["top.json"]),
        ("deep/other/*.json", ["deep/other/a.json"]),
    ],
)
@pytest.mark.usefixtures("logs")
def test_the_ini_key_names_the_journals_by_patterns_below_the_root(
    patterns: str, names: list[str], pytester: pytest.Pytester
) -> None:
    pytester.makeini(f"[pytest]\nparity_journals =\n    {patterns}\n")
    for folder in (pytester.mkdir("other"), pytester.mkdir("deep")):
        small_journals.write(folder, small_journals.recall(small_journals.right()), "a.json")
    (pytester.path / "deep" / "other").mkdir()
    small_journals.write(pytester.path / "deep" / "other", small_journals.recall(small_journals.right()), "a.json")
    small_journals.write(pytester.path, small_journals.recall(small_journals.right()), "top.json")
    assert list(dict.fromkeys(item.split("::")[0] for item in collected(pytester))) == names


@pytest.mark.usefixtures("logs")
def test_a_file_outside_the_root_is_no_journal(pytester: pytest.Pytester, tmp_path: Path) -> None:
    outside = small_journals.write(tmp_path, small_journals.recall(small_journals.right()))
    inner = pytester.mkdir("inner")
    (inner / "pytest.ini").write_text("[pytest]\nparity_journals = *.json\n")
    assert collected(pytester, "--rootdir", str(inner), "-c", str(inner / "pytest.ini"), str(outside)) == []


@pytest.mark.usefixtures("logs")
def test_a_drill_that_misses_something_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    real = drill

    def blind(*arguments: Any) -> list[Any]:  # noqa: ANN401 - passed on as they are
        first, *others = real(*arguments)
        return [replace(first, outcome="missed", why="the step matched"), *others]

    monkeypatch.setattr(pytest_items, "drill", blind)
    result = inner(pytester, "logs", "-k", "drill", "--parity-transport", "memory")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["planted character in step 1, result: not found, the step matched"])


@pytest.mark.usefixtures("logs")
def test_an_engine_that_drops_a_step_or_answers_twice_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = replay
    for fault, sentence in (
        (lambda outcomes: outcomes[1:], "1 outcome of 1 step, and 2 steps were to be judged"),
        (lambda outcomes: [*outcomes, outcomes[0]], "3 outcomes of 2 steps, and 2 steps were to be judged"),
    ):
        monkeypatch.setattr(pytest_items, "replay", lambda *rest, fault=fault: fault(list(real(*rest))))
        result = inner(pytester, "logs", "-k", "chained", "--parity-transport", "memory")
        result.assert_outcomes(failed=1)
        assert sentence in result.outlines


@pytest.mark.usefixtures("logs")
def test_a_fault_of_the_harness_itself_shows_its_traceback(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest_items, "references", lambda *_: 1 / 0)
    result = inner(pytester, "logs", "-k", "chained", "--parity-transport", "memory")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*ZeroDivisionError*"])


@pytest.mark.usefixtures("logs")
def test_a_candidate_that_does_not_start_is_one_sentence(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: PortCandidate) -> PortCandidate:
        message = "the port cannot be started: no room"
        raise CandidateNotReadyError(message)

    monkeypatch.setattr(PortCandidate, "__enter__", refused)
    result = inner(pytester, "logs", "-k", "chained")
    result.assert_outcomes(failed=1)
    assert "the port cannot be started: no room" in result.outlines


def test_a_run_without_journals_loads_nothing_of_the_harness(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it="""
        import sys

        def test_loaded():
            loaded = {name for name in sys.modules if name.startswith(("replay", "parity", "fake_go"))}
            assert loaded == {"replay", "replay.pytest_plugin"}
        """
    )
    result = pytester.runpytest_subprocess("test_it.py")
    result.assert_outcomes(passed=1)
    assert "replay.pytest_plugin" in sys.modules
