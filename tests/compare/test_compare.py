"""Exact comparison: what is the same, what is not, and that one planted change is found at that very place."""

from __future__ import annotations

import copy
import struct
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import ABSENT, Difference, align, compare, same, shape
from replay.compare.compare import Comparison

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.fields import Value

CALM = settings(derandomize=True, deadline=None, max_examples=200)


def fields(comparison: Comparison) -> list[tuple[str, str]]:
    return [(one.field, one.kind) for one in comparison.differences]


def nan(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8),
)
TREES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(tuple), st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@CALM
@given(st.dictionaries(st.text(max_size=4), TREES, max_size=4))
def test_a_value_is_the_same_as_its_copy(tree: dict[str, Any]) -> None:
    assert compare(tree, copy.deepcopy(tree)) == Comparison()


@CALM
@given(TREES, TREES)
def test_two_values_that_are_not_the_same_always_differ_somewhere(one: Any, other: Any) -> None:  # noqa: ANN401 - any value
    assert bool(compare({"x": one}, {"x": other}).differences) == (not same(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        ("1", 1),
        (None, False),
        (None, ""),
        (b"a", "a"),
        ((), {}),
        ((1,), (1.0,)),
        ({"a": 1}, {"a": True}),
    ],
)
def test_another_type_is_a_difference_even_where_python_calls_the_two_equal(one: Value, other: Value) -> None:
    (found,) = compare({"x": one}, {"x": other}).differences
    assert found.kind == "type"
    assert not same(one, other)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (0.0, -0.0, False),
        (nan(0x7FF8000000000001), nan(0x7FF8000000000001), True),
        (nan(0x7FF8000000000001), nan(0x7FF8000000000000), False),
        (0.1 + 0.2, 0.3, False),
        (float("inf"), float("inf"), True),
    ],
)
def test_floats_are_compared_by_their_bits(one: float, other: float, alike: bool) -> None:  # noqa: FBT001 - a table
    assert (not compare({"x": one}, {"x": other}).differences) is alike
    assert same(one, other) is alike


@pytest.mark.parametrize(
    ("one", "other"), [("a", "a "), ("a\n", "a"), ("\u00e9", "e\u0301"), ("a\r\n", "a\n"), ("", " "), ("b a", "a b")]
)
def test_nothing_is_stripped_sorted_or_normalised(one: str, other: str) -> None:
    assert fields(compare({"result": one}, {"result": other})) == [("result", "changed")]


def test_a_recorded_field_that_the_candidate_lacks_is_missing() -> None:
    (found,) = compare({"result": "a"}, {}).differences
    assert (found.field, found.kind, found.expected, found.actual) == ("result", "missing", "a", ABSENT)


def test_a_recorded_null_that_the_candidate_lacks_is_missing() -> None:
    assert fields(compare({"x": None}, {})) == [("x", "missing")]


def test_a_field_that_was_not_recorded_is_not_compared() -> None:
    assert not compare({"result": "a"}, {"result": "a", "label": "b"}).differences


def test_a_file_that_was_not_recorded_is_extra() -> None:
    (found,) = compare({"files": {}}, {"files": {"b.md": {"sealed": False, "content": b""}}}).differences
    assert (found.field, found.kind, found.expected) == ("files['b.md']", "extra", ABSENT)


def test_extra_entries_come_after_the_recorded_ones_in_the_order_of_their_names() -> None:
    expected = {"files": {"m": b"1", "a": b"1"}}
    actual = {"files": {"z": b"1", "b": b"1", "a": b"2", "m": b"2"}}
    assert [one.field for one in compare(expected, actual).differences] == [
        "files['m']",
        "files['a']",
        "files['b']",
        "files['z']",
    ]


def test_mappings_are_the_same_whatever_their_order_and_class() -> None:
    one: Value = {"a": 1, "b": (1, 2)}
    other: Value = MappingProxyType({"b": (1, 2), "a": 1})
    assert not compare({"x": one}, {"x": other}).differences
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), [({"a": 1}, {"b": 1}), ((1,), (1, 2)), ("a", "b")])
def test_same_sees_other_keys_other_lengths_and_other_leaves(one: Value, other: Value) -> None:
    assert not same(one, other)


def test_a_value_of_no_known_type_is_an_error_of_the_harness() -> None:
    strange: Any = {1, 2}
    with pytest.raises(TypeError, match="set is no type of a compared value"):
        shape(strange)


