"""A run on a terminal: what is shown whole, what in a line, what the receipt says of each sort of run."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from fake_candidates import (
    Drifting,
    Truthful,
    Vicious,
    crashes,
    goes_through_go,
    off_by_one_character,
)
from real_command import LOGS

from replay.candidates.interface import Identity
from replay.candidates.port import PortCandidate
from replay.compare import Tolerated
from replay.engine import Judging, replay
from replay.exercise import Exercise
from replay.journal import load, loads
from replay.journal.model import Place
from replay.outcome import Compared, Crashed, Match, Mode, StepRef, WentThroughGo
from replay.report.outcome_text import one_line, render
from replay.report.styles import Plain, Styles
from replay.report.terminal import Terminal
from replay.run import Exit, Floors, JournalReceipt, Plan, Receipt, Refusal, Selection, run
from replay.sources import Source
from replay.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from replay.journal.model import Journal

FILE: Final = LOGS / "recall.json"
JOURNAL: Final = load(FILE, file_name="recall.json")
SOURCE: Final = Source(FILE, "recall.json")


class Screen(io.StringIO):
    """A terminal, or what is none."""

    def __init__(self, *, watched: bool = False) -> None:
        super().__init__()
        self._watched = watched

    def isatty(self) -> bool:
        return self._watched


def shown(plan: Plan, candidate: Truthful, *, color: str = "auto", watched: bool = False) -> str:
    out = Screen(watched=watched)
    run(plan, candidate, [Terminal(out, Screen(), color=color)])
    return out.getvalue()


def repeated(count: int, **step: Any) -> Journal:  # noqa: ANN401 - JSON
    steps = [small_journals.unread() | step for _ in range(count)]
    return loads(json.dumps(small_journals.recall(*steps)).encode(), "many.json")


def test_a_run_that_goes_well_is_its_receipt() -> None:
    digest = JOURNAL.sha256[:16]
    identity = Truthful(JOURNAL).identity
    assert shown(Plan([SOURCE]), Truthful(JOURNAL)).splitlines() == [
        f"recall.json  recall · go1.25.5, Unicode 15.0.0, amd64 · sha256 {digest}…",
        (
            "  isolated  41 of 41 match · compared: diff 41, requests 41, result 41 · 12,928 characters"
            " · 25 requests served · not recorded: label 41"
        ),
        (
            "  chained   41 of 41 match · compared: diff 41, requests 41, result 41 · 12,928 characters"
            " · 25 requests served · not recorded: label 41"
        ),
        (
            "  drill     21 of 21 planted divergences found, each in its step, field and character"
            " · no step to plant in: "
            "label, diff-text, diff-op, bak-byte, page-byte, index-last-newline, extra-file, missing-file, unsealed,"
            " millisecond, swapped-points, date-only, extra-tracker"
        ),
        (
            f"candidate  truthful, 1 module, sha256 {identity.digest()[:16]}…"
            " · direct calls in memory, which say nothing about HTTP"
        ),
        "through Go 0 steps went through Go (tool/exec)",
        "judged     1 journal (floor 1), 41 steps (floor 1)",
        "verdict    MATCH: all 82 outcomes match what Go recorded",
    ]


def test_ten_differences_are_whole_two_hundred_have_a_line_and_the_others_are_counted(tmp_path: Path) -> None:
    journal = repeated(130)
    small_journals.write(tmp_path, small_journals.recall(*[small_journals.unread() for _ in range(130)]), "many.json")
    wrong = Vicious(journal, off_by_one_character, *range(1, 131))
    text = shown(Plan([Source(tmp_path / "many.json", "many.json")]), wrong)
    lines = text.splitlines()
    assert lines.count("many.json diverged") == 10
    assert sum(line.startswith("many.json step ") for line in lines) == 190
    assert "many.json step 11 recall (isolated): diverged in result" in lines
    assert "… and 60 more steps that do not match" in lines
    assert lines[lines.index("… and 60 more steps that do not match") + 1] == ""
    assert lines[-1] == "verdict    DIVERGED: 260 of 260 outcomes are no match"
    assert "  isolated  0 of 130 match · 130 diverged · compared: " in text


def test_a_chained_divergence_says_whose_it_is() -> None:
    file = LOGS / "outils.json"
    journal = load(file, file_name="outils.json")
    plan = Plan([Source(file, "outils.json")], modes=(Mode.CHAINED,))
    inherited = "  inherited: from Go's own state this step matches, so only an earlier divergence explains it"
    own = "  its own: it differs from Go's own state too"
    assert shown(plan, Drifting(journal, 50)).count(inherited) == 7
    assert shown(plan, Vicious(journal, off_by_one_character, 3, 4)).count(own) == 1


AT: Final = Place("a\x1b.json", "steps[0]", 7)
STEP: Final = StepRef("a\x1b.json", "3.2", "relay", "note\x07", AT, Mode.ISOLATED)


def test_a_crash_and_a_call_through_go_are_shown_with_their_place_and_reason() -> None:
    assert render(Crashed(STEP, "KeyError: '\x1b'", "tool.py:3 in call"), Plain()).splitlines() == [
        "a␛.json crashed",
        "step 3.2 relay (isolated) — note␇",
        "  at a\\x1b.json:7 at steps[0]",
        "  the candidate crashed: KeyError: '␛'",
        "    in tool.py:3 in call",
    ]
    assert "    in " not in render(Crashed(replace(STEP, note=""), "x", ""), Plain())
    assert render(WentThroughGo(STEP, "no connection"), Plain()).splitlines()[-1] == (
        "  the call went through Go: no connection"
    )
    assert render(Match(STEP, Compared({})), Plain()).splitlines()[0] == "a␛.json match"
    assert one_line(Crashed(STEP, "x", ""), Plain()) == "a␛.json step 3.2 relay (isolated): crashed"
    text = shown(Plan([SOURCE]), Vicious(JOURNAL, crashes, 2))
    assert "recall.json crashed\nstep 2 recall (isolated) — id non texte\n" in text
    assert " · 1 crashed · " in text
    assert " · 1 went-through-go · " in shown(Plan([SOURCE]), Vicious(JOURNAL, goes_through_go, 5))


@pytest.mark.parametrize(
    ("color", "watched", "environment", "coloured"),
    [
        ("auto", True, None, True),
        ("auto", True, "1", False),
        ("auto", False, None, False),
        ("always", False, "1", True),
        ("never", True, None, False),
    ],
)
def test_colours_are_for_terminals_and_for_those_who_ask(
    *, color: str, watched: bool, environment: str | None, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if environment is None:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", environment)
    text = shown(Plan([SOURCE]), Vicious(JOURNAL, off_by_one_character, 1), color=color, watched=watched)
    assert ("\x1b[" in text) is coloured
    assert all(line.count("\x1b[0m") == line.count("\x1b[") / 2 for line in text.splitlines())


def test_every_line_ends_its_own_colour() -> None:
    assert Styles().faint("a\n\nb") == "\x1b[2ma\x1b[0m\n\n\x1b[2mb\x1b[0m"
    assert (Styles().by_kind("removed", "x"), Styles().by_kind("fact", "x")) == ("\x1b[31mx\x1b[0m", "x")
    assert Plain().strong("x") == Plain().by_kind("removed", "x") == "x"


def test_a_long_run_that_somebody_watches_has_a_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    err = Screen(watched=True)
    monkeypatch.setattr("sys.stderr", err)
    terminal = Terminal(Screen(), err)
    journal = repeated(3)
    outcome = Match(replace(STEP, journal="many.json"), Compared({}))
    terminal.journal(journal, 2000)
    terminal.outcome(outcome)
    assert err.getvalue() == ""
    terminal.journal(replace(journal, file="a\x1b]0;x.json"), 2001)
    for _ in range(250):
        terminal.outcome(outcome)
    terminal.journal(journal, 5)
    assert "a\\x1b]0;x.json" in err.getvalue()
    assert "2001" in err.getvalue()
    terminal.end(Receipt(Identity("x", "http"), Plan([])))


def receipt(**happened: Any) -> list[str]:  # noqa: ANN401 - Receipt's own
    out = Screen()
    plan = happened.pop("plan", Plan([SOURCE]))
    Terminal(out, Screen()).end(Receipt(Identity("x", "http"), plan, **happened))
    return out.getvalue().splitlines()


def test_what_was_not_judged_is_said() -> None:
    refusal = Refusal("a.json", "a\x1b.json: it cannot be used", Exit.BAD_INPUT)
    lines = receipt(refusals=[refusal], problems=["a \x1b problem"])
    assert lines[0] == "a\\x1b.json: it cannot be used"
    assert lines[-2:] == ["problem    a \\x1b problem", "verdict    BAD INPUT: nothing was judged"]
    stopped = receipt(
        stopped=True, plan=Plan([SOURCE], selection=Selection(frozenset({"recall"})), floors=Floors(2, 3))
    )
    assert stopped[1] == (
        "judged     0 journals (floor 2), 0 steps (floor 3) · a selection, not the whole"
        " · stopped at the first that did not match"
    )
    assert receipt(interrupted=True)[-1] == "verdict    INTERRUPTED: interrupted after 0 outcomes"


def test_a_journal_with_a_problem_a_tolerance_and_a_missed_plant() -> None:
    tally = Tally(JOURNAL, Mode.ISOLATED, lambda step: step.number == "1")
    tally.add(Match(replace(STEP, number="1"), Compared({"result": 5}, tolerated=(Tolerated("order", "result", 3),))))
    none = Tally(JOURNAL, Mode.CHAINED, lambda _: False)
    exercises = (Exercise("nfd", "missed", "1", "result", "the step matched"), Exercise("id", "found", "1", "result"))
    lines = receipt(journals=[JournalReceipt(JOURNAL, (tally, none), exercises, ("a \x1b problem",))])
    assert lines[1:5] == [
        "  isolated  1 of 1 match · compared: result 1 · 5 characters · tolerance order: 1 time, 3 characters",
        "  chained   no step was chosen",
        "  drill     1 of 2 planted divergences found, each in its step, field and character",
        "  problem   a \\x1b problem",
    ]
    assert lines[-1] == "verdict    NOT JUDGED: nothing diverged, but not everything could be judged"


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["recorded"], "Go recorded"),
        (["model"], "the model wrote"),
        (["model", "recorded"], "Go recorded or the model wrote"),
        (["reduced"], "a reduced journal holds, which is no recording"),
        (["recorded", "reduced"], "a reduced journal holds, which is no recording or Go recorded"),
    ],
)
def test_a_verdict_says_which_go_judged(sources: list[str], said: str) -> None:
    journals = []
    for source in sources:
        tally = Tally(JOURNAL, Mode.ISOLATED, lambda step: step.number == "1")
        tally.add(Match(replace(STEP, number="1"), Compared({"result": 1})))
        journals.append(JournalReceipt(replace(JOURNAL, source=source), (tally,)))
    lines = receipt(journals=journals)
    assert (
        lines[-1]
        == f"verdict    MATCH: {'1 outcome matches' if len(sources) == 1 else 'all 2 outcomes match'} what {said}"
    )
    assert (" · written by a model, not recorded" in "\n".join(lines)) is ("model" in sources)
    assert (" · reduced from a journal, not recorded" in "\n".join(lines)) is ("reduced" in sources)


def test_a_drill_without_a_step_to_plant_in_claims_nothing() -> None:
    tally = Tally(JOURNAL, Mode.ISOLATED)
    lines = receipt(journals=[JournalReceipt(JOURNAL, (tally,), (Exercise("id", "not plantable"),))])
    assert "  drill     nothing planted: no step could hold a plant" in lines


@pytest.mark.parametrize(
    ("journal", "command"),
    [
        ("logs/recall.json", "loki-parity rules logs/recall.json --step 2"),
        ("mes journaux/a\x1b.json", "loki-parity rules 'mes journaux/a"),
    ],
)
def test_a_difference_ends_with_the_command_that_leads_to_its_rules(journal: str, command: str) -> None:
    out = Screen()
    step = StepRef(journal, "2", "recall", "", Place(journal, "", 1), Mode.CHAINED)
    Terminal(out, Screen()).outcome(Crashed(step, "x", ""))
    last = out.getvalue().splitlines()[-1]
    assert last.startswith(f"  its rules: {command}")
    assert "\x1b" not in last


def test_what_another_process_judged_moves_the_progress_bar_on(tmp_path: Path) -> None:
    terminal = Terminal(Screen(), Screen(watched=True))
    terminal.journal(JOURNAL, 5000)
    with terminal.apart(tmp_path / "told") as told:
        for outcome in replay(JOURNAL, Truthful(JOURNAL), Judging(Mode.ISOLATED)):
            told.outcome(outcome)
    terminal.joined(tmp_path / "told")
    assert terminal._progress is not None
    assert terminal._progress._pending == 41
    terminal._progress.stop()


def test_a_mode_that_a_run_did_not_come_to_is_said_not_to_have_begun(tmp_path: Path) -> None:
    wrong = small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    out = Screen()
    with PortCandidate("memory") as port:
        run(Plan([Source(wrong, "a.json")], stop_at_first=True), port, [Terminal(out, Screen())])
    assert "  isolated  1 of 2 match · 1 diverged" in out.getvalue()
    assert "\n  chained   not begun\n" in out.getvalue()
