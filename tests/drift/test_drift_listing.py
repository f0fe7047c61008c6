"""What moved, as text and as JSON: drawn, bounded, sealed texts kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from real_command import LOGS

from parity.gostd.target import GO_1_25, GO_1_27
from replay.compare import ABSENT, Difference
from replay.drift import as_json, listing
from replay.drift.change import ADDED, CHANGED, REMOVED, Change
from replay.drift.journals import JournalDrift
from replay.drift.real_go import Beside, Sweep
from replay.drift.tables import Moved, Otherwise
from replay.drift.versions import StepChange, VersionDrift
from replay.journal import load
from replay.rules.book import Book, PortRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.compare import Absent
    from replay.fields import Value

JOURNAL = load(LOGS / "recall.json")
OLD, NEW = replace(JOURNAL, file="a.json", sha256="1"), replace(JOURNAL, file="b\x1b.json", sha256="2")
BOOK = Book({"x/y": PortRule("x/y", "recall.md, 1", "f", ("t",))}, {})


ASKED = "ToLower, Quote and Fields of 1,112,064 code points"


def difference(old: Value | Absent, new: Value | Absent, field: str = "result") -> Difference:
    return Difference(field, "changed", old, new, (field,))


def change(*differences: Difference, secret: bool = False, rules: tuple[str, ...] = ()) -> Change:
    return Change(CHANGED, "recall", "note", "3", "4", differences, rules, secret=secret)


def journals(changes: Sequence[Change], head: tuple[Difference, ...] = (), *, reveal: bool = False) -> list[str]:
    return list(listing.of_journals(JournalDrift(OLD, NEW, head, tuple(changes), 7), reveal=reveal))


def test_two_journals_that_are_the_same_say_so() -> None:
    assert journals([]) == ["a.json → b␛.json", "steps: 0 added, 0 removed, 0 changed, 7 the same"]


def test_a_change_names_the_step_the_field_the_place_and_the_rules() -> None:
    assert journals([change(difference("été", "ete"), rules=("a/b", "c/d"))])[1:] == [
        "step 4 (was 3) recall changed — note",
        "  result",
        "    line 1, column 1: U+00E9 LATIN SMALL LETTER E WITH ACUTE → U+0065 LATIN SMALL LETTER E",
        '    - "été"',
        '    + "ete"',
        "  touches a/b, c/d",
        "steps: 0 added, 0 removed, 1 changed, 7 the same",
    ]


def test_what_came_and_what_went_are_named_by_their_own_number() -> None:
    found = journals(
        [Change(ADDED, "recall", "", None, "2"), Change(REMOVED, "recall\x07", "", "9", None)],
        (difference(1, ABSENT, "locked"),),
    )
    assert found[1:-1] == [
        "before the steps",
        "  locked",
        "    - 1",
        "    + nothing",
        "step 2 recall added",
        "step 9 recall␇ removed",
    ]


def test_bytes_part_at_a_place_too_and_other_values_at_none() -> None:
    lines = journals([change(difference(b"a\xff", b"a\xfe"), difference("x", 1), difference(None, (1,)))])
    assert "    line 1, column 2: byte 0xFF (not UTF-8) → byte 0xFE (not UTF-8)" in lines
    assert lines.count("  result") == 3
    assert "    + [1]" in lines


def test_texts_that_differ_in_type_only_have_no_place() -> None:
    lines = journals([change(Difference("result", "type", "x", b"x", ("result",)))])
    assert lines[3:5] == ['    - "x"', '    + "x"']


def test_a_sealed_memorys_texts_are_outlined_unless_they_may_be_shown() -> None:
    secret = [change(difference("recette", "recettes"), secret=True)]
    hidden = "\n".join(journals(secret, (difference("recette", "x", "about"),)))
    assert "recette" not in hidden
    assert "text, 7 characters; sealed; --reveal shows it" in hidden
    assert '    - "recette"' in journals(secret, reveal=True)
    assert "recette" not in as_json.of_journals(JournalDrift(OLD, NEW, (), tuple(secret), 0), reveal=False)
    assert "recette" in as_json.of_journals(JournalDrift(OLD, NEW, (), tuple(secret), 0), reveal=True)


def test_many_changes_and_many_differences_are_cut() -> None:
    lines = journals([change(*[difference(1, 2)] * 9)] * 45)
    assert lines[-2] == "… and 5 more steps"
    assert "  … and 3 more differences" in lines


def test_a_journal_drift_as_json_is_whole() -> None:
    drift = JournalDrift(
        OLD, NEW, (difference(1, 2, "locked"),), (change(difference("a", ABSENT), rules=("a/b",)),) * 45, 7
    )
    found = json.loads(as_json.of_journals(drift, reveal=False))
    assert (found["old"], found["new"]) == (
        {"file": "a.json", "sha256": "1"},
        {"file": "b\x1b.json", "sha256": "2"},
    )
    assert found["head"] == [{"field": "locked", "kind": "changed", "old": "1 (integer)", "new": "2 (integer)"}]
    assert len(found["changes"]) == 45
    assert found["changes"][0] == {
        "kind": "changed",
        "tool": "recall",
        "note": "note",
        "old": "3",
        "new": "4",
        "differences": [{"field": "result", "kind": "changed", "old": '"a" (text)', "new": "nothing"}],
        "rules": ["a/b"],
    }
    assert found["same"] == 7


NOTHING = VersionDrift(GO_1_25, GO_1_27, (Moved("unicode.ToLower", ()),), (Moved("%q", (), ("x/y",)),), ())


def versions(drift: VersionDrift) -> list[str]:
    return list(listing.of_versions(drift, BOOK, reveal=False))


def test_where_nothing_moved_every_line_says_none() -> None:
    assert versions(NOTHING) == [
        "go1.25.5 (Unicode 15.0.0) → go1.27.3 (Unicode 17.0.0)",
        "the tables",
        "  unicode.ToLower: none",
        "what it matters to",
        "  %q: none (x/y · recall.md, 1)",
        "JSON and query strings",
        "  nothing",
        "steps: none was run",
    ]


def test_points_are_ranges_in_a_table_and_names_where_they_matter() -> None:
    points = (0x41, 0x42, 0x43, 0x1C89)
    drift = replace(
        NOTHING,
        tables=(Moved("strconv.IsPrint", points, gone=1),),
        matters=(Moved("%q", points, ("x/y", "z")),),
        probes=(Otherwise("p", "a\x1b", "b"),),
    )
    assert versions(drift)[1:-1] == [
        "the tables",
        "  strconv.IsPrint: 4 code points, 3 added and 1 removed",
        "    U+0041..U+0043, U+1C89",
        "what it matters to",
        "  %q: 4 code points (x/y · recall.md, 1; z · not in PORT.toml)",
        "    U+0041 LATIN CAPITAL LETTER A",
        "    U+0042 LATIN CAPITAL LETTER B",
        "    U+0043 LATIN CAPITAL LETTER C",
        "    U+1C89 CYRILLIC CAPITAL LETTER TJE",
        "JSON and query strings",
        "  p: a␛ → b",
    ]


def test_many_points_are_cut_and_counted() -> None:
    points = tuple(range(0, 400, 2))
    drift = replace(NOTHING, tables=(Moved("unicode.ToLower", points),), matters=(Moved("%q", points, ("x/y",)),))
    lines = versions(drift)
    assert "    … and 140 more ranges" in lines
    assert "    … and 192 more" in lines
    assert all(len(line) <= 120 for line in lines)


@pytest.mark.parametrize(
    ("points", "ranges"),
    [((), []), ((7,), ["U+0007"]), ((1, 2, 4), ["U+0001..U+0002", "U+0004"]), ((0x10FFFF,), ["U+10FFFF"])],
)
def test_code_points_that_follow_each_other_are_a_range(points: tuple[int, ...], ranges: list[str]) -> None:
    assert list(listing.ranges_of(points)) == ranges


def test_the_steps_that_would_change_stand_under_their_journal() -> None:
    drift = replace(
        NOTHING,
        changes=(StepChange("a.json", change(difference(1, 2))), StepChange("b.json", change(difference(3, 4)))),
        steps=50,
    )
    lines = versions(drift)
    assert (
        lines[-9:]
        == [
            "a.json",
            "step 4 (was 3) recall changed — note",
            "  result",
            "    - 1",
            "    + 2",
            "b.json",
            "step 4 (was 3) recall changed — note",
            "  result",
            "    - 3",
        ]
        or lines[-1] == "steps: 2 of 50 would change"
    )
    assert lines[-1] == "steps: 2 of 50 would change"


def test_real_go_that_agrees_differs_or_is_missing_has_a_clear_line() -> None:
    agreeing = Sweep("go1.25.5", 1_112_064)
    differing = Sweep("go1.27.3", 5, tuple(f"d{number}" for number in range(12)))
    missing = Sweep("go1.27.3", missing="no Go 1.27.3 here")
    assert list(listing.of_real_go(Beside((agreeing, differing), steps_agree=False))) == [
        "real Go",
        f"  go1.25.5 answers as the port's tables do: {ASKED}, EqualFold of those that moved",
        "  go1.27.3 DIFFERS from the port's tables in 12 answers",
        *(f"    d{number}" for number in range(10)),
        "    … and 2 more",
        "  the model, compiled by both: OTHER steps change, or otherwise",
    ]
    assert list(listing.of_real_go(Beside((agreeing, missing), steps_agree=None)))[2:] == [
        "  not asked: no Go 1.27.3 here"
    ]
    few = Sweep("go1.27.3", 5, ("d",))
    assert list(listing.of_real_go(Beside((few,), steps_agree=True)))[1:] == [
        "  go1.27.3 DIFFERS from the port's tables in 1 answer",
        "    d",
        "  the model, compiled by both: the same steps change, in the same way",
    ]


def test_a_version_drift_as_json_is_whole() -> None:
    drift = replace(
        NOTHING,
        tables=(Moved("unicode.ToLower", (0x41, 0x1C89)),),
        matters=(Moved("%q", (0x1C89,), ("x/y",)),),
        probes=(Otherwise("p", "a", "b"),),
        changes=(StepChange("a.json", change(difference(1, 2))),),
        steps=1,
    )
    found = json.loads(
        as_json.of_versions(drift, Beside((Sweep("go1.25.5", 2, ("d",)),), steps_agree=None), reveal=False)
    )
    assert found["old"] == {"version": "go1.25.5", "unicode": "15.0.0"}
    assert found["tables"] == {"unicode.ToLower": ["U+0041", "U+1C89"]}
    assert found["matters"] == {"%q": {"rules": ["x/y"], "points": ["U+1C89"]}}
    assert found["probes"] == [{"about": "p", "old": "a", "new": "b"}]
    assert [one["journal"] for one in found["changes"]] == ["a.json"]
    assert found["real_go"] == {
        "asked": [{"version": "go1.25.5", "code_points": 2, "disagreements": ["d"], "missing": ""}],
        "steps_agree": None,
    }
    assert json.loads(as_json.of_versions(drift, None, reveal=False))["real_go"] is None