def event(number: int, **changed: Value) -> Mapping[str, Value]:
    return {"id": str(number), "ts": number * 1000, "text": "78 kg", "date_only": False, **changed}


def tracker(*events: Value) -> Mapping[str, Value]:
    return {"trackers": {"generale/poids": {"name": "Poids", "events": events}}}


def test_one_point_lost_in_the_middle_is_one_difference() -> None:
    events = [event(number) for number in range(9)]
    found = compare(tracker(*events), tracker(*events[:4], *events[5:]))
    assert fields(found) == [("trackers['generale/poids'].events[4]", "missing")]


def test_one_point_too_many_in_the_middle_is_one_difference() -> None:
    events = [event(number) for number in range(9)]
    found = compare(tracker(*events), tracker(*events[:4], event(99), *events[4:]))
    assert fields(found) == [("trackers['generale/poids'].events[4]", "extra")]


def test_points_are_paired_by_their_ids_when_all_of_them_changed() -> None:
    expected = [event(number) for number in range(4)]
    actual = [event(number, ts=1) for number in (0, 2, 3)]
    place = "trackers['generale/poids'].events"
    assert fields(compare(tracker(*expected), tracker(*actual))) == [
        (f"{place}[0].ts", "changed"),
        (f"{place}[1]", "missing"),
        (f"{place}[2].ts", "changed"),
        (f"{place}[3].ts", "changed"),
    ]


def test_two_points_that_changed_places_are_one_missing_and_one_extra() -> None:
    found = compare(tracker(event(1), event(2)), tracker(event(2), event(1)))
    assert sorted(one.kind for one in found.differences) == ["extra", "missing"]


def test_the_sign_of_a_diff_line_is_found_in_its_field() -> None:
    lines = ({"op": "+", "text": "a"}, {"op": "+", "text": "b"})
    found = compare({"diff": lines}, {"diff": ({"op": "-", "text": "a"}, lines[1])})
    assert fields(found) == [("diff[0].op", "changed")]


def test_a_diff_line_too_few_at_the_end_is_missing_there() -> None:
    lines = ({"op": "+", "text": "a"}, {"op": "+", "text": "b"})
    assert fields(compare({"diff": lines}, {"diff": lines[:1]})) == [("diff[1]", "missing")]


def test_a_difference_carries_the_tracker_or_file_it_lies_in() -> None:
    (found,) = compare(tracker(event(1)), tracker(event(1, ts=7))).differences
    assert found.path == ("trackers", "generale/poids", "events", 0, "ts")
    assert found.subject is not None
    assert found.subject.path == ("trackers", "generale/poids")
    assert found.subject.expected == {"name": "Poids", "events": (event(1),)}
    assert found.subject.actual == {"name": "Poids", "events": (event(1, ts=7),)}


def test_the_subject_of_any_other_difference_is_the_whole_field() -> None:
    (found,) = compare({"diff": ("a", "b")}, {"diff": ("a", "c")}).differences
    assert found.subject is not None
    assert (found.subject.path, found.subject.expected) == (("diff",), ("a", "b"))


def test_differences_in_one_file_share_their_subject() -> None:
    page: Value = {"sealed": True, "content": b"1"}
    changed: Value = {"sealed": False, "content": b"2"}
    one, other, gone = compare({"files": {"a": page, "b": page}}, {"files": {"a": changed}}).differences
    assert one.subject is other.subject
    assert gone.subject is not None
    assert gone.subject.actual is ABSENT


def planted(tree: Any, choose: Any) -> tuple[Any, tuple[str | int, ...]]:  # noqa: ANN401 - any value
    """A copy of the tree with one leaf changed, and the path of that leaf."""
    if isinstance(tree, tuple) and tree:
        at = choose(len(tree))
        changed, path = planted(tree[at], choose)
        return (*tree[:at], changed, *tree[at + 1 :]), (at, *path)
    if isinstance(tree, dict) and tree:
        name = sorted(tree)[choose(len(tree))]
        changed, path = planted(tree[name], choose)
        return {**tree, name: changed}, (name, *path)
    return (tree + "x" if isinstance(tree, str) else "planted"), ()


