"""Values in one line."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.compare import ABSENT
from replay.report.value_text import brief, cut, typed

if TYPE_CHECKING:
    from replay.fields import Value

NAN = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null (null)"),
        (True, "true (boolean)"),
        (False, "false (boolean)"),
        (1, "1 (integer)"),
        (1 << 512, "an integer of 513 bits (integer)"),
        (1.0, "1.0 (bits 3ff0000000000000) (number)"),
        (-0.0, "-0.0 (bits 8000000000000000) (number)"),
        (NAN, "nan (bits 7ff8000000000001) (number)"),
        ("a\n", '"a␤" (text)'),
        (b"\xff", '"\\xff" (bytes)'),
        ((1, "a"), '[1, "a"] (list)'),
        ((), "[] (list)"),
        ({"b": 1, "a": None}, "{a: null, b: 1} (mapping)"),
        (tuple(range(9)), "[0, 1, 2, 3, 4, 5, and 3 more] (list)"),
        (((((1, 2),),),), "[[[2 items]]] (list)"),
        ({"a": {"b": {"c": {"d": 1}}}}, "{a: {b: {c: 1 item}}} (mapping)"),
        (ABSENT, "nothing"),
    ],
)
def test_a_value_is_shown_with_its_type(value: Value, text: str) -> None:
    assert typed(value) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a" * 5, "aaaaa"), ("a" * 6, "aaaaa…[1 more]"), ("aaaa  ", "aaaa …[1 more]"), ("aaaa ", "aaaa·")],
)
def test_a_long_text_is_cut_and_says_how_much_follows(text: str, shown: str) -> None:
    assert cut(text, 5) == shown


def nested(depth: int) -> Value:
    value: Value = 1
    for _ in range(depth):
        value = (value,)
    return value


def test_a_value_nested_ten_thousand_deep_is_one_short_line() -> None:
    assert brief(nested(10_000)) == "[[[1 item]]]"


TREES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
    lambda inner: st.one_of(st.lists(inner).map(tuple), st.dictionaries(st.text(), inner)),
)


@settings(derandomize=True, deadline=None)
@given(TREES)
def test_any_value_is_one_line(value: Any) -> None:  # noqa: ANN401 - any value
    assert len(brief(value).splitlines()) <= 1
