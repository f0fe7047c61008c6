"""Values come out as they were written: integers exact, text as Go's decoder reads it, args byte for byte."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
from vectors_reader import Entry, every_vector, tree

from parity.gostd import utf8
from parity.stores.state import Settings, State
from replay.journal import Journal, JournalError, loads
from replay.journal.limits import Limits
from replay.journal.model import Expected

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget

DEK = "00112233445566778899aabbccddeeff0f1e2d3c4b5a69788796a5b4c3d2e1f0"


def recall(args: bytes, rest: bytes = b'"result": ""') -> Journal:
    blocks = b'{"kind": "recall", "blocks": [], "steps": [{"tool": "recall", "args": '
    return loads(blocks + args + b" , " + rest + b"}]}", "a.json")


def memory(members: str = "", step: str = "") -> Journal:
    text = f'{{"kind": "memory"{members}, "steps": [{{"tool": "mem_read", "result": ""{step}}}]}}'
    return loads(text.encode(), "a.json")


def block(seq: str, created: str = "0") -> Journal:
    one = f'{{"id": "r{seq}", "seq": {seq}, "label": "", "role": "tool", "content": "", "created": {created}}}'
    return loads(f'{{"blocks": [{one}], "steps": [{{"tool": "recall", "result": ""}}]}}'.encode(), "a.json")


@pytest.mark.parametrize("seq", [0, 1, 2**53 + 1, 2**63, 2**64 - 1])
def test_a_seq_is_an_exact_unsigned_integer(seq: int) -> None:
    assert block(str(seq)).blocks[0].seq == seq


@pytest.mark.parametrize("created", [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1])
def test_created_is_an_exact_integer(created: int) -> None:
    assert block("1", str(created)).blocks[0].created == created


def test_a_ts_is_an_exact_integer() -> None:
    events = '[{"id": "a", "ts": 9007199254740993, "text": ""}, {"id": "b", "ts": -9223372036854775808, "text": "é"}]'
    trackers = (
        memory(step=f', "trackers": {{"generale/x": {{"name": "X", "events": {events}}}}}').steps[0].expected.trackers
    )
    assert trackers is not None
    assert [event.ts for event in trackers["generale/x"].events] == [2**53 + 1, -(2**63)]


def test_blocks_are_held_in_the_order_of_their_seq() -> None:
    of = '{{"id": "r{0}", "seq": {0}, "label": "", "content": ""}}'
    blocks = ", ".join(of.format(seq) for seq in (3, 18446744073709551615, 1))
    journal = loads(f'{{"blocks": [{blocks}], "steps": [{{"tool": "recall", "result": ""}}]}}'.encode(), "a.json")
    assert [one.seq for one in journal.blocks] == [1, 3, 2**64 - 1]


# What Go's decoder makes of it (go-semantics.md, 2.10), or refuses to read at all.
TRAPS = [
    b'{"id": "r1", "id": "r2"}',
    b'{"id": "\\ud83d", "\\ud800": 1, "\\ud801": 2}',
    b'{"limit": 1e400}',
    b'{"limit": -0, "x": 1e-400, "y": ' + b"7" * 5000 + b"}",
    b'{"id": "\xff\xe2\x82", "\xed\xa0\x80": 1}',
    b"null",
    b'"r1"',
    b"[1, 2]",
    b"{  }",
    b'{\n\t"id" :\r\n 1 }',
    b"[" * 100_000 + b"]" * 100_000,
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    b'{"a": [' * 3_000 + b"{}" + b", 1]}" * 3_000,
]


@pytest.mark.parametrize("args", TRAPS, ids=range(len(TRAPS)))
def test_args_are_kept_byte_for_byte(args: bytes) -> None:
    assert recall(args).steps[0].raw_args == args


def test_absent_args_are_an_empty_object() -> None:
    assert memory().steps[0].raw_args == b"{}"


def is_a_string(entry: Entry) -> bool:
    """Whether a vector is one string in UTF-8."""
    return entry.get("in", "").startswith('"') and entry["valid"] and utf8.valid(utf8.encode(entry["in"]))


@every_vector("json_decode", is_a_string)
@pytest.mark.parametrize("beside", ["", "é", "\\u00e9"])
def test_text_is_read_as_go_reads_it(target: GoTarget, entry: Entry, beside: str) -> None:
    del target
    written = entry["in"]
    text = tree(entry["out"])
    diff = f'"diff": [{{"op": "+", "text": {written}}}]'
    [read] = memory(step=f', "note": "{beside}", "label": {written}, "files": {{"a": {written}}}, {diff}').steps
    assert (read.expected.label, read.note) == (text, "é" if beside else "")
    assert read.expected.files == {"a": text.encode()}
    assert [line.text for line in read.expected.diff or ()] == [text]


def test_a_key_is_read_as_go_reads_it() -> None:
    [step] = memory(step=', "files": {"\\ud800": "1", "\\u00e9\\ud83d\\ude00": "2", "é": "3"}').steps
    assert step.expected.files == {"\ufffd": b"1", "é\U0001f600": b"2", "é": b"3"}


def test_two_keys_that_go_reads_as_one_are_one_key_twice() -> None:
    with pytest.raises(JournalError) as caught:
        memory(step=', "files": {"\\ud800": "1", "\\ud801": "2"}')
    assert caught.value.kind == "duplicate-key"


@pytest.mark.parametrize("content", [b"", b"a\r\n", b"\xff\xfe", bytes(range(256)), "é\n".encode()])
def test_a_files_content_in_base64_is_its_bytes(content: bytes) -> None:
    written = base64.b64encode(content).decode()
    assert memory(step=f', "files": {{"a": {{"base64": "{written}"}}}}').steps[0].expected.files == {"a": content}


@pytest.mark.parametrize(
    "written", ["QQ", "QQ=", "QQ==\n", "QQ= =", "Q_-Q", "=", "QQ==QQ==", "QR==", "é", "QUJD=", "Q"]
)
def test_base64_is_strict(written: str) -> None:
    with pytest.raises(JournalError) as caught:
        memory(step=f', "files": {{"a": {{"base64": {json.dumps(written)}}}}}')
    assert caught.value.kind == "base64"


def test_what_stands_as_before_is_the_very_same() -> None:
    files = '"files": {"a": "x", "b": {"base64": "/w=="}, "c": "x"}'
    trackers = '"trackers": {"g/t": {"name": "T", "events": [{"id": "1", "ts": 1, "text": "t"}]}, "g/u": {"name": "U"}}'
    less = '"files": {"a": "x", "b": {"base64":"/w=="}}'
    more = trackers.replace('"t"}', '"t"}, {"id": "2", "ts": 2, "text": "t"}')
    step = '{{"tool": "tracker", "result": "", {}, {}}}'
    steps = ", ".join(step.format(*state) for state in [(files, trackers), (files, trackers), (less, more)])
    one, two, three = (step.expected for step in loads(f'{{"steps": [{steps}]}}'.encode(), "a.json").steps)
    assert one.files is two.files
    assert one.trackers is two.trackers
    assert one.files is not None
    assert three.files is not None
    assert one.files["a"] is one.files["c"] is three.files["a"]
    assert one.files["b"] is three.files["b"]
    assert one.trackers is not None
    assert three.trackers is not None
    assert one.trackers["g/u"] is three.trackers["g/u"]
    assert one.trackers["g/t"].events[0] is three.trackers["g/t"].events[0]


def test_a_state_cannot_be_changed() -> None:
    [step] = memory(step=', "files": {"a": "x"}').steps
    assert step.expected.files is not None
    with pytest.raises(TypeError):
        step.expected.files["a"] = b""  # type: ignore[index]


def test_the_defaults_are_those_of_the_contract() -> None:
    journal = memory()
    assert (journal.zone, journal.about, journal.source) == ("UTC", "", "recorded")
    assert journal.settings == Settings("generale", "Générale", {}, None, locked=False)
    assert journal.initial == State({}, {})
    assert (journal.target.version, journal.target.goarch, journal.target.unicode) == ("go1.25.5", "amd64", "15.0.0")
    assert journal.steps[0].expected == Expected(result="", diff=())
    assert journal.steps[0].note == ""


def test_no_diff_is_an_empty_one_and_what_else_a_recall_journal_does_not_say_is_not_compared() -> None:
    assert recall(b"{}").steps[0].expected == Expected(result="", diff=())


def test_beside_a_panic_no_diff_is_none_that_is_compared() -> None:
    heads = ('"kind": "memory", "steps": [{"tool": "mem_read"', '"blocks": [], "steps": [{"tool": "recall"')
    for head in heads:
        absent = loads(f'{{{head}, "panic": "boom"}}]}}'.encode(), "a.json").steps[0]
        assert absent.expected == Expected(panic="boom")
        present = loads(f'{{{head}, "panic": "boom", "diff": []}}]}}'.encode(), "a.json").steps[0]
        assert present.expected == Expected(panic="boom", diff=())


def test_null_is_an_absent_value_or_an_empty_list_or_map() -> None:
    top = ', "about": null, "go": null, "dek": null, "config": null, "project": null, "clock": null, "locked": null'
    step = ', "now": null, "note": null, "label": null, "panic": null, "diff": null, "files": null, "trackers": null'
    journal = memory(f'{top}, "source": null, "initial": null', step)
    assert journal.steps[0].expected == Expected(result="", diff=(), files={}, trackers={})
    assert (journal.settings, journal.initial) == (memory().settings, State())
    assert memory(', "initial": {"files": null, "trackers": null}').initial == State({}, {})
    [step_of_null] = memory(step=', "trackers": {"g/x": {"name": "X", "events": null}}').steps
    assert step_of_null.expected.trackers is not None
    assert step_of_null.expected.trackers["g/x"].events == ()


def test_what_go_writes_for_none_is_none() -> None:
    journal = memory(', "dek": "", "clock": {"tz": ""}, "go": {}', ', "panic": "", "now": ""')
    assert journal.settings is not None
    assert (journal.settings.dek, journal.zone) == (None, "UTC")
    assert (journal.steps[0].expected.panic, journal.steps[0].clock_from) == (None, "carried")


def test_a_panic_stands_instead_of_a_result_or_beside_one() -> None:
    text = '{"steps": [{"tool": "mem_search", "panic": "p"}, {"tool": "mem_search", "panic": "p", "result": "r"}]}'
    journal = loads(text.encode(), "a.json")
    assert [(step.expected.result, step.expected.panic) for step in journal.steps] == [(None, "p"), ("r", "p")]


def test_the_header_of_a_memory_journal() -> None:
    journal = memory(
        f', "format": "loki-parity-journal/1", "about": "é", "source": "model", "dek": "{DEK.upper()}", '
        '"locked": true, '
        '"config": {"MEM_ENCRYPTED": "oui"}, "clock": {"tz": "America/New_York"}, '
        '"go": {"version": "go1.27.3", "unicode": "17.0.0", "goarch": "amd64"}'
    )
    assert (journal.about, journal.source, journal.zone) == ("é", "model", "America/New_York")
    assert journal.settings == Settings(
        "generale", "Générale", {"MEM_ENCRYPTED": "oui"}, bytes.fromhex(DEK), locked=True
    )
    assert (journal.target.version, journal.target.unicode) == ("go1.27.3", "17.0.0")


@pytest.mark.parametrize("version", ["go1.21", "1.24.11", "go1.26.6", "go1.27"])
def test_every_go_that_is_offered_can_be_named(version: str) -> None:
    assert memory(f', "go": {{"version": "{version}"}}').target.version.endswith(version)


def test_the_bound_of_depth_is_an_argument() -> None:
    step = '{"op": "append", "message": {"a": [1]}}'
    after = '{"messages": [], "extra": [], "active": false, "budget": 0, "kept_tokens": 0}'
    case = '{"keep_turn_images": "", "thread": "", "conversation": "", "vision": true, "steps": '
    text = f'{{"cases": [{case}[{{"step": {step}, "after": {after}}}]}}]}}'.encode()
    assert loads(text, "a.json", limits=Limits(depth=3)).cases
    with pytest.raises(JournalError) as caught:
        loads(text, "a.json", limits=Limits(depth=2))
    assert (caught.value.kind, caught.value.expected) == ("too-deep", "at most 2 levels")


def test_args_have_a_bound_of_their_own() -> None:
    data = b'{"blocks": [], "steps": [{"tool": "recall", "result": "", "args":\n' + b"[" * 1_000_001
    with pytest.raises(JournalError) as caught:
        loads(data, "a.json")
    error = caught.value
    assert (error.kind, error.place.line, error.place.column) == ("too-deep", 2, 1_000_001)
    assert (error.found, error.expected) == ("level 1000001", "at most 1000000 levels")
