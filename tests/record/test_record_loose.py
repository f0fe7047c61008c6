"""What is recorded and not compared whole: what a rule hides, what Go does not answer the same way twice."""

from __future__ import annotations

import json
from importlib import metadata
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from recording import SEALED, Recorder, small
from replaying_go import of, serving

from replay.journal import load

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-12345"


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.chdir(tmp_path)
    return Recorder(tmp_path, capsys)


def adding(call: int, text: str, field: str = "result") -> Any:  # noqa: ANN401 - a function
    """Go says something more in one answer."""

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, field: answer[field] + text} if at == call and field in answer else answer

    return change


# ---- redaction


def test_a_rule_replaces_what_it_matches_and_the_head_counts_it(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=adding(2, f" {KEY} {KEY}6"))) as url:
        said = record(scenario, "--go-url", url, "--out", record.out, "--redact", "key=sk-[0-9]+")
    assert said.out.splitlines()[1:] == ["redacted — step 2, result: rule key, 2 times, 17 characters"]
    written = record.out.read_bytes()
    assert b"sk-" not in written  # neither what it hides nor the rule itself
    journal = json.loads(written)
    assert journal["redacted"] == [{"step": 2, "field": "result", "rule": "key", "times": 2, "characters": 17}]
    assert journal["steps"][1]["result"] == f"{small_journals.MISSING} [redacted:key] [redacted:key]"


