"""A diverged step on a terminal: what is said, how it is cut, that it is bounded and obeyed by nobody."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import unicodedata2
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import ABSENT, Difference, Tolerated, compare, locate_text
from replay.journal.model import Place
from replay.outcome import Mode, StepRef
from replay.report.line_view import Row, one_sided, rows
from replay.report.terminal_difference import render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replay.fields import Value

STEP = StepRef(
    "logs/outils.json", "12", "mem_edit", "une note", Place("logs/outils.json", "$.steps[11]", 120), Mode.ISOLATED
)


def shown(expected: Mapping[str, Value], actual: Mapping[str, Value], *, reveal: bool = False) -> str:
    found = compare(expected, actual)
    return render(STEP, found.differences, found.tolerated, reveal=reveal)


def view(recorded: str, candidate: str) -> list[str]:
    location = locate_text(recorded, candidate)
    assert location is not None
    return [
        f"{row.sign}{'' if row.number is None else row.number}|{row.text}"
        for row in rows(recorded, candidate, location)
    ]


def test_a_difference_in_a_text_is_told_in_full() -> None:
    assert shown({"result": "un\ncaf\u00e9\nfin"}, {"result": "un\ncafe\u0301\nfin"}) == (
        "step 12 mem_edit (isolated) — une note\n"
        "  at logs/outils.json:120 at $.steps[11]\n"
        "  result: differs (1 of 1)\n"
        "    at         line 2, column 4 (byte 6, rune 6, UTF-16 6)\n"
        "    recorded   U+00E9 LATIN SMALL LETTER E WITH ACUTE\n"
        "    candidate  U+0065 LATIN SMALL LETTER E\n"
        "    length     11 characters recorded, 12 given\n"
        "    cause      normal-form: composed on one side, decomposed on the other (NFC, NFD) (the whole difference)\n"
        "      1 │ un\n"
        "    - 2 │ caf\u00e9\n"
        "    + 2 │ cafe\u0301\n"
        "        │    ^\n"
        "      3 │ fin\n"
    )


def test_a_step_without_a_note_has_no_dash() -> None:
    step = StepRef("a", "1", "recall", "", Place("a", "", 1), Mode.CHAINED)
    assert render(step, ()) == "step 1 recall (chained)\n  at a:1\n"


def test_a_hostile_title_is_drawn_and_cut() -> None:
    step = StepRef("a", "1", "\x1b[31m", "n" * 1000, Place("\u202ea", "", 1), Mode.CHAINED)
    text = render(step, ())
    assert "␛[31m (chained) — " + "n" * 200 + "…[800 more]" in text
    assert "\u202e" not in text


def test_integers_say_by_how_much_they_are_off() -> None:
    text = shown({"n": 5}, {"n": 3_600_005})
    assert "recorded   5 (integer)\n    candidate  3600005 (integer)\n    off by     +3600000\n" in text
    assert "off by     -1\n" in shown({"n": 2}, {"n": 1})


def test_another_type_is_shown_with_both_types() -> None:
    text = shown({"n": 1}, {"n": True})
    assert "n: another type" in text
    assert "1 (integer)" in text
    assert "true (boolean)" in text
    assert "off by" not in text


def test_a_missing_file_is_shown_with_its_seal_and_first_lines() -> None:
    text = shown({"files": {"a.md": {"sealed": True, "content": b"x\ny\xff\n"}}}, {"files": {}}, reveal=True)
    assert "files['a.md']: recorded, missing from the candidate (1 of 1)\n    sealed, 5 bytes\n" in text
    assert "    - 1 │ x\n    - 2 │ y\\xff\n" in text


def test_an_extra_file_is_shown_as_the_candidates() -> None:
    text = shown({"files": {}}, {"files": {"a.md": {"sealed": False, "content": b"x"}}})
    assert "in the candidate, not recorded" in text
    assert "not sealed, 1 byte\n    + 1 │ x\n" in text


def test_a_seal_that_differs_is_named() -> None:
    page: dict[str, Value] = {"sealed": True, "content": b"x"}
    text = shown({"files": {"a": page}}, {"files": {"a": {**page, "sealed": False}}})
    assert "files['a'].sealed: differs" in text
    assert "recorded   true (boolean)" in text


def test_a_missing_result_is_shown_by_its_lines_and_any_other_value_in_one() -> None:
    assert "    - 1 │ a\n    - 2 │ b\n" in shown({"result": "a\nb"}, {})
    assert '    - {op: "+", text: "x"} (mapping)\n' in shown({"diff": ({"op": "+", "text": "x"},)}, {"diff": ()})
    assert "    + 7 (integer)\n" in render(STEP, [Difference("x", "extra", ABSENT, 7)])


def test_two_values_alike_are_shown_as_they_are() -> None:
    assert 'recorded   "a" (text)' in render(STEP, [Difference("x", "changed", "a", "a")])


def test_bytes_are_shown_by_their_characters() -> None:
    text = shown(
        {"files": {"a": {"sealed": False, "content": b"\xe9"}}}, {"files": {"a": {"sealed": False, "content": b"e"}}}
    )
    assert "recorded   byte 0xE9 (not UTF-8)" in text
    assert "- 1 │ \\xe9" in text


def points(*timestamps: int) -> Mapping[str, Value]:
    events: tuple[Value, ...] = tuple(
        {"id": f"id{n}", "ts": ts, "text": "x", "date_only": True} for n, ts in enumerate(timestamps)
    )
    return {"trackers": {"generale/poids": {"name": "Poids", "events": events}}}


def test_a_tracker_that_differs_twice_has_one_table() -> None:
    text = shown(points(1, 2, 3), points(1, 5, 6))
    assert text.count("points of trackers['generale/poids']\n") == 1
    assert text.count("    - id") == 2
    assert text.count("    + id") == 2


def test_a_tracker_without_points_has_no_table() -> None:
    empty: dict[str, Value] = {"name": "a", "events": ()}
    assert "points of" not in shown({"trackers": {"g/a": empty}}, {"trackers": {"g/a": {**empty, "name": "b"}}})


def test_only_the_first_five_differences_are_drawn_and_ten_more_named() -> None:
    expected: dict[str, Value] = {f"field{number:02}": number for number in range(20)}
    text = shown(expected, dict.fromkeys(expected, -1))
    assert text.count("another type") + text.count("differs") == 5
    named = ", ".join(f"field{number:02}" for number in range(5, 15))
    assert f"  … 15 more differences: {named}, …\n" in text
    few = shown({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}, dict.fromkeys("abcdef", 2))
    assert few.endswith("  … 1 more difference: f\n")


def test_a_tolerated_difference_is_named_with_what_it_hid() -> None:
    text = render(STEP, (), [Tolerated("tracker-order", "result", 34)])
    assert text.endswith("  tolerated: tracker-order in result, 34 characters\n")


def test_a_long_field_path_is_cut_in_its_middle() -> None:
    text = shown({"files": {"x" * 5000: b"a"}}, {"files": {"x" * 5000: b"b"}})
    (line,) = (line for line in text.splitlines() if line.startswith("  files['xx"))
    assert "…" in line
    assert len(line) < 300


def test_a_styler_gives_every_line_its_kind() -> None:
    found = compare({"result": "a\nb\nc"}, {"result": "a\nx\nc"})
    text = render(STEP, found.differences, styler=lambda kind, line: f"{kind}>{line}")
    assert [line.split(">")[0] for line in text.splitlines()] == [
        *("step", "place", "field", "fact", "removed", "added", "fact"),
        *("context", "removed", "added", "caret", "context"),
    ]


def test_lines_around_the_place_are_shown_with_their_numbers() -> None:
    assert view("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\nnew\n4\n5\n6\nchanged\n8") == [
        " 2|2",
        " 3|3",
        "+4|new",
        "^|^",
        " 4|4",
        " 5|5",
        " 6|6",
        "-7|7",
        "+8|changed",
        " 8|8",
    ]


def test_a_line_that_only_the_recording_has_carries_the_caret() -> None:
    assert view("a\nb\nc", "a\nc") == [" 1|a", "-2|b", "^|^", " 3|c"]


def test_a_line_that_one_side_has_once_more_is_shown_once_more_and_no_line_twice() -> None:
    assert view("a\nb", "a\nb\nb") == [" 1|a", "-2|b", "+2|b␤", "^| ^", "+3|b"]
    assert view("a\nb\nb", "a\nb") == [" 1|a", "-2|b␤", "-3|b", "+2|b", "^| ^"]
    assert view("a\r\nb", "a\na\r\nb") == ["-1|a␍␤", "+1|a␤", "^| ^", "+2|a", " 2|b"]
    assert view("a\nb\n", "a\nb\nb\n") == [" 1|a", " 2|b", "+3|b", "^|^"]


def test_line_ends_are_drawn_only_on_lines_that_differ_in_nothing_else() -> None:
    assert view("a\r\nb", "a\nb") == ["-1|a␍␤", "+1|a␤", "^| ^", " 2|b"]
    assert view("a\n", "a") == ["-1|a␤", "+1|a", "^| ^"]
    assert view("a\r\nb", "c\nb") == ["-1|a", "+1|c", "^|^", " 2|b"]
    assert view("a\n", "a\n\n") == [" 1|a", "+2|␤", "^|^"]


def test_the_caret_stands_under_the_place_in_wide_and_drawn_text() -> None:
    assert view("中\x1b\u200be", "中\x1b\u200bf")[-1] == "^|" + " " * 11 + "^"


def test_a_mark_at_the_place_stands_on_a_circle() -> None:
    assert view("e\u0301", "e\u0300") == ["-1|e◌\u0301", "+1|e◌\u0300", "^| ^"]


def test_spaces_at_the_end_of_a_line_are_drawn_on_both_sides_of_the_place() -> None:
    assert view("a   ", "a ") == ["-1|a···", "+1|a·", "^|  ^"]


def test_a_long_line_is_cut_around_the_place_and_says_how_much() -> None:
    removed, added, caret = view("x" * 500 + "a" + "y" * 500, "x" * 500 + "b" + "y" * 500)
    assert removed == "-1|[440 characters]…" + "x" * 60 + "a" + "y" * 89 + "…[411 characters]"
    assert added == "+1|[440 characters]…" + "x" * 60 + "b" + "y" * 89 + "…[411 characters]"
    assert caret == "^|" + " " * (len("[440 characters]…") + 60) + "^"


def test_many_lines_that_differ_are_cut_and_counted() -> None:
    recorded = "".join(f"a{number}\n" for number in range(100))
    found = view(recorded, recorded.replace("a", "b"))
    assert [line[0] for line in found] == [*"------", "…", "+", "^", *"+++++", "…", "…"]
    assert found[6] == "…|6 more such lines"
    assert found[-1] == "…|88 more line ends recorded, 88 more in the candidate"


def test_lines_alike_between_two_places_are_left_out_and_counted() -> None:
    lines = [f"{number}\n" for number in range(10)]
    other = [*lines]
    other[0], other[8] = "x\n", "y\n"
    assert view("".join(lines), "".join(other)) == [
        *("-1|0", "+1|x", "^|^", " 2|1", " 3|2", "…|3 lines alike", " 7|6", " 8|7", "-9|8", "+9|y", " 10|9"),
    ]


def test_lines_beyond_those_taken_up_are_not_said_to_be_missing() -> None:
    lines = [f"{number}\n" for number in range(40)]
    found = view("".join(lines), "".join(["new\n", *lines]))
    assert [line for line in found if line[0] in "+-"] == ["+1|new"]


def test_the_line_of_a_later_pair_is_cut_where_the_pair_parts() -> None:
    start = "s" * 300
    found = view(f"a\n{start}1\nz", f"b\n{start}2\nz")
    assert [line[-3:] for line in found if line.startswith(("-2", "+2"))] == ["ss1", "ss2"]


def test_a_text_of_one_side_is_shown_by_its_first_lines() -> None:
    assert one_sided("a\nb", "+") == [Row("+", 1, "a"), Row("+", 2, "b")]
    many = one_sided("x\n" * 30, "-")
    assert len(many) == 7
    assert many[-1] == Row("…", None, "24 more lines")


TEXTS = st.one_of(
    st.text(),
    st.binary(),
    st.text(st.sampled_from("a\n\r \x1b\u202e\u0301\u00e9\udcff"), max_size=60),
    st.builds(lambda one, count: one * count, st.text(min_size=1, max_size=3), st.integers(1, 4000)),
)
FIELDS: st.SearchStrategy[Any] = st.dictionaries(
    st.sampled_from(["result", "label", "diff", "files", "trackers"]),
    st.recursive(
        st.one_of(TEXTS, st.integers(), st.floats(), st.none()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=8).map(tuple),
            st.dictionaries(
                st.one_of(st.text(), st.sampled_from(["events", "content", "id", "ts"])), inner, max_size=8
            ),
        ),
        max_leaves=12,
    ),
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(FIELDS, FIELDS, st.text(), st.integers(0, 3000))
def test_any_step_is_rendered_within_its_budget_and_obeyed_by_nobody(
    expected: Any,  # noqa: ANN401 - any fields
    actual: Any,  # noqa: ANN401 - any fields
    note: str,
    budget: int,
) -> None:
    step = StepRef(note, note, note, note, Place(note, note, 1), Mode.ISOLATED)
    differences = compare(expected, actual).differences
    whole = render(step, differences)
    assert len(whole.encode()) <= 20_000
    small = render(step, differences, budget=budget)
    assert len(small.encode()) <= budget
    for line in whole.split("\n"):
        assert {unicodedata2.category(character) for character in line}.isdisjoint({"Cc", "Cf", "Cs", "Co", "Cn"})


def test_a_report_that_is_cut_off_says_how_many_lines_are_left() -> None:
    found = compare({"result": "a\nb\nc"}, {"result": "a\nx\nc"}).differences
    whole = render(STEP, found)
    size = len(whole.encode())
    assert render(STEP, found, budget=size) == whole
    cut = render(STEP, found, budget=size - 1)
    kept = len(cut.splitlines()) - 1
    assert cut.splitlines()[-1] == f"… cut off here: {len(whole.splitlines()) - kept} more lines"
    assert whole.startswith(cut[: cut.index("…", 60)])


MEGABYTES = 33_000_000


@pytest.mark.parametrize(
    "make",
    [
        lambda: ("a" * MEGABYTES, "b" * MEGABYTES),
        lambda: ("a" * MEGABYTES, "a" * (MEGABYTES // 2) + "b" + "a" * (MEGABYTES // 2)),
        lambda: ("une ligne\n" * 3_300_000, "UNE LIGNE\n" * 3_300_000),
        lambda: ("\n" * MEGABYTES, "x" + "\n" * (MEGABYTES - 1)),
        lambda: ("a\nb\n" * 8_000_000, "b\na\n" * 8_000_000),
        lambda: ("\x1b" * MEGABYTES, "\x1b" * (MEGABYTES - 1) + "\x9b"),
        lambda: ("z" * 200_000, "z" * 199_999 + "é"),
        lambda: ("", "a" * MEGABYTES),
    ],
    ids=["nothing alike", "one line", "all lines", "newlines", "repetitive", "escapes", "long line", "from nothing"],
)
def test_a_report_of_33_megabytes_is_small_and_made_in_a_second_or_two(make: Callable[[], tuple[str, str]]) -> None:
    difference = Difference("result", "changed", *make())
    before = time.perf_counter()
    text = render(STEP, [difference])
    assert time.perf_counter() - before < 10, "it takes less than half a second on an idle machine"
    assert len(text.encode()) <= 20_000
