"""Which steps would change under another version of Go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import small_journals
from real_command import LOGS

from parity.gostd.target import GO_1_25, GO_1_27
from parity.tools import registry
from replay.candidates.port import IN_MEMORY, PortCandidate
from replay.drift.answers import answers
from replay.drift.versions import version_drift
from replay.journal import load

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from replay.drift.versions import VersionDrift
    from replay.journal.model import Journal

QUOTED = small_journals.step("recall", {"id": "r\u1c89"}, "x", note="tje")
SEARCHED = small_journals.step("mem_search", {"query": "\u1c89"}, "x", files={}, trackers={})


def read(folder: Path, journal: dict[str, Any]) -> Journal:
    return load(small_journals.write(folder, journal), file_name="j.json")


def shown(found: VersionDrift) -> list[tuple[str, str | None, list[str], tuple[str, ...]]]:
    return [
        (one.journal, one.change.new, [each.field for each in one.change.differences], one.change.rules)
        for one in found.changes
    ]


def test_a_step_whose_text_is_quoted_otherwise_would_change_in_its_result(tmp_path: Path) -> None:
    journal = read(tmp_path, small_journals.recall(small_journals.right(), QUOTED))
    found = version_drift(GO_1_25, GO_1_27, [journal])
    assert shown(found) == [
        (
            "j.json",
            "2",
            ["result"],
            (
                "recall/id/digits",
                "recall/id/malformed",
                "recall/id/missing",
                "recall/id/prefix",
                "recall/result/absent",
            ),
        )
    ]
    (difference,) = found.changes[0].change.differences
    assert "\\u1c89" in str(difference.expected)
    assert "\u1c89" in str(difference.actual)
    assert (found.steps, found.moved) == (2, True)


def test_a_page_found_under_one_version_only_would_change_the_search(tmp_path: Path) -> None:
    journal = read(tmp_path, small_journals.memory(SEARCHED, initial={"files": {"a.md": "\u1c8a"}, "trackers": {}}))
    found = version_drift(GO_1_25, GO_1_27, [journal])
    assert [one[1:3] for one in shown(found)] == [("1", ["result"])]
    assert "memory/mem_search/terms" in found.changes[0].change.rules


def test_none_of_the_recorded_journals_would_change() -> None:
    journals = [load(LOGS / f"{name}.json") for name in ("recall", "verrouille", "keepimg")]
    found = version_drift(GO_1_25, GO_1_27, journals)
    assert (found.changes, found.steps) == ((), 41 + 9 + 151)
    assert found.moved


def test_without_journals_the_tables_are_told_all_the_same() -> None:
    found = version_drift(GO_1_25, GO_1_27, None)
    assert (found.steps, found.changes) == (None, ())
    assert len(found.tables[0].points) == 55


def test_between_a_version_and_itself_nothing_moves(tmp_path: Path) -> None:
    journal = read(tmp_path, small_journals.recall(QUOTED))
    assert not version_drift(GO_1_25, GO_1_25, [journal]).moved


def test_a_crash_of_the_port_is_an_answer_like_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_args: object, env: Any) -> object:  # noqa: ANN401 - the tool's environment
        raise ZeroDivisionError(env.target.version)

    monkeypatch.setitem(registry.TOOLS, "recall", crash)
    journal = read(tmp_path, small_journals.recall(small_journals.right()))
    with PortCandidate(IN_MEMORY) as port:
        ((_, fields),) = answers(journal, port, GO_1_25)
    assert fields == {"crashed": "ZeroDivisionError: go1.25.5"}
    assert shown(version_drift(GO_1_25, GO_1_27, [journal])) == [("j.json", "1", ["crashed"], ())]
