from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_reader import Entry, every_vector, float_of

from parity.gostd import strconv, strings
from parity.gostd.strconv import SHORTEST
from parity.gostd.target import GO_1_25, GO_1_27, GoTarget

finite = st.floats(allow_nan=False, allow_infinity=False)


@every_vector("fmt_0f")
def test_floats_are_written_as_go_writes_them(target: GoTarget, entry: Entry) -> None:
    del target  # the same in every Go
    value = float_of(entry["in"])

    assert strconv.format_float(value, "f", 0) == entry["out"]
    assert strconv.format_float(value, "f", 1) == entry["d1"]
    assert strconv.format_float(value, "f", 2) == entry["d2"]
    assert strconv.format_float(value, "f", 6) == entry["f"]
    assert strconv.format_float(value, "e", SHORTEST) == entry["e"]
    assert strconv.format_float(value, "g", SHORTEST) == entry["g"] == entry["repr"]


@pytest.mark.parametrize(
    ("value", "written"),
    # As json.Marshal writes them (go-semantics.md, 2.11) where that is the plain form.
    [(1.0, "1"), (1e16, "10000000000000000"), (1e20, "100000000000000000000"), (1e-6, "0.000001"), (-0.0, "-0")],
)
def test_the_shortest_plain_form_has_no_exponent_whatever_the_size(value: float, written: str) -> None:
    assert strconv.format_float(value, "f", SHORTEST) == written


@given(finite)
def test_the_shortest_forms_read_back_as_the_same_float(value: float) -> None:
    for fmt in ("e", "f", "g"):
        written = strconv.format_float(value, fmt, SHORTEST)
        assert float(written) == value
        assert written.startswith("-") == (math.copysign(1, value) < 0)


@given(finite)
def test_the_shortest_digits_spell_the_value(value: float) -> None:
    negative, digits, exponent = strconv.shortest_digits(value)

    assert float(f"{'-' if negative else ''}{digits[0]}.{digits[1:]}e{exponent}") == value
    assert digits == "0" or digits == digits.strip("0")


@pytest.mark.parametrize(
    ("value", "parts"),
    [(0.0, (False, "0", 0)), (-0.0, (True, "0", 0)), (-1.5, (True, "15", 0)), (100.0, (False, "1", 2))],
)
def test_digits_come_with_sign_and_exponent(value: float, parts: tuple[bool, str, int]) -> None:
    assert strconv.shortest_digits(value) == parts


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_has_no_digits(value: float) -> None:
    with pytest.raises(ValueError, match="has no digits"):
        strconv.shortest_digits(value)


@pytest.mark.parametrize(("fmt", "prec"), [("x", SHORTEST), ("f", -2), ("g", 3), ("", 0)])
def test_a_form_that_is_not_offered_is_refused(fmt: str, prec: int) -> None:
    with pytest.raises(ValueError, match="does not offer"):
        strconv.format_float(1.0, fmt, prec)


@every_vector("parse_id")
def test_digits_are_read_as_go_s_parse_uint_reads_them(target: GoTarget, entry: Entry) -> None:
    text = strings.trim_space(strings.trim_space(entry["in"]).removeprefix("r").removeprefix("R"))
    if "err" not in entry:
        assert strconv.parse_uint(text) == int(entry["out"])
        return

    with pytest.raises(strconv.NumError) as caught:
        strconv.parse_uint(text)

    assert caught.value.kind == entry["kind"]
    assert caught.value.value == int(entry["value_with_err"])
    assert caught.value.text(target) == entry["err"]
    assert caught.value.num == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("99999999999999999999x", "range"),
        ("18446744073709551616x", "range"),
        ("18446744073709551615x", "syntax"),
        ("1" * 5000, "range"),
        ("", "syntax"),
        ("0x1", "syntax"),
        ("١", "syntax"),
    ],
)
def test_reading_stops_at_the_overflow_and_not_before(text: str, kind: str) -> None:
    with pytest.raises(strconv.NumError) as caught:
        strconv.parse_uint(text)

    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("text", "number"),
    [("18446744073709551615", 18446744073709551615), ("0" * 5000 + "7", 7), ("0" * 5000, 0)],
)
def test_leading_zeros_are_fine_up_to_the_largest_number(text: str, number: int) -> None:
    assert strconv.parse_uint(text) == number


@every_vector("quote")
def test_text_is_quoted_as_go_quotes_it(target: GoTarget, entry: Entry) -> None:
    assert strconv.quote(entry["in"], target) == entry["out"]


def test_a_letter_new_in_unicode_17_is_escaped_before_go_1_27() -> None:
    assert strconv.quote("\u1c89", GO_1_25) == r'"\u1c89"'
    assert strconv.quote("\u1c89", GO_1_27) == '"\u1c89"'
