"""Both readers of JSON accept what Go accepts, and agree on every tree, end and defect."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_reader import Entry, every_vector

from parity.gostd import utf8
from replay.journal import lexis, octets, walk
from replay.journal.defects import Defect, Kind
from replay.journal.limits import DEFAULT
from replay.journal.scan import Scanner

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget
    from replay.journal.walk import Tree


def scanner(data: bytes) -> Scanner:
    return Scanner(octets.seen(data), "a.json", DEFAULT)


def whole(data: bytes) -> bytes:
    """A value as written, nothing after it."""
    reading = scanner(data)
    raw = reading.raw()
    reading.end()
    return raw


# The vectors that repeat a text, instead of writing it out, are about Go's bound of 10,000 levels.
@every_vector("json_decode", lambda entry: "in" in entry)
@pytest.mark.parametrize("recursion_limit", [1_000, 1_000_000])
def test_a_value_is_accepted_where_go_accepts_it(
    target: GoTarget, entry: Entry, recursion_limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    del target
    monkeypatch.setattr(sys, "getrecursionlimit", lambda: recursion_limit)
    data = utf8.encode(entry["in"])
    if entry["valid"]:
        assert whole(data) == data.strip(b" \t\n\r")
    else:
        with pytest.raises(Defect):
            whole(data)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """JSON as text: spread out or not, with escapes or not, some of it broken."""
    value = draw(JSON)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    data = text.encode("utf-8", "surrogatepass")
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        data = (
            data[:at]
            + draw(st.sampled_from([b"", b"\\", b'"', b"\xff", b"\0", b"}", b",", b"1", b"\\ud800"]))
            + data[at:]
        )
    if draw(st.booleans()):
        data = data[: draw(st.integers(0, len(data)))]
    return data


def by_walk(data: bytes) -> tuple[Tree, int] | None:
    try:
        return walk.read(octets.seen(data), 0, 1000)
    except Defect:
        return None


@settings(max_examples=500, deadline=None)
@given(written())
def test_our_own_reader_and_the_one_of_json_read_the_same(data: bytes) -> None:
    own = by_walk(data)
    reading = scanner(b" " + data)
    reading.at = 1
    try:
        tree: Tree = reading.leaf(lambda tree: tree)
        end = reading.at - 1
    except Defect:
        assert own is None
    else:
        assert own is None or own == (tree, end)
        # A key that stands twice is for the shapes to see where the value was read by json's scanner.
        assert own is not None or b'"' in data


@settings(max_examples=300, deadline=None)
@given(written())
def test_the_end_of_a_value_does_not_depend_on_who_reads_it(data: bytes) -> None:
    try:
        end = walk.end_of(octets.seen(data), 0, 1000)
    except Defect:
        with pytest.raises(Defect):
            scanner(data).raw()
    else:
        assert scanner(data).raw() == data[:end].lstrip(b" \t\n\r")


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_every_part_of_a_value_can_be_found(value: Any) -> None:  # noqa: ANN401 - a JSON value
    text = json.dumps(value, indent=1)

    def parts(value: Any, path: list[str | int]) -> None:  # noqa: ANN401 - a JSON value
        at = walk.find(octets.seen(text.encode()), 0, path, key=False)
        found, _ = json.JSONDecoder().raw_decode(text, at)
        assert found == value
        if isinstance(value, dict):
            for key, one in value.items():
                at = walk.find(octets.seen(text.encode()), 0, [*path, key], key=True)
                assert json.JSONDecoder().raw_decode(text, at)[0] == key
                parts(one, [*path, key])
        elif isinstance(value, list):
            for index, one in enumerate(value):
                parts(one, [*path, index])

    parts(value, [])


@pytest.mark.parametrize(
    "data", [b'"\\u00e9\\ud83d\\ude00"', b'"\\ud800\\u0041\\udc00"', '"é\\u00e9"'.encode(), b'"\\\\u00e9"']
)
def test_a_string_is_its_octets_whichever_way_it_is_written(data: bytes) -> None:
    expected = json.loads(data).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    tree: Tree = scanner(data).leaf(lambda tree: tree)
    assert isinstance(tree, str)
    assert octets.text(tree).replace("\ufffd", "") == expected.replace("\ufffd", "")


def test_where_the_recursion_limit_was_raised_the_stack_is_not_used() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000_000)
    try:
        data = b"[" * 100_000 + b"]" * 100_000
        assert whole(data) == data
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    "text", ['"a\x00', '"\\', '"\\u', '"\\u1', '"\\u12', '"\\u123', "-", "1.", "1e", "1e+", "t", "nul"]
)
def test_an_unfinished_scalar_is_cut_off(text: str) -> None:
    with pytest.raises(Defect) as caught:
        lexis.scalar_end(text, 0)
    assert caught.value.kind is (Kind.NOT_JSON if "\0" in text else Kind.CUT_OFF)
