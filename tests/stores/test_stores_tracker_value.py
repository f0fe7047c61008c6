"""Trackers as stored; the JSON beside each was written by real Go from the struct of the contract."""

from __future__ import annotations

import pytest

from parity.stores import tracker_value
from parity.tools.interface import Tracker, TrackerEvent

PAIRS = [
    (Tracker("Poids"), b'{"name":"Poids","events":[]}'),
    (
        Tracker("Poids", (TrackerEvent("7", 1767312000000, "78,2 kg", date_only=True), TrackerEvent("8", -1, ""))),
        (
            b'{"name":"Poids","events":[{"id":"7","ts":1767312000000,"text":"78,2 kg","date_only":true},'
            b'{"id":"8","ts":-1,"text":""}]}'
        ),
    ),
    (
        Tracker('é"\\\n<&>\u2028\x01', (TrackerEvent("", 2**63 - 1, "\x08\x0c\x7f🔒"), TrackerEvent("", -(2**63), ""))),
        '{"name":"é\\"\\\\\\n\\u003c\\u0026\\u003e\\u2028\\u0001","events":[{"id":"","ts":9223372036854775807,'
        '"text":"\\b\\f\x7f🔒"},{"id":"","ts":-9223372036854775808,"text":""}]}'.encode(),
    ),
]


@pytest.mark.parametrize(("tracker", "value"), PAIRS)
def test_a_tracker_is_stored_as_go_writes_it(tracker: Tracker, value: bytes) -> None:
    assert tracker_value.encode(tracker) == value


@pytest.mark.parametrize(("tracker", "value"), PAIRS)
def test_reading_is_the_inverse_of_writing_with_ts_exact(tracker: Tracker, value: bytes) -> None:
    assert tracker_value.decode(value) == tracker


@pytest.mark.parametrize("value", [b"{}", b'{"name":null,"events":null}', b' {"name":"","events":[],"more":1} '])
def test_a_field_that_is_absent_or_null_is_empty(value: bytes) -> None:
    assert tracker_value.decode(value) == Tracker("")


def test_the_fields_of_an_event_may_be_absent_or_null_too() -> None:
    value = b'{"events":[{},{"id":null,"ts":null,"text":null,"date_only":null},{"date_only":false}]}'
    assert tracker_value.decode(value) == Tracker("", (TrackerEvent("", 0, ""),) * 3)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"name":1}',
        b'{"events":{}}',
        b'{"events":[null]}',
        b'{"events":[[]]}',
        b'{"events":[{"ts":1.0}]}',
        b'{"events":[{"ts":true}]}',
        b'{"events":[{"ts":9223372036854775808}]}',
        b'{"events":[{"ts":-9223372036854775809}]}',
        b'{"events":[{"ts":' + b"9" * 5000 + b"}]}",
        b'{"events":[{"id":7}]}',
        b'{"events":[{"date_only":1}]}',
        b'{"name":"\xff"}',
        b'{"name":"\\ud800"}',
        b"[" * 100_000,
    ],
)
def test_any_other_value_is_damaged(value: bytes) -> None:
    assert tracker_value.decode(value) is None
