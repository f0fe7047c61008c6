"""An HTTP façade as a candidate: ``POST {base}/internal/v1/tool/exec``, as Go itself takes it (facade.md).

What it can beside that it declares at ``GET {base}/internal/v1/parity/capabilities``, answered with
``{"can": ["reset", "read_state", "set_clock", "reads"]}``, and does at ``POST {base}/internal/v1/parity/…``:
``reset`` (a journal's head), ``restore`` (files and trackers), ``clock`` (now), ``state`` ({} → files and trackers).
Through no proxy, following no redirect, every call on a connection of its own: one that the façade is about to close
cannot be told from a call that was lost, and a call is never sent twice.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

import httpcore

from fake_go.app import FakeGo
from parity.facade.transport import CONNECT_SECONDS, HttpTransport, origin
from parity.tools.interface import GoUnavailable
from replay.candidates import answers
from replay.candidates.interface import CandidateCrashed, CandidateNotReadyError, Capabilities, Identity
from replay.candidates.outside import KINDS, OutsideSession, Patience, serving
from replay.discretion import discreet

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from parity.facade.transport import Reply
    from replay.fields import Value
    from replay.journal.model import Journal

EXEC_PATH: Final = "/internal/v1/tool/exec"
PARITY_PATH: Final = "/internal/v1/parity/"
_PATH: Final = re.compile(r"(?:/[!-~]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """How a façade is called: the path of its tool/exec below the base, the names of its fields."""

    path: str = EXEC_PATH
    names: Mapping[str, str] = field(default_factory=lambda: answers.NAMES)


def split(url: str) -> tuple[str, str]:
    """The origin and the base path of ``http://host[:port][/base]``. Raises ValueError."""
    parts = urlsplit(url)
    base = parts.path.removesuffix("/")
    server = parts._replace(path="").geturl()
    origin(server)
    if not _PATH.fullmatch(base):
        message = f"{discreet(url)!r} is not the URL of a façade (expected such as http://127.0.0.1:8080/base)"
        raise ValueError(message)
    return server, base


class HttpCandidate:
    """A façade at ``url``. ``go_port`` is the port of the fake Go that it was told to read from, None: any free one."""

    def __init__(
        self, url: str, *, form: Form | None = None, go_port: int | None = None, patience: Patience | None = None
    ) -> None:
        self._origin, self._base = split(url)
        self._form = form or Form()
        self._go_port = go_port
        self._patience = patience or Patience()
        self._resources = contextlib.ExitStack()
        self._fake = FakeGo()
        self._go = ""
        nothing = Capabilities(reset=False, read_state=False, set_clock=False, side_by_side=False)
        self.identity = Identity(url, "http", reads_seen=go_port is not None, can=nothing)

    def __enter__(self) -> Self:
        """Start the fake Go and ask what the façade can. Raises CandidateNotReadyError."""
        try:
            self._go = self._resources.enter_context(serving(self._fake, self._go_port))
        except OSError as error:
            message = f"the fake Go cannot listen on port {self._go_port}: {error.strerror}"
            raise CandidateNotReadyError(message) from None
        try:
            can, reads = self._declared()
        except (CandidateCrashed, answers.NonsenseError) as error:
            self._resources.close()
            message = f"{self.identity.name} cannot be judged: {error}"
            raise CandidateNotReadyError(message) from None
        seen = self.identity.reads_seen or (reads and can.reset)
        self.identity = replace(self.identity, can=can, reads_seen=seen)
        return self

    def _declared(self) -> tuple[Capabilities, bool]:
        """What it declares; no answer of the kind that was asked for declares nothing."""
        reply = self.exchange("GET", f"{PARITY_PATH}capabilities")
        said: object = None
        if reply.status == 200:
            with contextlib.suppress(answers.NonsenseError):
                said = answers.read(reply.body)
        return answers.capabilities(said, side_by_side=False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the fake Go."""
        self._resources.close()

    def offers(self, kind: str) -> bool:
        """Whether journals of a kind hold calls of tools."""
        return kind in KINDS

    def session(self, journal: Journal) -> OutsideSession:
        """A session; who can be reset starts from the journal's initial state, anybody else from where he stands."""
        line = _HttpLine(self, self._form)
        return OutsideSession(journal, line, self._fake, self.identity, self._go)

    def exchange(self, method: str, path: str, body: bytes | None = None) -> Reply:
        """One request below the base. Raises CandidateCrashed when no answer comes."""
        self._patience.check()
        deadline = self._patience.deadline
        connect = min(CONNECT_SECONDS, deadline)
        with HttpTransport(
            self._origin, connect=connect, read=deadline, total=deadline, limit=answers.LONGEST
        ) as transport:
            try:
                return transport.request(method, self._base + path, body)
            except GoUnavailable as unavailable:
                if isinstance(unavailable.__cause__, httpcore.TimeoutException):
                    raise self._patience.hung() from None
                # The client was written for the other side, and names it.
                raise CandidateCrashed(unavailable.reason.replace("Go", "the façade")) from None


class _HttpLine:
    """The questions of one session."""

    def __init__(self, candidate: HttpCandidate, form: Form) -> None:
        self._candidate = candidate
        self._form = form
        self._began = False

    def begin(self) -> bool:
        """The façade runs already; a session starts once."""
        began, self._began = self._began, True
        return not began

    def tell(self, what: str, said: Mapping[str, object]) -> Mapping[str, object]:
        """POST it."""
        return self._post(f"{PARITY_PATH}{what}", json.dumps(said).encode())

    def call(self, tool: str, raw_args: bytes, now: str | None) -> Mapping[str, Value]:
        """POST the call; its arguments are the journal's own bytes."""
        if now is not None:
            self.tell("clock", {"now": now})
        name, args = (json.dumps(self._form.names[key]).encode() for key in ("name", "args"))
        body = b"{%b:%b,%b:%b}" % (name, json.dumps(tool).encode(), args, raw_args)
        try:
            return answers.outcome(self._post(self._form.path, body), self._form.names)
        except answers.NonsenseError as nonsense:
            raise CandidateCrashed(str(nonsense)) from None

    def _post(self, path: str, body: bytes) -> Mapping[str, object]:
        reply = self._candidate.exchange("POST", path, body)
        if reply.status != 200:
            message = f"it answered {reply.status}: {answers.shown(reply.body)}"
            raise CandidateCrashed(message)
        try:
            return answers.read(reply.body)
        except answers.NonsenseError as nonsense:
            raise CandidateCrashed(str(nonsense)) from None

    def close(self) -> None:
        """Nothing to give back."""
