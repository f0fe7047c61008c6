"""Reading HTTP requests off a kept connection, one after the other.

Small and strict: request line, headers, and a body by Content-Length or in chunks, all bounded. The target is kept in
its own bytes, because a space, a control character or a byte above 127 in it is for the routes to judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

BODY_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of one body."""

_LINE_LIMIT: Final = 65536
_HEADERS_LIMIT: Final = 100
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST_LINE: Final = re.compile(rb"(" + _TOKEN + rb") ([^ \r\n]+) HTTP/1\.([01])\r?\n")
_HEADER: Final = re.compile(rb"(" + _TOKEN + rb"):[ \t]*([^\r\n]*?)[ \t]*\r?\n")
_LENGTH: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_LINE_ENDS: Final = (b"\r\n", b"\n")

BAD: Final = "400 Bad Request"
BODY_TOO_LARGE: Final = "413 Content Too Large"
HEADERS_TOO_LARGE: Final = "431 Request Header Fields Too Large"


class BadRequestError(Exception):
    """What came is not HTTP as it is taken here; ``status`` is the answer, such as ``400 Bad Request``."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True)
class Incoming:
    """One request: ``target`` in its own bytes, header names in lower case, the whole body."""

    method: str
    target: bytes
    modern: bool
    headers: Mapping[str, str]
    body: bytes

    @property
    def keep(self) -> bool:
        """Whether the client lets the connection be used again (HTTP/1.1 unless it says otherwise)."""
        return self.modern and "close" not in self.headers.get("connection", "").lower()


def read(stream: BinaryIO, send: Callable[[bytes], object]) -> Incoming | None:
    """The next request, None at the end of the connection; ``send`` is for the ``100 Continue`` that one may ask for.

    Raises BadRequestError, after which the connection is of no more use, and OSError if the connection broke.
    """
    line = _line(stream)
    if not line:
        return None
    found = _REQUEST_LINE.fullmatch(line)
    if found is None:
        raise BadRequestError(BAD)
    headers = _headers(stream)
    if headers.get("expect", "").lower() == "100-continue":
        send(b"HTTP/1.1 100 Continue\r\n\r\n")
    if headers.pop("transfer-encoding", None) is None:
        body = _counted(stream, headers.get("content-length", "0"))
    else:
        body = _chunks(stream)
    return Incoming(found[1].decode(), found[2], found[3] == b"1", headers, body)


def _line(stream: BinaryIO) -> bytes:
    line = stream.readline(_LINE_LIMIT + 1)
    if len(line) > _LINE_LIMIT:
        raise BadRequestError(HEADERS_TOO_LARGE)
    return line


def _headers(stream: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    for _ in range(_HEADERS_LIMIT):
        line = _line(stream)
        if line in _LINE_ENDS:
            return headers
        found = _HEADER.fullmatch(line)
        if found is None:
            raise BadRequestError(BAD)
        name, value = found[1].decode().lower(), found[2].decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    raise BadRequestError(HEADERS_TOO_LARGE)


def _counted(stream: BinaryIO, length: str) -> bytes:
    if _LENGTH.fullmatch(length) is None:
        raise BadRequestError(BAD)
    return _exactly(stream, int(length))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    if size > BODY_LIMIT:
        raise BadRequestError(BODY_TOO_LARGE)
    data = stream.read(size)
    if len(data) < size:
        raise BadRequestError(BAD)
    return data


def _chunks(stream: BinaryIO) -> bytes:
    body = bytearray()
    while True:
        found = _CHUNK.fullmatch(_line(stream))
        if found is None:
            raise BadRequestError(BAD)
        size = int(found[1], 16)
        if size + len(body) > BODY_LIMIT:
            raise BadRequestError(BODY_TOO_LARGE)
        if size == 0:
            _headers(stream)
            return bytes(body)
        body += _exactly(stream, size)
        if _line(stream) not in _LINE_ENDS:
            raise BadRequestError(BAD)
