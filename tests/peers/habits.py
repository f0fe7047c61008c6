"""Harmless ways of giving an answer: as an object, as JSON text, over HTTP. Only the standard library: peers use it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

Answer = dict[str, Any]

TRANSPORT: Final = frozenset(
    {
        "chunked",
        "http-1.0",
        "closes",
        "headers-lower",
        "headers-upper",
        "more-headers",
        "charset",
        "no-content-type",
        "drips",
        "is-slow",
        "chatters",
    }
)
"""Habits that show in the transport alone: what reads no HTTP and no pipe never sees them."""


def answered(answer: Answer, habit: str) -> Answer:
    """An answer to a call as a habit has it."""
    match habit:
        case "diff-null":
            return {**answer, "diff": answer["diff"] or None} if "diff" in answer else answer
        case "diff-empty":
            return {**answer, "diff": answer["diff"] or []} if "diff" in answer else answer
        case "panic-left-out":
            return {key: value for key, value in answer.items() if key != "panic" or value is not None}
        case "keys-backwards":
            return dict(reversed(answer.items()))
        case "keys-sorted":
            return dict(sorted(answer.items()))
    return answer


def body_of(answer: Any, habit: str) -> bytes:  # noqa: ANN401 - JSON
    """The JSON text of an answer as a habit writes it."""
    raw = habit in {"raw-utf8", "crlf"}
    indent = 2 if habit in {"indented", "crlf"} else None
    separators = (" , ", " : ") if habit == "spaced" else (",", ":") if habit == "compact" else None
    text = json.dumps(answer, ensure_ascii=not raw, indent=indent, separators=separators)
    match habit:
        case "crlf":
            text = text.replace("\n", "\r\n") + "\r\n"
        case "newline":
            text = f"\n{text}\n"
        case "go-html-escapes":
            text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        case "slashes":
            text = text.replace("/", "\\/")
    return text.encode()


def send(handler: BaseHTTPRequestHandler, answer: Any, habit: str) -> None:  # noqa: ANN401 - JSON
    """Send an answer over HTTP, status 200."""
    send_body(handler, body_of(answer, habit), habit)


def send_body(handler: BaseHTTPRequestHandler, body: bytes, habit: str) -> None:
    """Send a body over HTTP, status 200."""
    handler.send_response(200)
    for name, value in headers(len(body), habit).items():
        handler.send_header({"headers-lower": name.lower(), "headers-upper": name.upper()}.get(habit, name), value)
    handler.end_headers()
    if habit == "chunked":
        middle = max(1, len(body) // 2)
        for piece in filter(None, (body[:middle], body[middle:])):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        handler.wfile.write(b"0\r\n\r\n")
    elif habit == "drips":
        for at in range(0, len(body), 4096):
            handler.wfile.write(body[at : at + 4096])
            handler.wfile.flush()
    else:
        handler.wfile.write(body)
    if habit == "closes":
        handler.close_connection = True


def headers(length: int, habit: str) -> dict[str, str]:
    """The headers of an answer as a habit has them."""
    names = {"Content-Type": "application/json", "Content-Length": str(length)}
    match habit:
        case "chunked":
            del names["Content-Length"]
            names["Transfer-Encoding"] = "chunked"
        case "http-1.0" | "closes":
            names["Connection"] = "close"
        case "more-headers":
            names |= {"X-Request-Id": "7f3a", "Server-Timing": "tool;dur=1.5"}
        case "charset":
            names["Content-Type"] = "application/json; charset=utf-8"
        case "no-content-type":
            del names["Content-Type"]
    return names
