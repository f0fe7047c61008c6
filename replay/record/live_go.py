"""The Go that is recorded, over HTTP: who it is, what it can, what it answers (facade.md; README, Recording).

It runs a tool at ``POST {base}/internal/v1/tool/exec``. Who it is it tells at ``GET {base}/internal/v1/version``, as
``{"version":"go1.25.5","commit":"…"}``, or under ``go`` beside what it can do (``GET …/parity/capabilities``). Through
no proxy, following no redirect, with bounded sizes and times, every request on a connection of its own and sent once.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from parity.facade.transport import CONNECT_SECONDS, HttpTransport
from parity.gostd import target as targets
from parity.tools.interface import GoUnavailable
from replay.candidates import answers
from replay.candidates.http import EXEC_PATH, PARITY_PATH, split
from replay.journal.limits import DEFAULT as LIMITS
from replay.record.refusal import GoRefusedError, NoAnswerError, RecordingRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parity.facade.transport import Reply
    from parity.gostd.target import GoTarget
    from replay.candidates.interface import Capabilities

T = TypeVar("T")

TOKEN_VARIABLE: Final = "LOKI_PARITY_TOKEN"  # noqa: S105 - the name of a variable, no token
"""The environment variable whose value is sent as a bearer token."""

VERSION_PATH: Final = "/internal/v1/version"
BLOCKS_PATH: Final = "/internal/v1/recall/blocks"
OURS: Final = "loki-parity"
"""What everything that this project serves calls itself."""

_TOKEN: Final = re.compile(r"[!-~]+", re.ASCII)
_COMMIT: Final = re.compile(r"[0-9A-Za-z._+-]{1,100}", re.ASCII)
_FAILED: Final = re.compile(r"larger than|compressed")
"""How a client words an answer that came and cannot be taken, as opposed to none at all."""


@dataclass(frozen=True, slots=True)
class GoIdentity:
    """The Go that was asked: its version, with what follows from it, and the commit it was built from."""

    target: GoTarget
    commit: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person says of Go on the command line, where Go does not tell; empty: nothing."""

    version: str = ""
    commit: str = ""


def token() -> str:
    """The token of the environment, empty if there is none. Raises RecordingRefusedError; its value is never shown."""
    found = os.environ.get(TOKEN_VARIABLE, "")
    if found and not _TOKEN.fullmatch(found):
        message = f"${TOKEN_VARIABLE} is no token: it holds a space, or something else than printable ASCII"
        raise RecordingRefusedError(message)
    return found


