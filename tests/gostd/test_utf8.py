from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_reader import Entry, every_vector

from parity.gostd import utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parity.gostd.target import GoTarget

# RFC 3629, section 4: the well-formed sequences, each byte by its lowest and highest value.
TAIL: Final = (0x80, 0xBF)
WELL_FORMED: Final = (
    ((0x00, 0x7F),),
    ((0xC2, 0xDF), TAIL),
    ((0xE0, 0xE0), (0xA0, 0xBF), TAIL),
    ((0xE1, 0xEC), TAIL, TAIL),
    ((0xED, 0xED), (0x80, 0x9F), TAIL),
    ((0xEE, 0xEF), TAIL, TAIL),
    ((0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL),
    ((0xF1, 0xF3), TAIL, TAIL, TAIL),
    ((0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL),
)

# Every byte that opens or closes a row of the table, and its neighbours: between two of them no byte behaves otherwise.
EDGES: Final = sorted(
    {byte + by for row in WELL_FORMED for ends in row for byte in ends for by in (-1, 0, 1)} - {-1, 256}
)


def sequences(raw: bytes) -> Iterator[bytes]:
    """The bytes cut into runes as Go's ``range`` does: a well-formed sequence, or else a single byte."""
    at = 0
    while at < len(raw):
        length = next((len(row) for row in WELL_FORMED if _fits(raw[at:], row)), 1)
        yield raw[at : at + length]
        at += length


def _fits(raw: bytes, row: tuple[tuple[int, int], ...]) -> bool:
    return len(raw) >= len(row) and all(low <= byte <= high for byte, (low, high) in zip(raw, row, strict=False))


def _well_formed(sequence: bytes) -> bool:
    return any(len(sequence) == len(row) and _fits(sequence, row) for row in WELL_FORMED)


def _agrees(raw: bytes) -> None:
    cut = list(sequences(raw))
    decoded = utf8.decode(raw)
    assert len(decoded) == len(cut)
    for character, sequence in zip(decoded, cut, strict=True):
        assert character.encode() == (sequence if _well_formed(sequence) else "\ufffd".encode())
    assert utf8.valid(raw) == all(map(_well_formed, cut))
    assert utf8.encode(utf8.text(raw)) == raw
    assert utf8.clean(utf8.text(raw)) == decoded


@every_vector("byte_cut")
def test_a_cut_inside_a_rune_decodes_to_one_replacement_for_each_byte_left_over(target: GoTarget, entry: Entry) -> None:
    del target  # no Go decodes otherwise
    cut = utf8.encode(entry["in"])[: entry["n"]]

    assert cut == utf8.encode(entry["bytes"])
    assert utf8.decode(cut) == entry["range_string"]
    assert utf8.valid(cut) == entry["bytes_valid"]


@pytest.mark.parametrize(
    ("raw", "runes"),
    [
        (b"\xe2\x82", 2),
        (b"\xf0\x9f\x98", 3),
        (b"\xed\xa0\x80", 3),
        (b"\xed\xa0\xbd\xed\xb8\x80", 6),
        (b"\xc0\x80", 2),
        (b"\xf5\x80\x80\x80", 4),
    ],
)
def test_each_bad_byte_is_one_replacement(raw: bytes, runes: int) -> None:
    assert utf8.decode(raw) == "\ufffd" * runes


def test_a_replacement_character_in_the_bytes_is_itself() -> None:
    assert utf8.decode("a\ufffdb".encode()) == "a\ufffdb"
    assert utf8.valid("\ufffd".encode())


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_every_short_sequence_of_edge_bytes_decodes_as_the_standard_cuts_it(length: int) -> None:
    for combination in product(EDGES, repeat=length):
        _agrees(bytes(combination))


@given(st.lists(st.one_of(st.sampled_from(EDGES), st.integers(0, 255))).map(bytes))
@settings(deadline=None, max_examples=500)
def test_any_bytes_decode_as_the_standard_cuts_them(raw: bytes) -> None:
    _agrees(raw)


@given(st.text(st.characters(exclude_categories=["Cs"])))
@settings(deadline=None)
def test_clean_text_is_itself_in_every_form(text: str) -> None:
    assert utf8.decode(utf8.encode(text)) == utf8.text(utf8.encode(text)) == utf8.clean(text) == text


@every_vector("sort")
def test_names_sort_by_their_bytes(target: GoTarget, entry: Entry) -> None:
    del target  # no Go sorts stably otherwise
    names: list[str] = entry["in"]
    positions = range(len(names))

    assert sorted(positions, key=lambda at: utf8.encode(names[at])) == entry["stable"]
    assert sorted(positions, key=lambda at: utf8.encode(names[at]), reverse=True) == entry["stable_desc"]


def test_a_surrogate_that_stands_for_no_byte_has_no_bytes() -> None:
    with pytest.raises(UnicodeEncodeError):
        utf8.encode("\ud800")