def test_the_gate_compares_around_the_marker_and_says_how_much_it_hid(record: Recorder) -> None:
    """Go said ``[erreur] id sk-1``; the port says ``[erreur] id manquant``: alike but for what was hidden."""
    scenario = small(record.folder)

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "result": "[erreur] id sk-1"} if at == 2 else answer

    with serving(of(scenario, change=change)) as url:
        record.journal(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
    said = record.gate()
    assert said.status == 0, said.out
    assert "tolerance redacted: 1 time, 8 characters" in said.out
    assert "\n  signed    Go's commit 0a1b2c3d · 1 redacted field\n" in said.out
    assert "  redacted: step 2, result, by the rule key\n" in record.typed("show", record.out).out
    with serving(of(scenario, change=adding(2, " sk-1"))) as url:  # the rest of the text is compared
        record.journal(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
    assert record.gate(None, "--require-signed").status == 1


def test_the_rules_of_the_project_hold_too(record: Recorder) -> None:
    (record.folder / "pyproject.toml").write_text("[tool.loki-parity.redact]\nkey = 'sk-[0-9]+'\nother = 'zzz'\n")
    scenario = small(record.folder)
    with serving(of(scenario, change=adding(2, f" {KEY} zzz yyy"))) as url:
        journal = record.journal(scenario, "--go-url", url, "--redact", "third=yyy", "--redact", "key=sk-[0-9]+")
    assert journal["steps"][1]["result"].endswith(" [redacted:key] [redacted:other] [redacted:third]")
    assert [one["rule"] for one in journal["redacted"]] == ["key", "other", "third"]


def test_a_lookbehind_that_matches_nothing_hides_nothing(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=adding(2, "ab"))) as url:
        journal = record.journal(scenario, "--go-url", url, "--redact", "key=(?<=a)x*")
    assert journal["steps"][1]["result"].endswith("ab")
    assert "redacted" not in journal


def test_labels_diffs_pages_and_trackers_are_redacted_each_by_its_name(record: Recorder) -> None:
    scenario = small_journals.write(
        record.folder,
        small_journals.memory(
            small_journals.step(
                "mem_search",
                {},
                "x",
                label=KEY,
                diff=[{"op": "+", "text": f"a {KEY}"}],
                files={"a.md": KEY, "b.md": "b", "bin": {"base64": "/w=="}},
                trackers={"p/t": {"name": "t", "events": [{"id": "1", "ts": 2, "text": KEY, "date_only": True}]}},
            )
        ),
    )
    with serving(of(scenario)) as url:
        journal = record.journal(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
    assert KEY.encode() not in record.out.read_bytes()
    assert [(one["field"], one["characters"]) for one in journal["redacted"]] == [
        ("diff", 8),
        ("files['a.md']", 8),
        ("label", 8),
        ("trackers['p/t']", 8),
    ]
    assert journal["steps"][0]["files"] == {"a.md": "[redacted:key]", "b.md": "b", "bin": {"base64": "/w=="}}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"steps": [{"tool": "mem_search", "args": {"q": KEY}}]}, "step 1, its args holds what the rule key hides"),
        ({"steps": [{"tool": "mem_search", "args": {KEY: 1}}]}, "step 1, its args holds what the rule key hides"),
        ({"steps": [{"tool": "mem_search", "note": KEY}]}, "step 1, its note holds what the rule key hides"),
        ({"initial": {"files": {"a.md": KEY}}}, "the scenario's head holds what the rule key hides"),
        ({"initial": {"files": {"a.md": {"base64": "/3NrLTEy"}}}}, "the initial state holds what the rule key hides"),
        ({"config": {"A": KEY}}, "the scenario's head holds what the rule key hides"),
        ({"about": KEY}, "the scenario's head holds what the rule key hides"),
    ],
)
def test_inputs_that_hold_what_must_not_be_kept_are_refused(
    change: dict[str, Any], sentence: str, record: Recorder
) -> None:
    scenario = small_journals.write(record.folder, {**small_journals.memory({"tool": "mem_search"}), **change})
    truth = small_journals.write(record.folder, small_journals.memory(small_journals.step("mem_search", {}, "")), "t")
    with serving(of(truth)) as url:
        said = record(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
    assert said.err == f"loki-parity: {sentence}: inputs are kept as they are, so put a stand-in there\n"
    assert (said.status, record.left()) == (2, ["journal.json", "t"])


def test_escaped_arguments_are_read_as_they_are_meant_twice_written_keys_too(record: Recorder) -> None:
    scenario = record.folder / "s.json"
    for raw in ('{"q":"\\u0073k-1"}', '{"a":"\\u0073k-1","a":""}'):
        head = json.dumps(small_journals.recall())[:-2]
        scenario.write_text(f'{head}{{"tool":"recall","args":{raw},"result":""}}]}}', encoding="utf-8")
        with serving(of(scenario)) as url:
            said = record(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
        assert said.err.startswith("loki-parity: step 1, its args holds what the rule key hides")


@pytest.mark.parametrize(
    ("state", "what"),
    [
        ({"files": {f"{KEY}.md": ""}, "trackers": {}}, "a name of its state"),
        ({"files": {}, "trackers": {f"p/{KEY}": {"name": "", "events": []}}}, "a name of its state"),
        ({"files": {"a": {"base64": "/3NrLTEy"}}, "trackers": {}}, "a sealed or binary file of its state"),
    ],
)
def test_where_no_marker_can_be_put_nothing_is_recorded(state: dict[str, Any], what: str, record: Recorder) -> None:
    scenario = small_journals.write(record.folder, small_journals.memory(small_journals.step("mem_search", {}, "")))

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        return state if at and "files" in answer else answer

    with serving(of(scenario, change=change)) as url:
        said = record(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
    assert (said.status, record.left()) == (3, ["journal.json"])
    assert said.err.endswith(
        f": step 1 (mem_search): {what} holds what the rule key hides, and no marker can be put there\n"
    )


def test_a_sealed_page_that_holds_what_must_not_be_kept_is_found_in_it(record: Recorder) -> None:
    opened = load(SEALED)
    text = next(step.expected.result for step in opened.steps if step.tool == "mem_read" and step.expected.result)
    word = max(text.split(), key=len)
    with serving(of(SEALED)) as url:
        said = record(SEALED, "--go-url", url, "--redact", f"word={word}")
    assert said.status in (2, 3)
    assert "holds what the rule word hides" in said.err


def test_an_answer_that_holds_a_marker_already_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=adding(1, "[redacted:x]"))) as url:
        said = record(scenario, "--go-url", url, "--redact", "key=sk-[0-9]+")
        assert (said.status, record.left()) == (3, ["small.json"])
        assert ": step 1 (recall): its result holds a marker of redaction already" in said.err
    with serving(of(scenario, change=adding(1, "[redacted:x]"))) as url:  # without a rule it is a text like another
        record.journal(scenario, "--go-url", url)


# ---- what Go does not repeat


def test_what_go_does_not_answer_the_same_way_twice_is_listed_and_only_that_is_tolerated(record: Recorder) -> None:
    scenario = small(record.folder)
    go = of(scenario, change=lambda at, answer: {**answer, "result": f"{at}"} if at in (2, 5) else answer)
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out, "--twice")
    assert (said.status, go.calls) == (0, 6)
    assert said.out.splitlines()[1:] == ["unstable in Go — step 2, result: not the same twice"]
    journal = json.loads(record.out.read_bytes())
    assert journal["unstable"] == [{"step": 2, "field": "result"}]
    assert journal["steps"][1]["result"] == "2"
    gate = record.gate()
    assert gate.status == 0, gate.out
    assert "tolerance unstable-in-go: 1 time, 1 character" in gate.out
    assert ", requests 3, result 2 ·" in gate.out  # what is hidden whole is not compared


