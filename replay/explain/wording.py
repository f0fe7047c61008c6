"""``limit``, ``quote``, ``label``: arguments as Go reads them, texts as it writes them (contract: go-semantics.md)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from parity.gostd import convert, fmt, json, strconv, unicode, utf8
from parity.tools import labels, mem_read, mem_search, pages, recall_search
from replay.compare.code_points import describe
from replay.counted import counted
from replay.explain.explanation import (
    ExplainError,
    Explanation,
    bytes_of,
    library,
    part,
    question,
)
from replay.oracle import wire
from replay.report.value_text import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parity.gostd.target import GoTarget
    from replay.explain.explanation import Part, Verdict
    from replay.oracle.client import Oracle


def checked_json(text: str, target: GoTarget) -> bytes:
    """One JSON value as written. Raises :class:`ExplainError` for anything else."""
    raw = bytes_of(text)
    alone = json.unmarshal(b"[" + raw + b"]", target).value
    if not isinstance(alone, list) or len(alone) != 1:
        message = f"{cut(text)} is not a JSON value (a text is written with its quotes: '\"5\"')"
        raise ExplainError(message)
    return raw


def explain_limit(text: str, target: GoTarget) -> Explanation:
    """What each tool makes of a JSON value that is given as ``limit`` or ``offset``."""
    raw = b'{"limit":' + checked_json(text, target) + b"}"
    args = json.unmarshal_args(raw, target)
    value = args.get("limit")
    parts = [_decoded(raw, target)]
    asks = [_ask_decoded(raw, target)]
    if isinstance(value, float):
        whole = convert.int64(value)
        parts.append(library("int(float64)", "2.8", whole))
        bits = struct.pack(">d", value).hex()
        asks.append(question("int(float64)", {"q": "int_of_float", "bits": bits}, str(whole)))
    parts += [
        part(pages.number_argument, pages.number_argument(args, "limit")),
        part(recall_search.limit_argument, recall_search.limit_argument(args)),
        part(mem_search.limit_argument, mem_search.limit_argument(args)),
        part(mem_read.limit_argument, mem_read.limit_argument(args)),
        part(mem_read.offset_argument, mem_read.offset_argument({"offset": value})),
    ]
    result = (
        f"recall_search {counted(recall_search.limit_argument(args), 'hit')}, "
        f"mem_search {counted(mem_search.limit_argument(args), 'hit')}, "
        f"mem_read {counted(mem_read.limit_argument(args), 'line')}"
    )
    return Explanation(f"limit {cut(text)}", target, tuple(parts), result, tuple(asks))


def explain_quote(text: str, target: GoTarget) -> Explanation:
    """How ``%q`` writes a text, and why each character that is not written as itself is not."""
    given = utf8.text(bytes_of(text))
    quoted = strconv.quote(given, target)
    why = tuple(_why_escaped(given, target))
    parts = [library("strconv.Quote, which is %q", "2.5", quoted)]
    if why:
        parts.append(library("strconv.IsPrint", "2.5", lines=why))
    ask = question("strconv.Quote", {"q": "quote", "s": wire.text(given)}, quoted)
    return Explanation(f'quote "{cut(given)}"', target, tuple(parts), quoted, (ask,))


def _why_escaped(given: str, target: GoTarget) -> Iterator[str]:
    for character in dict.fromkeys(given):
        written = strconv.quote(character, target)[1:-1]
        if written == character:
            continue
        name = describe(character, 0)
        if utf8.clean(character) != character:
            yield f"{name}: {written}"
        elif unicode.is_print(character, target):
            yield f"{name}: printable, and has a meaning between quotes: {written}"
        else:
            yield f"{name}: not printable in Unicode {target.unicode}: {written}"


def explain_label(tool: str, text: str, target: GoTarget) -> Explanation:
    """What the turn announces when a tool is called with such arguments."""
    raw = checked_json(text, target)
    args = json.unmarshal_args(raw, target)
    announced = labels.label(tool, args, target)
    parts = (
        _decoded(raw, target),
        part(labels.tracker_label, announced) if tool == labels.TRACKER else part(labels.argument_label, announced),
    )
    ask = question("the label", {"q": "label", "tool": tool, "args": wire.text(raw)}, announced)
    return Explanation(
        f"label of {cut(tool)} with {cut(text)}", target, parts, announced, (_ask_decoded(raw, target), ask)
    )


def _decoded(raw: bytes, target: GoTarget) -> Part:
    value = json.unmarshal(raw, target).value
    return library("json.Unmarshal, its error ignored, as %v prints what it leaves", "2.10 and 2.6", fmt.v(value))


def _ask_decoded(raw: bytes, target: GoTarget) -> Callable[[Oracle], Verdict]:
    value = json.unmarshal(raw, target).value
    return question("json.Unmarshal and %v", {"q": "fmt_v", "json": wire.text(raw)}, fmt.v(value))
