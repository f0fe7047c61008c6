"""Go's library functions, one by one: real Go itself is the judge."""

from __future__ import annotations

import base64 as python_base64
import struct
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from parity import zones
from parity.gostd import base64, convert, fmt, json, math, strconv, strings, time, url, utf8
from parity.tools import recall, recall_search
from replay.compare import compare
from replay.fuzz import library_inputs as inputs
from replay.fuzz.library_buckets import BUCKETS
from replay.fuzz.trial import OUT, STDLIB, Call, answered
from replay.oracle import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from parity.gostd.target import GoTarget
    from replay.compare import Difference
    from replay.fields import Fields, Value
    from replay.fuzz.dice import Dice
    from replay.fuzz.library_inputs import Input
    from replay.fuzz.trial import Bucket
    from replay.oracle.client import Answer, Question


@dataclass(frozen=True, slots=True)
class Function:
    """A function of Go's library: how it is asked, how an input is made, what the port answers, how Go's is read."""

    name: str
    question: str
    make: Callable[[Dice], Input]
    port: Callable[[Input, GoTarget], Value]
    read: Callable[[object], Value]
    forgiving: Callable[[Value, GoTarget], Value] = field(default=lambda value, _: value)
    """What of an answer is compared under a target."""
    judge: str = STDLIB

    @property
    def buckets(self) -> Sequence[Bucket]:
        """The boundaries of its rules."""
        return BUCKETS[self.name]

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

    @cached_property
    def questions(self) -> Sequence[Question]:
        """The one question."""
        sent = {
            key: wire.text(value) if isinstance(value, (bytes, str)) else value for key, value in self.fields.items()
        }
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


# --- the port's answers ---


def _of_text(function: Callable[[str, GoTarget], Value]) -> Callable[[Input, GoTarget], Value]:
    return lambda fields, target: function(_text(fields), target)


def _of_float(function: Callable[[float], Value]) -> Callable[[Input, GoTarget], Value]:
    return lambda fields, _: function(inputs.float_of(cast("str", fields["bits"])))


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
        return {"text": utf8.text(json.marshal(inputs.plain(fields["value"]), target)), "error": False}
    except json.UnsupportedValueError:
        return {"text": "", "error": True}


def _read_marshal(value: object) -> Value:
    said = cast("dict[str, object]", value)
    return {"text": read_text(said["text"]), "error": said["error"] is not None}


def _parse_in_location(fields: Input, _: GoTarget) -> Value:
    zone = zones.zone(cast("str", fields["zone"]))
    errors: list[Value] = []
    for index, layout in enumerate(inputs.LAYOUTS):
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
    return inputs.time_of(fields).format(cast("str", fields["layout"]))


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


def _tokens(text: str, target: GoTarget) -> Value:
    return tuple(sorted(recall_search.keywords(utf8.clean(text), target)))


def _equal_fold(fields: Input, target: GoTarget) -> Value:
    return strings.equal_fold(_text(fields, "a"), _text(fields, "b"), target)


def _print_value(fields: Input, target: GoTarget) -> Value:
    return fmt.v(json.unmarshal(cast("bytes", fields["json"]), target).value)


def _arguments(fields: Input, target: GoTarget) -> Value:
    return tree_of(json.unmarshal_args(cast("bytes", fields["json"]), target))


def _read_tokens(value: object) -> Value:
    return _read_texts(cast("dict[str, object]", value)["out"])


FUNCTIONS: Final[tuple[Function, ...]] = (
    Function("strings.ToLower", "to_lower", inputs.any_text, _of_text(strings.to_lower), read_text),
    Function(
        "strings.TrimSpace",
        "trim_space",
        inputs.any_text,
        _of_text(lambda text, _: strings.trim_space(text)),
        read_text,
    ),
    Function(
        "strings.Fields", "fields", inputs.any_text, _of_text(lambda text, _: tuple(strings.fields(text))), _read_texts
    ),
    Function("strings.EqualFold", "equal_fold", inputs.two_texts, _equal_fold, _read_plain),
    Function("strconv.Quote", "quote", inputs.any_text, _of_text(strconv.quote), read_text),
    Function("strconv.ParseUint", "parse_uint", inputs.digits, _of_text(_parse_uint), _read_number),
    Function("parse id", "parse_id", inputs.identifier, _of_text(_parse_id), _read_number),
    Function("tokens", "tokens", inputs.any_text, _of_text(_tokens), _read_tokens),
    Function("fmt %v", "fmt_v", inputs.document, _print_value, read_text),
    Function("fmt %.0f", "fmt_0f", inputs.number, _of_float(fmt.percent_0f), read_text),
    Function(
        "int(float64)", "int_of_float", inputs.number, _of_float(lambda value: str(convert.int64(value))), read_text
    ),
    Function(
        "math.Log", "log", inputs.number, _of_float(lambda value: struct.pack(">d", math.log(value)).hex()), read_text
    ),
    Function("json.Unmarshal", "json_unmarshal", inputs.document, _unmarshal, _read_unmarshal, _only_whether),
    Function("json arguments", "arguments", inputs.arguments, _arguments, read_tree),
    Function("json.Marshal", "json_marshal", inputs.value, _marshal, _read_marshal),
    Function("time.ParseInLocation", "parse_in_location", inputs.date, _parse_in_location, _read_time),
    Function("time.Format", "format_time", inputs.moment, _format, read_text),
    Function("base64.StdEncoding", "base64", inputs.coded, _decode_base64, _read_base64),
    Function("url.ParseQuery", "parse_query", inputs.query_string, _parse_query, _read_query),
)
"""Every function, by the name that ``--tool`` takes."""