def test_nothing_is_planted_where_it_would_rightly_not_be_found(record: Recorder) -> None:
    scenario = small(record.folder, small_journals.right(), small_journals.searched())
    with serving(of(scenario, change=lambda at, one: {**one, "result": "late"} if at > 2 else one)) as url:
        journal = record.journal(scenario, "--go-url", url, "--twice")
    assert [one["step"] for one in journal["unstable"]] == [1, 2]
    gate = record.gate()
    assert (gate.status, "tolerance" in gate.out) == (0, False), gate.out
    assert "drill     nothing planted: no step could hold a plant" in gate.out
    assert "\n  signed    Go's commit 0a1b2c3d · 2 fields unstable in Go\n" in gate.out
    shown = record.typed("show", record.out).out.splitlines()
    assert shown[2:5] == [
        f"  signed: go1.25.5, commit 0a1b2c3d, by loki-parity {metadata.version('loki-parity')}",
        "  unstable in Go: step 1, result",
        "  unstable in Go: step 2, result",
    ]


def test_a_stable_go_tolerates_nothing(record: Recorder) -> None:
    go = of(SEALED)
    with serving(go) as url:
        said = record(SEALED, "--go-url", url, "--out", record.out, "--twice")
    assert said.out.splitlines()[1:] == ["played twice: Go answered everything the same way"]
    assert "unstable" not in json.loads(record.out.read_bytes())
    assert go.told.count("reset") == 2


def test_once_and_twice_give_the_same_bytes_where_go_is_stable(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario)) as url:
        record.journal(scenario, "--go-url", url)
        once = record.out.read_bytes()
        record.journal(scenario, "--go-url", url, "--twice")
    assert record.out.read_bytes() == once


def test_one_page_that_changes_by_itself_is_listed_alone(record: Recorder) -> None:
    steps = len(load(SEALED).steps)

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        late = at == steps + 3
        if "files" in answer and at in (3, steps + 3):
            answer = {**answer, "files": {**answer["files"], "clock.md": f"{late}"}}
            answer["trackers"] = {**answer["trackers"], **({"x/y": {"name": "y", "events": []}} if late else {})}
        return answer

    with serving(of(SEALED, change=change)) as url:
        journal = record.journal(SEALED, "--go-url", url, "--twice")
    assert journal["unstable"] == [
        {"step": 3, "field": "files['clock.md']"},
        {"step": 3, "field": "trackers['x/y']"},
    ]


def test_a_label_that_is_there_once_only_is_unstable(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=lambda at, one: {**one, "label": "l"} if at in (1, 6) else one)) as url:
        journal = record.journal(scenario, "--go-url", url, "--twice")
    assert journal["unstable"] == [{"step": 1, "field": "label"}, {"step": 3, "field": "label"}]


