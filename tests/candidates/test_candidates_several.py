"""Several candidates at once: the table, the receipts, the report, the worst status; and what the command takes."""

from __future__ import annotations

import io
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import outside_facade
import pytest
import small_journals

from replay.candidates.port import PortCandidate
from replay.candidates.table import Means, UnknownCandidateError, known, made
from replay.cli import main
from replay.compare import Difference
from replay.engine import Judging, replay
from replay.journal import load
from replay.journal.model import Place
from replay.outcome import Compared, Crashed, Diverged, Mode, StepRef, WentThroughGo
from replay.remembered import Remembering
from replay.report.columns import Columns, cell
from replay.report.jsonl import JsonLines
from replay.report.styles import Styles
from replay.run import Exit, Plan, Selection
from replay.several import run_several
from replay.sources import Source

if TYPE_CHECKING:
    from types import TracebackType

    from replay.candidates.interface import Candidate, Session
    from replay.journal.model import Journal

VICES: Final = Path(outside_facade.__file__).parent / "outside_vices.py"
BOTH: Final = (Mode.ISOLATED, Mode.CHAINED)
STEP: Final = StepRef("a.json", "1", "recall", "", Place("a.json", "", 1), Mode.ISOLATED)


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(VICES.parents[1]))


def one_answer() -> str:
    """A candidate that gives the same answer to everything."""
    return f"cmd:{sys.executable} {VICES} none"


def mixed(folder: Path) -> Path:
    """Two steps that one answer fits, and one that it does not."""
    right, unread = small_journals.right(), small_journals.unread()
    return small_journals.write(folder, small_journals.recall(right, unread, right))


def several(
    plan: Plan, *names: str, report: Path | None = None, others: tuple[Candidate, ...] = ()
) -> tuple[Exit, str, list[dict[str, Any]]]:
    out = io.StringIO()
    with JsonLines.to(report) as reports, ExitStack() as started:
        candidates = [started.enter_context(made(name, Means("memory"))) for name in names]
        exit_ = run_several(plan, [*candidates, *others], out, *reports)
    lines = [] if report is None else [json.loads(line) for line in report.read_text().split("\n") if line]
    return exit_, out.getvalue(), lines


def test_a_row_for_each_step_on_which_one_differs_and_a_receipt_for_each_candidate(tmp_path: Path) -> None:
    plan = Plan([Source(mixed(tmp_path), "a.json")], (Mode.ISOLATED,))
    exit_, out, _ = several(plan, "port", one_answer())
    lines = [line.rstrip() for line in out.split("\n")]
    assert exit_ is Exit.DIVERGED
    assert lines[0].startswith("A  port, ")
    assert lines[1].startswith(f"B  {one_answer()}"[:40])  # no more: the line is cut, and it names this checkout
    assert lines[3] == "a.json  Go's record → what the candidate gave"
    assert lines[4].split() == ["step", "A", "B"]
    assert lines[5] == "  2 recall isolated  match  result rune 1: U+0065 → U+0072"
    assert "   verdict    MATCH: all 3 outcomes match what Go recorded" in lines
    assert "   verdict    DIVERGED: 1 of 3 outcomes is no match" in lines
    assert lines[-2] == "verdict    DIVERGED: A MATCH, B DIVERGED"


def test_all_that_match_are_a_match(tmp_path: Path) -> None:
    file = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.right()))
    exit_, out, _ = several(Plan([Source(file, "a.json")]), "port", one_answer())
    assert exit_ is Exit.MATCH
    assert " → " not in out
    assert out.endswith("verdict    MATCH: A MATCH, B MATCH\n")


def test_the_report_names_the_candidate_of_each_step_and_lists_them_all(tmp_path: Path) -> None:
    plan = Plan([Source(mixed(tmp_path), "a.json"), Source(tmp_path / "none.json", "none.json")], (Mode.ISOLATED,))
    exit_, _, lines = several(plan, "port", one_answer(), report=tmp_path / "run.jsonl")
    header, footer = lines[0], lines[-1]
    assert [one["name"] for one in header["candidates"]] == ["port", one_answer()]
    assert header["candidate"] == header["candidates"][0]
    assert header["candidates"][1]["can"]["reset"] is False
    assert [line["candidate"] for line in lines[1:-1]] == ["port"] * 3 + [one_answer()] * 3
    assert [one["candidate"] for one in footer["journals"]] == ["port", one_answer()]
    assert footer["counts"] == {"match": 5, "diverged": 1, "crashed": 0, "went-through-go": 0}
    assert footer["exit"] == exit_ == Exit.BAD_INPUT
    assert len(footer["refusals"]) == 2


