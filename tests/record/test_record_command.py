"""``loki-parity record``: what a live Go answers becomes a signed journal that the gate judges."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import LOGS, environment, loki_parity
from recording import RECALL, SEALED, Recorder, small
from replaying_go import VERSION, of, serving

from replay.journal import load

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.chdir(tmp_path)
    return Recorder(tmp_path, capsys)


@pytest.mark.parametrize("name", ["recall", "outils", "scelles", "verrouille"])
def test_what_go_answers_is_recorded_in_every_field_and_the_gate_is_green(name: str, record: Recorder) -> None:
    golden = load(LOGS / f"{name}.json")
    with serving(of(LOGS / f"{name}.json"), base="/base") as url:
        said = record(LOGS / f"{name}.json", "--go-url", url, "--out", record.out)
    assert said.out == f"recorded {len(golden.steps)} steps from go1.25.5 (commit 0a1b2c3d): {record.out}\n"
    assert (said.status, said.err, record.left()) == (0, "", ["out.json"])
    journal = load(record.out)
    assert [step.expected for step in journal.steps] == [step.expected for step in golden.steps]
    assert [(s.tool, s.raw_args, s.note) for s in journal.steps] == [(s.tool, s.raw_args, s.note) for s in golden.steps]
    assert (journal.blocks, journal.settings, journal.zone) == (golden.blocks, golden.settings, golden.zone)
    assert (journal.initial, journal.about, journal.source) == (golden.initial, golden.about, "recorded")
    assert journal.signed is not None
    assert (journal.signed.go_version, journal.signed.go_commit) == (VERSION["version"], VERSION["commit"])
    assert record.gate(None, "--require-signed").status == 0


def test_the_same_answers_give_the_same_bytes(record: Recorder) -> None:
    written = set()
    for out in ("one.json", "two.json"):
        with serving(of(SEALED)) as url:
            assert record(SEALED, "--go-url", url, "--out", out).status == 0
        written.add((record.folder / out).read_bytes())
    assert len(written) == 1
    written.pop().decode("utf-8")


TRAPS = (
    '{"id":"r1","id":"r2"}',
    '{"id":"\\ud800"}',
    '{"n":1e400,"id": "r1"}',
    '{ "id" :\n\t"r1" , "x":[-0, 1E2, "\\u00e9é"]}',
    "[]",
    "null",
    '{"id":"r1\\u0000\\/"}',
)


def test_arguments_are_sent_and_kept_byte_for_byte(record: Recorder) -> None:
    head = {**small_journals.recall(), "steps": []}
    steps = ",".join(f'{{"tool":"recall","args":{args},"result":"{at}"}}' for at, args in enumerate(TRAPS))
    scenario = record.folder / "traps.json"
    bad = b'{"tool":"recall","args":{"id":"\xff\xed\xa0\x80"},"result":"bad bytes"}'
    scenario.write_bytes(json.dumps(head)[:-2].encode() + steps.encode() + b"," + bad + b"]}")
    go = of(scenario)
    with serving(go) as url:
        said = record("traps.json", "--go-url", url)
    assert said.out.endswith(": traps.recorded.json\n")
    args = [*(one.encode() for one in TRAPS), b'{"id":"\xff\xed\xa0\x80"}']
    assert go.bodies == [b'{"name":"recall","args":%b}' % one for one in args]
    journal = load(record.folder / "traps.recorded.json")
    assert [step.raw_args for step in journal.steps] == args
    assert [step.expected.result for step in journal.steps] == [*map(str, range(len(TRAPS))), "bad bytes"]


def test_a_scenario_needs_no_answers_and_those_it_has_are_ignored(record: Recorder) -> None:
    asked = {"tool": "recall", "args": {"id": "r1"}, "note": "un bloc"}
    wrong = small(record.folder, small_journals.wrong(), name="wrong.json")
    bare = small_journals.write(record.folder, {**small_journals.recall(asked), "go": {"version": "go9"}}, "bare.json")
    go = of(small(record.folder, small_journals.right()))
    for scenario in (wrong, bare):
        with serving(go) as url:
            journal = record.journal(scenario, "--go-url", url)
        assert [step["result"] for step in journal["steps"]] == [small_journals.FOUND]
        assert journal["go"] == {"version": "go1.25.5", "unicode": "15.0.0", "goarch": "amd64"}


def test_the_time_of_a_recall_step_is_kept_where_it_was_written(record: Recorder) -> None:
    timed = {**small_journals.right(), "now": "2026-10-16T09:30:00.5Z"}
    scenario = small(record.folder, timed, small_journals.unread())
    with serving(of(scenario)) as url:
        steps = record.journal(scenario, "--go-url", url)["steps"]
    assert [step.get("now") for step in steps] == ["2026-10-16T09:30:00.500000000Z", None]


def test_an_update_waits_beside_the_journal_and_never_replaces_it(record: Recorder) -> None:
    journal = small(record.folder, small_journals.wrong(), name="recall.json")
    before = journal.read_bytes()
    go = of(small(record.folder, small_journals.right(), name="truth.json"))
    (record.folder / "truth.json").unlink()
    with serving(go) as url:
        said = record("--update", "recall.json", "--go-url", url)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "recorded 1 step from go1.25.5 (commit 0a1b2c3d): recall.json.pending",
        "it waits for review: recall.json is as it was",
    ]
    assert (journal.read_bytes(), record.left()) == (before, ["recall.json", "recall.json.pending"])
    [step] = load(record.folder / "recall.json.pending").steps
    assert step.expected.result == small_journals.FOUND


def test_a_run_over_a_folder_judges_neither_what_waits_nor_what_is_not_whole(record: Recorder) -> None:
    small(record.folder)
    for name in ("small.json.pending", "small.json.partial", "x.json.pending", ".small.json.writing"):
        (record.folder / name).write_bytes(b"{")
    said = record.gate(record.folder)
    assert said.status == 0
    assert "judged     1 journal " in said.out


def test_an_update_again_replaces_what_waits(record: Recorder) -> None:
    journal = small(record.folder)
    with serving(of(journal)) as url:
        assert record("--update", journal, "--go-url", url).status == 0
        first = (record.folder / "small.json.pending").read_bytes()
        (record.folder / "small.json.pending").write_bytes(b"old")
        assert record("--update", journal, "--go-url", url).status == 0
    assert (record.folder / "small.json.pending").read_bytes() == first


def test_a_link_is_followed(record: Recorder) -> None:
    scenario = small(record.folder)
    (record.folder / "real.json").write_bytes(b"old")
    record.out.symlink_to("real.json")
    with serving(of(scenario)) as url:
        record.journal(scenario, "--go-url", url)
    assert record.out.is_symlink()
    assert len(load(record.folder / "real.json").steps) == 3


# ---- the state of a memory


def test_go_is_reset_told_the_time_and_asked_for_its_state_after_each_step(record: Recorder) -> None:
    go = of(SEALED)
    with serving(go) as url:
        journal = record.journal(SEALED, "--go-url", url)
    steps = len(journal["steps"])
    assert go.told == ["reset", "state", *["clock", "state"] * steps]


def test_where_the_scenario_gives_no_time_the_clock_is_left_where_it_stands(record: Recorder) -> None:
    state: dict[str, Any] = {"files": {}, "trackers": {}}
    steps = [small_journals.step("mem_search", {"n": at}, "x", **state) for at in range(4)]
    steps[1]["now"] = "2026-10-16T09:30:00Z"
    scenario = small_journals.write(record.folder, small_journals.memory(*steps))
    go = of(scenario, vice="closes", since=4)
    with serving(go) as url:
        assert record(scenario, "--go-url", url, "--out", record.out).status == 3
        assert go.told == ["reset", "state", "state", "clock", "state", "state"]
        go.vice, go.told[:] = "", []
        said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
    assert go.told == ["reset", "restore", "clock", "state", "state"]
    assert go.now == "2026-10-16T09:30:00.000000000Z"
    assert said.out.splitlines()[1:] == [
        (
            "not recorded or not checked — no time in some steps: the scenario gives none, so Go's clock was left "
            "where it stood"
        )
    ]
    written = json.loads(record.out.read_bytes())["steps"]
    assert ["now" in step for step in written] == [False, True, False, False]


def test_a_time_that_only_a_recorded_id_gives_away_is_told_and_kept(record: Recorder) -> None:
    added = "[ok] point ajouté à « t » (id 1790000000000000007)."
    step = small_journals.step("tracker", {"action": "add"}, added, files={}, trackers={})
    scenario = small_journals.write(record.folder, small_journals.memory(step))
    with serving(of(scenario)) as url:
        [written] = record.journal(scenario, "--go-url", url)["steps"]
    assert written["now"] == "2026-09-21T14:13:20.000000007Z"


def test_a_folder_shared_with_go_is_read_after_each_step(record: Recorder) -> None:
    shared = record.folder / "shared"
    go = of(SEALED, can="exec,set_clock", folder=shared)
    with serving(go) as url:
        said = record(SEALED, "--go-url", url, "--out", record.out, "--memory-folder", shared)
    assert (said.status, said.err, said.out.count("\n")) == (0, "", 1)
    assert set(go.told) == {"clock"}
    golden = load(SEALED)
    assert [step.expected for step in load(record.out).steps] == [step.expected for step in golden.steps]


@pytest.mark.parametrize("can", ["exec", None])
def test_without_a_state_files_and_trackers_are_left_out_and_it_says_so(can: str | None, record: Recorder) -> None:
    with serving(of(SEALED, can=can)) as url:
        said = record(SEALED, "--go-url", url, "--out", record.out)
    assert said.status == 0
    assert said.out.splitlines()[1:] == [
        (
            "not recorded or not checked — no files and no trackers: Go does not show its state, and no "
            "--memory-folder was named"
        ),
        "not recorded or not checked — no times: Go cannot be told what time it is",
        "not recorded or not checked — the start was not checked: Go can neither be reset nor show its state",
    ]
    steps = json.loads(record.out.read_bytes())["steps"]
    assert all(step.keys().isdisjoint({"files", "trackers", "now"}) for step in steps)
    assert [step["result"] for step in steps] == [step.expected.result for step in load(SEALED).steps]


def test_a_go_that_does_not_stand_at_the_start_is_refused(record: Recorder) -> None:
    def other(_: int, said: dict[str, Any]) -> dict[str, Any]:
        return {**said, "files": {**said["files"], "x.md": "?"}} if "files" in said else said

    for can in ("exec,reset,read_state", "exec,read_state"):
        with serving(of(SEALED, can=can, change=other)) as url:
            said = record(SEALED, "--go-url", url, "--out", record.out)
        assert (said.status, record.left()) == (3, [])
        assert said.err == (
            f"loki-parity: {url} cannot be recorded: it does not stand at the scenario's initial state: "
            "files['x.md'] differs\n"
        )


def test_a_folder_that_does_not_hold_the_initial_state_is_refused(record: Recorder) -> None:
    (record.folder / "empty").mkdir()
    with serving(of(SEALED, can="exec")) as url:
        said = record(SEALED, "--go-url", url, "--out", record.out, "--memory-folder", "empty")
    assert (said.status, record.left()) == (3, ["empty"])
    assert "it does not stand at the scenario's initial state: files['" in said.err


def test_a_folder_that_cannot_be_read_is_refused(record: Recorder) -> None:
    (record.folder / "bad" / "trackers.db").mkdir(parents=True)
    with serving(of(SEALED, can="exec")) as url:
        said = record(SEALED, "--go-url", url, "--out", record.out, "--memory-folder", "bad")
        gone = record(SEALED, "--go-url", url, "--out", record.out, "--memory-folder", "gone")
        other = record(RECALL, "--go-url", url, "--out", record.out, "--memory-folder", "bad")
    assert (said.status, "the folder of the memory cannot be read: the database of the" in said.err) == (3, True)
    assert (gone.status, gone.err) == (2, "loki-parity: --memory-folder gone: no such folder\n")
    assert (other.status, other.err) == (
        2,
        "loki-parity: --memory-folder: a journal of the kind recall records no memory\n",
    )
    assert record.left() == ["bad"]


# ---- the archive


def test_an_archive_that_is_not_the_scenarios_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(RECALL)) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err.endswith(" cannot be recorded: its archive is not the scenario's: block r1 differs\n")


def test_an_archive_that_go_does_not_serve_is_said_not_to_be_checked(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, serves_blocks=False, can=None)) as url:
        said = record(scenario, "--go-url", url)
    assert said.out.splitlines()[1:] == [
        "not recorded or not checked — the blocks were not checked: Go does not serve its archive"
    ]
    with serving(of(scenario, archive={"blocks": 3}, can=None)) as url:
        assert "the blocks were not checked" in record(scenario, "--go-url", url).out
    with serving(of(scenario, serves_blocks=False)) as url:  # they were handed over
        assert record(scenario, "--go-url", url).out.count("\n") == 1


# ---- who Go is


def test_a_go_that_does_not_tell_who_it_is_is_named_by_hand(record: Recorder) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, version=None)) as url:
        said = record(scenario, "--go-url", url)
        assert (said.status, record.left()) == (3, ["small.json"])
        assert said.err.endswith(": it does not tell its version: say it with --go-version\n")
        said = record(scenario, "--go-url", url, "--go-version", "1.27.3")
        assert said.err.endswith(": it does not tell its commit: say it with --go-commit\n")
        journal = record.journal(scenario, "--go-url", url, "--go-version", "1.27.3", "--go-commit", "v2-7-gabc")
    assert journal["go"] == {"version": "go1.27.3", "unicode": "17.0.0", "goarch": "amd64"}
    assert journal["signed"]["go"] == {"version": "go1.27.3", "commit": "v2-7-gabc"}


@pytest.mark.parametrize(
    ("version", "arguments", "sentence"),
    [
        ({**VERSION, "commit": "x\x1b"}, (), "its commit is x\\x1b, which is none"),
        ({**VERSION, "version": "go1.9"}, (), "this Go cannot be recorded: Go 1.9 is not offered: this port knows"),
        ({**VERSION, "goarch": "arm64"}, (), "this Go cannot be recorded: the processor 'arm64' is not offered"),
        (VERSION, ("--go-version", "go1.25.4"), "it says that its version is go1.25.5, and --go-version says other"),
        (VERSION, ("--go-commit", "0a1b"), "it says that its commit is 0a1b2c3d, and --go-commit says otherwise"),
        ({"version": "4.2", "commit": "a"}, (), "it does not tell its version: say it with --go-version"),
        ({"version": 1, "commit": ["a"]}, (), "it does not tell its version: say it with --go-version"),
    ],
)
def test_a_go_that_is_none_or_another_than_was_said_is_refused(
    version: object, arguments: tuple[str, ...], sentence: str, record: Recorder
) -> None:
    scenario = small(record.folder)
    with serving(of(scenario, version=version)) as url:
        said = record(scenario, "--go-url", url, *arguments)
    assert (said.status, record.left()) == (3, ["small.json"])
    assert said.err.startswith(f"loki-parity: {url} cannot be recorded: {sentence}")
    assert said.err.count("\n") == 1


SECRET = "s3cr3t-42"  # noqa: S105 - it protects nothing


def test_as_a_person_types_it(tmp_path: Path) -> None:
    scenario = small(tmp_path)
    env = environment(HTTP_PROXY="http://127.0.0.1:9", http_proxy="http://127.0.0.1:9", LOKI_PARITY_TOKEN=SECRET)
    go = of(scenario)
    with serving(go) as url:
        ran = loki_parity("record", "small.json", "--go-url", url, cwd=tmp_path, env=env)
    assert (ran.status, ran.err) == (0, "")
    assert go.authorizations == {f"Bearer {SECRET}"}
    assert b"s3cr3t" not in (tmp_path / "small.recorded.json").read_bytes()
    assert loki_parity("run", "small.recorded.json", "--require-signed", cwd=tmp_path).status == 0
