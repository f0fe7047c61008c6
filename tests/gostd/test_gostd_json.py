from __future__ import annotations

import contextlib
import json as python_json
import threading
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vectors_reader import TARGETS, Entry, every_vector, tree

from parity.gostd import json, utf8
from parity.gostd._json_reader import JSONSyntaxError, Reader
from parity.gostd.target import GO_1_25, GO_1_27

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.version)

BEYOND_FLOAT64: Final = "json: cannot unmarshal number 1e400 into Go value of type float64"
SLOT: Final = {GO_1_25: None, GO_1_27: 0.0}


@every_vector("json_decode")
def test_a_document_reads_as_go_reads_it(target: GoTarget, entry: Entry) -> None:
    decoded = json.unmarshal(utf8.encode(entry["in"]), target)
    assert exact(decoded.value) == exact(tree(entry["out"] if "out" in entry else entry["left_in_value"]))
    if target == GO_1_25:
        assert decoded.error == entry.get("err")
    assert (decoded.error is None) == ("err" not in entry)


@every_target
@pytest.mark.parametrize(
    ("document", "args"),
    [
        # Answers of Go 1.25.5 and 1.27.3 for a map[string]any; SLOT is nil in the first, 0 in the second.
        (b'{"a":1e400,"a":1}', {"a": 1.0}),
        (b'{"a":1,"a":1e400}', {"a": SLOT}),
        (b'{"a":{"x":1},"a":1e400}', {"a": SLOT}),
        (b'{"a":[1,2,3],"a":[1e400]}', {"a": [SLOT]}),
        (b'{"a":[1,1e400,3],"b":{"c":1e400,"d":5},"e":"f"}', {"a": [1, SLOT, 3], "b": {"c": SLOT, "d": 5}, "e": "f"}),
        (b'{"a":{"x":1},"a":{"y":1e400}}', {"a": {"y": SLOT}}),
        (b'{"a":{"x":1},"a":{"y":2}}', {"a": {"y": 2}}),
        (b'{"a":{"x":1},"a":null}', {"a": None}),
        (b'{"limit":[{"a":1}],"limit":[{"b":1e400}]}', {"limit": [{"b": SLOT}]}),
        (b'{"limit":-1e999999999999999999999,"query":"x"}', {"limit": SLOT, "query": "x"}),
        (b'{"a":1e400} x', {}),
        (b'{"a":1e400', {}),
        (b"null", {}),
        (b"[1]", {}),
        (b'"x"', {}),
        (b"1e400", {}),
        (b"true", {}),
        (b"", {}),
        (b' {"a":1}\n', {"a": 1}),
        (b'\xef\xbb\xbf{"a":1}', {}),
        (b'{"\xff":1,"\\ud800":2}', {"\ufffd": 2}),
        (b'{"a":"\\ud800\xff\\udc00"}', {"a": "\ufffd\ufffd\ufffd"}),
    ],
)
def test_arguments_are_what_go_fills_a_map_with(target: GoTarget, document: bytes, args: dict[str, Any]) -> None:
    assert exact(json.unmarshal_args(document, target)) == exact(filled(args, target))


@every_target
def test_the_first_number_beyond_float64_is_the_error(target: GoTarget) -> None:
    assert json.unmarshal(b'{"a":1e400,"b":1e500,"c":-1e400}', target).error == BEYOND_FLOAT64


@every_target
@pytest.mark.parametrize("literal", [b"9" * 400, b"-" + b"9" * 5000, b"1" + b"0" * 309 + b".5e-0", b"1e+0000000400"])
def test_a_long_number_beyond_float64_is_one_too(target: GoTarget, literal: bytes) -> None:
    text = f"json: cannot unmarshal number {literal.decode()} into Go value of type float64"
    assert json.unmarshal(b"[" + literal + b"]", target) == ([SLOT[target]], text)


@every_target
@pytest.mark.parametrize(
    ("opening", "closing", "character"), [(b"[", b"]", "["), (b'{"a":', b"}", "{"), (b'[{"a":', b"}]", "[")]
)
def test_ten_thousand_containers_one_inside_the_other_are_the_most(
    target: GoTarget, opening: bytes, closing: bytes, character: str
) -> None:
    times = 10000 // (len(closing))
    deepest = opening * times + b"1" + closing * times
    value, error = json.unmarshal(deepest, target)
    assert (depth_of(value), error) == (10000, None)
    too_deep = opening * (times + 1) + b"1" + closing * (times + 1)
    assert json.unmarshal(too_deep, target) == (None, f"invalid character '{character}' exceeded max depth")
    assert json.unmarshal(opening * (times + 1), target).error == f"invalid character '{character}' exceeded max depth"


