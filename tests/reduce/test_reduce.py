"""``loki-parity reduce``: journals that Go recorded, a planted divergence in each, and what is left of them."""

from __future__ import annotations

import hashlib
import json
import shlex
import signal
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import BAD_INPUT, DIVERGED, INTERRUPTED, LOGS, MATCH, NOT_JUDGED, finish, loki_parity, start

from parity.tools import registry
from replay import cli
from replay.candidates.interface import CandidateCrashed, Capabilities
from replay.candidates.port import IN_MEMORY, PortCandidate, PortSession
from replay.journal import load
from replay.journal.model import Expected
from replay.reduce.reducing import NothingToReduceError, Reducing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from parity.tools.interface import Env, ToolAnswer
    from replay.candidates.interface import Actual
    from replay.journal.model import Journal, Step

FAST: Final = ("--transport", "memory")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def planted(folder: Path, name: str, change: Callable[[dict[str, Any]], None], as_: str = "wrong.json") -> Path:
    """A copy of a golden journal with something changed in it."""
    journal = json.loads((LOGS / name).read_text(encoding="utf-8"))
    change(journal)
    return small_journals.write(folder, journal, as_)


def reduced(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = MATCH) -> str:
    assert cli.main(["reduce", *map(str, arguments), *FAST]) == status
    captured = capsys.readouterr()
    return captured.out if status == MATCH else captured.err


