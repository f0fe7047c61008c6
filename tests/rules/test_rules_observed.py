"""A candidate that is observed behaves as the candidate itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from real_command import LOGS

from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.engine import Judging, replay
from replay.journal import load
from replay.observed import ObservedCandidate, ObservedSession
from replay.outcome import Mode

if TYPE_CHECKING:
    from replay.candidates.interface import Candidate
    from replay.journal.model import Journal


def observed(candidate: Candidate, journal: Journal) -> ObservedSession:
    return ObservedSession(candidate.session(journal))


@pytest.mark.parametrize("name", ["recall", "verrouille", "keepimg"])
@pytest.mark.parametrize("mode", [Mode.ISOLATED, Mode.CHAINED])
def test_the_outcomes_are_the_same(name: str, mode: Mode) -> None:
    journal = load(LOGS / f"{name}.json")
    with PortCandidate(IN_MEMORY) as port, ObservedCandidate(PortCandidate(IN_MEMORY), observed) as seen:
        assert list(replay(journal, seen, Judging(mode))) == list(replay(journal, port, Judging(mode)))


def test_what_it_is_and_offers_is_the_candidates_own() -> None:
    port = PortCandidate(IN_MEMORY)
    seen = ObservedCandidate(port, observed)
    assert seen.identity == port.identity
    assert [seen.offers(kind) for kind in ("recall", "keepimg", "other")] == [True, True, False]
