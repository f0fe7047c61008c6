"""Programs and HTTP façades as candidates: what they answer well, what they do wrong, what they cannot show."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import outside_facade
import pytest
import small_journals
from outside_facade import ALL, serving

from replay.candidates import answers
from replay.candidates.command import CommandCandidate
from replay.candidates.http import Form, HttpCandidate
from replay.candidates.interface import CandidateCrashed, CandidateNotReadyError, Capabilities
from replay.candidates.outside import MOST_HANGS, Patience
from replay.candidates.written import files_written, plain
from replay.engine import Judging, replay
from replay.journal import load
from replay.journal.model import KeepimgCase, KeepimgStep, Place
from replay.outcome import Crashed, Diverged, Mode, WentThroughGo, name
from replay.run import Exit, Plan, Selection, run
from replay.sources import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.candidates.interface import Candidate, Identity
    from replay.journal.model import Journal
    from replay.outcome import Outcome
    from replay.run import Receipt

PROGRAM: Final = Path(outside_facade.__file__)
VICES: Final = PROGRAM.parent / "outside_vices.py"
LOGS: Final = PROGRAM.parents[1] / "logs"
ISOLATED: Final = (Mode.ISOLATED,)
CHAINED: Final = (Mode.CHAINED,)


class Told:
    """A reporter that keeps every outcome."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def begin(self, plan: Plan, identity: Identity) -> None: ...

    def journal(self, journal: Journal, steps: int) -> None: ...

    def outcome(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def end(self, receipt: Receipt) -> None: ...


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PROGRAM.parents[1]))


def program(can: str = ALL, vice: str = "") -> CommandCandidate:
    """The port's own tools as a program."""
    return CommandCandidate(f"{sys.executable} {PROGRAM} --can '{can}' --vice '{vice}'")


def having(vice: str, *, deadline: float = 10.0) -> CommandCandidate:
    """A program with a vice."""
    return CommandCandidate(f"{sys.executable} {VICES} {vice}", patience=Patience(deadline))


def judged(
    candidate: Candidate, *files: Path, modes: Sequence[Mode] = ISOLATED, fields: frozenset[str] | None = None
) -> tuple[Receipt, list[Outcome]]:
    told = Told()
    sources = [Source(file, file.name) for file in files]
    with candidate as started:
        plan = Plan(sources, tuple(modes), Selection(fields=fields))
        receipt = run(plan, started, [told])
    return receipt, told.outcomes


def replayed(candidate: Candidate, file: Path, mode: Mode = Mode.ISOLATED) -> list[Outcome]:
    """The outcomes alone, without a drill, in which a vice would show again and again."""
    with candidate as started:
        return list(replay(load(file), started, Judging(mode)))


def five(folder: Path) -> Path:
    """Five steps, each answered from a block."""
    return small_journals.write(folder, small_journals.recall(*[small_journals.right()] * 5))


def names(outcomes: Sequence[Outcome]) -> list[str]:
    return [name(outcome) for outcome in outcomes]


def third(outcomes: Sequence[Outcome]) -> str:
    """What was said of the third step."""
    outcome = outcomes[2]
    assert isinstance(outcome, Crashed)
    return outcome.what


GOLDEN: Final = [LOGS / name for name in ("recall.json", "outils.json", "scelles.json", "verrouille.json")]


def test_a_program_that_can_everything_is_judged_on_everything() -> None:
    receipt, _ = judged(program(), *GOLDEN, modes=(Mode.ISOLATED, Mode.CHAINED))
    assert receipt.exit is Exit.MATCH
    assert receipt.identity.reads_seen
    assert receipt.journals[0].tallies[0].fields["requests"] == 41
    assert receipt.journals[1].tallies[1].fields["trackers"] == 57


def test_a_facade_over_http_that_can_everything_is_judged_on_everything() -> None:
    with serving(can=ALL, base="/a/b") as url:
        receipt, _ = judged(HttpCandidate(url), *GOLDEN, modes=(Mode.ISOLATED, Mode.CHAINED))
    assert receipt.exit is Exit.MATCH
    assert receipt.journals[0].tallies[0].fields["requests"] == 41
    assert receipt.journals[1].tallies[1].fields["files"] == 57


def test_a_program_is_known_by_its_files() -> None:
    assert sorted(program().identity.modules) == sorted({Path(sys.executable).name, PROGRAM.name})


