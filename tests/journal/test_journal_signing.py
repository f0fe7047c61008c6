"""A signed journal: its hash chain holds, or the first place that breaks it is named. The chain is worked out here."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import pytest

from replay.journal import JournalError, loads
from replay.journal.model import LooseField, Signature

STEPS: Final = [
    '{"tool":"recall","args":{"id":"r1","id":"\\ud800"},"result":"é \\" {} x"}',
    '{"tool":"recall","args":{"n":1e400},"result":"b"}',
    '{"tool":"recall_search","args":{},"result":"c"}',
    '{"tool":"recall","args":{},"result":"d"}',
]
HEAD: Final = {"kind": '"recall"', "about": '"a b"', "blocks": "[]"}
OWN: Final = {"go": {"version": "go1.25.5", "commit": "0a1b"}, "recorder": "loki-parity 9", "count": 4}


def chain(head: dict[str, str], steps: list[str], own: dict[str, Any]) -> list[str]:
    """The hashes, as replay/journal/signing.py says in its first lines: nothing here has white space between tokens."""
    text = "loki-parity-journal/1 signed\n" + json.dumps(own)
    text += "".join(f"\n{json.dumps(key)}:{value}" for key, value in head.items())
    link = hashlib.sha256(text.encode()).digest()
    hashes = [link.hex()]
    for step in steps:
        link = hashlib.sha256(link + step.encode()).digest()
        hashes.append(link.hex())
    return hashes


def file(head: dict[str, str], steps: list[str], signed: dict[str, Any]) -> bytes:
    lines = [f"{json.dumps(key)}: {value}" for key, value in head.items()]
    lines.insert(1, f'"signed": {json.dumps(signed)}')
    return ("{" + ",\n ".join(lines) + ',\n "steps": [\n' + ",\n".join(steps) + "]}").encode()


def signature(head: dict[str, str] = HEAD, steps: list[str] = STEPS, own: dict[str, Any] = OWN) -> dict[str, Any]:
    hashes = chain(head, steps, own)
    return {**own, "head": hashes[0], "steps": hashes[1:]}


def refused(data: bytes) -> JournalError:
    with pytest.raises(JournalError) as caught:
        loads(data, "a.json")
    return caught.value


def test_a_chain_that_holds_is_what_the_journal_says_of_its_recording() -> None:
    journal = loads(file(HEAD, STEPS, signature()), "a.json")
    hashes = chain(HEAD, STEPS, OWN)
    assert journal.signed == Signature("go1.25.5", "0a1b", "loki-parity 9", 4, hashes[0], tuple(hashes[1:]))
    assert (journal.redacted, journal.unstable) == ((), ())


def test_a_journal_without_a_chain_is_a_journal() -> None:
    assert loads(b'{"kind":"recall","blocks":[],"steps":[%b]}' % STEPS[0].encode(), "a.json").signed is None


def test_white_space_between_tokens_does_not_count() -> None:
    loose = [step.replace(":", " :\n\t").replace(",", ", ") for step in STEPS]
    assert loads(file({**HEAD, "blocks": "[ \r\n]"}, loose, signature()), "a.json").signed is not None


def test_white_space_inside_a_text_counts() -> None:
    changed = [STEPS[0].replace("é ", "é  "), *STEPS[1:]]
    assert refused(file(HEAD, changed, signature())).place.path == "steps[0]"


@pytest.mark.parametrize("at", range(4))
def test_a_changed_step_is_named(at: int) -> None:
    for old, new in (('"result":"', '"result":"x'), ('"args":{', '"args":{"x":0,'), ("recall", "recall_search")):
        changed = [*STEPS]
        changed[at] = changed[at].replace(old, new, 1).replace(",}", "}").replace("recall_search_search", "recall")
        assert changed[at] != STEPS[at]
        error = refused(file(HEAD, changed, signature()))
        assert (error.kind, error.place.path, error.place.line) == ("broken-chain", f"steps[{at}]", 6 + at)
        assert error.found == f"a step {at + 1} that was changed, moved, added or taken away after it was signed"
        assert error.expected == f"the one that was signed as step {at + 1}"


@pytest.mark.parametrize("at", range(3))
def test_a_removed_an_added_and_a_swapped_step_are_named_where_the_chain_breaks(at: int) -> None:
    swapped = [*STEPS[:at], STEPS[at + 1], STEPS[at], *STEPS[at + 2 :]]
    for changed in (STEPS[:at] + STEPS[at + 1 :], [*STEPS[:at], STEPS[3], *STEPS[at:]], swapped):
        assert refused(file(HEAD, changed, signature())).place.path == f"steps[{at}]"


def test_a_missing_end_and_a_step_too_many_at_the_end_are_named() -> None:
    error = refused(file(HEAD, STEPS[:3], signature()))
    assert (error.place.path, error.found, error.expected) == (
        "steps[2]",
        "the end after step 3",
        "a step 4, which was signed",
    )
    error = refused(file(HEAD, [*STEPS, STEPS[0]], signature()))
    assert (error.place.path, error.place.line) == ("steps[4]", 10)
    assert (error.found, error.expected) == ("a step 5, which was not signed", "the end after step 4")


def test_a_step_taken_away_with_its_hash_breaks_the_head() -> None:
    cut = signature()
    cut |= {"count": 3, "steps": cut["steps"][:3]}
    error = refused(file(HEAD, STEPS[:3], cut))
    assert (error.kind, error.place.path, error.place.line) == ("broken-chain", "signed", 2)
    assert error.found == "a head that was changed after it was signed"


def test_a_hash_taken_away_alone_is_named() -> None:
    cut = signature()
    cut["steps"].pop()
    error = refused(file(HEAD, STEPS, cut))
    assert (error.place.path, error.found, error.expected) == (
        "signed.steps",
        "hashes up to step 3",
        "one for each up to step 4",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"head": {**HEAD, "about": '"a c"'}},
        {"head": {**HEAD, "blocks": '[{"id":"r1","seq":1,"label":"","content":""}]'}},
        {"head": {**HEAD, "go": '{"version":"go1.27.3"}'}},
        {"head": {"kind": '"recall"', "blocks": "[]"}},
        {"head": {"kind": '"recall"', "blocks": "[]", "about": '"a b"'}},
        {"own": {**OWN, "recorder": "loki-parity 8"}},
        {"own": {**OWN, "go": {"version": "go1.25.5", "commit": "0a1c"}}},
        {"own": {**OWN, "go": {"version": "go1.25.4", "commit": "0a1b"}}},
    ],
)
def test_a_changed_head_is_named(change: dict[str, Any]) -> None:
    signed = {**signature(), **change.get("own", {})}
    error = refused(file(change.get("head", HEAD), STEPS, signed))
    assert (error.kind, error.place.path) == ("broken-chain", "signed")


def test_a_scenario_is_read_whatever_was_signed_and_without_what_was_recorded() -> None:
    inputs = ['{"tool":"recall","args":{}}', STEPS[0].replace("é", "x")]
    head = {**HEAD, "go": '{"version":"go0.1"}', "unstable": '[{"step":1,"field":"result"}]'}
    journal = loads(file(head, inputs, signature()), "a.json", inputs_only=True)
    assert [step.raw_args for step in journal.steps] == [b"{}", b'{"id":"r1","id":"\\ud800"}']
    assert (journal.signed, journal.unstable) == (None, ())
    with pytest.raises(JournalError, match='without "result" and without "panic"'):
        loads(file(HEAD, inputs, signature()), "a.json")


LISTED: Final = {
    **HEAD,
    "redacted": """[{"step":1,"field":"files['a']","rule":"key","times":2,"characters":9}]""",
    "unstable": '[{"step":2,"field":"result"},{"step":2,"field":"trackers[\'x\']"}]',
}


def test_a_signed_head_may_list_fields_that_are_not_compared_whole() -> None:
    journal = loads(file(LISTED, STEPS, signature(LISTED)), "a.json")
    assert journal.redacted == (LooseField(1, "files['a']", "key", 2, 9),)
    assert journal.unstable == (LooseField(2, "result"), LooseField(2, "trackers['x']"))


@pytest.mark.parametrize("name", ["redacted", "unstable"])
def test_no_other_head_may(name: str) -> None:
    data = b'{"kind":"recall","blocks":[],"%b":%b,"steps":[%b]}' % (
        name.encode(),
        LISTED[name].encode(),
        STEPS[0].encode(),
    )
    error = refused(data)
    assert (error.kind, error.place.path, error.found) == ("not-signed", name, "fields that are not to be compared")
    assert error.expected == 'it only where "signed" holds it: a recorder wrote both'


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("signed", '{"recorder":"x"}', "signed"),
        ("signed", json.dumps({**OWN, "head": "x", "steps": []}), "signed.head"),
        ("signed", json.dumps({**OWN, "head": "0" * 64, "steps": ["0" * 63]}), "signed.steps[0]"),
        ("signed", json.dumps({**OWN, "count": 0, "head": "0" * 64, "steps": []}), "signed.count"),
        ("signed", json.dumps({**OWN, "sum": 0}), "signed.sum"),
        ("signed", "[]", "signed"),
        ("unstable", '[{"step":0,"field":"result"}]', "unstable[0].step"),
        ("unstable", '[{"step":1,"field":"requests"}]', "unstable[0].field"),
        ("unstable", '[{"step":1,"field":"files"}]', "unstable[0].field"),
        ("redacted", '[{"step":1,"field":"result","rule":"a","times":0,"characters":1}]', "redacted[0].times"),
        ("redacted", '[{"step":1,"field":"result"}]', "redacted[0]"),
    ],
)
def test_a_head_that_does_not_say_it_as_it_must_is_refused_with_the_place(name: str, value: str, path: str) -> None:
    data = b'{"kind":"recall","blocks":[],"%b":%b,"steps":[%b]}' % (name.encode(), value.encode(), STEPS[0].encode())
    assert refused(data).place.path == path


def test_kept_images_are_not_signed() -> None:
    data = b'{"kind":"keepimg","signed":null,"cases":[]}'
    assert (refused(data).kind, refused(data).place.path) == ("misplaced-key", "signed")