@every_target
def test_a_deep_document_needs_no_stack(target: GoTarget) -> None:
    # The closing brackets in the texts would hide the depth from a count that does not know texts.
    hidden = b'["]\\"]",' * 9999 + b"1" + b"]" * 9999
    found: list[int] = []
    previous = threading.stack_size(512 * 1024)  # Python 3.13 itself needs more than half of it to free such a list
    thread = threading.Thread(target=lambda: found.append(depth_of(json.unmarshal(hidden, target).value)))
    thread.start()
    threading.stack_size(previous)
    thread.join()
    assert found == [9999]


@every_target
@pytest.mark.parametrize(
    ("document", "value"),
    [
        (b"[" + b"[[[]]]," * 5000 + b"1]", [*[[[[]]]] * 5000, 1.0]),
        (b'["[[[\\\\",' + b'{"{\\"":"\\\\\\""},' * 5000 + b"1]", ["[[[\\", *[{'{"': '\\"'}] * 5000, 1.0]),
    ],
)
def test_a_wide_document_reads_as_a_narrow_one(target: GoTarget, document: bytes, value: object) -> None:
    assert json.unmarshal(document, target) == (value, None)
    assert json._is_shallow(document)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
tokens: Final = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b" ", b"\n", b"\f", b"\x00", b"\x1f", b"\x7f"),
    *(b'"a"', b'"\\ud83d\\ude00"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0041\\n\\/"', b'"\\u12', b'"\\x"'),
    *(b'"\xff"', b'"\xc3\xa9"', b'"\xed\xa0\x80"', b"\xa0", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"'"),
    *(b"1", b"-0", b"-", b"01", b"1.", b".5", b"1e5", b"1E-5", b"1e", b"1e+", b"1e400", b"-1e400", b"9" * 310),
    *(b"true", b"false", b"null", b"nul", b"t", b"NaN", b"Infinity", b"-Infinity", b"1_0", "١".encode()),
]
documents = (
    st.lists(st.sampled_from(tokens), max_size=9).map(b"".join)
    | st.binary(max_size=12)
    | st.builds(
        lambda value, ascii_only: python_json.dumps(value, ensure_ascii=ascii_only).encode(), json_values, st.booleans()
    )
)
damaged = st.builds(
    lambda document, at, token: document[: at % (len(document) + 1)] + token + document[at % (len(document) + 1) :],
    documents,
    st.integers(0, 1000),
    st.sampled_from(tokens),
)


@settings(deadline=None, max_examples=1000)
@given(documents | damaged, st.sampled_from(TARGETS))
@example(b"-0", GO_1_25)
@example(b"NaN", GO_1_25)
@example(b"1 2", GO_1_25)
def test_both_ways_of_reading_give_one_answer(document: bytes, target: GoTarget) -> None:
    quick = json.unmarshal(document, target)
    thorough = json._read_any(document, target)
    assert (exact(quick.value), quick.error) == (exact(thorough.value), thorough.error)


@settings(deadline=None)
@given(json_values, st.sampled_from(TARGETS))
def test_what_was_written_reads_back(value: object, target: GoTarget) -> None:
    written = json.marshal(value, target)
    again = json.unmarshal(written, target)
    assert again.error is None
    assert exact(again.value) == exact(python_json.loads(written, parse_int=float))


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"[", b"]", b'{"a":', b"}", b'"[\\\\"', b'"\\"]"', b",", b"1", b"\\"])).map(b"".join))
def test_a_document_called_shallow_never_leads_the_scanner_deep(document: bytes) -> None:
    nested = b"[" * 60 + document + b"]" * 60
    reader = CountingReader(nested, GO_1_25)
    with contextlib.suppress(JSONSyntaxError):
        reader.read()
    assert reader.deepest <= 64 or not json._is_shallow(nested)


def exact(value: object) -> str:
    """A decoded value as text: -0.0 is not 0.0, 1 is not 1.0, and the order of keys does not count."""
    if isinstance(value, dict):
        return str([f"{key!r}:{exact(one)}" for key, one in sorted(value.items())] or "{}")
    if isinstance(value, list):
        return f"[{','.join(map(exact, value))}]"
    return repr(value)


def filled(expected: Any, target: GoTarget) -> Any:  # noqa: ANN401 - a decoded value with SLOT in it
    """The value with the target's empty slots, and every int a float as in Go's ``any``."""
    if expected is SLOT:
        return SLOT[target]
    if isinstance(expected, dict):
        return {key: filled(one, target) for key, one in expected.items()}
    if isinstance(expected, list):
        return [filled(one, target) for one in expected]
    return float(expected) if isinstance(expected, int) else expected


def depth_of(value: object) -> int:
    """How many containers stand one inside the other along the last value of each."""
    depth = 0
    while isinstance(value, list | dict):
        depth += 1
        inner = list(value.values()) if isinstance(value, dict) else value
        value = inner[-1] if inner else None
    return depth


class CountingReader(Reader):
    """Our reader, which stops at the first syntax error as the scanner does, counting the open containers."""

    deepest = 0

    def _open(self, container: list[object] | dict[str, object], close: int) -> object:
        self.deepest = max(self.deepest, len(self._opened) + 1)
        return super()._open(container, close)