def test_a_candidate_that_knows_no_hello_can_run_calls_and_no_more(tmp_path: Path) -> None:
    candidate = program(can="")
    with candidate:
        can = candidate.identity.can
        assert can == Capabilities(reset=False, read_state=False, set_clock=False)
        assert not candidate.identity.reads_seen
    receipt, _ = judged(program(can="exec,reset"), five(tmp_path))
    assert receipt.exit is Exit.MATCH
    assert not receipt.journals[0].tallies[0].fields["requests"]


CRASHES: Final = {
    "dies": "it ended with status 3",
    "dies-complaining": r"it ended with status 4: the disk is \x1b[31mfull",
    "is-killed": "it was ended by signal 9",
    "leaves-a-child": "it ended with status 5",
    "closes-its-output": "it closed its output",
    "answers-nonsense": r"its answer is no JSON: Traceback (most recent call last):\x1b[2J",
    "answers-latin-1": 'its answer is not UTF-8: {"id":0,"result":"�"}',
    "answers-a-list": "its answer is no JSON object: [1]",
    "text-id": 'its answer to call 3 has another id: {"id":"3","result":""}',
    "not-a-number": 'its answer is no JSON: {"id":3,"result":NaN}',
    "floods": "it writes a line of more than 1,000,000 bytes",
}
"""Vices that end a program: it is started again for the next step."""


@pytest.mark.parametrize("vice", CRASHES)
def test_a_program_that_breaks_costs_the_step_and_is_started_again(
    vice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "LONGEST", 1_000_000)
    outcomes = replayed(having(vice), five(tmp_path))
    assert names(outcomes) == ["match", "match", "crashed", "match", "match"]
    assert third(outcomes) == CRASHES[vice]


@pytest.mark.parametrize(
    ("vice", "says"),
    [
        ("wrong-id", 'its answer to call 3 has another id: {"id": 13, "result": "[r1'),
        ("repeats-a-key", 'its answer is no JSON: {"result":"","result":"","id": 3'),
        ("nests", 'its answer is no JSON: {"id":3,"result":[[['),
    ],
)
def test_an_answer_of_no_use_is_shown_by_its_beginning(vice: str, says: str, tmp_path: Path) -> None:
    outcomes = replayed(having(vice), five(tmp_path))
    assert third(outcomes).startswith(says)
    assert len(third(outcomes)) < 200


def test_a_program_that_answers_twice_is_found_out_at_the_next_call(tmp_path: Path) -> None:
    outcomes = replayed(having("answers-twice"), five(tmp_path))
    assert names(outcomes) == ["match", "match", "match", "crashed", "match"]
    assert isinstance(outcomes[3], Crashed)
    assert outcomes[3].what == "it wrote more than one line for a call"


@pytest.mark.parametrize(
    ("vice", "says"),
    [("no-result", "its answer holds neither result nor panic"), ("refuses", "it refused the call: not today")],
)
def test_an_answer_without_a_result_leaves_the_program_running(vice: str, says: str, tmp_path: Path) -> None:
    outcomes = replayed(having(vice), five(tmp_path))
    assert names(outcomes) == ["match", "match", "crashed", "crashed", "crashed"]
    assert third(outcomes) == says


@pytest.mark.parametrize("vice", ["complains", "silences-its-errors"])
def test_what_a_program_complains_of_is_no_answer(vice: str, tmp_path: Path) -> None:
    outcomes = replayed(having(vice), five(tmp_path))
    assert names(outcomes) == ["match"] * 5


def test_a_program_that_stops_reading_is_asked_until_it_ends(tmp_path: Path) -> None:
    outcomes = replayed(having("stops-reading"), five(tmp_path))
    assert names(outcomes) == ["match", "match", "match", "crashed", "match"]


def test_a_program_that_hangs_is_asked_three_times_and_no_more(tmp_path: Path) -> None:
    started = time.monotonic()
    outcomes = replayed(having("hangs", deadline=0.8), five(tmp_path))
    assert time.monotonic() - started < 20
    said = [outcome.what for outcome in outcomes if isinstance(outcome, Crashed)]
    assert (
        said
        == ["it hangs: no answer within 0.8 s"] * MOST_HANGS + ["not asked: it has let 3 deadlines of 0.8 s pass"] * 2
    )


def test_a_program_that_outlives_its_input_is_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    receipt, _ = judged(having("outlives-its-input"), five(tmp_path))
    assert receipt.exit is Exit.MATCH
    assert time.monotonic() - started < 20


def test_a_program_that_dies_at_once_is_not_judged() -> None:
    with pytest.raises(CandidateNotReadyError, match="it ended with status 1: not today"), having("dies-at-once"):
        pass


