from __future__ import annotations

from typing import TYPE_CHECKING

from vectors_reader import Entry, every_vector, float_of

from parity.gostd import convert

if TYPE_CHECKING:
    from parity.gostd.target import GoTarget


@every_vector("int_of_float")
def test_a_float_becomes_the_integer_that_amd64_makes_of_it(target: GoTarget, entry: Entry) -> None:
    assert target.goarch == "amd64"
    assert convert.int64(float_of(entry["in"])) == int(entry["out"])
