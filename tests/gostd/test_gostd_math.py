from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from vectors_reader import Entry, bits_of, every_vector, float_of

from parity.gostd import math

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget


@every_vector("log")
def test_the_logarithm_is_gos_to_the_last_bit(target: GoTarget, entry: Entry) -> None:
    assert target.goarch == "amd64"
    assert bits_of(math.log(float_of(entry["in"]))) == entry["out"]


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        # Answers of Go 1.25.5 and 1.27.3: a negative NaN is a negative number, a positive one comes back.
        ("ffffdc6a08441211", "7ff8000000000001"),
        ("7ff8000000000123", "7ff8000000000123"),
        ("fff0000000000000", "7ff8000000000001"),
        ("7ff0000000000000", "7ff0000000000000"),
    ],
)
def test_what_is_no_number_has_gos_bits(x: str, expected: str) -> None:
    assert bits_of(math.log(float_of(x))) == expected