def test_a_program_that_is_not_there_is_not_judged() -> None:
    with pytest.raises(CandidateNotReadyError, match=r"cmd:\./nothing cannot be judged: No such file"):
        CommandCandidate("./nothing").__enter__()


def test_a_program_that_cannot_be_started_again_crashes_the_steps_that_follow(tmp_path: Path) -> None:
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {VICES} dies\n")
    script.chmod(0o755)
    told = Told()
    with CommandCandidate(str(script)) as candidate:
        script.unlink()
        run(Plan([Source(five(tmp_path), "a.json")], ISOLATED), candidate, [told])
    assert names(told.outcomes) == ["match", "match", "crashed", "crashed", "crashed"]
    assert isinstance(told.outcomes[4], Crashed)
    assert "No such file" in told.outcomes[4].what


def test_a_capability_that_nobody_knows_is_not_judged() -> None:
    with pytest.raises(CandidateNotReadyError, match=r'it declares that it can \["fly"\]'):
        program(can="fly").__enter__()
    with serving(can="fly") as url, pytest.raises(CandidateNotReadyError, match="it declares"):
        HttpCandidate(url).__enter__()


def test_the_port_of_the_fake_go_may_be_taken() -> None:
    with serving() as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(CandidateNotReadyError, match=f"the fake Go cannot listen on port {port}: Address already"):
            HttpCandidate(url, go_port=port).__enter__()
        with pytest.raises(CandidateNotReadyError, match="Address already in use"):
            CommandCandidate("true", go_port=port).__enter__()


def test_a_facade_that_is_not_there_is_not_judged() -> None:
    with pytest.raises(CandidateNotReadyError, match=r"no connection to the façade \(Connection refused\)"):
        HttpCandidate("http://127.0.0.1:1").__enter__()


ANSWERS: Final = {
    "html": "its answer is no JSON: <html>hello</html>",
    "status-500": r"it answered 500: oh\x1b[2J no",
    "redirects": "it answered 302: nothing",
    "no-result": "its answer holds neither result nor panic",
    "closes": "the façade closed the connection without an answer",
}


@pytest.mark.parametrize("vice", ANSWERS)
def test_what_a_facade_over_http_answers_instead_crashes_the_step(vice: str, tmp_path: Path) -> None:
    with serving(can=ALL, vice=vice) as url:
        outcomes = replayed(HttpCandidate(url), five(tmp_path))
    assert names(outcomes) == ["match", "match", "crashed", "crashed", "crashed"]
    assert third(outcomes) == ANSWERS[vice]


def test_a_facade_over_http_that_hangs_is_asked_three_times_and_no_more(tmp_path: Path) -> None:
    file = small_journals.write(tmp_path, small_journals.recall(*[small_journals.right()] * 6))
    with serving(can=ALL, vice="hangs") as url:
        outcomes = replayed(HttpCandidate(url, patience=Patience(0.4)), file)
    said = [outcome.what for outcome in outcomes if isinstance(outcome, Crashed)]
    assert said == ["it hangs: no answer within 0.4 s"] * 3 + ["not asked: it has let 3 deadlines of 0.4 s pass"]


def test_a_facade_may_call_everything_otherwise(tmp_path: Path) -> None:
    called = {"name": "outil", "args": "arguments", "result": "texte", "label": "titre", "diff": "lignes", "panic": "!"}
    form = Form("/run", {**answers.NAMES, **called})
    with serving(can="reset", path="/run", names=called) as url:
        receipt, _ = judged(HttpCandidate(url, form=form), five(tmp_path))
    assert receipt.exit is Exit.MATCH


def test_the_reads_of_a_facade_that_was_told_the_port_are_judged(tmp_path: Path) -> None:
    with serving() as other:
        port = int(other.rpartition(":")[2])
    for vice, outcome in (("", "match"), ("reads-twice", "diverged"), ("passes-on", "went-through-go")):
        with serving(vice=vice, go=f"http://127.0.0.1:{port}") as url:
            outcomes = replayed(HttpCandidate(url, go_port=port), five(tmp_path))
        assert names(outcomes)[2] == outcome
    assert isinstance(outcomes[2], WentThroughGo)
    assert outcomes[2].reason == "it passed the call on to Go's tool/exec"


def memory(folder: Path) -> Path:
    """A page is made, a point is added, both are looked at, and nothing stands there before."""
    return folder / small_journals.write(folder, _recorded()).name


