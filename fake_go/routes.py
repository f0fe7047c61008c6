"""What each of Go's internal routes answers (facade.md, Go's routes; go-semantics.md, 2.10 to 2.12)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from fake_go.recorded import RecordedSteps
from fake_go.reply import error, go_answer
from fake_go.store import ArchiveFullError
from parity.gostd import json, strconv, url, utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fake_go.reply import Reply
    from fake_go.store import BlockStore
    from parity.gostd.target import GoTarget

BLOCK: Final = "block"
BLOCKS: Final = "blocks"
ARCHIVE: Final = "archive"
EXEC: Final = "exec"
KEEPIMG: Final = "keepimg"
STORE: Final = "store"

ROUTES: Final = {
    b"/internal/v1/recall/block": ("GET", BLOCK),
    b"/internal/v1/recall/blocks": ("GET", BLOCKS),
    b"/internal/v1/recall/archive": ("POST", ARCHIVE),
    b"/internal/v1/tool/exec": ("POST", EXEC),
    b"/internal/v1/turn/keepimg": ("GET", KEEPIMG),
    b"/internal/v1/turn/keepimg/store": ("POST", STORE),
}
"""Path to method and route name; faults are planted by that name."""

NAMES: Final = frozenset(name for _, name in ROUTES.values())

_KEPT_BYTES: Final = 64
"""Targets and queries up to this length are read once: that is most of what an answer from memory costs."""

_FORBIDDEN: Final = re.compile(rb"[\x00-\x20\x7f]")
_ESCAPED_SLASH: Final = re.compile(rb"%2[Ff]")
_BAD_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")


def split(target: bytes) -> tuple[bytes, bytes]:
    """The decoded path and the raw query of a request target; ``#`` is an ordinary character.

    Raises ValueError for what Go refuses by itself: a space, a control character, a bad escape in the path.
    """
    return (_kept_split if len(target) <= _KEPT_BYTES else _split)(target)


def _split(target: bytes) -> tuple[bytes, bytes]:
    path, _, query = target.partition(b"?")
    if _FORBIDDEN.search(target) or _BAD_ESCAPE.search(path):
        message = "the request target is malformed"
        raise ValueError(message)
    # An escaped slash is no separator: such a path is left as it stands, and is no route's.
    return (path if _ESCAPED_SLASH.search(path) else unquote_to_bytes(path)), query


_kept_split = lru_cache(maxsize=4096)(_split)


class Routes:
    """The state behind the routes, and their answers. Not thread-safe."""

    def __init__(self, store: BlockStore, target: GoTarget, now: Callable[[], int]) -> None:
        self.store = store
        self.steps = RecordedSteps(target)
        self.keepimg: Callable[[], bytes] | None = None
        self.keepimg_store: Callable[[bytes], bytes | None] | None = None
        self._target = target
        self._now = now
        self._answers: Mapping[str, Callable[[bytes, bytes], Reply | None]] = {
            BLOCK: self._block,
            BLOCKS: self._blocks,
            ARCHIVE: self._archive,
            EXEC: self._execute,
            KEEPIMG: self._keepimg,
            STORE: self._keepimg_store,
        }

    def answer(self, route: str, query: bytes, body: bytes) -> Reply | None:
        """The answer of a route to its own method; None for a call that no recorded step answers."""
        return self._answers[route](query, body)

    def _block(self, query: bytes, _body: bytes) -> Reply:
        seq = (_kept_seq if len(query) <= _KEPT_BYTES else _seq)(query, self._target)
        if seq is None:
            return error(400, "seq is not an unsigned 64-bit decimal")
        block = self.store.block(seq)
        return error(404, f"no block {seq}") if block is None else go_answer(block)

    def _blocks(self, _query: bytes, _body: bytes) -> Reply:
        return go_answer(self.store.blocks())

    def _archive(self, _query: bytes, body: bytes) -> Reply:
        fields = _fields(body, ("label", "role", "content"), self._target)
        texts = [text for text in fields or () if isinstance(text, str | None)]
        if len(texts) != 3:
            return error(400, "the body is not an object of label, role and content")
        label, role, content = [text or "" for text in texts]
        try:
            identity = self.store.archive(label, role, content, self._now())
        except ArchiveFullError:
            return error(500, "no seq is left")
        return go_answer(json.marshal(json.Struct({"id": identity}), self._target))

    def _execute(self, _query: bytes, body: bytes) -> Reply | None:
        name, args = _fields(body, ("name", "args"), self._target) or (None, None)
        if not isinstance(name, str):
            return error(400, "the body is not an object with a name")
        return self.steps.take(name, args)

    def _keepimg(self, _query: bytes, _body: bytes) -> Reply:
        return error(404, "no kept images here") if self.keepimg is None else go_answer(self.keepimg())

    def _keepimg_store(self, _query: bytes, body: bytes) -> Reply:
        if self.keepimg_store is None:
            return error(404, "no kept images here")
        stored = self.keepimg_store(body)
        return error(400, "the body is unreadable") if stored is None else go_answer(stored)


def _seq(query: bytes, target: GoTarget) -> int | None:
    """The first seq of a query, None if it is not an unsigned 64-bit decimal."""
    try:
        return strconv.parse_uint(utf8.text(url.parse_query(query, target).first(b"seq")))
    except strconv.NumError:
        return None


_kept_seq = lru_cache(maxsize=4096)(_seq)


def _fields(body: bytes, names: tuple[str, ...], target: GoTarget) -> list[object] | None:
    """These fields of a JSON object as a Go struct takes them: keys match without case, absent is None.

    None if the body is not a JSON object. The names hold no letter that folds to anything but its ASCII capital.
    """
    value = json.unmarshal(body, target).value
    if not isinstance(value, dict):
        return None
    folded = {key.lower(): held for key, held in value.items() if key.isascii()}
    return [folded.get(name) for name in names]
