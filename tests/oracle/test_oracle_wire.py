"""Values on the way to the oracle and back."""

from __future__ import annotations

import pytest

from replay.oracle import wire


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("", ""),
        ("abc", "abc"),
        ("é\u2028", "é\u2028"),
        (b"abc", "abc"),
        ("é".encode(), "é"),
        (b"\xff", {"b64": "/w=="}),
        ("a\udcff", {"b64": "Yf8="}),
    ],
)
def test_bytes_that_are_not_utf_8_go_in_base64(given: str | bytes, sent: object) -> None:
    assert wire.text(given) == sent


@pytest.mark.parametrize(
    ("said", "read"), [("", b""), ("é", "é".encode()), ({"b64": "/w=="}, b"\xff"), ("\ud800", b"\xed\xa0\x80")]
)
def test_what_comes_back_is_bytes(said: object, read: bytes) -> None:
    assert wire.read(said) == read


@pytest.mark.parametrize("said", [None, 7, [], {}, {"b64": 7}, {"b64": "§"}, {"b64": "A"}, {"base64": "/w=="}])
def test_what_is_no_text_is_refused(said: object) -> None:
    with pytest.raises(wire.NoTextError):
        wire.read(said)


def test_a_journals_file_has_another_key() -> None:
    assert wire.read({"base64": "/w=="}, "base64") == b"\xff"


@pytest.mark.parametrize(
    ("nanoseconds", "moment"),
    [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_792_143_000_000_007_123, "2026-10-16T09:30:00.000007123Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (-62_167_219_200_000_000_000, "0000-01-01T00:00:00.000000000Z"),
        (253_402_300_799_999_999_999, "9999-12-31T23:59:59.999999999Z"),
    ],
)
def test_a_moment_is_written_to_the_nanosecond(nanoseconds: int, moment: str) -> None:
    assert wire.moment(nanoseconds) == moment
