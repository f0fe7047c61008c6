"""Go's library functions, one by one: real Go itself is the judge."""

from __future__ import annotations

import base64 as python_base64
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast

from parity import zones
from parity.gostd import base64, convert, fmt, json, math, strconv, strings, time, url, utf8
from parity.tools import recall, recall_search
from parity.tools.tracker_when import LAYOUTS
from replay.compare import compare
from replay.fuzz import arguments, dates, ids, texts
from replay.fuzz.trial import OUT, STDLIB, Bucket, Call, answered
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare import Difference
    from replay.fields import Fields, Value
    from replay.fuzz.dice import Dice
    from replay.oracle.client import Answer, Question

Input = dict[str, object]
"""A question's fields; a text is bytes or str, a typed tree or a number what it is."""

TEXT_LAYOUTS: Final = ("2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02", "2006-01", "2006")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of Go's library: how it is asked, how an input is made, what the port answers, how Go's is read."""

    name: str
    question: str
    make: Callable[[Dice], Input]
    port: Callable[[Input, GoTarget], Value]
    read: Callable[[object], Value]
    buckets: tuple[Bucket, ...] = ()
    judge: str = STDLIB
    forgiving: Callable[[Value, GoTarget], Value] = field(default=lambda value, _: value)
    """What of an answer is compared under a target."""

    def trial(self, dice: Dice, target: GoTarget) -> FunctionTrial:
        """One input."""
        return self.given(self.make(dice), target)

    def given(self, fields: Input, target: GoTarget) -> FunctionTrial:
        """A trial of a given input."""
        actual = answered(lambda: self.forgiving(self.port(fields, target), target))
        return FunctionTrial(self, fields, target, actual)


class FunctionTrial:
    """One input of a function."""

    def __init__(self, function: Function, fields: Input, target: GoTarget, actual: Fields) -> None:
        self.function = function
        self.fields = fields
        self._target = target
        self.calls: Sequence[Call] = (Call(0, function.name, actual, fields),)

    @property
    def questions(self) -> Sequence[Question]:
        """The one question."""
        sent = {key: wire.text(value) if isinstance(value, (bytes, str)) else value for key, value in self.fields.items()}
        return ({"q": self.function.question, **sent},)

    def expected(self, call: Call, answer: Answer) -> Fields:
        """Go's answer."""
        del call
        return {OUT: self.function.forgiving(self.function.read(answer.out), self._target)}

    def differences(self, call: Call, expected: Fields) -> Sequence[Difference]:
        """What differs; the port's crash is a difference."""
        return differing(call.actual, expected)


def differing(actual: Fields, expected: Fields) -> Sequence[Difference]:
    """What differs between two answers of a function."""
    return compare(expected, actual).differences if actual != expected else ()


def _bytes(value: object) -> bytes:
    return value.encode() if isinstance(value, str) else cast("bytes", value)


def _text(fields: Input, key: str = "s") -> str:
    return utf8.text(_bytes(fields[key]))


def read_text(value: object) -> str:
    """A text that Go answered; a byte that is not UTF-8 is one of U+DC80 to U+DCFF."""
    return value if isinstance(value, str) else utf8.text(wire.read(value))


def _read_texts(value: object) -> Value:
    return tuple(map(read_text, cast("list[object]", value)))


def _read_plain(value: object) -> Value:
    return cast("Value", value)


def tree_of(value: object) -> Value:
    """A decoded value in a form that loses nothing: every number by its bits."""
    if isinstance(value, float):
        return {"f": struct.pack(">d", value).hex()}
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return tuple(map(tree_of, value))
    if isinstance(value, dict):
        return {"m": tuple((key, tree_of(value[key])) for key in sorted(value, key=utf8.encode))}
    return cast("Value", value)


def read_tree(tree: object) -> Value:
    """A typed tree that Go answered, in the same form."""
    if isinstance(tree, list):
        return tuple(map(read_tree, tree))
    if not isinstance(tree, dict):
        return cast("Value", tree)
    if "s" in tree:
        return cast("str", tree["s"])
    if "sb" in tree:
        return utf8.text(python_base64.b64decode(tree["sb"]))
    if "m" in tree:
        return {"m": tuple((cast("str", read_tree(key)), read_tree(value)) for key, value in tree["m"])}
    return cast("Value", tree)


