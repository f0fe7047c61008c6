"""Go runs a tool itself: ``POST /internal/v1/tool/exec`` (facade.md, Go's routes).

The request is sent once and never again: whoever got its first byte may have run the tool already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

import httpcore

from parity.facade.answer import check_status, clean, read_json
from parity.gostd import json
from parity.rules import rule
from parity.tools.interface import DiffLine, GoUnavailable, ToolAnswer

if TYPE_CHECKING:
    from parity.facade.transport import Reply, Transport
    from parity.gostd.target import GoTarget
    from parity.tools.interface import Args

EXEC_ROUTE: Final = "/internal/v1/tool/exec"

_OPERATORS: Final = (" ", "-", "+")
_NOTHING_SENT: Final = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.LocalProtocolError)


class NotWritableError(GoUnavailable):
    """The call cannot be written as JSON that Go would read, so nothing was sent."""


@rule("facade/routes/exec")
def execute(go: Transport, name: str, args: Args, target: GoTarget) -> ToolAnswer:
    """What Go answers to the call. Raises GoUnavailable when it does not, whether or not it ran the tool."""
    return read_answer(read_json(_sent(go, _body(name, args, target))))


def _body(name: str, args: Args, target: GoTarget) -> bytes:
    """The call as Go reads it again: the arguments decoded and written, so that nothing in them stops its decoder."""
    try:
        return json.marshal(json.Struct({"name": name, "args": dict(args)}), target)
    except json.UnsupportedValueError as error:
        reason = "the arguments are too deep to be written"
        raise NotWritableError(reason) from error


def _sent(go: Transport, body: bytes) -> Reply:
    reply = go.request("POST", EXEC_ROUTE, body)
    check_status(reply)
    return reply


@rule("facade/host/exec-once")
def was_sent(unavailable: GoUnavailable) -> bool:
    """Whether Go may have got any of the request: not if there was no connection, or nothing to send."""
    return not isinstance(unavailable, NotWritableError) and not isinstance(unavailable.__cause__, _NOTHING_SENT)


@rule("facade/host/misshapen-exec")
def read_answer(value: object) -> ToolAnswer:
    """Result, label and diff of a decoded answer; label and diff may be missing or null. Raises GoUnavailable."""
    if not isinstance(value, dict):
        _misshapen("no object")
    result, label, diff = value.get("result"), value.get("label"), value.get("diff")
    if not isinstance(result, str):
        _misshapen("no result")
    if not isinstance(label, str | None):
        _misshapen("a label that is no text")
    if not isinstance(diff, list | None):
        _misshapen("a diff that is no array")
    return ToolAnswer(clean(result), clean(label or ""), tuple(_line(line) for line in diff or ()))


def _line(value: object) -> DiffLine:
    operator, text = (value.get("op"), value.get("text")) if isinstance(value, dict) else (None, None)
    if operator not in _OPERATORS or not isinstance(text, str):
        _misshapen("a line of a diff that is none")
    return DiffLine(operator, clean(text))


def _misshapen(what: str) -> NoReturn:
    reason = f"Go's answer is misshapen: {what}"
    raise GoUnavailable(reason)