def _recorded() -> dict[str, Any]:
    """The journal of a run of our own port: what is tested here is who is judged on what."""
    facade = outside_facade.Facade()
    steps = []
    calls = [
        ("mem_add", b'{"title":"Une page","content":"du texte"}'),
        ("mem_read", b'{"name":"une-page.md"}'),
        ("tracker", b'{"action":"add","tracker":"Poids","text":"70 kg"}'),
        ("mem_search", b'{"query":"page"}'),
    ]
    for at, (tool, raw) in enumerate(calls):
        now = f"2026-10-16T09:30:0{at}.000000000Z"
        facade.clock({"now": now})
        answer = facade.run(tool, raw)
        step = {"tool": tool, "now": now, "args": json.loads(raw), **answer, **facade.state({})}
        steps.append({key: value for key, value in step.items() if value is not None})
    return small_journals.memory(*steps)


BOTH: Final = (Mode.ISOLATED, Mode.CHAINED)


def left_out(receipt: Receipt) -> list[str]:
    return [one.why for one in receipt.journals[0].left_out]


def test_a_state_that_cannot_be_shown_is_not_judged_and_never_green(tmp_path: Path) -> None:
    receipt, outcomes = judged(program("reset,set_clock"), memory(tmp_path), modes=BOTH)
    assert names(outcomes) == ["match"] * 8
    assert left_out(receipt) == [
        "isolated: files and trackers: the candidate cannot show its state",
        "chained: files and trackers: the candidate cannot show its state",
    ]
    assert set(receipt.journals[0].tallies[0].fields) == {"result", "label", "diff"}
    assert (receipt.left_out, receipt.exit) == (("state",), Exit.NOT_JUDGED)


def test_fields_that_were_chosen_are_not_left_out(tmp_path: Path) -> None:
    chosen = frozenset({"result", "label"})
    receipt, _ = judged(program("reset,set_clock"), memory(tmp_path), modes=BOTH, fields=chosen)
    assert set(receipt.journals[0].tallies[0].fields) == chosen
    assert (left_out(receipt), receipt.exit) == ([], Exit.MATCH)
    receipt, _ = judged(program("reset,set_clock"), memory(tmp_path), modes=BOTH, fields=chosen | {"files"})
    assert receipt.exit is Exit.NOT_JUDGED


def test_who_cannot_be_reset_runs_chained_from_where_he_stands(tmp_path: Path) -> None:
    for can in ("read_state,set_clock", "set_clock"):
        receipt, outcomes = judged(program(can), memory(tmp_path), modes=BOTH)
        assert [(outcome.step.mode, name(outcome)) for outcome in outcomes] == [(Mode.CHAINED, "match")] * 4
        assert left_out(receipt)[0] == "isolated: the candidate cannot be put on a recorded state"
        assert receipt.exit is Exit.NOT_JUDGED
    receipt, _ = judged(program("read_state,set_clock"), memory(tmp_path), modes=CHAINED)
    assert (left_out(receipt), receipt.exit) == ([], Exit.MATCH)
    found = [one.name for one in receipt.journals[0].exercises if one.outcome == "found"]
    assert {"character", "extra-file", "missing-step"} <= set(found)


def test_only_isolated_of_who_cannot_be_reset_is_nothing_at_all(tmp_path: Path) -> None:
    receipt, outcomes = judged(program("read_state,set_clock"), memory(tmp_path))
    assert (outcomes, receipt.steps, receipt.exit) == ([], 0, Exit.NOT_JUDGED)
    assert receipt.problems == ["0 steps were judged, fewer than the floor of 1"]


def test_who_cannot_set_the_clock_is_not_judged_on_what_shows_the_time(tmp_path: Path) -> None:
    receipt, outcomes = judged(program("reset,read_state"), memory(tmp_path), modes=BOTH)
    assert [outcome.step.number for outcome in outcomes] == ["1", "2", "4", "1", "2"]
    assert names(outcomes) == ["match"] * 5
    assert left_out(receipt) == [
        "isolated: 1 tracker step: the candidate cannot set the clock",
        "chained: 2 steps, from the first of tracker on: the candidate cannot set the clock",
    ]
    assert receipt.exit is Exit.NOT_JUDGED


def test_a_journal_without_calls_is_refused() -> None:
    receipt, _ = judged(program(), LOGS / "keepimg.json")
    assert receipt.exit is Exit.NOT_JUDGED
    assert "takes no journals of the kind keepimg, so it was not judged" in receipt.refusals[0].sentence
    with serving() as url:
        assert not HttpCandidate(url).offers("keepimg")


def test_a_state_that_is_none_crashes_the_step(tmp_path: Path) -> None:
    outcomes = replayed(program(vice="shows-nonsense"), memory(tmp_path))
    assert third(outcomes) == "its state is not an object of files and an object of trackers"


