"""Server-sent events: what a stream's bytes come to, wherever they are cut (facade.md, The turn)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parity.facade.sse import Event, EventReader, EventTooLargeError

LINE_ENDS = [b"\n", b"\r\n", b"\r"]

MIXED = (
    b"\xef\xbb\xbf: a comment\r\n"
    b"data: one\r\r"
    b'event: delta\ndata:{"a":1}\ndata\ndata:  two spaces\nid: 7\nretry: 10\nother: x\n\n'
    b"event: alone\n\n"
    b":\r\n\r\n"
    b"data: \xe2\x82\xac \xf0\x9f\x91\x8d\r\n\r\n"
    b"data: a\r\ndata: b\r\n\r\n"
    b"data: not ended\n"
)
EVENTS = [
    Event(b"one"),
    Event(b'{"a":1}\n\n two spaces', b"delta"),
    Event("€ 👍".encode()),
    Event(b"a\nb"),
]


def read(*pieces: bytes, limit: int = 1 << 20) -> list[Event]:
    reader = EventReader(limit)
    return [event for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_a_line_ends_in_lf_cr_or_both(line_end: bytes) -> None:
    assert read(line_end.join([b"data: a", b"data: b", b"", b"data: c", b"", b""])) == [Event(b"a\nb"), Event(b"c")]


def test_one_space_after_the_colon_may_be_missing_and_a_second_one_is_data() -> None:
    assert read(b"data:a\n\ndata: a\n\ndata:  a\n\n") == [Event(b"a"), Event(b"a"), Event(b" a")]


def test_a_colon_in_the_value_is_data() -> None:
    assert read(b"data: a: b\n\n") == [Event(b"a: b")]


def test_a_field_without_a_colon_has_an_empty_value() -> None:
    assert read(b"data\n\n") == [Event(b"")]
    assert read(b"data\ndata\n\n") == [Event(b"\n")]


def test_an_event_without_data_is_none_and_its_name_is_forgotten() -> None:
    assert read(b"event: a\n\ndata: b\n\n") == [Event(b"b")]


def test_the_last_name_counts_for_one_event_only() -> None:
    assert read(b"event: a\nevent: b\ndata: c\n\ndata: d\n\n") == [Event(b"c", b"b"), Event(b"d")]


def test_comments_identities_delays_and_unknown_fields_mean_nothing() -> None:
    assert read(b": x\n:\nid: 1\nretry: 9\nDATA: no\n data: no\nx\ndata: yes\n\n") == [Event(b"yes")]


def test_a_byte_order_mark_is_passed_over_at_the_start_and_nowhere_else() -> None:
    assert read(b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n") == [Event(b"a")]
    assert read(b"\xef", b"\xbb", b"\xbfdata: a\n\n") == [Event(b"a")]


def test_what_no_blank_line_ends_is_no_event() -> None:
    assert read(b"data: a\n\ndata: b\n") == [Event(b"a")]
    assert read(b"data: a\n\ndata: b") == [Event(b"a")]


def test_bytes_that_are_not_utf_8_stay_as_they_are() -> None:
    assert read(b"data: \xff\xe2\x82\n\n") == [Event(b"\xff\xe2\x82")]


def test_other_characters_that_split_lines_elsewhere_end_no_line_here() -> None:
    assert read("data: a\v\f\x1c\x85\u2028b\0\n\n".encode()) == [Event("a\v\f\x1c\x85\u2028b\0".encode())]


def test_a_stream_gives_the_same_events_cut_at_every_single_place() -> None:
    assert read(MIXED) == EVENTS
    for place in range(len(MIXED) + 1):
        assert read(MIXED[:place], b"", MIXED[place:]) == EVENTS


def test_a_stream_gives_the_same_events_byte_by_byte() -> None:
    assert read(*(MIXED[place : place + 1] for place in range(len(MIXED)))) == EVENTS


@given(
    st.lists(st.sampled_from([b"data: a", b"data:", b"event: e", b":c", b"\n", b"\r", b"\r\n", b"\xe2\x82\xac"])),
    st.data(),
)
def test_no_cut_changes_what_any_stream_comes_to(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    ends = [*places, len(stream)]
    pieces = [stream[start:end] for start, end in zip([0, *places], ends, strict=True)]
    assert read(*pieces) == read(stream)


@pytest.mark.parametrize("stream", [b"data: 789\n\n", b"data: 7", b"data: 12345678", b"data: 1\ndata: 2\n"])
def test_an_event_larger_than_the_limit_is_refused(stream: bytes) -> None:
    assert read(b"data: 78\n\n", limit=8) == [Event(b"78")]
    with pytest.raises(EventTooLargeError):
        read(*(stream[place : place + 1] for place in range(len(stream))), b"data: 789", limit=8)


def test_the_limit_is_one_event_not_the_whole_stream_and_comments_are_free() -> None:
    assert read(b"data: 1\n\n" * 1000 + b": keep\n" * 1000 + b"data: 2\n\n", limit=8) == [Event(b"1")] * 1000 + [
        Event(b"2")
    ]


def test_a_long_line_byte_by_byte_takes_time_in_proportion() -> None:
    reader = EventReader()
    for _ in range(1 << 18):
        assert list(reader.feed(b"x")) == []
    assert list(reader.feed(b"\n\n")) == []
