"""The façade's own way into the memory over HTTP: list, read, write a page (facade.md, The host, 2).

A WSGI application over the very memory object that the tools have: one lock, one writer. The contract names no routes,
so these are the port's own; a page is its bytes, everything else one line of JSON.

=====================  ======================================================================
``GET /memory/pages``  200 and ``[{"file":…,"title":…},…]``, as the tools list the pages
``GET /memory/page``   200 and the page's bytes; 404 if it cannot be read, 423 if it is locked
``PUT /memory/page``   204, the body written as any page; 423 if locked, 507 if the system refuses
=====================  ======================================================================

The page is named by ``?file=``, as a model names one; a bad name is 400, another method 405. A page written here does
not enter the index: ``mem_add`` does that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import json, url, utf8
from parity.gostd.target import GO_1_25
from parity.rules import rule
from parity.tools.interface import PageLocked, PageUnreadable, WriteRefused
from parity.tools.pages import PageError, listing, page_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Memory

PAGES_ROUTE: Final = "/memory/pages"
PAGE_ROUTE: Final = "/memory/page"
BODY_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of one page."""

_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_JSON: Final = "application/json"
_BYTES: Final = "application/octet-stream"

OK: Final = "200 OK"
NO_CONTENT: Final = "204 No Content"
BAD_REQUEST: Final = "400 Bad Request"
NOT_FOUND: Final = "404 Not Found"
NOT_ALLOWED: Final = "405 Method Not Allowed"
TOO_LARGE: Final = "413 Content Too Large"
LOCKED: Final = "423 Locked"
NO_STORAGE: Final = "507 Insufficient Storage"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; ``allow`` names the methods that a route takes."""

    status: str
    body: bytes = b""
    content_type: str = _JSON
    allow: str = ""


class MemoryRoutes:
    """The application over ``memory``; threads may call it at the same time."""

    def __init__(self, memory: Memory, target: GoTarget = GO_1_25) -> None:
        self._memory = memory
        self._target = target
        self._routes: dict[str, dict[str, Callable[[WSGIEnvironment], Answer]]] = {
            PAGES_ROUTE: {"GET": self._list},
            PAGE_ROUTE: {"GET": self._read, "PUT": self._write},
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """WSGI."""
        answer = self._answer(environ)
        headers = [("Content-Length", str(len(answer.body)))]
        if answer.body:
            headers.append(("Content-Type", answer.content_type))
        if answer.allow:
            headers.append(("Allow", answer.allow))
        start_response(answer.status, headers)
        return [answer.body]

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        methods = self._routes.get(environ["PATH_INFO"])
        if methods is None:
            return self._error(NOT_FOUND, "no such route")
        route = methods.get(environ["REQUEST_METHOD"])
        if route is None:
            allow = ", ".join(methods)
            return Answer(NOT_ALLOWED, self._error_body(f"this route takes {allow} only"), allow=allow)
        try:
            return route(environ)
        except PageError as error:
            return self._error(BAD_REQUEST, error.reason)

    @rule("facade/memory/list")
    def _list(self, _environ: WSGIEnvironment) -> Answer:
        pages = listing(self._memory.pages, self._target)
        entries = [json.Struct({"file": page.file, "title": page.title}) for page in pages]
        return Answer(OK, json.marshal(entries, self._target))

    @rule("facade/memory/read")
    def _read(self, environ: WSGIEnvironment) -> Answer:
        name = self._name(environ)
        try:
            return Answer(OK, self._memory.pages.read(name), _BYTES)
        except PageLocked:
            return self._error(LOCKED, "the page is sealed and the memory is locked")
        except PageUnreadable:
            return self._error(NOT_FOUND, "no such page")

    @rule("facade/memory/write")
    def _write(self, environ: WSGIEnvironment) -> Answer:
        name = self._name(environ)
        length = environ.get("CONTENT_LENGTH") or "0"
        if _LENGTH.fullmatch(length) is None:
            return self._error(BAD_REQUEST, "the length of the body is no number")
        if int(length) > BODY_LIMIT:
            return self._error(TOO_LARGE, f"a page has at most {BODY_LIMIT} bytes")
        body = environ["wsgi.input"].read(int(length))
        if len(body) < int(length):
            return self._error(BAD_REQUEST, "the body is shorter than its length says")
        try:
            self._memory.pages.write(name, body)
        except WriteRefused as refused:
            return self._error(NO_STORAGE if refused.system else LOCKED, refused.text)
        return Answer(NO_CONTENT)

    def _name(self, environ: WSGIEnvironment) -> str:
        """The file that the query names. Raises PageError for a bad name."""
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        return page_name(utf8.decode(url.parse_query(query, self._target).first(b"file")), self._target)

    def _error(self, status: str, text: str) -> Answer:
        return Answer(status, self._error_body(text))

    def _error_body(self, text: str) -> bytes:
        return json.marshal({"error": text}, self._target)