def test_a_problem_is_told_with_its_candidate(tmp_path: Path) -> None:
    plan = Plan([Source(mixed(tmp_path), "a.json")], (Mode.ISOLATED,), Selection(tools=frozenset({"none"})))
    _, _, lines = several(plan, "port", one_answer(), report=tmp_path / "run.jsonl")
    assert [problem.split(": ")[0] for problem in lines[-1]["problems"]] == ["port", one_answer()]


def test_one_candidate_is_reported_as_ever(tmp_path: Path) -> None:
    report = tmp_path / "run.jsonl"
    assert main(["run", str(mixed(tmp_path)), "--transport", "memory", "--report-json", str(report)]) == Exit.MATCH
    lines = [json.loads(line) for line in report.read_text().split("\n") if line]
    assert "candidates" not in lines[0]
    assert not any("candidate" in line for line in (*lines[1:-1], *lines[-1]["journals"]))


class Interrupted:
    """A candidate at whose first session the person presses Ctrl-C."""

    def __init__(self) -> None:
        self.port = PortCandidate("memory")
        self.identity = self.port.identity

    def offers(self, kind: str) -> bool:
        return self.port.offers(kind)

    def session(self, journal: Journal) -> Session:
        raise KeyboardInterrupt(journal.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def test_an_interrupt_ends_them_all_and_says_who_was_not_begun(tmp_path: Path) -> None:
    plan = Plan([Source(mixed(tmp_path), "a.json")], (Mode.ISOLATED,))
    exit_, out, _ = several(plan, one_answer(), others=(Interrupted(), Interrupted()))
    assert exit_ is Exit.INTERRUPTED
    assert "2 recall isolated  result rune 1: U+0065 → U+0072  not judged  not judged" in out
    assert out.endswith("verdict    INTERRUPTED: A DIVERGED, B INTERRUPTED, 1 not begun\n")


def test_no_more_than_two_hundred_rows_are_shown(tmp_path: Path) -> None:
    file = small_journals.write(tmp_path, small_journals.recall(*[small_journals.unread()] * 210))
    plan = Plan([Source(file, "a.json")], (Mode.ISOLATED,), stop_at_first=False)
    _, out, _ = several(plan, "port", one_answer())
    assert "… and 10 more steps on which one of them is no match" in out


def test_a_cell_says_what_came_of_a_step() -> None:
    assert cell(Crashed(STEP, "it hangs", "")) == "crashed: it hangs"
    assert cell(WentThroughGo(STEP, "why")) == "went-through-go"
    missing = Difference("files['a\x1b.md']", "missing", "x", "y")
    assert cell(Diverged(STEP, Compared({}), (missing,))) == "files['a␛.md'] rune 0: U+0078 → U+0079"
    requests = Difference("requests[0]", "extra", 1, 2)
    assert cell(Diverged(STEP, Compared({}), (requests,))) == "requests[0] extra"
    ended = Difference("result", "changed", "ab", "a")
    assert cell(Diverged(STEP, Compared({}), (ended,))) == "result rune 1: U+0062 → end of text"


def test_colours_are_for_those_who_ask() -> None:
    out = io.StringIO()
    Columns([]).show(out, Styles())
    assert out.getvalue() == "\n\x1b[31mverdict    INTERRUPTED: \x1b[0m\n"


def test_what_was_remembered_is_answered_again_and_nobody_is_asked(tmp_path: Path) -> None:
    journal = load(mixed(tmp_path))
    with PortCandidate("memory") as port, Remembering(port) as watched:
        assert watched.offers("recall")
        assert watched.identity is port.identity
        first = list(replay(journal, watched, Judging(Mode.CHAINED)))
        port.fake.load(())
        again = watched.replayed()
        assert list(replay(journal, again, Judging(Mode.CHAINED))) == first
        session = again.session(journal)
        for ask in ("begin", "visible", "operate"):
            with pytest.raises(Exception, match="a"):
                getattr(session, ask)(type("Case", (), {"name": "a", "op": "a"}))


def test_what_was_not_remembered_is_a_crash_and_no_traceback(tmp_path: Path) -> None:
    journal = load(mixed(tmp_path))
    with PortCandidate("memory") as port:
        found = list(replay(journal, Remembering(port).replayed(), Judging(Mode.CHAINED)))
    assert {one.what for one in found if isinstance(one, Crashed)} == {"it had no answer to this step"}
    assert len(found) == len(journal.steps)


def test_no_more_than_the_first_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replay.remembered.KEPT", 2)
    with PortCandidate("memory") as port:
        watched = Remembering(port)
        assert len(list(replay(load(mixed(tmp_path)), watched, Judging(Mode.CHAINED)))) == 3
    assert sorted(watched.answers) == ["1", "2"]


@pytest.mark.parametrize(
    "name",
    ["http:", "http://", "http://a b", "http://u@h", "http://h:0", "http://h:99999", "http://h/?q", "cmd: ", "cmd:'"],
)
def test_a_name_that_no_candidate_has_is_refused(name: str) -> None:
    with pytest.raises(UnknownCandidateError):
        known(name)


@pytest.mark.parametrize("name", ["http://127.0.0.1:8080/base", "http://[::1]", "cmd:node a.js", "go:1.25.5", "port"])
def test_a_name_that_one_has_is_taken(name: str) -> None:
    assert known(name) == name


@pytest.mark.parametrize(
    "options",
    [
        ["--http-path", "tool"],
        ["--http-fields", "name"],
        ["--http-fields", "nom=tool"],
        ["--deadline", "0"],
        ["--deadline", "-1"],
        ["--deadline", "1e3"],
        ["--go-port", "65536"],
        ["--field", "results"],
        ["--field", ""],
    ],
)
def test_an_option_of_no_use_is_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", *options])
    assert ended.value.code == Exit.BAD_INPUT
    assert options[0] in capsys.readouterr().err


def test_the_same_candidate_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--candidate", "port", "--candidate", "port"]) == Exit.BAD_INPUT
    assert "--candidate takes different candidates, at most 26" in capsys.readouterr().err


def test_the_command_judges_over_http_with_names_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    called = {"name": "tool", "args": "arguments", "result": "output"}
    with outside_facade.serving(can="reset", path="/run", names=called) as url:
        names = ",".join("=".join(pair) for pair in called.items())
        options = ["--http-path", "/run", "--http-fields", names, "--deadline", "5.5", "--field", "result"]
        assert main(["run", str(mixed(tmp_path)), "--candidate", url, *options]) == Exit.MATCH
    out = capsys.readouterr().out
    assert f"candidate  {url} · real HTTP; its reads of the archive were not judged\n" in out
    assert " · a selection, not the whole · only these fields: result\n" in out
    assert out.endswith("verdict    MATCH: all 6 outcomes match what Go recorded, in the chosen fields\n")


def test_the_command_says_what_was_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"cmd:{sys.executable} {outside_facade.__file__} --can reset,set_clock"
    assert main(["run", "logs/verrouille.json", "--candidate", command]) == Exit.NOT_JUDGED
    out = capsys.readouterr().out
    assert "  not judged: isolated: files and trackers: the candidate cannot show its state\n" in out
    assert out.endswith("verdict    NOT JUDGED: nothing diverged, state not judged\n")


def test_the_command_does_not_judge_who_does_not_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "logs/recall.json", "--candidate", "http://127.0.0.1:1"]) == Exit.NOT_JUDGED
    assert "http://127.0.0.1:1 cannot be judged: no connection to the façade" in capsys.readouterr().err


def test_the_command_takes_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--candidate", "port", "--candidate", one_answer(), "--transport", "memory", "--mode", "isolated"]
    assert main(["run", str(mixed(tmp_path)), *options]) == Exit.DIVERGED
    assert capsys.readouterr().out.endswith("verdict    DIVERGED: A MATCH, B DIVERGED\n")
