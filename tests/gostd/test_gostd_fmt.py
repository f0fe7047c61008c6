from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from vectors_reader import Entry, every_vector, float_of, tree

from parity.gostd import fmt, json, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

NIL_OF_A_TYPE: Final[dict[str, object]] = {
    "[]interface {}": [],
    "[]string": [],
    "map[string]interface {}": {},
}
"""Go's nil slices and maps, which decoded JSON never holds: the port has an empty one in their place."""


def value_of(entry: Entry) -> Any:  # noqa: ANN401 - whatever was printed
    if entry["in"] is None and "go_type" in entry:
        return NIL_OF_A_TYPE[entry["go_type"]]
    if entry.get("go_type") == "map[string]interface {}" and entry["out"] == "map[m:map[] n:[]]":
        return {"m": {}, "n": []}
    return tree(entry["in"])


@every_vector("fmt_v")
def test_a_value_prints_as_go_prints_it(target: GoTarget, entry: Entry) -> None:
    assert fmt.v(value_of(entry)) == entry["out"]
    if "json" in entry:
        assert fmt.v(json.unmarshal(utf8.encode(entry["json"]), target).value) == entry["out"]


@every_vector("fmt_0f")
def test_a_float_is_rounded_to_a_whole_number_as_go_rounds_it(target: GoTarget, entry: Entry) -> None:
    assert target.goarch == "amd64"
    assert fmt.percent_0f(float_of(entry["in"])) == entry["out"]


def test_keys_sort_by_their_bytes_where_some_are_not_utf8() -> None:
    # Go 1.25.5 and 1.27.3; by code point U+DC80, which stands for the byte, would come after U+0800.
    assert fmt.v({"\u0800": 1, "\udc80": 2, "z": 3}) == "map[z:3 \udc80:2 \u0800:1]"


def test_a_value_of_any_depth_prints() -> None:
    value: object = 1.0
    for _ in range(10000):
        value = [value]
    assert fmt.v(value) == "[" * 10000 + "1" + "]" * 10000


@pytest.mark.parametrize("value", [b"bytes", {1}, ["a", object], {"a": b"b"}, {1: "a"}])
def test_a_value_that_decoded_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        fmt.v(value)
