"""Any bytes are a journal or a JournalError, and nothing else."""

from __future__ import annotations

import json
import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st

from replay.journal import JournalError, loads

RECALL = (
    b'{"blocks": [{"id": "r1", "seq": 1, "label": "\\ud800", "content": "\xc3\xa9"}], "steps": [{"tool": "recall", '
    b'"args": {"id": "\xff", "id": [1e400, {"\\ud83d": null}]}, "result": "\xe2\x80\x94"}]}'
)
MEMORY = (
    b'{"kind": "memory", "go": {"version": "go1.27.3"}, "dek": "", "clock": {"tz": "Europe/Paris"}, "locked": false, '
    b'"initial": {"files": {"a.md": "\xc3\xa9", "b": {"base64": "/w=="}}}, "steps": [{"tool": "tracker", "result": "", '
    b'"now": "2026-10-16T09:30:00Z", "diff": [{"op": "+", "text": "\\u00e9"}], "trackers": {"g/x": {"name": "X", '
    b'"events": [{"id": "1", "ts": 1, "text": "", "date_only": true}]}}, "files": {}}]}'
)
KEEPIMG = (
    b'{"cases": [{"keep_turn_images": "on", "thread": "main", "conversation": "c", "vision": true, "messages": [], '
    b'"steps": [{"step": {"op": "append", "message": {"a": [1.5, {"b": "\xc3\xa9"}]}}, "after": {"messages": [], '
    b'"extra": [], "active": false, "budget": 1, "kept_tokens": 0}}]}]}'
)
SEEDS = [RECALL, MEMORY, KEEPIMG]
PIECES = [
    b"",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b",",
    b":",
    b"\0",
    b"\n",
    b"\xff",
    b"\xc3",
    b"1",
    b"-",
    b"null",
    b"true",
]
PIECES += [
    b'""',
    b"{}",
    b"[]",
    b'"\\ud800"',
    b"1e999",
    b"9" * 5000,
    b"[" * 300,
    b'"a":',
    b"\xe2\x80\xae",
    b"NaN",
    b"// ",
]


def refusal(data: bytes) -> JournalError | None:
    try:
        journal = loads(data, "a.json")
    except JournalError as error:
        return error
    assert journal.steps or journal.cases
    return None


def load_or_refuse(data: bytes) -> None:
    error = refusal(data)
    if error is not None:
        text = str(error)
        assert text.startswith("a.json:")
        assert len(text) < 2000
        assert not set(text) & {"\x1b", "\n", "\u202e"}
        assert text.encode()
        assert 1 <= error.place.line <= data.count(b"\n") + 1


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200))
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"steps":[' * 100_000)
@example(b'{"steps": [{"args": ' + b"[" * 100_000)
def test_any_bytes(data: bytes) -> None:
    load_or_refuse(data)


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_in_a_value(data: bytes) -> None:
    load_or_refuse(b'{"kind": "recall", "about": "' + data + b'", "blocks": []}')


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A journal with a few pieces put in, taken out, or exchanged."""
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        end = draw(st.sampled_from([at, at + 1, at + 2, at + 10]))
        data = data[:at] + draw(st.sampled_from(PIECES) | st.binary(max_size=3)) + data[end:]
    return data


@settings(max_examples=500, deadline=None)
@given(damaged())
def test_any_damage(data: bytes) -> None:
    load_or_refuse(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "ts", "x", ""]), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def misshapen(draw: st.DrawFn) -> bytes:
    """A journal of which one value is another."""
    journal = json.loads(draw(st.sampled_from(SEEDS)).decode("utf-8", "replace"))
    inside = journal
    while True:
        key = draw(st.sampled_from(sorted(inside) if isinstance(inside, dict) else range(len(inside))))
        deeper = inside[key]
        if not isinstance(deeper, (dict, list)) or not deeper or draw(st.booleans()):
            break
        inside = deeper
    inside[key] = draw(VALUES)
    return json.dumps(journal, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


@settings(max_examples=500, deadline=None)
@given(misshapen())
def test_any_shape(data: bytes) -> None:
    load_or_refuse(data)


def test_what_is_read_does_not_depend_on_how_deep_the_caller_stands() -> None:
    data = b'{"cases": [{"messages": [' + b"[" * 90 + b"]" * 90

    def sink(levels: int) -> str:
        if levels:
            return sink(levels - 1)
        return str(refusal(data))

    assert sink(0) == sink(sys.getrecursionlimit() // 2)