def test_a_field_that_is_redacted_is_stable(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=lambda at, one: {**one, "result": f"sk-{at}"})) as url:
        journal = record.journal(scenario, "--go-url", url, "--twice", "--redact", "key=sk-[0-9]+")
    assert "unstable" not in journal


def test_a_go_that_crashes_once_only_cannot_be_recorded(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=lambda at, one: {"panic": "boom"} if at == 5 else one)) as url:
        said = record(scenario, "--go-url", url, "--twice")
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err.endswith(": step 2 (recall): it crashed once and answered once\n")


def test_a_crash_is_recorded_as_one(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, change=lambda at, one: {"panic": "boom", "result": ""} if at in (2, 5) else one)) as url:
        journal = record.journal(scenario, "--go-url", url, "--twice")
    assert journal["steps"][1] == {"tool": "recall", "note": "sans id", "args": {}, "result": "", "panic": "boom"}


def test_a_memory_that_cannot_be_reset_cannot_be_played_twice(record: Recorder) -> None:
    with serving(of(SEALED, can="exec,read_state")) as url:
        said = record(SEALED, "--go-url", url, "--twice")
    assert said.status == 3
    assert said.err.endswith(": it cannot be reset, so nothing can be played twice from the same state (--twice)\n")


def test_very_many_lines_are_told_in_part(record: Recorder) -> None:
    scenario = small(record.folder, *[small_journals.unread()] * 25)
    with serving(of(scenario, change=lambda at, one: {**one, "result": str(at)})) as url:
        said = record(scenario, "--go-url", url, "--twice")
    assert said.out.splitlines()[-1] == "… and 5 more, all in the journal's head"


# ---- journals that must be signed


def test_a_journal_that_is_not_signed_is_not_judged_where_it_must_be(record: Recorder) -> None:
    small(record.folder)
    sentence = "it is not signed, and only signed journals are to be judged, so it was not judged"
    said = record.gate(record.folder, "--require-signed")
    assert (said.status, f"small.json: {sentence}" in said.out) == (3, True)
    assert record.gate(record.folder).status == 0
    table = (
        '[tool.loki-parity]\nrequire-signed = true\njournals = ["small.json"]\nfloors = { journals = 1, steps = 1 }\n'
    )
    (record.folder / "pyproject.toml").write_text(table)
    for said in (record.gate(record.folder / "small.json"), record.typed("run", "--transport", "memory")):
        assert (said.status, f"small.json: {sentence}" in said.out) == (3, True)


def test_what_fuzzing_found_was_never_recorded_and_need_not_be_signed(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario)) as url:
        record.journal(scenario, "--go-url", url)
    (record.folder / "found").mkdir()
    small(record.folder / "found")
    table = (
        '[tool.loki-parity]\nrequire-signed = true\njournals = ["out.json"]\nfloors = { journals = 2, steps = 6 }\n'
        'regressions = "found"\n'
    )
    (record.folder / "pyproject.toml").write_text(table)
    assert record.typed("run", "--transport", "memory").status == 0
    assert record.typed("run", "found", "--transport", "memory").status == 3


def test_a_chain_that_is_broken_is_bad_input_and_says_where(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario)) as url:
        record.journal(scenario, "--go-url", url)
    record.out.write_bytes(record.out.read_bytes().replace(b"id manquant", b"id absent"))
    said = record.gate()
    assert (said.status, "found a step 2 that was changed, moved, added or taken away" in said.out) == (2, True)
    assert " at steps[1]: " in said.out


def test_a_policy_that_cannot_be_read_judges_nothing(record: Recorder) -> None:
    small(record.folder)
    (record.folder / "pyproject.toml").write_text("[tool.loki-parity]\nrequire-signed = 'yes'\n")
    said = record.gate(record.folder / "small.json")
    assert (said.status, said.err) == (
        3,
        "loki-parity: pyproject.toml: tool.loki-parity.require-signed must be true or false\n",
    )
