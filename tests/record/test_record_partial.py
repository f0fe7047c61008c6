"""A recording that ends too early: the file that was there stays, ``FILE.partial`` goes on or is refused."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import INTERRUPTED, finish, start
from recording import PAGES, SEALED, Recorder, small
from replaying_go import of, serving

from replay.journal import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaying_go import ReplayingGo


GO_ON = "--resume goes on from it; remove it to record from the start"


@pytest.fixture
def record(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.chdir(tmp_path)
    return Recorder(tmp_path, capsys)


def stopping(call: int, how: Callable[[], object]) -> Callable[[int, dict[str, Any]], dict[str, Any]]:
    """Something happens while Go answers one call."""

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        if at == call and "result" in answer:
            how()
        return answer

    return change


def interrupted(record: Recorder, scenario: Path, call: int) -> ReplayingGo:
    """Interrupt a recording during one call."""
    go = of(scenario, change=stopping(call, lambda: os.kill(os.getpid(), signal.SIGINT)), slow=0.02)
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert said.status == INTERRUPTED
    return go


def whole(record: Recorder, scenario: Path, *arguments: object) -> bytes:
    """The bytes of a recording that nothing disturbs."""
    with serving(of(scenario)) as url:
        record.journal(scenario, "--go-url", url, *arguments)
    raw = record.out.read_bytes()
    record.out.unlink()
    return raw


def test_an_interrupted_recording_goes_on_where_it_was_and_gives_the_same_bytes(record: Recorder) -> None:
    scenario = SEALED
    wanted = whole(record, scenario)
    record.out.write_bytes(b"old")
    go = interrupted(record, scenario, 5)
    assert (record.left(), record.out.read_bytes()) == (["out.json", "out.json.partial"], b"old")
    go.change = None
    go.state = go.initial()  # it was started anew, say
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
    assert (said.status, said.err, record.left()) == (0, "", ["out.json"])
    assert record.out.read_bytes() == wanted
    assert go.calls - len(load(scenario).steps) in (0, 1)  # only the call that was interrupted is made again
    assert go.told.count("restore") == 1


def test_an_interrupt_says_how_far_it_came(record: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = small(record.folder)
    go = of(scenario, change=stopping(3, lambda: os.kill(os.getpid(), signal.SIGINT)), slow=0.05)
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
    assert (said.status, said.err) == (
        INTERRUPTED,
        f"loki-parity: interrupted after 2 of 3 calls: --resume goes on from {record.out}.partial\n",
    )
    assert capsys.readouterr().out == ""


def test_an_interrupt_before_the_first_answer_leaves_nothing(record: Recorder) -> None:
    scenario = small(record.folder)
    go = of(scenario, change=stopping(1, lambda: os.kill(os.getpid(), signal.SIGINT)), slow=0.05)
    with serving(go) as url:
        said = record(scenario, "--go-url", url)
    assert (said.status, record.left()) == (INTERRUPTED, ["small.json"])
    assert said.err == "loki-parity: interrupted after no step: nothing was written\n"


def test_a_go_that_goes_away_leaves_what_was_recorded(record: Recorder) -> None:
    scenario = small(record.folder)
    wanted = whole(record, scenario)
    go = of(scenario, vice="closes", since=3)
    with serving(go) as url:
        said = record(scenario, "--go-url", url, "--out", record.out)
        assert (said.status, record.left()) == (3, ["out.json.partial", "small.json"])
        assert said.err.endswith(
            ": step 3 (recall_search): Go closed the connection without an answer; 2 of 3 calls: --resume goes on from "
            f"{record.out}.partial\n"
        )
        again = record(scenario, "--go-url", url, "--out", record.out)
        assert (again.status, again.err) == (
            2,
            f"loki-parity: {record.out}.partial is there: {GO_ON}\n",
        )
        go.vice = "html"
        assert record(scenario, "--go-url", url, "--out", record.out, "--resume").status == 3
        assert record.left() == ["out.json.partial", "small.json"]  # what was good is not thrown away
        go.vice = ""
        assert record(scenario, "--go-url", url, "--out", record.out, "--resume").status == 0
    assert (record.left(), record.out.read_bytes()) == (["out.json", "small.json"], wanted)


@pytest.mark.parametrize(("call", "can"), [(2, None), (3, "exec,reset"), (4, None), (6, "exec,reset")])
def test_a_recording_of_two_passes_goes_on_in_either(call: int, can: str | None, record: Recorder) -> None:
    scenario = small(record.folder)
    wanted = whole(record, scenario, "--twice")
    go = of(scenario, vice="closes", since=call, can=can)
    with serving(go) as url:
        assert record(scenario, "--go-url", url, "--out", record.out, "--twice").status == 3
        go.vice = ""
        assert record(scenario, "--go-url", url, "--out", record.out, "--twice", "--resume").status == 0
    assert (record.out.read_bytes(), go.calls) == (wanted, 7)


def test_a_go_that_cannot_be_told_the_time_is_put_where_it_was_all_the_same(record: Recorder) -> None:
    go = of(SEALED, can="exec,reset,read_state", vice="closes", since=3)
    with serving(go) as url:
        assert record(SEALED, "--go-url", url, "--out", record.out).status == 3
        go.vice, go.told[:] = "", []
        assert record(SEALED, "--go-url", url, "--out", record.out, "--resume").status == 0
    assert go.told[:3] == ["reset", "restore", "state"]
    assert "clock" not in go.told


def test_a_folder_must_stand_where_the_partial_recording_ends(record: Recorder) -> None:
    shared = record.folder / "shared"
    go = of(SEALED, can="exec,set_clock", folder=shared, vice="closes", since=6)
    arguments = (SEALED, "--out", record.out, "--memory-folder", shared, "--go-url")
    with serving(go) as url:
        assert record(*arguments, url).status == 3
        go.vice = ""
        (shared / "memory" / "generale" / "other.md").write_text("x")
        said = record(*arguments, url, "--resume")
        assert said.status == 3
        assert "it does not stand at the end of the partial recording: files['other.md'] differs" in said.err
        (shared / "memory" / "generale" / "other.md").unlink()
        assert record(*arguments, url, "--resume").status == 0
    assert len(load(record.out).steps) == len(load(SEALED).steps)


@pytest.mark.parametrize("can", ["exec,set_clock", "exec,set_clock,reset"])
def test_where_nothing_tells_where_go_stands_it_does_not_go_on(can: str, record: Recorder) -> None:
    go = of(SEALED, can=can, vice="closes", since=3)
    with serving(go) as url:
        assert record(SEALED, "--go-url", url, "--out", record.out).status == 3
        go.vice = ""
        said = record(SEALED, "--go-url", url, "--out", record.out, "--resume")
    assert said.status == 3
    assert ": nothing tells whether it stands where the partial recording ends: record from the start" in said.err


def test_a_state_from_which_something_was_left_out_cannot_be_put_back(record: Recorder) -> None:
    go = of(PAGES, vice="closes", since=4)
    arguments = (PAGES, "--out", record.out, "--redact", "name=Hjördis", "--go-url")

    def change(at: int, answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "files": {**answer["files"], "x.md": "Hjördis"}} if at and "files" in answer else answer

    go.change = change
    with serving(go) as url:
        assert record(*arguments, url).status == 3
        go.vice = ""
        said = record(*arguments, url, "--resume")
    assert ": nothing tells whether it stands where the partial recording ends" in said.err


OTHERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "its scenario differ": ({"scenario": "other"}, []),
    "its go differ": ({"version": {"version": "go1.25.5", "commit": "ffff"}}, []),
    "its capabilities differ": ({"can": "exec"}, []),
    "its options differ": ({}, ["--redact", "key=sk"]),
    "its go and scenario differ": ({"scenario": "other", "version": {"version": "go1.26.0", "commit": "ffff"}}, []),
}


@pytest.mark.parametrize("sentence", OTHERS)
def test_a_partial_recording_of_something_else_is_refused(sentence: str, record: Recorder) -> None:
    how, more = OTHERS[sentence]
    scenario = small(record.folder)
    with serving(of(scenario, vice="closes", since=3)) as url:
        record(scenario, "--go-url", url, "--out", record.out)
    if "scenario" in how:
        scenario = small(record.folder, small_journals.right(), name="other.json")
    before = (record.folder / "out.json.partial").read_bytes()
    with serving(of(scenario, **{name: one for name, one in how.items() if name != "scenario"})) as url:
        said = record(scenario, "--go-url", url, "--out", record.out, "--resume", *more)
    assert (said.status, said.err) == (
        2,
        f"loki-parity: {record.out}.partial is of another recording: {sentence}; remove it to record from the start\n",
    )
    assert (record.folder / "out.json.partial").read_bytes() == before


def test_a_partial_recording_that_was_cut_off_anywhere_goes_on_or_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    wanted = whole(record, scenario)
    partial = record.folder / "out.json.partial"
    with serving(of(scenario, vice="closes", since=3)) as url:
        record(scenario, "--go-url", url, "--out", record.out)
    full = partial.read_bytes()
    with serving(of(scenario)) as url:
        for end in [*range(0, len(full), 61), len(full) - 1]:
            partial.write_bytes(full[:end])
            said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
            if said.status == 0:
                assert (record.out.read_bytes(), partial.exists()) == (wanted, False)
                record.out.unlink()
            else:
                assert (said.status, said.err.count("\n"), record.out.exists()) == (2, 1, False)
                assert "holds nothing to resume" in said.err


def test_a_partial_recording_that_was_changed_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    partial = record.folder / "out.json.partial"
    with serving(of(scenario, vice="closes", since=3)) as url:
        record(scenario, "--go-url", url, "--out", record.out)
    full = partial.read_bytes()
    lines = full.split(b"\n")
    broken = [
        full.replace(b"plage", b"plaje"),
        b"\n".join([*lines[:3], *lines[6:9], *lines[3:6], *lines[9:]]),
        full.replace(b"loki-parity-partial/1", b"loki-parity-partial/2"),
        b"{}",
        full + b"x\n",
        full.replace(b"\n[]\n", b"\n[] "),
    ]
    with serving(of(scenario)) as url:
        for raw in broken:
            assert raw != full
            partial.write_bytes(raw)
            said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
            assert (said.status, said.err.count("\n"), partial.read_bytes()) == (2, 1, raw)
            assert "was changed: remove it" in said.err or "is no partial recording: remove it" in said.err


def linked(*records: bytes) -> bytes:
    """A partial recording whose chain holds, as replay/record/partial.py says in its first lines."""
    raw, link = b"loki-parity-partial/1\n", b""
    for record in records:
        link = hashlib.sha256(link + record).digest()
        raw += b"%b %d\n%b\n" % (link.hex().encode(), len(record), record)
    return raw


def test_a_partial_recording_that_is_linked_and_still_wrong_is_refused(record: Recorder) -> None:
    scenario = small(record.folder)
    partial = record.folder / "out.json.partial"
    with serving(of(scenario, vice="closes", since=3)) as url:
        record(scenario, "--go-url", url, "--out", record.out)
    lines = partial.read_bytes().split(b"\n")
    about, one, two = lines[2], lines[4] + b"\n" + lines[5], lines[7] + b"\n" + lines[8]
    assert partial.read_bytes() == linked(about, one, two)
    changed = "the partial recording's step 1 was changed: remove it to record from the start"
    with serving(of(scenario)) as url:
        for records, sentence in (
            ((about, one, two, one, two), "the partial recording holds more steps than the scenario"),
            ((about, two), changed),
            ((about, b"[]"), changed),
            ((about, b"7\n" + lines[5]), changed),
            ((about, b"[3]\n" + lines[5]), changed),
            ((about, b"[]\n{}"), changed),
            ((b"[]",), "differ; remove it to record from the start"),
            ((b"x",), "cannot be written: Expecting value: line 1 column 1 (char 0)"),
        ):
            partial.write_bytes(linked(*records))
            said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
            assert (said.status, said.err.count("\n"), sentence in said.err) == (2, 1, True), said.err
    assert record.left() == ["out.json.partial", "small.json"]


def test_what_must_not_be_kept_is_looked_for_in_what_was_kept(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = small(record.folder)
    go = of(scenario, vice="closes", since=3, change=lambda _, one: {**one, "label": "s3cr3t-1"})
    with serving(go) as url:
        record(scenario, "--go-url", url, "--out", record.out)
        monkeypatch.setenv("LOKI_PARITY_TOKEN", "s3cr3t-1")
        said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
    assert said.err == (
        "loki-parity: the partial recording's step 1 holds the token: remove it to record from the start\n"
    )


def test_a_partial_recording_is_written_by_one_alone(record: Recorder) -> None:
    scenario = small(record.folder)
    partial = record.folder / "out.json.partial"
    with serving(of(scenario, vice="closes", since=3)) as url:
        record(scenario, "--go-url", url, "--out", record.out)
        with partial.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            said = record(scenario, "--go-url", url, "--out", record.out, "--resume")
    assert said.err == f"loki-parity: {partial} is being written by another recording\n"


@pytest.mark.parametrize("sort", ["folder", "link", "fifo"])
def test_what_is_no_file_is_no_partial_recording(sort: str, record: Recorder) -> None:
    scenario = small(record.folder)
    partial = record.folder / "out.json.partial"
    if sort == "folder":
        partial.mkdir()
    elif sort == "link":
        partial.symlink_to("small.json")
    else:
        os.mkfifo(partial)
    with serving(of(scenario)) as url:
        for more in ([], ["--resume"]):
            said = record(scenario, "--go-url", url, "--out", record.out, *more)
            assert (said.status, said.err.count("\n")) == (2, 1)
            assert said.err.startswith(f"loki-parity: {partial} ")


# ---- kills


KILLED = """
import os, signal, sys
from replay.cli import main
place = sys.argv.pop(1)
calls = {}
def profile(frame, event, function):
    if event in ("call", "c_call") and frame.f_code.co_filename.endswith(("record/command.py", "record/partial.py")):
        name = frame.f_code.co_name if event == "call" else function.__name__
        calls[name] = calls.get(name, 0) + 1
        if f"{name}-{calls[name]}" == place:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(profile)
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("place", "left"),
    [("add-1", "old"), ("add-4", "old"), ("_write-1", "old"), ("fsync-1", "old"), ("remove-1", "new")],
)
def test_a_kill_leaves_the_old_file_or_the_new_one_and_the_rest_goes_on(
    place: str, left: str, record: Recorder
) -> None:
    """Before the first record, between two calls, before the file is written, while it is, after it was."""
    scenario = small(record.folder)
    wanted = whole(record, scenario)
    partial = record.folder / "out.json.partial"
    record.out.write_bytes(b"old")
    with serving(of(scenario)) as url:
        arguments = (str(scenario), "--out", str(record.out), "--go-url", url)
        process = start(place, "record", *arguments, cwd=record.folder, code=KILLED)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert record.out.read_bytes() == (wanted if left == "new" else b"old")
        said = record(*arguments, "--resume")
        if place == "add-1":
            assert (said.status, said.err) == (
                2,
                f"loki-parity: {partial} holds nothing to resume: remove it to record from the start\n",
            )
            partial.unlink()
            said = record(*arguments)
    assert (said.status, record.out.read_bytes()) == (0, wanted)
    assert record.left() == ["out.json", "small.json"]


def test_a_signal_from_outside_ends_it_as_an_interrupt_does(tmp_path: Path) -> None:
    scenario = small(tmp_path, *[small_journals.right()] * 40)
    with serving(of(scenario, slow=0.05)) as url:
        process = start(
            "record",
            "small.json",
            "--go-url",
            url,
            cwd=tmp_path,
            in_child=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        partial = tmp_path / "small.recorded.json.partial"
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (partial.exists() and partial.stat().st_size > 1200):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        ran = finish(process)
    assert (ran.status, ran.out) == (INTERRUPTED, "")
    assert ran.err.endswith(" of 40 calls: --resume goes on from small.recorded.json.partial\n")
    assert partial.read_bytes().startswith(b"loki-parity-partial/1\n")
    assert json.loads(scenario.read_bytes())
