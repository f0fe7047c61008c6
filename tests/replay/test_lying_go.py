"""A fake Go that lies once, in one of the 25 steps that read: the judge notices it in that step and in no other."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Self

import pytest
from real_command import LOGS

from fake_go.faults import Fault, lie
from fake_go.reply import go_answer
from fake_go.routes import BLOCK, BLOCKS
from replay.candidates.port import PortCandidate
from replay.compare import ALL
from replay.engine import Judging, replay
from replay.journal import load
from replay.outcome import Diverged, Match, Mode
from replay.requirements import requests_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fake_go.reply import Reply
    from replay.candidates.interface import Actual, Identity
    from replay.candidates.port import PortSession
    from replay.journal.model import Journal, Step

JOURNAL: Final = load(LOGS / "recall.json", file_name="logs/recall.json")

ONE_BLOCK: Final = (5, 6, 7, 8, 10, 11, 12, 16, 17, 19)
"""recall with a well-formed id (recall.md): the others are missing, blank or malformed."""

ALL_BLOCKS: Final = (26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41)
"""recall_search with a keyword: 22 to 24 have no query, 25 and 29 no keyword."""


class LyingGo:
    """The port as a candidate, to which Go lies in one step: once, on one route."""

    def __init__(self, port: PortCandidate, number: int, fault: Fault, route: str) -> None:
        self.port = port
        self.number = number
        self.fault = fault
        self.route = route
        self.lies = 0

    @property
    def identity(self) -> Identity:
        return self.port.identity

    def offers(self, kind: str) -> bool:
        return self.port.offers(kind)

    def session(self, journal: Journal) -> LyingSession:
        return LyingSession(self, self.port.session(journal))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class LyingSession:
    def __init__(self, candidate: LyingGo, session: PortSession) -> None:
        self._candidate = candidate
        self._session = session

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(self._session, name)
        return found

    def call(self, step: Step) -> Actual:
        if step.index != self._candidate.number:
            return self._session.call(step)
        planted = self._session.fake.fault(self._candidate.fault, route=self._candidate.route, times=1)
        actual = self._session.call(step)
        self._candidate.lies += planted.played
        return actual


@pytest.fixture(scope="module")
def port() -> Iterator[PortCandidate]:
    with PortCandidate() as candidate:
        yield candidate


def other_case(block: dict[str, Any]) -> None:
    """One letter of the label is another: its first one, in the other case."""
    block["label"] = block["label"][0].swapcase() + block["label"][1:]


def in_one_block(body: bytes) -> bytes:
    block = json.loads(body)
    other_case(block)
    return json.dumps(block).encode()


def present(seq: str) -> Fault:
    """A block that is not in the archive is answered all the same."""
    block = {"id": f"r{seq}", "seq": int(seq), "label": "inventé", "role": "tool", "content": "", "created": 0}
    answer: Reply = go_answer(json.dumps(block).encode())
    return Fault("lie", lambda _reply, _released: answer)


def in_hit(identity: str) -> Callable[[bytes], bytes]:
    """Another letter in the label of one of the blocks."""

    def mutate(body: bytes) -> bytes:
        blocks = json.loads(body)
        other_case(next(block for block in blocks if block["id"] == identity))
        return json.dumps(blocks).encode()

    return mutate


def found_after_all(query: str) -> Callable[[bytes], bytes]:
    """A block holds what no block holds."""

    def mutate(body: bytes) -> bytes:
        blocks = json.loads(body)
        blocks[0]["content"] += query
        return json.dumps(blocks).encode()

    return mutate


def fault_for(step: Step) -> tuple[Fault, str]:
    """A lie that must change the step's result, and the route on which it is told."""
    args = json.loads(step.raw_args)
    result = step.expected.result or ""
    if step.tool == "recall":
        known = result.startswith("[r")
        return (lie(in_one_block) if known else present(args["id"].removeprefix("r"))), BLOCK
    hit = re.search(r"^- (r[0-9]+) — ", result, re.MULTILINE)
    return lie(found_after_all(args["query"]) if hit is None else in_hit(hit[1])), BLOCKS


def test_25_steps_read_and_each_is_lied_to() -> None:
    reading = tuple(step.index for step in JOURNAL.steps if requests_of(step.tool, json.loads(step.raw_args) or {}))
    assert reading == tuple(sorted(ONE_BLOCK + ALL_BLOCKS))
    assert len(reading) == 25


@pytest.mark.parametrize("number", ONE_BLOCK + ALL_BLOCKS)
def test_a_lie_is_noticed_in_its_step_and_in_no_other(number: int, port: PortCandidate) -> None:
    fault, route = fault_for(JOURNAL.steps[number - 1])
    candidate = LyingGo(port, number, fault, route)
    outcomes = list(replay(JOURNAL, candidate, Judging(Mode.ISOLATED, tolerances=ALL)))
    assert candidate.lies == 1
    assert len(outcomes) == len(JOURNAL.steps)
    unequal = [outcome for outcome in outcomes if not isinstance(outcome, Match)]
    assert [outcome.step.number for outcome in unequal] == [str(number)]
    assert isinstance(unequal[0], Diverged)
    assert [difference.field for difference in unequal[0].differences] == ["result"]


@pytest.mark.parametrize("number", [5, 37])
def test_a_lie_does_not_outlive_its_step_in_a_chained_run_either(number: int, port: PortCandidate) -> None:
    candidate = LyingGo(port, number, *fault_for(JOURNAL.steps[number - 1]))
    outcomes = list(replay(JOURNAL, candidate, Judging(Mode.CHAINED, tolerances=ALL)))
    assert [one.step.number for one in outcomes if not isinstance(one, Match)] == [str(number)]