def held(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_an_own_difference_is_one_step_from_the_state_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(journal: dict[str, Any]) -> None:
        journal["steps"][30]["result"] = journal["steps"][30]["result"].replace("déjà", "deja", 1)

    whole = planted(tmp_path, "outils.json", change)
    told = reduced(capsys, whole)
    small = held(tmp_path / "wrong-reduced.json")
    golden = held(LOGS / "outils.json")
    assert small["source"] == "reduced"
    assert small["reduced_from"] == {
        "journal": "wrong.json",
        "sha256": hashlib.sha256(whole.read_bytes()).hexdigest(),
        "step": "31",
    }
    assert [step["args"] for step in small["steps"]] == [golden["steps"][30]["args"]]
    assert small["steps"][0]["now"] == golden["steps"][30]["now"]
    before = golden["steps"][29]["files"]
    assert small["initial"]["files"]
    assert small["initial"]["files"].items() < before.items()
    assert small["initial"]["files"]["plantes.md"] == before["plantes.md"]
    assert "kept       1 of 57 steps: 31\n" in told
    assert "pages at the start (8 before)" in told
    assert "that Go's would be the same is not proved" in told
    assert "step 1 mem_edit (chained)" in told
    assert cli.main(["run", "wrong-reduced.json", *FAST]) == DIVERGED
    assert "reduced from a journal, not recorded" in capsys.readouterr().out


def test_of_a_recall_the_blocks_that_the_record_names_are_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(journal: dict[str, Any]) -> None:
        journal["steps"][29]["result"] = journal["steps"][29]["result"].replace("…", "...")

    told = reduced(capsys, planted(tmp_path, "recall.json", change), "--out", "small.json")
    small = held(tmp_path / "small.json")
    assert [block["id"] for block in small["blocks"]] == ["r7"]
    assert "now" not in small["steps"][0]
    assert "kept       1 of 41 steps: 30\n           1 block (35 before): r7\n" in told


def test_two_reductions_write_the_same_bytes_and_a_reduced_journal_may_be_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(journal: dict[str, Any]) -> None:
        journal["steps"][29]["result"] += "."

    whole = planted(tmp_path, "recall.json", change)
    first = reduced(capsys, whole)
    raw = (tmp_path / "wrong-reduced.json").read_bytes()
    assert reduced(capsys, whole) == first
    assert (tmp_path / "wrong-reduced.json").read_bytes() == raw
    again = reduced(capsys, "wrong-reduced.json")  # it is as small as it gets, and that is no failure
    assert "kept       1 of 1 step: 1\n" in again
    assert "the record of step 1 is that of the whole journal (reduced)" in again
    assert held(tmp_path / "wrong-reduced-reduced.json")["reduced_from"]["journal"] == "wrong-reduced.json"


def test_nothing_that_counts_is_removed_where_every_page_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = held(LOGS / "outils.json")["steps"]
    listed = next(at for at, one in enumerate(steps) if one["tool"] == "mem_search" and one["args"] == {"query": ""})

    def change(journal: dict[str, Any]) -> None:
        journal["steps"][listed]["label"] += "!"

    told = reduced(capsys, planted(tmp_path, "outils.json", change))
    assert f"the record of step {listed + 1} is Go's" in told


def test_the_record_is_gos_where_no_input_was_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = {"id": "1", "ts": 0, "text": "x", "date_only": False}
    first = {"tool": "mem_read", "args": {"file": "a"}, "result": "1\ta", "files": {"a.md": "a"}, "trackers": {}}
    second = {"tool": "mem_read", "args": {"file": "a"}, "result": "wrong", "files": {"a.md": "a"}, "trackers": {}}
    initial = {"files": {"a.md": "a"}, "trackers": {}}
    small_journals.write(tmp_path, small_journals.memory(first, second, initial=initial))
    told = reduced(capsys, "journal.json")
    assert "the record of step 2 is Go's, and so is the state before it, recorded after step 1\n" in told
    tracked = {"generale/b": {"name": "b", "events": [event]}}
    small_journals.write(
        tmp_path, small_journals.memory({**second, "trackers": tracked}, initial={**initial, "trackers": tracked})
    )
    assert "0 trackers at the start (1 before): none" in reduced(capsys, "journal.json")
    small_journals.write(tmp_path, small_journals.memory(second, initial=initial, source="model"))
    told = reduced(capsys, "journal.json")
    assert "the record of step 1 is that of the whole journal (model), and nothing that the answer rests on" in told


def test_a_page_that_differs_stays_and_the_others_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(journal: dict[str, Any]) -> None:
        files = journal["steps"][29]["files"]
        files["plantes.md"] = files["plantes.md"].replace("persil", "persi1")

    told = reduced(capsys, planted(tmp_path, "outils.json", change))
    assert "files['plantes.md'].content: differs" in told
    assert "kept       1 of 57 steps: 30\n" in told


def test_where_no_state_is_recorded_the_step_before_stays_and_only_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    added = {"tool": "mem_add", "args": {"file": "a", "content": "x"}, "result": "[ok] page 'a.md' créée"}
    read = {"tool": "mem_read", "args": {"file": "a"}, "result": "1\ty"}
    other = {"tool": "mem_read", "args": {"file": "b"}, "result": "[erreur] page 'b' introuvable"}
    for step in (added, other):
        step["label"] = "?"  # not recorded as the port has it; what only runs is not compared
    small_journals.write(tmp_path, small_journals.memory(added, other, read))
    told = reduced(capsys, "journal.json", "--step", "3")
    assert "kept       2 of 3 steps: 1, 3\n" in told
    assert [sorted(step) for step in held(tmp_path / "journal-reduced.json")["steps"]] == [
        ["args", "now", "tool"],
        ["args", "diff", "now", "result", "tool"],
    ]


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port whose overview of trackers is wrong once two of them were added in the session: no record shows why."""
    right = registry.TOOLS["tracker"]

    def wrong(args: Mapping[str, Any], env: Env) -> ToolAnswer:
        answer = right(args, env)
        added: set[str] = getattr(env.memory, "added", set())
        env.memory.__dict__["added"] = added | {str(args.get("name"))}
        if "name" not in args and {"Poids", "Température Été"} <= added:
            return replace(answer, result=answer.result.replace("Trackers", "trackers"))
        return answer

    monkeypatch.setattr(registry, "TOOLS", {**registry.TOOLS, "tracker": wrong})


@pytest.mark.usefixtures("forgetful")
def test_of_a_drift_the_steps_that_bring_it_about_are_left_and_only_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = reduced(capsys, LOGS / "outils.json", "--out", "small.json")
    # What step 48 lists was added by these; the calls of steps 45 to 47 were refused, and those before 40 are pages.
    assert "kept       6 of 57 steps: 40, 41, 42, 43, 44, 48\n" in told
    small = load(tmp_path / "small.json")
    assert [step.expected for step in small.steps[:-1]] == [Expected()] * 5
    assert small.steps[-1].expected.result is not None
    assert cli.main(["run", "small.json", *FAST]) == DIVERGED
    out = capsys.readouterr().out
    assert "isolated  5 of 6 match · 1 diverged" in out
    assert "chained   5 of 6 match · 1 diverged" in out
    assert cli.main(["show", "small.json"]) == MATCH
    assert "only runs" in capsys.readouterr().out


@pytest.mark.usefixtures("forgetful")
def test_the_runs_are_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = reduced(capsys, LOGS / "outils.json", "--out", "small.json", "--most-runs", 4)
    assert "as many as allowed: it may get smaller\n" in told
    assert load(tmp_path / "small.json").steps


def test_a_fixed_candidate_makes_a_reduced_journal_green(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = registry.TOOLS["recall"]
    with monkeypatch.context() as broken:
        wrong = {**registry.TOOLS, "recall": lambda args, env: replace(right(args, env), result="")}
        broken.setattr(registry, "TOOLS", wrong)
        reduced(capsys, LOGS / "recall.json", "--out", "small.json")
    assert cli.main(["run", "small.json", *FAST]) == MATCH
    out = capsys.readouterr().out
    assert "all 2 outcomes match what a reduced journal holds, which is no recording\n" in out


def test_of_a_case_the_operations_that_count_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = held(LOGS / "keepimg.json")["cases"]
    at, long = next((at, case) for at, case in enumerate(cases) if len(case["steps"]) > 5)
    last = len(long["steps"])

    def change(journal: dict[str, Any]) -> None:
        journal["cases"][at]["steps"][-1]["after"]["budget"] += 1

    told = reduced(capsys, planted(tmp_path, "keepimg.json", change))
    assert f"{at + 1}.{last}\n" in told
    (case,) = held(tmp_path / "wrong-reduced.json")["cases"]
    assert case["name"] == long["name"]
    assert [one["after"] for one in case["steps"][:-1]] == [{}] * (len(case["steps"]) - 1)
    assert len(case["steps"]) < last
    assert cli.main(["run", "wrong-reduced.json", *FAST]) == DIVERGED
    assert " 1 diverged" in capsys.readouterr().out


def test_operations_that_the_divergence_needs_only_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(journal: dict[str, Any]) -> None:
        journal["cases"][22]["steps"][7]["after"]["extra"][2]["img_tokens"] += 1

    told = reduced(capsys, planted(tmp_path, "keepimg.json", change))
    assert "extra[2].img_tokens: differs" in told
    (case,) = held(tmp_path / "wrong-reduced.json")["cases"]
    *before, last = case["steps"]
    assert {one["step"]["op"] for one in before} >= {"append", "relay"}
    assert all(one["after"] == {} for one in before)
    assert last["step"]["op"] == "observe"
    for modes in ("isolated", "chained"):
        assert cli.main(["run", "wrong-reduced.json", "--mode", modes, *FAST]) == DIVERGED
        assert f"{modes:<9} {len(before)} of {len(before) + 1} match · 1 diverged" in capsys.readouterr().out


class Wrong(PortCandidate):
    """The port with a vice: what it answers to a step is changed."""

    def __init__(self, vice: Callable[[Step, Actual], Actual], can: Capabilities | None = None) -> None:
        super().__init__(IN_MEMORY)
        self._vice = vice
        if can is not None:
            self.identity = replace(self.identity, can=can)

    def session(self, journal: Journal) -> PortSession:
        session = super().session(journal)
        call = session.call
        session.call = lambda step: self._vice(step, call(step))  # type: ignore[method-assign]
        return session


def _of(actual: Actual, **fields: Any) -> Actual:  # noqa: ANN401 - values of fields
    return replace(actual, fields={**actual.fields, **fields})


def test_a_witness_keeps_what_the_record_rests_on_though_the_candidate_does_not_see_it() -> None:
    # Go counts what it does not name; this candidate never looks, and so would not miss what is counted.
    whole = load(LOGS / "outils.json")

    def blind(step: Step, actual: Actual) -> Actual:
        return _of(actual, result="0 résultat") if step.tool == "mem_search" else actual

    with Wrong(blind) as candidate, PortCandidate(IN_MEMORY) as port:
        alone = Reducing(whole, candidate, None, 500).reduced("10")
        watched = Reducing(whole, candidate, port, 500)
        kept = watched.reduced("10")
        seen = watched.witness
    assert whole.steps[9].expected.result == "[aucun résultat]"
    assert alone.journal.initial is not None
    assert not alone.journal.initial.files
    assert seen is port
    assert kept.journal.initial == alone.journal.initial  # nothing is found among no pages either
    with Wrong(blind) as candidate, PortCandidate(IN_MEMORY) as port:
        kept = Reducing(whole, candidate, port, 500).reduced("1")
    named = whole.steps[0].expected.result
    assert kept.journal.initial is not None
    assert named is not None
    assert {name for name in kept.journal.initial.files if name.endswith(".md") and name in named}


def test_a_witness_that_does_not_answer_as_recorded_is_not_heard(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.wrong()))
    told = reduced(capsys, "journal.json", "--candidate", "facade", "--witness", "port")
    assert "witness    port was not heard, for it does not answer the step as recorded\n" in told
    told = reduced(capsys, LOGS / "recall.json", "--witness", "facade", status=NOT_JUDGED)
    assert told.endswith("recall.json: no step diverges, chained: there is nothing to reduce\n")


def test_a_witness_that_answers_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()))

    def crash(_: Step, __: Actual) -> Actual:
        what = "ValueError: a text"
        raise CandidateCrashed(what, "x.py:1 in y")

    monkeypatch.setattr(
        "replay.reduce.command.made", lambda name, _: Wrong(crash) if name == "facade" else PortCandidate()
    )
    told = reduced(capsys, "journal.json", "--candidate", "facade")
    assert "the candidate crashed: ValueError" in told
    assert "witness    port answers the step as recorded\n" in told
    assert "1 block (2 before): r1" in told


def test_a_candidate_that_cannot_start_again_is_refused() -> None:
    whole = load(LOGS / "outils.json")
    said = pytest.raises(NothingToReduceError, match="cannot be reset: every attempt would start where")
    with Wrong(lambda _, actual: actual, Capabilities(reset=False)) as candidate, said:
        Reducing(whole, candidate, None, 500).reduced(None)


def test_a_step_that_is_not_judged_is_said() -> None:
    whole = load(LOGS / "outils.json")
    said = pytest.raises(NothingToReduceError, match="step 40 is not judged")
    with Wrong(lambda _, actual: actual, Capabilities(set_clock=False)) as candidate, said:
        Reducing(whole, candidate, None, 500).reduced("40")


@pytest.mark.parametrize("right_after", [1, 2])
def test_a_candidate_that_does_not_repeat_itself_is_said(right_after: int) -> None:
    whole = load(LOGS / "recall.json")
    calls = 0

    def moody(step: Step, actual: Actual) -> Actual:
        nonlocal calls
        calls += step.index == len(whole.steps) or step.note == whole.steps[-1].note
        return _of(actual, result="x") if calls == right_after and step.note == whole.steps[-1].note else actual

    with Wrong(moody) as candidate:
        expected = "does not repeat itself" if right_after == 1 else "no step diverges"
        with pytest.raises(NothingToReduceError, match=expected):
            Reducing(whole, candidate, None, 500).reduced(None)


REFUSED: Final[Mapping[str, tuple[tuple[str, ...], int, str]]] = {
    "matches": (("right.json",), NOT_JUDGED, "right.json: no step diverges, chained: there is nothing to reduce"),
    "step-matches": (
        ("wrong.json", "--step", "1"),
        NOT_JUDGED,
        "wrong.json: step 1 does not diverge, chained: there is nothing to reduce",
    ),
    "no-step": (("wrong.json", "--step", "9"), BAD_INPUT, "wrong.json: no step 9: 2 are there"),
    "no-file": (("none.json",), BAD_INPUT, "none.json: found no such file, expected a journal"),
    "no-json": (("bad.json",), BAD_INPUT, "bad.json:1:2: found the end of the file"),
    "itself": (("wrong.json", "--out", "wrong.json"), BAD_INPUT, "wrong.json is the journal that is to be reduced"),
    "a-recording": (
        ("wrong.json", "--out", "right.json"),
        BAD_INPUT,
        "right.json is there already and is no reduced journal",
    ),
    "no-folder": (("wrong.json", "--out", "none/x.json"), BAD_INPUT, "none/x.json cannot be written: No such file"),
    "another-file": (("wrong.json", "--out", "bad.json"), BAD_INPUT, "bad.json is there already and is"),
    "a-folder": (("wrong.json", "--out", "."), BAD_INPUT, ". is there already and is no reduced journal"),
    "a-device": (
        ("wrong.json", "--out", "/dev/full"),
        BAD_INPUT,
        "/dev/full is there already and is no reduced journal",
    ),
    "read-only": (("wrong.json", "--out", "/proc/x.json"), BAD_INPUT, "/proc/x.json cannot be written: "),
    "no-text": (("wrong.json", "--out", "a\udc80\x1b.json/"), MATCH, ""),
    "no-go": (
        ("wrong.json", "--candidate", "go:1.25.5", "--go", "/nonexistent"),
        NOT_JUDGED,
        "no Go 1.25.5 here",
    ),
    "no-facade": (
        ("wrong.json", "--candidate", "http://127.0.0.1:9", "--deadline", "1"),
        NOT_JUDGED,
        "http://127.0.0.1:9 cannot be judged",
    ),
    "kept-images": (("images.json", "--candidate", "cmd:cat"), NOT_JUDGED, "takes no journals of the kind keepimg"),
    "candidate": (("wrong.json", "--candidate", "x"), BAD_INPUT, "argument --candidate: 'x' is no candidate"),
    "runs": (("wrong.json", "--most-runs", "1"), BAD_INPUT, "argument --most-runs: '1' is not a number of runs"),
    "step": (("wrong.json", "--step", "x"), BAD_INPUT, "argument --step: 'x' is not a step (12)"),
    "sealed": (("sealed.json",), BAD_INPUT, "sealed.json holds the key of a sealed memory"),
}


@pytest.fixture
def files(tmp_path: Path) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "right.json")
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()), "wrong.json")
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "images.json").write_bytes((LOGS / "keepimg.json").read_bytes())
    (tmp_path / "sealed.json").write_bytes((LOGS / "scelles.json").read_bytes())


def test_the_gate_takes_a_reduced_journal_for_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_journals.write(tmp_path, small_journals.recall(small_journals.right(), small_journals.wrong()))
    right = small_journals.write(tmp_path, small_journals.recall(small_journals.right()), "right.json")
    reduced(capsys, "journal.json", "--out", "small.json")
    table = '[tool.loki-parity]\njournals = ["right.json", "small.json"]\nfloors = { journals = 1, steps = 1 }\n'
    (tmp_path / "pyproject.toml").write_text(table)
    assert cli.main(["run", *FAST]) == NOT_JUDGED
    said = "small.json: a reduced journal is no recording, so the gate does not judge it here"
    assert said in capsys.readouterr().out
    # Among the regressions, where journals of the model lie too, it is judged and marked.
    (tmp_path / "regressions").mkdir()
    (tmp_path / "small.json").rename(tmp_path / "regressions" / "small.json")
    table = table.replace(', "small.json"', "") + 'regressions = "regressions"\n'
    (tmp_path / "pyproject.toml").write_text(table)
    assert right.exists()
    assert cli.main(["run", *FAST]) == DIVERGED
    assert "reduced from a journal, not recorded" in capsys.readouterr().out


def ended(arguments: list[str]) -> object:
    """The exit status, also where the parser ends the command."""
    try:
        return cli.main(arguments)
    except SystemExit as caught:
        return caught.code


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_reduced_is_one_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, status, sentence = REFUSED[name]
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert ended(["reduce", *arguments, *FAST]) == status
    out, err = capsys.readouterr()
    if status == MATCH:
        assert out
        return
    assert out == ""
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_sealed_memory_is_reduced_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = held(LOGS / "scelles.json")["steps"]
    at = next(at for at, one in enumerate(steps) if one.get("diff"))

    def change(journal: dict[str, Any]) -> None:
        journal["steps"][at]["result"] += "."

    told = reduced(capsys, planted(tmp_path, "scelles.json", change), "--reveal")
    assert held(tmp_path / "wrong-reduced.json")["dek"] == held(LOGS / "scelles.json")["dek"]
    assert f"kept       1 of {len(steps)} steps: {at + 1}\n" in told


@pytest.mark.usefixtures("files")
def test_the_real_command_reduces_and_refuses(tmp_path: Path) -> None:
    ran = loki_parity("reduce", "wrong.json", cwd=tmp_path)
    assert (ran.status, ran.err) == (MATCH, "")
    assert held(tmp_path / "wrong-reduced.json")["reduced_from"]["step"] == "2"
    ran = loki_parity("reduce", "bad.json", cwd=tmp_path)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (BAD_INPUT, "", 1)


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    step = small_journals.wrong()
    small_journals.write(tmp_path, small_journals.recall(*[step] * 3))
    (tmp_path / "hangs.py").write_text("import time\nopen('started', 'w').close()\ntime.sleep(60)\n")
    process = start(
        "reduce",
        "journal.json",
        "--candidate",
        f"cmd:{shlex.quote(sys.executable)} hangs.py",
        "--deadline",
        "60",
        cwd=tmp_path,
        in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    ran = finish(process)
    assert ran.status == INTERRUPTED
    assert sorted(file.name for file in tmp_path.iterdir()) == ["hangs.py", "journal.json", "started"]
