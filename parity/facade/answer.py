"""Reading what Go answered: is it an answer at all, and what JSON is in it (facade.md, the host, 1)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NoReturn

from parity.rules import rule
from parity.tools.interface import GoUnavailable

if TYPE_CHECKING:
    from parity.facade.transport import Reply

OK: Final = 200
NOT_FOUND: Final = 404

_HTML_TYPE: Final = re.compile(r"[ \t]*(?:text/html|application/xhtml\+xml)[ \t]*(?:;|$)", re.IGNORECASE | re.ASCII)
_MARKUP: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n\f\v]*<")
_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@rule("facade/host/404-html-is-no-answer")
def is_html(reply: Reply) -> bool:
    """Whether a proxy or a wrong server speaks: HTML by its Content-Type or by its first character."""
    return _HTML_TYPE.match(reply.content_type) is not None or _MARKUP.match(reply.body) is not None


@rule("facade/host/404-is-an-answer")
def is_absent(reply: Reply) -> bool:
    """Whether Go said that there is no such block. Raises GoUnavailable for a 404 that is not Go's."""
    if reply.status != NOT_FOUND:
        return False
    if is_html(reply):
        reason = "a 404 in HTML, which is not Go's"
        raise GoUnavailable(reason)
    return True


@rule("facade/host/status-is-no-answer")
def check_status(reply: Reply) -> None:
    """Raise GoUnavailable unless the status is 200."""
    if reply.status != OK:
        reason = f"Go answered with status {reply.status}"
        raise GoUnavailable(reason)


@rule("facade/host/unreadable-body")
def read_json(reply: Reply) -> object:
    """The JSON of a body: None, bool, int (exact), float, str, list, dict. Raises GoUnavailable if it is not JSON.

    Strings may hold lone surrogates where :func:`holds_surrogates` says so; :func:`clean` replaces them as Go does.
    """
    if is_html(reply):
        reason = "Go's answer is HTML, not JSON"
        raise GoUnavailable(reason)
    try:
        return _DECODER.decode(reply.body.decode())
    except (ValueError, RecursionError) as error:
        reason = "Go's answer is not readable as JSON"
        raise GoUnavailable(reason) from error


def holds_surrogates(body: bytes) -> bool:
    r"""Whether a string in this JSON can hold a lone surrogate: only an escape such as ``\ud800`` makes one."""
    return _SURROGATE_ESCAPE.search(body) is not None


def clean(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate, as Go's decoder reads it (go-semantics.md, 2.10)."""
    return _SURROGATE.sub("�", text)


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise ValueError(message)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)