@CALM
@given(TREES, st.data())
def test_one_planted_change_is_found_at_that_very_place(tree: Any, data: Any) -> None:  # noqa: ANN401 - any value
    changed, path = planted(tree, lambda count: data.draw(st.integers(0, count - 1)))
    (found,) = compare({"x": tree}, {"x": changed}).differences
    assert found.path == ("x", *path)


@CALM
@given(st.lists(st.sampled_from("abc"), max_size=12), st.data())
def test_one_element_taken_out_of_a_list_is_one_difference(elements: list[str], data: Any) -> None:  # noqa: ANN401 - data
    elements.insert(data.draw(st.integers(0, len(elements))), "planted")
    at = elements.index("planted")
    (found,) = compare({"x": tuple(elements)}, {"x": (*elements[:at], *elements[at + 1 :])}).differences
    assert (found.path, found.kind) == (("x", at), "missing")


def nested(depth: int, leaf: Value) -> Value:
    for _ in range(depth):
        leaf = (leaf,)
    return leaf


def test_values_nested_deeper_than_python_can_recurse_are_compared() -> None:
    assert not compare({"x": nested(10_000, 1)}, {"x": nested(10_000, 1)}).differences
    (found,) = compare({"x": nested(10_000, 1)}, {"x": nested(10_000, 2)}).differences
    assert found.kind == "changed"
    assert len(found.path) == 64


def test_a_difference_at_the_deepest_named_place_is_found_there() -> None:
    (found,) = compare({"x": nested(63, 1)}, {"x": nested(63, 2)}).differences
    assert (found.expected, found.actual, len(found.path)) == (1, 2, 64)


def test_equal_values_deeper_than_the_deepest_named_place_are_equal() -> None:
    def mapping(leaf: Value) -> Value:
        for _ in range(100):
            leaf = {"a": leaf}
        return leaf

    assert not compare({"x": mapping(1)}, {"x": mapping(1)}).differences
    (found,) = compare({"x": mapping(1)}, {"x": mapping(True)}).differences  # noqa: FBT003 - the value that is compared
    assert len(found.path) == 64


def test_a_folder_of_identical_files_costs_next_to_nothing() -> None:
    files: dict[str, Value] = {f"{n}.md": {"sealed": False, "content": b"x" * 10_000} for n in range(200)}
    expected: Mapping[str, Value] = {"result": "a" * 300, "files": files}
    actual: Mapping[str, Value] = {"result": "".join(["a"] * 300), "files": dict(files)}
    before = time.perf_counter()
    for _ in range(1000):
        assert not compare(expected, actual).differences
    assert time.perf_counter() - before < 2, "a thousand steps of 200 files take about 15 ms"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (("a", "a", "b") * 20_000, ("a", "b", "b") * 20_000),
        (("a",) * 20_000 + ("b",) * 20_000, ("b",) * 20_000 + ("a",) * 20_000),
        (
            tuple(f"u{n}" if n % 200 == 0 else "a" for n in range(60_000)),
            tuple(f"w{n}" if n % 200 == 0 else "a" for n in range(60_000)),
        ),
        (tuple(map(str, range(5000))), tuple(map(str, range(5000, 0, -1)))),
        (("a",) * 5000, ("b",) * 4999),
    ],
    ids=["repetitive", "moved", "long-runs", "reversed", "all-different"],
)
def test_long_lists_that_differ_throughout_are_paired_with_bounded_effort(
    expected: tuple[str, ...], actual: tuple[str, ...]
) -> None:
    before = time.perf_counter()
    assert compare({"x": expected}, {"x": actual}).differences
    assert time.perf_counter() - before < 5, "it takes about a tenth of a second"


def test_a_search_that_takes_too_long_is_given_up_for_places(monkeypatch: pytest.MonkeyPatch) -> None:
    expected: tuple[Value, ...] = ("x", *"abcdefgh", "y")
    actual: tuple[Value, ...] = (*"abcdefgh", "z", "w")
    assert len(compare({"x": expected}, {"x": actual}).differences) == 3
    monkeypatch.setattr(align, "_EFFORT", 4)
    assert [one.path[1] for one in compare({"x": expected}, {"x": actual}).differences] == list(range(10))


def test_a_difference_made_by_name_alone_is_a_value_like_any_other() -> None:
    assert Difference("result", "extra", ABSENT, "a") == Difference("result", "extra", ABSENT, "a")
