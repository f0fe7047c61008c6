from __future__ import annotations

import json as python_json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_reader import TARGETS, Entry, every_vector, tree

from parity.gostd import json, utf8
from parity.gostd import target as go
from parity.gostd.target import GO_1_25, GO_1_27

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)

GO_1_21: Final = go.parse("1.21.13")

go_text = st.binary().map(utf8.text) | st.text(st.sampled_from('<>&"\\\b\f\n\0\x7f\u2028\u2029é\ufffd😀\udcff'))


def nested(depth: int) -> object:
    value: object = 1.0
    for _ in range(depth):
        value = [value]
    return value


@every_vector("json_encode")
def test_a_value_is_written_as_go_writes_it(target: GoTarget, entry: Entry) -> None:
    value = tree(entry["in"])
    if "err" in entry:
        with pytest.raises(json.UnsupportedValueError, match=f"^{re.escape(entry['err'])}$"):
            json.marshal(value, target)
        return
    assert json.marshal(value, target).decode() == entry["out"]
    bare = entry.get("no_html_escape_line", entry["out"] + "\n")
    assert json.marshal(value, target, escape_html=False).decode() + "\n" == bare


@pytest.mark.parametrize(("target", "replaced"), [(GO_1_25, r"\ufffd"), (GO_1_27, "\ufffd")])
def test_keys_are_sorted_by_the_bytes_they_had(target: GoTarget, replaced: str) -> None:
    # Answers of Go 1.25.5 and 1.27.3.
    keys = ["\udc80", "é", "\ufffd", "\udcff", "z", "\U00010000", "\uffff"]
    value = {key: number for number, key in enumerate(keys, start=1)}
    written = f'{{"z":5,"{replaced}":1,"é":2,"\ufffd":3,"\uffff":7,"\U00010000":6,"{replaced}":4}}'
    assert json.marshal(value, target).decode() == written


@every_target
def test_a_struct_keeps_the_order_of_its_fields(target: GoTarget) -> None:
    value = [json.Struct({"z<": "<", "a": {"c": 1, "b": json.Struct({})}, "m": None})]
    assert json.marshal(value, target) == rb'[{"z\u003c":"\u003c","a":{"b":{},"c":1},"m":null}]'


@every_target
def test_bad_bytes_side_by_side_that_are_utf8_together_are_read_together(target: GoTarget) -> None:
    # Answers of Go 1.25.5 and 1.27.3 for "\xe2\x80" + "\xa8" and "\xc3" + "\xa9".
    assert json.marshal("\udce2\udc80\udca8", target) == rb'"\u2028"'
    assert json.marshal("\udcc3\udca9", target).decode() == '"é"'


@pytest.mark.parametrize(
    ("target", "written"),
    [
        # Go 1.21.13 as go-semantics.md, 1 and 2.11, have it; 1.22 and later write two characters.
        (GO_1_21, rb'"\u0008\u000c\\b\\f\\\u0008\"\n\u0000\u003c"'),
        (go.parse("1.22.10"), rb'"\b\f\\b\\f\\\b\"\n\u0000\u003c"'),
        (GO_1_27, rb'"\b\f\\b\\f\\\b\"\n\u0000\u003c"'),
    ],
)
def test_backspace_and_form_feed_have_short_escapes_since_go_1_22(target: GoTarget, written: bytes) -> None:
    assert json.marshal('\b\f\\b\\f\\\b"\n\0<', target) == written


def test_any_depth_is_written_before_go_1_27() -> None:
    assert json.marshal(nested(20000), GO_1_25) == b"[" * 20000 + b"1" + b"]" * 20000


def test_ten_thousand_containers_are_the_most_that_go_1_27_writes() -> None:
    # Answers of Go 1.27.3.
    assert json.marshal(nested(10000), GO_1_27) == b"[" * 10000 + b"1" + b"]" * 10000
    with pytest.raises(json.UnsupportedValueError, match=r"^exceeded max depth$"):
        json.marshal(nested(10001), GO_1_27)


@every_target
@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": {"b": [float("-inf")]}}])
def test_the_first_float_that_json_cannot_hold_is_named(target: GoTarget, value: object) -> None:
    with pytest.raises(json.UnsupportedValueError, match=r"^json: unsupported value: (NaN|\+Inf|-Inf)$"):
        json.marshal(value, target)


@every_target
@pytest.mark.parametrize("value", [b"bytes", {1}, ["a", object], {"a": b"b"}, {1: "a"}])
def test_what_is_no_json_value_is_refused(target: GoTarget, value: object) -> None:
    with pytest.raises(TypeError):
        json.marshal(value, target)


@given(go_text, st.sampled_from([GO_1_21, *TARGETS]), st.booleans())
def test_a_text_reads_back_as_the_clean_text(text: str, target: GoTarget, escape_html: bool) -> None:  # noqa: FBT001 - generated
    written = json.marshal(text, target, escape_html=escape_html)
    assert python_json.loads(written) == utf8.decode(utf8.encode(text))
    assert json.unmarshal(written, target) == (utf8.decode(utf8.encode(text)), None)
    assert not any(mark in written.decode() for mark in ("\u2028", "\u2029", "<>&" if escape_html else "\u2028"))


@given(go_text)
def test_a_text_is_written_character_by_character_as_go_does(text: str) -> None:
    # The escapes of go-semantics.md, 2.11, one by one.
    escapes = {'"': r"\"", "\\": r"\\", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
    escapes |= {c: f"\\u{ord(c):04x}" for c in map(chr, (*range(32), *b"<>&", 0x2028, 0x2029)) if c not in escapes}
    clean: Any = utf8.text(utf8.encode(text))
    expected = "".join(r"\ufffd" if "\udc80" <= c <= "\udcff" else escapes.get(c, c) for c in clean)
    assert json.marshal(text, GO_1_25).decode() == f'"{expected}"'
