"""The boundaries of Go's library functions, by function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from parity.tools.tracker_when import LAYOUTS
from replay.fuzz import texts
from replay.fuzz.reached import (
    all_of,
    bad_bytes,
    bits,
    given,
    has,
    member,
    none_of,
    out,
    says,
    seen_is,
    starts,
)
from replay.fuzz.trial import Bucket

if TYPE_CHECKING:
    from collections.abc import Callable

    from replay.fields import Fields, Value
    from replay.fuzz.reached import Reached, Seen


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _foreign(raw: bytes) -> bool:
    return any(character in texts.foreign_digits() for character in _text(raw))


def _both_differ(seen: Seen, _: Fields) -> bool:
    return seen["a"] != seen["b"]


def _as_long(seen: Seen, _: Fields) -> bool:
    return len(_text(cast("bytes", seen["a"]))) == len(_text(cast("bytes", seen["b"])))


_EQUAL: Final = all_of(out(lambda value: value is True), _both_differ)
_RINGS: Final = frozenset({"\u212a".encode(), "ſ".encode(), "ς".encode(), "\u2126".encode(), "ẞ".encode()})


def _of_a_ring(seen: Seen, _: Fields) -> bool:
    return not _RINGS.isdisjoint((seen["a"], seen["b"]))


def _time(test: Callable[[Mapping[str, Value]], object]) -> Reached:
    """A layout fits, and what it gives is so."""
    return member("time", lambda value: isinstance(value, Mapping) and test(value))


_FITS: Final = _time(lambda _: True)


def _layout(index: int) -> Reached:
    return member("layout", lambda value: value == index)


def _json(test: Callable[[bytes], object]) -> Reached:
    return given(test, "json")


def _written(*parts: str) -> Reached:
    return member("text", lambda value: any(part in str(value) for part in parts))


def _error(*parts: str) -> Reached:
    return member("error", lambda value: value is not None and any(part in str(value) for part in parts))


_TRIM: Final = "strings.TrimSpace"
_PARSE: Final = "strconv.ParseUint"
_IN_LOCATION: Final = "time.ParseInLocation"

BUCKETS: Final[Mapping[str, tuple[Bucket, ...]]] = {
    "strings.ToLower": (
        Bucket("strings.ToLower", "U+0130", has("İ")),
        Bucket("strings.ToLower", "capital sigma at an end", given(lambda raw: raw.endswith("Σ".encode()))),
        Bucket("strings.ToLower", "one byte more", has("Ⱥ", "Ⱦ")),
        Bucket("strings.ToLower", "only since Unicode 17", has("\u1c89", "\ua7cb", "\U00010d50")),
        Bucket("strings.ToLower", "bad bytes", bad_bytes()),
        Bucket("strings.ToLower", "three bad bytes of one surrogate", has("\udced\udca0\udc80")),
    ),
    _TRIM: (
        *(Bucket(_TRIM, f"U+{ord(one):04X}", starts(one)) for one in texts.GO_SPACES + texts.FALSE_SPACES),
        Bucket(_TRIM, "nothing left", all_of(given(bool), out(lambda value: value == ""))),
        Bucket(_TRIM, "bad bytes at an end", given(lambda raw: raw[:1] > b"\xf7")),
    ),
    "strings.Fields": (
        Bucket("strings.Fields", "none", out(lambda value: value == ())),
        Bucket("strings.Fields", "U+001F inside a field", says("\\x1f")),
        Bucket("strings.Fields", "U+0085 between", given(lambda raw: "\x85" in _text(raw).strip("\x85"))),
        Bucket("strings.Fields", "the byte A0", all_of(bad_bytes(), given(lambda raw: b"\xa0" in raw))),
    ),
    "strings.EqualFold": (
        Bucket("strings.EqualFold", "equal but not the same", _EQUAL),
        Bucket("strings.EqualFold", "as long, not equal", all_of(out(lambda value: value is False), _as_long)),
        Bucket("strings.EqualFold", "of three in a ring", all_of(_EQUAL, _of_a_ring)),
        Bucket("strings.EqualFold", "bad bytes", all_of(bad_bytes("a"), bad_bytes("b"))),
    ),
    "strconv.Quote": (
        Bucket("strconv.Quote", "short escapes", has("\a", "\b", "\f", "\v")),
        Bucket("strconv.Quote", "DEL", has("\x7f")),
        Bucket("strconv.Quote", "U+FFFD that is there", has("\ufffd")),
        Bucket("strconv.Quote", "printable in Go, not in Python 3.11", has("\u0cf3")),
        Bucket("strconv.Quote", "a space that is not printable", has("\xa0", "\u3000")),
        Bucket("strconv.Quote", "eight digits", says("\\U")),
        Bucket("strconv.Quote", "bad bytes", bad_bytes()),
    ),
    _PARSE: (
        Bucket(_PARSE, "2^64 - 1", given(lambda raw: raw == b"18446744073709551615")),
        Bucket(_PARSE, "2^64", given(lambda raw: raw == b"18446744073709551616")),
        Bucket(_PARSE, "too large before a syntax error", all_of(_error("range"), given(lambda raw: raw[-1:] == b"x"))),
        Bucket(_PARSE, "thousands of zeros", given(lambda raw: raw.startswith(b"0" * 1000))),
        Bucket(_PARSE, "sign", given(lambda raw: raw[:1] in {b"+", b"-"})),
        Bucket(_PARSE, "underscore", given(lambda raw: b"_" in raw)),
        Bucket(_PARSE, "another script's digits", given(_foreign)),
        Bucket(_PARSE, "empty", given(lambda raw: raw == b"")),
    ),
    "parse id": (
        Bucket("recall/id/prefix", "rR", all_of(has("rR"), member("error", lambda value: value is None))),
        Bucket("recall/id/prefix", "a space of Go after the prefix", has("r\u3000", "r\u2003", "r\xa0", "r\x85")),
    ),
    "tokens": (
        Bucket("recall_search/keywords", "÷ in a word", says("÷")),
        Bucket("recall_search/keywords", "ß cuts", all_of(has("ß"), out(lambda value: value != ()))),
        Bucket(
            "recall_search/keywords",
            "one rune",
            all_of(given(lambda raw: len(_text(raw)) == 1), out(lambda v: v == ())),
        ),
        Bucket("recall_search/keywords", "Kelvin is k", has("\u212a")),
    ),
    "fmt %v": (
        Bucket("fmt %v", "<nil>", out(lambda value: value == "<nil>")),
        Bucket("fmt %v", "exponent form", says("e+")),
        Bucket("fmt %v", "negative exponent", says("e-")),
        Bucket("fmt %v", "negative zero", out(lambda value: value == "-0")),
        Bucket("fmt %v", "map", says("map[")),
        Bucket("fmt %v", "from one million up", says("1e+06")),
    ),
    "fmt %.0f": (
        Bucket("fmt %.0f", "half to even", bits("3fe0000000000000", "3ff8000000000000", "4004000000000000")),
        Bucket("fmt %.0f", "NaN and infinities", out(lambda value: value in {"NaN", "+Inf", "-Inf"})),
        Bucket("fmt %.0f", "-0", out(lambda value: value == "-0")),
    ),
    "int(float64)": (
        Bucket("int(float64)", "2^63", bits("43e0000000000000")),
        Bucket("int(float64)", "-2^63", bits("c3e0000000000000")),
        Bucket("int(float64)", "just below 2^63", bits("43dfffffffffffff")),
        Bucket("int(float64)", "NaN", bits("7ff8000000000001")),
        Bucket("int(float64)", "just below 2.5", bits("4003ffffffffffff")),
    ),
    "math.Log": (
        Bucket("math.Log", "zero", bits("0000000000000000", "8000000000000000")),
        Bucket("math.Log", "subnormal", bits("0000000000000001", "000fffffffffffff")),
        Bucket("math.Log", "negative", out(lambda value: value == "7ff8000000000001")),
        Bucket("math.Log", "half the root of two", seen_is("bits", lambda v: str(v).startswith("3fe6a09e667f3bc"))),
    ),
    "json.Unmarshal": (
        Bucket("json.Unmarshal", "lone half of a pair", _json(lambda raw: b"\\ud83d" in raw or b"\\ude00" in raw)),
        Bucket("json.Unmarshal", "bad bytes", bad_bytes("json")),
        Bucket("json.Unmarshal", "beyond float64", _json(lambda raw: b"e400" in raw)),
        Bucket("json.Unmarshal", "negative zero", _json(lambda raw: b"-0" in raw)),
        Bucket("json.Unmarshal", "thousands of digits", _json(lambda raw: len(raw) > 4300)),
        Bucket("json.Unmarshal", "a byte order mark", _json(lambda raw: raw.startswith(b"\xef\xbb\xbf"))),
        Bucket("json.Unmarshal", "deeper than the scanner may", _json(lambda raw: raw.startswith(b"[" * 65))),
        Bucket("json.Unmarshal", "something after the value", _json(lambda raw: raw.endswith((b"x", b"{}")))),
        Bucket("json.Unmarshal", "cut off", _json(lambda raw: raw.count(b"[") > raw.count(b"]"))),
        Bucket("json.Unmarshal", "a bad escape", _json(lambda raw: b"\\u12" in raw)),
        Bucket("json.Unmarshal", "refused", member("error", lambda value: value not in {None, False})),
    ),
    "json arguments": (
        Bucket("json arguments", "no object", _json(lambda raw: raw[:1] in {b"[", b"n", b"1", b'"', b"t", b"-"})),
        Bucket("json arguments", "a key twice", _json(lambda raw: raw.count(b'"a":') > 1 or raw.count(b'"b":') > 1)),
        Bucket("json arguments", "keys that fold alike", _json(lambda raw: b'"ID":' in raw and b'"id":' in raw)),
    ),
    "json.Marshal": (
        Bucket("json.Marshal", "HTML", _written("\\u003c", "\\u003e", "\\u0026")),
        Bucket("json.Marshal", "U+2028", _written("\\u2028")),
        Bucket("json.Marshal", "bad bytes", _written("\\ufffd", "\ufffd")),
        Bucket("json.Marshal", "NaN", member("error", lambda value: value is True)),
        Bucket("json.Marshal", "exponent", _written("e+")),
    ),
    _IN_LOCATION: (
        *(Bucket(_IN_LOCATION, f"layout {layout}", _layout(index)) for index, (layout, _) in enumerate(LAYOUTS)),
        Bucket(_IN_LOCATION, "no layout", _layout(-1)),
        Bucket(_IN_LOCATION, "a fraction", all_of(_layout(0), has(".", ","))),
        Bucket(_IN_LOCATION, "an hour of one digit", all_of(_FITS, given(lambda raw: len(raw) in {15, 18}))),
        Bucket(_IN_LOCATION, "several spaces", all_of(_FITS, has("   "))),
        Bucket(_IN_LOCATION, "the year 0000", all_of(_FITS, starts("0000"))),
        Bucket(_IN_LOCATION, "seconds in the offset", _time(lambda found: cast("int", found["offset"]) % 60)),
        Bucket(_IN_LOCATION, "half hours in the offset", _time(lambda found: cast("int", found["offset"]) % 3600)),
        Bucket(_IN_LOCATION, "day out of range", member("errors", lambda value: "day out of range" in str(value))),
    ),
    "time.Format": (
        Bucket("time.Format", "before the year 0", out(lambda value: str(value).startswith("-"))),
        Bucket("time.Format", "after the year 9999", out(lambda value: str(value)[:5].isdecimal())),
    ),
    "base64.StdEncoding": (
        Bucket("base64.StdEncoding", "newlines inside", all_of(has("\n"), member("error", lambda v: v is None))),
        Bucket(
            "base64.StdEncoding",
            "padding, strictly",
            all_of(seen_is("encoding", lambda v: v == "std_strict"), has("==")),
        ),
        Bucket("base64.StdEncoding", "data after padding", has("=A")),
        Bucket("base64.StdEncoding", "refused after some bytes", all_of(_error("illegal"), member("bytes", bool))),
    ),
    "url.ParseQuery": (
        Bucket("url.ParseQuery", "semicolon", _error("semicolon")),
        Bucket("url.ParseQuery", "bad escape", _error("invalid URL escape")),
        Bucket("url.ParseQuery", "no value", says("(b'',)")),
        Bucket("url.ParseQuery", "a plus is a space", all_of(has("+"), says(" "))),
        Bucket("url.ParseQuery", "nothing", all_of(given(bool), none_of(member("values", bool)))),
    ),
}
"""Function to the boundaries of its rules."""