class LiveGo:
    """A Go at ``url``; ``deadline`` is how many seconds an answer may take. Raises RecordingRefusedError for a bad URL.

    Every question raises GoRefusedError when its answer cannot be used, NoAnswerError when none came.
    """

    def __init__(self, url: str, *, deadline: float, token: str = "") -> None:
        self._token = token
        try:
            if "@" in urlsplit(url).netloc:
                message = f"--go-url holds credentials: they belong into ${TOKEN_VARIABLE}"
                raise RecordingRefusedError(message)
            self._origin, self._base = split(url)
        except ValueError as error:
            message = f"--go-url: {error}"
            raise RecordingRefusedError(message) from None
        self._deadline = deadline

    def capabilities(self) -> tuple[Capabilities, object]:
        """What Go can do beside running a tool, and the declaration itself (None: it makes none)."""
        said = self._said(f"{PARITY_PATH}capabilities")
        try:
            can, _ = answers.capabilities(said, side_by_side=False)
        except answers.NonsenseError as nonsense:
            raise GoRefusedError(str(nonsense)) from None
        return can, said

    def identity(self, declared: object, asked: Asked) -> GoIdentity:
        """Who Go is: as it tells itself, else as a person says. Raises RecordingRefusedError where the two disagree."""
        told = _told(self._said(VERSION_PATH)) | _told(declared.get("go") if isinstance(declared, dict) else None)
        version = _agreed("version", told, asked.version)
        commit = _agreed("commit", told, asked.commit)
        try:
            target = targets.parse(version, told.get("goarch", "amd64"))
        except targets.TargetNotOfferedError as error:
            message = f"this Go cannot be recorded: {error}"
            raise GoRefusedError(message) from None
        return GoIdentity(target, commit)

    def blocks(self) -> list[object] | None:
        """The archive as Go itself serves it; None if it does not."""
        reply = self._exchange("GET", BLOCKS_PATH)
        said: object = None
        with contextlib.suppress(ValueError, RecursionError):
            said = json.loads(reply.body)
        if isinstance(said, dict):
            said = said.get("blocks", said.get("blocs"))
        return _shallow(said) if reply.status == 200 and isinstance(said, list) else None

    def tell(self, what: str, said: Mapping[str, object]) -> dict[str, object]:
        """A question beside the calls: reset, restore, clock or state."""
        return self._posted(f"{PARITY_PATH}{what}", json.dumps(said).encode())

    def call(self, tool: str, raw_args: bytes) -> dict[str, object]:
        """Run a tool with the arguments as they stand in the scenario."""
        return self._posted(EXEC_PATH, b'{"name":%b,"args":%b}' % (json.dumps(tool).encode(), raw_args))

    def _posted(self, path: str, body: bytes) -> dict[str, object]:
        reply = self._exchange("POST", path, body)
        if reply.status != 200:
            clause = f"it answered {reply.status}: {answers.shown(reply.body)}"
            raise GoRefusedError(clause)
        try:
            return _shallow(answers.read(reply.body))
        except answers.NonsenseError as nonsense:
            raise GoRefusedError(str(nonsense)) from None

    def _said(self, path: str) -> object:
        """A question that Go need not know; None for any answer but an object."""
        reply = self._exchange("GET", path)
        if reply.status == 200:
            with contextlib.suppress(answers.NonsenseError):
                said = _shallow(answers.read(reply.body))
                _refuse_our_own(json.dumps(said))
                return said
        return None

    def _exchange(self, method: str, path: str, body: bytes | None = None) -> Reply:
        deadline = self._deadline
        connect = min(CONNECT_SECONDS, deadline)
        with HttpTransport(
            self._origin, connect=connect, read=deadline, total=deadline, limit=answers.LONGEST
        ) as transport:
            if self._token:
                transport.headers["authorization"] = f"Bearer {self._token}"
            try:
                reply = transport.request(method, self._base + path, body)
            except GoUnavailable as unavailable:
                if _FAILED.search(unavailable.reason):
                    raise GoRefusedError(unavailable.reason) from None
                raise NoAnswerError(unavailable.reason) from None
        _refuse_our_own(reply.server)
        if self._token and self._token.encode() in reply.body:
            message = "its answer holds the token it was asked with"
            raise GoRefusedError(message)
        if 300 <= reply.status < 400:
            message = f"it redirects (status {reply.status}), and a redirect is never followed"
            raise GoRefusedError(message)
        if reply.status in (401, 403):
            message = f"it answered {reply.status}: it wants another ${TOKEN_VARIABLE}"
            raise GoRefusedError(message)
        return reply


def _shallow(tree: T) -> T:
    """The tree itself. Raises GoRefusedError where it nests deeper than any journal does."""
    level: list[object] = [tree]
    for _ in range(LIMITS.depth):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        if not inner:
            return tree
        level = [value for values in inner for value in values]
    message = f"its answer nests deeper than {LIMITS.depth} levels"
    raise GoRefusedError(message)


def _refuse_our_own(text: str) -> None:
    """Raises GoRefusedError for who calls himself by this project's name: the port would record itself."""
    if OURS in text.casefold().replace("_", "-"):
        message = (
            f"it calls itself {OURS}: the port, a fake Go or a façade of this project is no Go, and is not recorded"
        )
        raise GoRefusedError(message)


def _told(said: object) -> dict[str, str]:
    """What an answer tells of a Go: version, commit, processor."""
    if not isinstance(said, dict):
        return {}
    told = {}
    for name in ("version", "commit", "goarch"):
        value = said.get(name)
        if isinstance(value, str) and value:
            told[name] = value
    if "version" in told and not re.fullmatch(r"(?:go)?1\.[0-9].*", told["version"], re.DOTALL):
        del told["version"]  # of the program itself, say: not of Go
    return told


def _agreed(name: str, told: Mapping[str, str], asked: str) -> str:
    """What Go tells, or a person says."""
    found = told.get(name, asked)
    if not found:
        message = f"it does not tell its {name}: say it with --go-{name}"
        raise GoRefusedError(message)
    if asked and found.removeprefix("go") != asked.removeprefix("go"):
        message = f"it says that its {name} is {answers.shown(found.encode())}, and --go-{name} says otherwise"
        raise GoRefusedError(message)
    if not _COMMIT.fullmatch(found):
        message = f"its {name} is {answers.shown(found.encode())}, which is none"
        raise GoRefusedError(message)
    return found