# --- inputs ---


def _any_bytes(dice: Dice) -> Input:
    if dice.one_in(4):
        return {"s": block(dice)}
    return {"s": texts.maybe_raw(dice, texts.any_text(dice))}


def block(dice: Dice) -> bytes:
    """Sixty-four neighbouring code points, from anywhere in Unicode."""
    first = 64 * dice.below(0x110000 // 64)
    return "".join(map(chr, range(first, first + 64))).encode("utf-8", "ignore")


def _folded(dice: Dice) -> Input:
    one = texts.any_text(dice)
    sort = dice.below(4)
    if sort == 0:
        other = one.swapcase()
    elif sort == 1:
        other = texts.bent(dice, one)
    elif sort == 2:
        one = dice.pick(texts.CASE + "ksKSσ") + "".join([dice.pick(texts.CASE) for _ in dice.some(1)])
        other = "".join([dice.pick((c, c.lower(), c.upper(), c.upper().lower(), dice.pick(texts.CASE))) for c in one])
    else:
        character = dice.pick(texts.table_edges())
        one = character + dice.pick(("", "k", "ß"))
        other = dice.pick((character.lower(), character.upper(), character.title(), character.casefold(), character)) + one[1:]
    return {"a": texts.maybe_raw(dice, one), "b": texts.maybe_raw(dice, other)}


def _digits(dice: Dice) -> Input:
    return {"s": texts.maybe_raw(dice, ids.digits(dice))}


def _id(dice: Dice) -> Input:
    return {"s": texts.maybe_raw(dice, ids.identifier(dice, (7, 35, (1 << 64) - 1)))}


def _document(dice: Dice) -> Input:
    raw = arguments.other(dice)
    sort = dice.below(8)
    if sort == 6:
        cut = dice.below(len(raw) + 1)
        raw = raw[:cut] + dice.pick((b"", b"x", b"\x00", b"\xff", b",", b"]", b"}", b'"', b"\\", b"\\u12", b"1", b"-", b"e")) + raw[cut + 1 :]
    elif sort == 7:
        raw = dice.pick((b" ", b"\xef\xbb\xbf", b"\xc2\xa0", b"\x0b", b"\n")) + raw + dice.pick((b"", b" ", b"x", b"{}", b"\x00", b"\x0c"))
    return {"json": raw}


def _object(dice: Dice) -> Input:
    written = arguments.Written(dice)
    for _ in dice.some(3, 6):
        written.raw(dice.pick(("a", "b", "é", "ID", "id", "")), arguments.other(dice))
    return {"json": written.done() if dice.below(4) else _document(dice)["json"]}


def bits(dice: Dice) -> Input:
    """A float64, by its bits in hexadecimal."""
    sort = dice.below(5)
    if sort == 0:
        value = float(dice.between(-20, 1100))
    elif sort == 1:
        value = float(dice.between(1, 300)) / float(dice.between(1, 300))
    elif sort == 2:
        pattern = dice.below(1 << 64)
        return {"bits": f"{pattern:016x}"}
    elif sort == 3:
        edge = dice.pick((0.5, 1.5, 2.5, 2.0**52, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, 1e21, 1e6, 1e-4, 1e15, 0.1, 2.0**-1022, 2.0**0.5 / 2))
        pattern = int.from_bytes(struct.pack(">d", edge), "big") + dice.between(-3, 3)
        return {"bits": f"{pattern:016x}"}
    else:
        return {"bits": dice.pick((*SPECIAL_BITS,))}
    return {"bits": struct.pack(">d", value).hex()}


SPECIAL_BITS: Final = (
    "0000000000000000", "8000000000000000", "7ff0000000000000", "fff0000000000000", "7ff8000000000001", "fff8000000000000",
    "0000000000000001", "8000000000000001", "000fffffffffffff", "0010000000000000", "7fefffffffffffff", "3ff0000000000000",
    "3fefffffffffffff", "3ff0000000000001", "43e0000000000000", "c3e0000000000000", "43dfffffffffffff", "c3e0000000000001",
)  # fmt: skip
"""Zeros, infinities, NaNs, subnormals, the least and the greatest, around one and around 2^63."""


def _float(fields: Input) -> float:
    (value,) = struct.unpack(">d", bytes.fromhex(cast("str", fields["bits"])))
    return cast("float", value)


def _value(dice: Dice) -> Input:
    return {"value": typed(dice, 3)}


def typed(dice: Dice, deep: int) -> object:
    """A typed tree."""
    sort = dice.below(7 if deep else 5)
    if sort == 0:
        return dice.pick((None, True, False))
    if sort == 1:
        return {"f": bits(dice)["bits"]}
    if sort == 2:
        return {"s": texts.any_text(dice)}
    if sort == 3:
        return {"i": str(dice.between(-(1 << 63), (1 << 63) - 1))}
    if sort == 4:
        return {"sb": python_base64.b64encode(texts.raw(dice, texts.any_text(dice))).decode()}
    if sort == 5:
        return [typed(dice, deep - 1) for _ in dice.some(2, 4)]
    members: dict[bytes, object] = {texts.maybe_raw(dice, texts.word(dice)): typed(dice, deep - 1) for _ in dice.some(2, 4)}
    return {"m": [[_typed_text(key), members[key]] for key in sorted(members)]}


def _typed_text(raw: bytes) -> object:
    return {"s": raw.decode()} if utf8.valid(raw) else {"sb": python_base64.b64encode(raw).decode()}


def plain_of(tree: object) -> object:
    """The Python value of a typed tree, as the port takes it."""
    if isinstance(tree, list):
        return [plain_of(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if "f" in tree:
        (value,) = struct.unpack(">d", bytes.fromhex(tree["f"]))
        return value
    if "i" in tree:
        return int(tree["i"])
    if "m" in tree:
        return {cast("str", plain_of(key)): plain_of(value) for key, value in tree["m"]}
    return tree["s"] if "s" in tree else utf8.text(python_base64.b64decode(tree["sb"]))


def _date(dice: Dice) -> Input:
    zone = dates.zone_name(dice)
    text = dates.when(dice, zones.zone(zone))
    if dice.below(2):
        text = text.replace("T", " ", 1)
    return {"s": texts.maybe_raw(dice, text) if dice.one_in(8) else text.encode(), "zone": zone, "layouts": _LAYOUTS}


_LAYOUTS: Final = [layout for layout, _ in LAYOUTS]


def _moment(dice: Dice) -> Input:
    zone = dates.zone_name(dice)
    second = dice.below(1 << 40) - (1 << 39) if dice.one_in(8) else dates.second(dice, zone)
    return {"unix": second, "nsec": 0, "zone": zone, "layout": dice.pick(TEXT_LAYOUTS)}


_BASE64: Final = b"ABCQRUZaz019+/-_"


def _coded(dice: Dice) -> Input:
    sort = dice.below(4)
    if sort == 0:
        raw = python_base64.b64encode(texts.raw(dice, texts.any_text(dice)))
    else:
        raw = bytes([dice.pick(_BASE64) for _ in dice.some(6)]) + dice.pick((b"", b"=", b"==", b"===", b"=\n=", b"=\r=", b"= ="))
    for _ in dice.some(1 if sort > 1 else 0, 3):
        at = dice.below(len(raw) + 1)
        raw = raw[:at] + dice.pick((b"\n", b"\r", b" ", b"=", b"\t", b"\xff", b"A", b"\x00", b"-")) + raw[at:]
    return {"s": raw, "encoding": dice.pick(("std", "std", "std_strict"))}


def _query_string(dice: Dice) -> Input:
    pieces = []
    for _ in dice.some(3, 6):
        pieces.append(dice.pick((b"seq", b"SEQ", b"a", b"", b"%73eq", b"s%65q")) + dice.pick((b"=", b"", b"==")) + _query_value(dice))
    return {"s": dice.pick((b"&", b"&&", b";", b"&amp;")).join(pieces)}


def _query_value(dice: Dice) -> bytes:
    value = b""
    for _ in dice.some(2, 8):
        value += dice.pick((b"1", b"5", b"+", b"%20", b"%zz", b"%", b"%2", b"%ff", b"%00", b";", b"#", b"%C3%A9", b"\xff", b"\xc3\xa9", b"%e2%82", b" "))
    return value


# --- the port's answers ---


def _parse_uint(text: str, target: GoTarget) -> Value:
    try:
        return {"value": str(strconv.parse_uint(text)), "error": None}
    except strconv.NumError as error:
        return {"value": str(error.value), "error": error.text(target)}


def _parse_id(text: str, target: GoTarget) -> Value:
    try:
        return {"value": str(recall.parse_id(text)), "error": None}
    except strconv.NumError as error:
        return {"value": str(error.value), "error": error.text(target)}


def _read_number(value: object) -> Value:
    said = cast("dict[str, object]", value)
    error = said["error"]
    return {"value": cast("str", said["value"]), "error": None if error is None else read_text(error)}


def _unmarshal(fields: Input, target: GoTarget) -> Value:
    decoded = json.unmarshal(cast("bytes", fields["json"]), target)
    return {"value": tree_of(decoded.value), "error": decoded.error}


def _read_unmarshal(value: object) -> Value:
    said = cast("dict[str, object]", value)
    error = said["error"]
    return {"value": read_tree(said["value"]), "error": None if error is None else utf8.clean(read_text(error))}


def _only_whether(value: Value, target: GoTarget) -> Value:
    """The texts of JSON errors are no target since Go 1.27 (go-semantics.md, 2.10)."""
    said = cast("Mapping[str, Value]", value)
    return said if not target.json_v2 else {**said, "error": said["error"] is not None}


def _marshal(fields: Input, target: GoTarget) -> Value:
    try:
        return {"text": utf8.text(json.marshal(plain_of(fields["value"]), target)), "error": False}
    except json.UnsupportedValueError:
        return {"text": "", "error": True}


def _read_marshal(value: object) -> Value:
    said = cast("dict[str, object]", value)
    return {"text": read_text(said["text"]), "error": said["error"] is not None}


def _parse_in_location(fields: Input, _: GoTarget) -> Value:
    zone = zones.zone(cast("str", fields["zone"]))
    errors: list[Value] = []
    for index, layout in enumerate(_LAYOUTS):
        try:
            found = time.parse_in_location(layout, _text(fields), zone)
        except time.ParseError as error:
            errors.append(str(error))
            continue
        period = zone.lookup(found.seconds)
        shown = {"unix": found.seconds, "nsec": found.nanoseconds, "offset": period.offset, "zone": period.abbreviation}
        return {"layout": index, "time": cast("Value", shown), "errors": tuple(errors)}
    return {"layout": -1, "time": None, "errors": tuple(errors)}


def _read_time(value: object) -> Value:
    said = cast("dict[str, object]", value)
    found = cast("dict[str, Value] | None", said["time"])
    shown = None if found is None else {key: found[key] for key in ("unix", "nsec", "offset", "zone")}
    return {"layout": cast("int", said["layout"]), "time": shown, "errors": _read_texts(said["errors"])}


def _format(fields: Input, _: GoTarget) -> Value:
    moment = time.Time(cast("int", fields["unix"]), 0, zones.zone(cast("str", fields["zone"])))
    return moment.format(cast("str", fields["layout"]))


def _decode_base64(fields: Input, _: GoTarget) -> Value:
    try:
        decoded = base64.decode_std(cast("bytes", fields["s"]), strict=fields["encoding"] == "std_strict")
    except base64.CorruptInputError as error:
        return {"bytes": error.decoded, "error": str(error)}
    return {"bytes": decoded, "error": None}


def _read_base64(value: object) -> Value:
    said = cast("dict[str, object]", value)
    return {"bytes": wire.read(said["bytes"]), "error": cast("str | None", said["error"])}


def _parse_query(fields: Input, target: GoTarget) -> Value:
    values = url.parse_query(cast("bytes", fields["s"]), target)
    pairs = tuple((key, tuple(values[key])) for key in sorted(values))
    return {"values": pairs, "error": values.error}


def _read_query(value: object) -> Value:
    said = cast("dict[str, object]", value)
    pairs = cast("list[tuple[object, list[object]]]", said["values"])
    error = said["error"]
    return {
        "values": tuple((wire.read(key), tuple(map(wire.read, held))) for key, held in pairs),
        "error": None if error is None else read_text(error),
    }


def _tokens(fields: Input, target: GoTarget) -> Value:
    words = recall_search.keywords(utf8.clean(_text(fields)), target)
    return tuple(sorted(words))


def _read_tokens(value: object) -> Value:
    return _read_texts(cast("dict[str, object]", value)["out"])


def _has(*needles: str) -> Callable[[Mapping[str, object], Fields], object]:
    """Whether the text that was asked about holds one of these."""
    wanted = [needle.encode("utf-8", "surrogateescape") for needle in needles]
    return lambda seen, _: any(needle in cast("bytes", seen["s"]) for needle in wanted)


def _is_bad(seen: Mapping[str, object], _: Fields) -> bool:
    return not utf8.valid(cast("bytes", seen["s"]))


def _out(test: Callable[[Value], object]) -> Callable[[Mapping[str, object], Fields], object]:
    return lambda _, actual: OUT in actual and test(actual[OUT])


def _json(test: Callable[[bytes], object]) -> Callable[[Mapping[str, object], Fields], object]:
    return lambda seen, _: test(cast("bytes", seen["json"]))


def _error(part: str) -> Callable[[Mapping[str, object], Fields], object]:
    return _out(lambda out: isinstance(out, dict) and part in str(out["error"]))


def _bit(*patterns: str) -> Callable[[Mapping[str, object], Fields], object]:
    return lambda seen, _: seen["bits"] in patterns


FUNCTIONS: Final[tuple[Function, ...]] = (
    Function(
        "strings.ToLower", "to_lower", _any_bytes,
        lambda fields, target: strings.to_lower(_text(fields), target), read_text,
        (
            Bucket("strings.ToLower", "U+0130", _has("İ")),
            Bucket("strings.ToLower", "capital sigma at an end", lambda seen, _: cast("bytes", seen["s"]).endswith("Σ".encode())),
            Bucket("strings.ToLower", "one byte more", _has("Ⱥ", "Ⱦ")),
            Bucket("strings.ToLower", "only since Unicode 17", _has("Ᲊ", "Ꟃ", "𐵐")),
            Bucket("strings.ToLower", "bad bytes", _is_bad),
            Bucket("strings.ToLower", "three bad bytes of one surrogate", _has("\udced\udca0\udc80")),
        ),
    ),
    Function(
        "strings.TrimSpace", "trim_space", _any_bytes, lambda fields, _: strings.trim_space(_text(fields)), read_text,
        (
            *(Bucket("strings.TrimSpace", f"U+{ord(c):04X}", lambda seen, _, c=c: cast("bytes", seen["s"]).startswith(c.encode()))
              for c in texts.GO_SPACES + texts.FALSE_SPACES),
            Bucket("strings.TrimSpace", "nothing left", lambda seen, actual: seen["s"] and actual.get(OUT) == ""),
            Bucket("strings.TrimSpace", "bad bytes at an end", lambda seen, _: cast("bytes", seen["s"])[:1] > b"\xf7"),
        ),
    ),
    Function(
        "strings.Fields", "fields", _any_bytes, lambda fields, _: tuple(strings.fields(_text(fields))), _read_texts,
        (
            Bucket("strings.Fields", "none", _out(lambda out: out == ())),
            Bucket("strings.Fields", "U+001F inside a field", _out(lambda out: any("\x1f" in str(one) for one in cast("tuple[Value, ...]", out)))),
            Bucket("strings.Fields", "U+0085 between", lambda seen, _: any("\x85" in one for one in cast("bytes", seen["s"]).decode("utf-8", "replace").strip("\x85 ").split(" "))),
            Bucket("strings.Fields", "the bytes 85 and A0", lambda seen, _: any(b in cast("bytes", seen["s"]) and _is_bad(seen, {}) for b in (b"\x85", b"\xa0"))),
        ),
    ),
    Function(
        "strings.EqualFold", "equal_fold", _folded,
        lambda fields, target: strings.equal_fold(_text(fields, "a"), _text(fields, "b"), target), _read_plain,
        (
            Bucket("strings.EqualFold", "equal but not the same", lambda seen, actual: actual.get(OUT) is True and seen["a"] != seen["b"]),
            Bucket("strings.EqualFold", "as long, not equal", lambda seen, actual: actual.get(OUT) is False and len(cast("bytes", seen["a"])) == len(cast("bytes", seen["b"]))),
            Bucket("strings.EqualFold", "of three in a ring", lambda seen, actual: actual.get(OUT) is True and {seen["a"], seen["b"]} & {b"\xe2\x84\xaa", "ſ".encode(), "ς".encode()} and seen["a"] != seen["b"]),
            Bucket("strings.EqualFold", "bad bytes", lambda seen, _: not utf8.valid(cast("bytes", seen["a"])) and not utf8.valid(cast("bytes", seen["b"]))),
        ),
    ),
    Function(
        "strconv.Quote", "quote", _any_bytes, lambda fields, target: strconv.quote(_text(fields), target), read_text,
        (
            Bucket("strconv.Quote", "short escapes", _has("\a", "\b", "\f", "\v")),
            Bucket("strconv.Quote", "DEL", _has("\x7f")),
            Bucket("strconv.Quote", "U+FFFD that is there", _has("\ufffd")),
            Bucket("strconv.Quote", "printable in Go, not in Python 3.11", _has("\u0cf3")),
            Bucket("strconv.Quote", "a space that is not printable", _has("\xa0", "\u3000")),
            Bucket("strconv.Quote", "eight digits", _out(lambda out: "\\U" in str(out))),
            Bucket("strconv.Quote", "bad bytes", _is_bad),
        ),
    ),
    Function(
        "strconv.ParseUint", "parse_uint", _digits, lambda fields, target: _parse_uint(_text(fields), target), _read_number,
        (
            Bucket("strconv.ParseUint", "2^64 - 1", lambda seen, _: seen["s"] == b"18446744073709551615"),
            Bucket("strconv.ParseUint", "2^64", lambda seen, _: seen["s"] == b"18446744073709551616"),
            Bucket("strconv.ParseUint", "out of range before a syntax error", lambda seen, actual: not cast("bytes", seen["s"])[-1:].isdigit() and "range" in str(actual)),
            Bucket("strconv.ParseUint", "thousands of zeros", lambda seen, _: cast("bytes", seen["s"]).startswith(b"0" * 1000)),
            Bucket("strconv.ParseUint", "sign", lambda seen, _: cast("bytes", seen["s"])[:1] in b"+-" and len(cast("bytes", seen["s"])) > 1),
            Bucket("strconv.ParseUint", "underscore", lambda seen, _: b"1_" in cast("bytes", seen["s"])),
            Bucket("strconv.ParseUint", "another script's digits", lambda seen, _: any(c in texts.foreign_digits() for c in cast("bytes", seen["s"]).decode("utf-8", "replace"))),
            Bucket("strconv.ParseUint", "empty", lambda seen, _: seen["s"] == b""),
        ),
    ),
    Function(
        "parse id", "parse_id", _id, lambda fields, target: _parse_id(_text(fields), target), _read_number,
        (
            Bucket("recall/id/prefix", "rR", lambda seen, actual: b"rR" in cast("bytes", seen["s"]) and "None" in str(actual)),
            Bucket("recall/id/prefix", "a space of Go after the prefix", lambda seen, actual: "r\u3000".encode() in cast("bytes", seen["s"])),
        ),
    ),
    Function(
        "tokens", "tokens", _any_bytes, _tokens, _read_tokens,
        (
            Bucket("recall_search/keywords", "÷ in a word", _out(lambda out: "÷" in str(out))),
            Bucket("recall_search/keywords", "ß cuts", _has("aß", "ßa")),
            Bucket("recall_search/keywords", "one rune is too short", lambda seen, actual: len(cast("bytes", seen["s"])) < 3 and actual.get(OUT) == ()),
            Bucket("recall_search/keywords", "Kelvin is k", _has("\u212a")),
        ),
    ),
    Function(
        "fmt %v", "fmt_v", _document,
        lambda fields, target: fmt.v(json.unmarshal(cast("bytes", fields["json"]), target).value), read_text,
        (
            Bucket("fmt %v", "<nil>", _out(lambda out: out == "<nil>")),
            Bucket("fmt %v", "exponent form", _out(lambda out: "e+" in str(out))),
            Bucket("fmt %v", "negative exponent", _out(lambda out: "e-" in str(out))),
            Bucket("fmt %v", "negative zero", _out(lambda out: out == "-0")),
            Bucket("fmt %v", "map", _out(lambda out: "map[" in str(out))),
            Bucket("fmt %v", "from one million up", _out(lambda out: out == "1e+06")),
        ),
    ),
    Function(
        "fmt %.0f", "fmt_0f", bits, lambda fields, _: fmt.percent_0f(_float(fields)), read_text,
        (
            Bucket("fmt %.0f", "half to even", _bit("3fe0000000000000", "3ff8000000000000", "4004000000000000")),
            Bucket("fmt %.0f", "NaN and infinities", _out(lambda out: out in {"NaN", "+Inf", "-Inf"})),
            Bucket("fmt %.0f", "-0", _out(lambda out: out == "-0")),
        ),
    ),
    Function(
        "int(float64)", "int_of_float", bits, lambda fields, _: str(convert.int64(_float(fields))), read_text,
        (
            Bucket("int(float64)", "2^63", _bit("43e0000000000000")),
            Bucket("int(float64)", "-2^63", _bit("c3e0000000000000")),
            Bucket("int(float64)", "just below 2^63", _bit("43dfffffffffffff")),
            Bucket("int(float64)", "NaN", _bit("7ff8000000000001")),
            Bucket("int(float64)", "truncation of a negative", lambda seen, actual: str(actual[OUT]).startswith("-") and _float(dict(seen)) != int(str(actual[OUT])) and abs(_float(dict(seen))) < 1e15),
        ),
    ),
    Function(
        "math.Log", "log", bits, lambda fields, _: struct.pack(">d", math.log(_float(fields))).hex(), read_text,
        (
            Bucket("math.Log", "zero", _bit("0000000000000000", "8000000000000000")),
            Bucket("math.Log", "subnormal", _bit("0000000000000001", "000fffffffffffff")),
            Bucket("math.Log", "negative", _out(lambda out: out == "7ff8000000000001")),
            Bucket("math.Log", "half the root of two", lambda seen, _: str(seen["bits"]).startswith("3fe6a09e667f3bc")),
        ),
    ),
    Function(
        "json.Unmarshal", "json_unmarshal", _document, _unmarshal, _read_unmarshal,
        (
            Bucket("json.Unmarshal", "lone half of a pair", _json(lambda raw: any(lone.encode() in raw for lone in ("\\ud83d", "\\ude00")))),
            Bucket("json.Unmarshal", "bad bytes", _json(lambda raw: not utf8.valid(raw))),
            Bucket("json.Unmarshal", "beyond float64", _json(lambda raw: b"e400" in raw)),
            Bucket("json.Unmarshal", "negative zero", _json(lambda raw: b"-0" in raw)),
            Bucket("json.Unmarshal", "thousands of digits", _json(lambda raw: len(raw) > 4300)),
            Bucket("json.Unmarshal", "a byte order mark", _json(lambda raw: raw.startswith(b"\xef\xbb\xbf"))),
            Bucket("json.Unmarshal", "deeper than the scanner may", _json(lambda raw: raw.startswith(b"[" * 65))),
            Bucket("json.Unmarshal", "something after the value", _error("after top-level value")),
            Bucket("json.Unmarshal", "cut off", _error("unexpected end")),
            Bucket("json.Unmarshal", "a control character in a text", _error("in string literal")),
            Bucket("json.Unmarshal", "a bad escape", _error("escape")),
        ),
        forgiving=_only_whether,
    ),
    Function(
        "json arguments", "arguments", _object,
        lambda fields, target: tree_of(json.unmarshal_args(cast("bytes", fields["json"]), target)), read_tree,
        (
            Bucket("json arguments", "no object", _json(lambda raw: raw[:1] in b"[n1\"t-" and raw)),
            Bucket("json arguments", "a key twice", _json(lambda raw: raw.count(b'"a":') > 1 or raw.count(b'"b":') > 1)),
            Bucket("json arguments", "two keys that fold alike", _json(lambda raw: b'"ID":' in raw and b'"id":' in raw)),
        ),
    ),
    Function(
        "json.Marshal", "json_marshal", _value, _marshal, _read_marshal,
        (
            Bucket("json.Marshal", "HTML", _out(lambda out: "\\u003c" in str(cast("dict[str, Value]", out)["text"]))),
            Bucket("json.Marshal", "U+2028", _out(lambda out: "\\u2028" in str(cast("dict[str, Value]", out)["text"]))),
            Bucket("json.Marshal", "bad bytes", _out(lambda out: "fffd" in str(cast("dict[str, Value]", out)["text"]) or "\ufffd" in str(out))),
            Bucket("json.Marshal", "NaN", _out(lambda out: cast("dict[str, Value]", out)["error"])),
            Bucket("json.Marshal", "exponent", _out(lambda out: "e+" in str(cast("dict[str, Value]", out)["text"]))),
        ),
    ),
    Function(
        "time.ParseInLocation", "parse_in_location", _date, _parse_in_location, _read_time,
        (
            *(Bucket("time.ParseInLocation", f"layout {layout}", _out(lambda out, at=at: cast("dict[str, Value]", out)["layout"] == at))
              for at, layout in enumerate((*_LAYOUTS, "none"), 0) if at < len(_LAYOUTS)),
            Bucket("time.ParseInLocation", "no layout", _out(lambda out: cast("dict[str, Value]", out)["layout"] == -1)),
            Bucket("time.ParseInLocation", "a fraction", lambda seen, actual: ("." in _text(dict(seen)) or "," in _text(dict(seen))) and _fits(actual)),
            Bucket("time.ParseInLocation", "an hour of one digit", lambda seen, actual: len(_text(dict(seen))) in {15, 18} and _fits(actual)),
            Bucket("time.ParseInLocation", "several spaces", lambda seen, actual: "   " in _text(dict(seen)) and _fits(actual)),
            Bucket("time.ParseInLocation", "clocks put on or back", lambda seen, actual: _fits(actual) and _turned(actual)),
            Bucket("time.ParseInLocation", "the year 0000", lambda seen, actual: _text(dict(seen)).startswith("0000-01") and _fits(actual)),
            Bucket("time.ParseInLocation", "seconds in the offset", lambda _, actual: _fits(actual) and cast("int", cast("dict[str, dict[str, Value]]", actual[OUT])["time"]["offset"]) % 60),
            Bucket("time.ParseInLocation", "day out of range", _out(lambda out: "day out of range" in str(cast("dict[str, Value]", out)["errors"]))),
        ),
    ),
    Function(
        "time.Format", "format_time", _moment, _format, read_text,
        (
            Bucket("time.Format", "before the year 0", _out(lambda out: str(out).startswith("-"))),
            Bucket("time.Format", "after the year 9999", _out(lambda out: str(out)[:5].isdigit())),
        ),
    ),
    Function(
        "base64.StdEncoding", "base64", _coded, _decode_base64, _read_base64,
        (
            Bucket("base64.StdEncoding", "newlines inside", lambda seen, actual: b"\n" in cast("bytes", seen["s"]) and cast("dict[str, Value]", actual[OUT])["error"] is None),
            Bucket("base64.StdEncoding", "spare bits", lambda seen, actual: seen["encoding"] == "std_strict" and cast("dict[str, Value]", actual[OUT])["error"] is not None and b"==" in cast("bytes", seen["s"])),
            Bucket("base64.StdEncoding", "data after padding", lambda seen, actual: b"=A" in cast("bytes", seen["s"])),
        ),
    ),
    Function(
        "url.ParseQuery", "parse_query", _query_string, _parse_query, _read_query,
        (
            Bucket("url.ParseQuery", "semicolon", _error("semicolon")),
            Bucket("url.ParseQuery", "bad escape", _error("invalid URL escape")),
            Bucket("url.ParseQuery", "no value", _out(lambda out: b"" in str(out).encode())),
        ),
    ),
)  # fmt: skip
"""Every function, by the name that ``--tool`` takes."""


def _fits(actual: Fields) -> bool:
    return cast("dict[str, Value]", actual[OUT])["time"] is not None


def _turned(actual: Fields) -> bool:
    found = cast("dict[str, dict[str, int]]", actual[OUT])["time"]
    return abs(found["unix"] % 86_400) < 7200
