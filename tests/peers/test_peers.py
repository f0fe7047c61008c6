"""Every class of the two tables, on this project alone: what is planted is found in its place, what is harmless is not.

The judge's own parts run here in this process, without the drill; a handful goes through the real command, as all do
in ``nox -s peers``, which holds other tools beside it.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import candidate
import own_column
import planting
import pytest
import scenes
from real_command import LOGS, RAM

from replay.candidates.command import CommandCandidate
from replay.candidates.http import HttpCandidate
from replay.candidates.outside import Patience
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.compare import ALL
from replay.engine import Judging, replay
from replay.journal import loads
from replay.outcome import Crashed, Diverged, Match, WentThroughGo
from replay.run import BOTH_MODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from planting import Row

    from replay.candidates.interface import Candidate

DIVERGENCES: Final = planting.rows("divergences")
HARMLESS: Final = planting.rows("harmless")

ENDS: Final = frozenset({"hang", "exit", "kill"})
"""What cannot be done in a thread of the judge's own process."""

THROUGH_THE_COMMAND: Final = frozenset({"nfd", "read-too-few", "exit"})
HARMLESS_THROUGH_THE_COMMAND: Final = frozenset({"another-nonce", "chatter"})


OUTCOMES: Final = {Diverged: "diverged", Crashed: "crashed", WentThroughGo: "went-through-go"}
"""What the report calls them."""


def of(row: Row) -> str:
    return row.name


@pytest.fixture(scope="module")
def port() -> Iterator[PortCandidate]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", None if RAM is None else str(RAM))  # memories are written and synced
        with PortCandidate(IN_MEMORY) as candidate:
            yield candidate


@contextmanager
def over_http(habit: str, word: str = "") -> Iterator[HttpCandidate]:
    with candidate.serving(habit, word) as url, HttpCandidate(url) as judged:
        yield judged


def program(row: Row) -> CommandCandidate:
    with own_column.answering(row) as (_, deadline, _, command):
        return CommandCandidate(command.removeprefix("cmd:"), patience=Patience(float(deadline)))


def differences(raw: bytes, judged: Candidate) -> Sequence[Mapping[str, Any]]:
    """The steps that are no match, as the report would name them."""
    journal = loads(raw, "journal.json")
    return [
        {
            "mode": mode.value,
            "step": outcome.step.number,
            "differences": [{"field": one.field} for one in outcome.differences]
            if isinstance(outcome, Diverged)
            else [],
            "outcome": OUTCOMES[type(outcome)],
        }
        for mode in BOTH_MODES
        for outcome in replay(journal, judged, Judging(mode, tolerances=ALL))
        if not isinstance(outcome, Match)
    ]


def test_each_table_holds_sixty_classes_and_no_name_twice() -> None:
    for rows in (DIVERGENCES, HARMLESS):
        assert len({row.name for row in rows}) == len(rows) >= 60
    assert all(row.field and row.step and (row.plant or row.vice) for row in DIVERGENCES)
    assert all(row.plant or row.written or row.served for row in HARMLESS)


@pytest.mark.parametrize("row", [row for row in DIVERGENCES if not row.vice], ids=of)
def test_a_planted_divergence_is_found_in_its_step_and_field_and_nowhere_else(row: Row, port: PortCandidate) -> None:
    assert not own_column.misplaced(row, differences(planting.text(row), port))


@pytest.mark.parametrize("row", [row for row in DIVERGENCES if row.vice], ids=of)
def test_a_candidate_with_a_vice_is_found_out_where_the_vice_shows(row: Row) -> None:
    with program(row) if row.name in ENDS else over_http(row.vice, row.word) as judged:
        assert not own_column.misplaced(row, differences(planting.text(row), judged))


@pytest.mark.parametrize("row", [row for row in HARMLESS if row.served], ids=of)
def test_a_harmless_way_of_answering_raises_no_alarm(row: Row) -> None:
    with program(row) if row.word else over_http(row.served.partition(":")[2]) as judged:
        assert not differences(planting.text(row), judged)


@pytest.mark.parametrize("row", [row for row in DIVERGENCES if row.base], ids=of)
def test_what_a_class_adds_to_a_journal_beside_its_divergence_is_right(row: Row, port: PortCandidate) -> None:
    assert not differences(planting.written(planting.recorded(row), {}), port)


@pytest.mark.parametrize("row", [row for row in HARMLESS if not row.served], ids=of)
def test_a_harmless_change_of_a_journal_raises_no_alarm(row: Row, port: PortCandidate) -> None:
    raw = planting.text(row)
    assert raw != (LOGS / f"{row.journal}.json").read_bytes()
    assert not differences(raw, port)


@pytest.mark.parametrize("row", [row for row in DIVERGENCES if row.name in THROUGH_THE_COMMAND], ids=of)
def test_the_command_finds_it_in_a_process_of_its_own(row: Row, tmp_path: Path) -> None:
    assert own_column.verdict(row, tmp_path / "run") == (own_column.CAUGHT, "")


@pytest.mark.parametrize("row", [row for row in HARMLESS if row.name in HARMLESS_THROUGH_THE_COMMAND], ids=of)
def test_the_command_raises_no_alarm_in_a_process_of_its_own(row: Row, tmp_path: Path) -> None:
    assert own_column.verdict(row, tmp_path / "run") == (own_column.QUIET, "")


def test_the_peers_are_given_what_differs_and_in_the_control_what_does_not() -> None:
    made = {f"{one['table']}/{one['name']}": one for one in scenes.every()}
    assert len(made) == len(DIVERGENCES) + len(HARMLESS) + 1
    for row in DIVERGENCES:
        scene = made[f"divergences/{row.name}"]
        assert not scene["nothing"]
        assert scene["ends"] or scene["golden"] != scene["actual"]
    assert made["control/nothing-planted"]["golden"] == made["control/nothing-planted"]["actual"]
