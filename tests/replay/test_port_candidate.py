"""The port as a candidate: what it shows, what becomes of what it raises, what it holds and gives back."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from real_command import LOGS, PROJECT

from fake_go.faults import server_error
from parity.stores.disk import DiskMemory
from parity.stores.errors import MemoryUnusableError
from parity.tools import registry
from parity.tools.interface import GoPanic
from replay.candidates import port
from replay.candidates.interface import CandidateCrashed, CandidateNotReadyError
from replay.candidates.port import PortCandidate, crash, module_hashes
from replay.journal import load, loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parity.tools.interface import Args, Env, ToolAnswer
    from replay.journal.model import Journal

KEEPIMG: Final = load(LOGS / "keepimg.json")


def made(*steps: dict[str, Any], **head: Any) -> Journal:  # noqa: ANN401 - JSON
    return loads(json.dumps(small_journals.memory(*steps, **head)).encode(), "journal.json")


READING: Final = loads(json.dumps(small_journals.recall(small_journals.right())).encode(), "journal.json")
ADDING: Final = made(
    small_journals.step("mem_add", {"file": "a", "content": "x"}, "[ok] page 'a' créée"),
    initial={"files": {"b.md": "y\n"}, "trackers": {}},
)


@pytest.fixture
def candidate() -> Iterator[PortCandidate]:
    with PortCandidate(port.IN_MEMORY) as started:
        yield started


def test_its_identity_is_a_hash_over_every_module_of_the_port(candidate: PortCandidate) -> None:
    hashes = module_hashes()
    recall = (PROJECT / "parity" / "tools" / "recall.py").read_bytes()
    assert hashes["parity.tools.recall"] == hashlib.sha256(recall).hexdigest()
    assert "parity" in hashes
    assert len(hashes) == len(list((PROJECT / "parity").rglob("*.py")))
    assert candidate.identity.modules == hashes
    lines = "".join(f"{name} {hashes[name]}\n" for name in sorted(hashes))
    assert candidate.identity.digest() == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize("transport", [port.HTTP, port.IN_MEMORY])
def test_a_step_shows_the_answer_and_the_reads_that_it_took(transport: str) -> None:
    with PortCandidate(transport) as started:
        session = started.session(READING)
        for _ in range(2):
            actual = session.call(READING.steps[0])
            assert actual.fields == {
                "result": small_journals.FOUND,
                "label": "r1",
                "diff": (),
                "requests": ("GET /internal/v1/recall/block?seq=1",),
            }
            assert (actual.route, actual.reason) == ("native", "")
        session.restore({"a.md": b""}, {})  # it has no memory: there is nothing to restore
        session.close()


def test_a_memory_step_shows_files_and_trackers_as_they_lie_there(candidate: PortCandidate) -> None:
    session = candidate.session(ADDING)
    shown = session.call(ADDING.steps[0]).fields
    files = shown["files"]
    assert isinstance(files, dict)
    assert set(files) == {"a.md", "b.md", "MEMORY.md", "MEMORY.md.bak"}
    assert files["b.md"] == {"sealed": False, "content": b"y\n"}
    assert shown["trackers"] == {}
    assert "requests" not in shown


def test_a_half_that_was_not_recorded_stays_as_it_is(candidate: PortCandidate) -> None:
    session = candidate.session(ADDING)
    assert session.memory is not None
    session.restore({"c.md": b"z"}, None)
    session.restore(None, {})
    session.restore(None, None)
    assert session.memory.snapshot().files == {"c.md": b"z"}


def test_two_sessions_share_no_memory(candidate: PortCandidate) -> None:
    one, other = candidate.session(ADDING), candidate.session(ADDING)
    one.call(ADDING.steps[0])
    assert other.memory is not None
    assert set(other.memory.snapshot().files) == {"b.md"}


def replaced(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def tool(_: Args, __: Env) -> ToolAnswer:
        raise error

    monkeypatch.setattr(registry, "TOOLS", {"recall": tool, "mem_add": tool})


def test_a_crash_of_go_is_an_answer_with_its_label(candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced(monkeypatch, GoPanic("runtime error: index out of range"))
    actual = candidate.session(READING).call(READING.steps[0])
    assert actual.fields == {
        "panic": "runtime error: index out of range",
        "label": "r1",
        "diff": (),
        "requests": (),
    }


def test_go_that_does_not_answer_sends_the_call_through_go(candidate: PortCandidate) -> None:
    session = candidate.session(READING)
    candidate.fake.fault(server_error())
    actual = session.call(READING.steps[0])
    assert (actual.route, actual.reason) == ("go", "Go answered with status 500")
    assert actual.fields == {"requests": ("GET /internal/v1/recall/block?seq=1",)}


def test_whatever_else_it_raises_is_a_crash(candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced(monkeypatch, KeyError("seq"))
    with pytest.raises(CandidateCrashed) as crashed:
        candidate.session(READING).call(READING.steps[0])
    assert crashed.value.what == "KeyError: 'seq'"
    assert crashed.value.where.startswith("tests/replay/test_port_candidate.py:")


def test_a_crash_is_placed_in_the_innermost_frame_of_its_own() -> None:
    def caught(raising: Any) -> CandidateCrashed:  # noqa: ANN401 - any function
        try:
            raising()
        except Exception as error:  # noqa: BLE001 - whatever it is
            return crash(error)
        raise AssertionError

    own = caught(lambda: port.PortSession(READING, None, None, Path()))  # type: ignore[arg-type]
    assert own.where.startswith("replay/candidates/port.py:")
    code = compile("def far():\n    raise ValueError('x')\n", "/elsewhere/tool.py", "exec")
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - a function of another file
    error = ValueError("x")
    try:
        names["far"]()
    except ValueError as raised:
        error = raised
    assert error.__traceback__ is not None
    error.__traceback__ = error.__traceback__.tb_next
    assert crash(error).where == "tool.py:2 in far"


def test_a_candidate_that_was_not_started_has_no_session() -> None:
    with pytest.raises(LookupError, match="not started"):
        PortCandidate().session(READING)


def test_every_kind_is_offered_and_no_other(candidate: PortCandidate) -> None:
    assert all(candidate.offers(kind) for kind in ("recall", "memory", "keepimg"))
    assert not candidate.offers("poem")


def test_what_it_made_is_gone_when_it_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with PortCandidate(port.IN_MEMORY) as started:
        started.session(ADDING)
        assert len(os.listdir(tmp_path)) == 1  # noqa: PTH208 - only their number
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - as above


def test_what_the_system_refuses_is_no_answer_of_the_port(
    candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        what = "the folder of the pages"
        raise MemoryUnusableError(what, "ENOSPC")

    sentence = "^the port's memory cannot be kept: the folder of the pages cannot be used: ENOSPC$"
    session = candidate.session(ADDING)
    with monkeypatch.context() as patched:
        patched.setattr(DiskMemory, "snapshot", refused)
        with pytest.raises(CandidateNotReadyError, match=sentence):
            session.restore({}, None)
        with pytest.raises(CandidateNotReadyError, match=sentence):
            session.call(ADDING.steps[0])
    monkeypatch.setattr(DiskMemory, "restore", refused)
    with pytest.raises(CandidateNotReadyError, match=sentence):
        candidate.session(ADDING)


def test_a_candidate_that_cannot_start_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(port, "FakeGoServer", refused)
    with pytest.raises(CandidateNotReadyError, match=r"^the port cannot be started: Too many open files$"):
        PortCandidate().__enter__()
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - only that there is nothing


def test_a_case_of_kept_images_runs_and_what_it_raises_is_a_crash(candidate: PortCandidate) -> None:
    session = candidate.session(KEEPIMG)
    with pytest.raises(CandidateCrashed, match="no case of kept images was begun"):
        session.operate(KEEPIMG.cases[0].steps[0])
    case = KEEPIMG.cases[12]
    session.begin(case)
    for step in case.steps[:3]:
        assert session.operate(step).fields == step.after
    session.visible(case.steps[1].after)
    assert session.operate(case.steps[2]).fields == case.steps[2].after


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit()])
def test_a_port_that_exits_crashed_and_does_not_end_the_judge(
    error: Exception, candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced(monkeypatch, error)
    with pytest.raises(CandidateCrashed, match=type(error).__name__):
        candidate.session(READING).call(READING.steps[0])


def test_a_port_that_gives_no_answer_crashed(candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "TOOLS", {"recall": lambda _, __: None})
    with pytest.raises(CandidateCrashed, match="AttributeError"):
        candidate.session(READING).call(READING.steps[0])
