"""What the port gives is taken exactly, and what the judge itself lacks is told apart from what the port does."""

from __future__ import annotations

import contextlib
import json
import os
import resource
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
import small_journals

from parity.stores.disk import DiskMemory
from parity.stores.state import State
from parity.tools import registry
from parity.tools.interface import DiffLine, GoPanic, GoUnavailable, ToolAnswer, Tracker, TrackerEvent
from replay.candidates.exact import exact_fields, exact_mapping, exact_text
from replay.candidates.interface import CandidateCrashed, CandidateNotReadyError
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import assure
from replay.journal import loads
from replay.surroundings import lacking, spare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from replay.candidates.interface import Actual
    from replay.journal.model import Journal


def journal(made: dict[str, Any]) -> Journal:
    return loads(json.dumps(made).encode(), "journal.json")


READING = journal(small_journals.recall(small_journals.right()))
ADDING = journal(small_journals.memory(small_journals.step("mem_add", {"content": "x"}, "x")))


@contextlib.contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    """A limit of the system's, while it lasts."""
    before = resource.getrlimit(what)
    resource.setrlimit(what, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


class Text(str):
    """Says that it is whatever it is compared with."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Bytes(bytes):
    """Bytes that are none."""


class Number(int):
    """A number that is none."""


class Table(dict[str, bytes]):
    """A mapping that may show anything."""


PLAIN: dict[str, object] = {
    "text": "é",
    "several": ("a", b"b", True, 1, 1.5, None, ()),
    "nested": {"a": ({"b": 1},)},
    "frozen": MappingProxyType({"a": MappingProxyType({"b": (1,)})}),
}


def test_plain_values_are_what_they_are() -> None:
    assert exact_fields(PLAIN) == PLAIN
    assert exact_fields({"a": "x", "b": ()}) == {"a": "x", "b": ()}
    assert exact_mapping("field", MappingProxyType({"a": "x"})) == {"a": "x"}
    assert exact_text("field", "x") == "x"


@pytest.mark.parametrize(
    "value",
    [Text("x"), Bytes(b"x"), Number(1), Table(), ["x"], {1: "x"}, {Text("a"): 1}, (("x", Text("y")),), {"a": Text()}],
    ids=repr,
)
def test_anything_else_is_a_crash_that_names_the_type(value: object) -> None:
    with pytest.raises(CandidateCrashed, match=r"^field: a <class '.*'>, and only plain values can be compared$"):
        exact_fields({"other": "x", "field": value})


def test_a_mapping_and_a_text_must_be_one() -> None:
    with pytest.raises(CandidateCrashed, match="Table"):
        exact_mapping("field", Table())
    with pytest.raises(CandidateCrashed, match="bytes"):
        exact_text("field", b"x")


@pytest.fixture
def candidate() -> Iterator[PortCandidate]:
    with PortCandidate(IN_MEMORY) as started:
        yield started


def called(candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch, answer: object) -> Actual:
    """The first step of READING, answered so; an exception is raised."""

    def tool(*_: object) -> object:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(registry, "TOOLS", {"recall": tool})
    return candidate.session(READING).call(READING.steps[0])


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        (ToolAnswer(Text("x")), "result"),
        (ToolAnswer("x", label=Text("x")), "label"),
        (ToolAnswer("x", diff=(DiffLine("+", Text("x")),)), "diff"),
        (GoPanic(Text("x")), "panic"),
        (GoUnavailable(Text("x")), "reason"),
    ],
    ids=["result", "label", "diff", "panic", "reason"],
)
def test_nothing_of_an_answer_may_only_look_plain(
    answer: object, field: str, candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CandidateCrashed, match=f"^{field}: a .*Text"):
        called(candidate, monkeypatch, answer)


@pytest.mark.parametrize(
    ("state", "field"),
    [
        (State(Table(), {}), "files"),
        (State({"a.md": Bytes(b"x")}, {}), "files"),
        (State({}, {"a": Tracker(Text("x"))}), "trackers"),
        (State({}, {"a": Tracker("x", (TrackerEvent("1", Number(1), "x"),))}), "trackers"),
    ],
    ids=["folder", "page", "name", "time"],
)
def test_nothing_of_a_memory_may_only_look_plain(
    state: State, field: str, candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = candidate.session(ADDING)
    monkeypatch.setattr(DiskMemory, "snapshot", lambda _: state)
    with pytest.raises(CandidateCrashed, match=f"^{field}: a "):
        session.call(ADDING.steps[0])


def test_what_is_raised_may_be_anything_and_its_words_too(
    candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd(BaseException):
        def __str__(self) -> str:
            raise ValueError

    with pytest.raises(CandidateCrashed, match=r"^Odd, which does not say more$"):
        called(candidate, monkeypatch, Odd())
    with pytest.raises(KeyboardInterrupt):
        called(candidate, monkeypatch, KeyboardInterrupt())


def test_a_port_without_a_tool_of_the_journal_or_without_a_start_cannot_be_judged(
    candidate: PortCandidate, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(registry, "TOOLS", {})
        with pytest.raises(CandidateNotReadyError, match=r"^not ported yet, so the journal was not judged: recall$"):
            candidate.session(READING)

    def refused(*_: object) -> None:
        message = "no"
        raise TypeError(message)

    monkeypatch.setattr(DiskMemory, "restore", refused)
    with pytest.raises(CandidateNotReadyError, match=r"^the port cannot begin: TypeError: no \(tests/"):
        candidate.session(ADDING)


def test_a_file_too_many_and_a_byte_too_many_are_told(tmp_path: Path) -> None:
    assert lacking(tmp_path, 1 << 20) is None
    assert lacking(tmp_path / "gone", 1 << 20) is None
    with limited(resource.RLIMIT_FSIZE, 100):
        assert lacking(tmp_path, 0) is None
        assert lacking(tmp_path, 100) is None
        assert lacking(tmp_path, 101) == "the judge's temporary folder cannot be written: File too large"
    spare(3)
    with limited(resource.RLIMIT_NOFILE, 3):
        assert lacking(tmp_path, 0) == "no more files can be opened: Too many open files"
        with pytest.raises(OSError, match="Too many open files"):
            spare(1)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - only that there is nothing


def test_without_a_reservation_the_bytes_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    with limited(resource.RLIMIT_FSIZE, 100):
        assert lacking(tmp_path, 100) is None


def test_only_who_keeps_its_memory_here_can_lack_room_for_it(candidate: PortCandidate) -> None:
    with limited(resource.RLIMIT_FSIZE, 100):
        assure(READING, candidate)
        with pytest.raises(CandidateNotReadyError, match="File too large"):
            assure(ADDING, candidate)
        assure(ADDING, PortCandidate(IN_MEMORY))