def test_what_a_program_forgot_when_it_died_is_not_asked_for(tmp_path: Path) -> None:
    outcomes = replayed(program(vice="dies"), memory(tmp_path), Mode.CHAINED)
    assert names(outcomes) == ["match", "match", "crashed", "crashed"]
    assert isinstance(outcomes[3], Crashed)
    assert outcomes[3].what == "not asked: what it remembered went with the program that ended before"
    outcomes = replayed(program(vice="dies"), memory(tmp_path))
    assert names(outcomes) == ["match", "match", "crashed", "match"]


def test_a_later_divergence_is_owned_only_where_a_second_session_disturbs_nothing(tmp_path: Path) -> None:
    journal = _recorded()
    for step in journal["steps"]:
        step["result"] += "!"
    file = small_journals.write(tmp_path, journal)
    _, outcomes = judged(program(), file, modes=CHAINED)
    assert [one.inherited for one in outcomes if isinstance(one, Diverged)] == [None, False, False, False]
    with serving(can=ALL) as url:
        _, outcomes = judged(HttpCandidate(url), file, modes=CHAINED)
    assert [one.inherited for one in outcomes if isinstance(one, Diverged)] == [None] * 4


def test_a_crash_of_go_can_be_told(tmp_path: Path) -> None:
    step = small_journals.step("recall", {"id": "r1"}, "")
    del step["result"]
    file = small_journals.write(tmp_path, small_journals.recall({**step, "panic": "boom"}))
    _, outcomes = judged(program(), file)
    assert isinstance(outcomes[0], Diverged)
    assert [(one.field, one.kind) for one in outcomes[0].differences] == [("panic", "missing"), ("result", "extra")]
    assert answers.outcome({"panic": "boom", "diff": None}) == {"panic": "boom", "diff": ()}


def test_a_session_knows_no_cases(tmp_path: Path) -> None:
    journal = load(five(tmp_path))
    case = KeepimgCase(1, "a", 1, "on", "main", "c", True, (), (), Place("a", "", 1))  # noqa: FBT003 - a record
    operation = KeepimgStep(1, "finish", {}, {}, Place("a", "", 1))
    with program() as candidate:
        session = candidate.session(journal)
        for ask in (lambda: session.begin(case), lambda: session.visible({}), lambda: session.operate(operation)):
            with pytest.raises(CandidateCrashed):
                ask()
        session.close()


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"files": {}, "trackers": []}, "an object of trackers"),
        ({"files": {"a": 1}, "trackers": {}}, "neither a string"),
        ({"files": {"a": {"base64": "?"}}, "trackers": {}}, "neither a string"),
    ],
)
def test_a_state_of_no_use_is_nonsense(said: dict[str, object], complaint: str) -> None:
    with pytest.raises(answers.NonsenseError, match=complaint):
        answers.state(said, None)


def test_what_a_state_leaves_out_is_what_journals_leave_out() -> None:
    trackers = {"a": {"name": "A", "events": None}, "b": 1, "c": {"events": [{"id": "1"}, 2]}, "d": {"events": 3}}
    shown = answers.state({"files": {"a": "\ud800"}, "trackers": trackers}, None)
    assert shown["trackers"] == {
        "a": {"name": "A", "events": ()},
        "b": 1,
        "c": {"events": ({"date_only": False, "id": "1"}, 2)},
        "d": {"events": 3},
    }
    assert shown["files"] == {"a": {"sealed": False, "content": b"\xed\xa0\x80"}}


def test_a_result_of_another_type_is_left_to_the_comparison() -> None:
    assert answers.outcome({"result": [1, {"a": None}]}) == {"result": (1, {"a": None}), "diff": ()}
    assert answers.shown(b"") == "nothing"


def test_what_a_journal_holds_is_handed_over_as_journals_write_it() -> None:
    assert plain({"a": (1, None, {"b": "c"})}) == {"a": [1, None, {"b": "c"}]}
    assert files_written({"a": b"\xc3\xa9", "b": b"\xff"}) == {"a": "é", "b": {"base64": "/w=="}}


def test_no_proxy_stands_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with serving(can=ALL) as url:
        receipt, _ = judged(HttpCandidate(url), five(tmp_path))
    assert receipt.exit is Exit.MATCH


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/a b", "http://u@127.0.0.1:1", "ftp://127.0.0.1", "http://h/x?y"])
def test_a_url_that_is_no_base_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is not the URL"):
        HttpCandidate(url)


def test_a_command_without_a_program_is_refused() -> None:
    with pytest.raises(ValueError, match="no program is named"):
        CommandCandidate("  ")
