from __future__ import annotations

import base64 as python_base64
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_reader import Entry, every_vector

from parity.gostd import base64, utf8

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget


def answer(text: str | bytes, *, strict: bool) -> dict[str, Any]:
    """What the vectors hold of one decoding: the bytes, those before an error too, and its text."""
    try:
        return {"out": base64.decode_std(text, strict=strict)}
    except base64.CorruptInputError as error:
        return {"out": error.decoded, "err": str(error)}


def expected(recorded: Entry) -> dict[str, Any]:
    return {**recorded, "out": utf8.encode(recorded["out"])}


@every_vector("base64")
def test_a_text_decodes_as_go_decodes_it(target: GoTarget, entry: Entry) -> None:
    assert target.goarch == "amd64"
    assert answer(entry["in"], strict=False) == expected(entry["std"])
    assert answer(utf8.encode(entry["in"]), strict=True) == expected(entry["std_strict"])


@given(st.binary())
def test_what_was_encoded_decodes_to_itself(data: bytes) -> None:
    text = base64.encode_std(data)
    assert text == python_base64.b64encode(data).decode()
    assert base64.decode_std(text, strict=True) == data


@given(st.binary(), st.lists(st.tuples(st.integers(0), st.sampled_from("\r\n"))))
def test_newlines_count_for_nothing_wherever_they_stand(data: bytes, newlines: list[tuple[int, str]]) -> None:
    text = base64.encode_std(data)
    for place, newline in newlines:
        at = place % (len(text) + 1)
        text = text[:at] + newline + text[at:]
    assert base64.decode_std(text, strict=True) == data


@pytest.mark.parametrize(
    ("text", "offset", "decoded"),
    [
        # Answers of Go 1.25.5 and 1.27.3. The end of a cut text is counted back from, newlines and all.
        ("QUJD\nQU\n\n", 7, b"ABC"),
        ("QU\n=\n=\nQ", 7, b"A"),
        ("QUI\n=\n=", 6, b"AB"),
        ("QU=\n", 4, b""),
        ("QU=\nA", 3, b""),
    ],
)
def test_the_offset_of_an_error_counts_newlines(text: str, offset: int, decoded: bytes) -> None:
    with pytest.raises(base64.CorruptInputError) as caught:
        base64.decode_std(text)
    assert (caught.value.offset, caught.value.decoded) == (offset, decoded)


@pytest.mark.parametrize(("text", "offset"), [("QUJDQR==", 6), ("QUJDQUJ=", 7), ("QR\n=\n=\n", 5), ("QUJ\n=\n\nx", 6)])
def test_a_strict_reading_refuses_loose_bits_before_what_follows_them(text: str, offset: int) -> None:
    # Answers of Go 1.25.5 and 1.27.3.
    with pytest.raises(base64.CorruptInputError) as caught:
        base64.decode_std(text, strict=True)
    assert caught.value.offset == offset
