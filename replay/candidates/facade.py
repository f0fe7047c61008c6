"""The façade as a candidate: every step is a whole turn over real HTTP, a model that calls the tool included.

A fake engine asks for the tool with the step's own arguments, as written; the façade runs its turn with its host
against a fake Go; and what is compared is what the model receives in the next request. Label and diff are the host's.

A case of kept images holds no tool calls, but the parts of a turn, one by one: images are stored through Go's route,
whether vision is active comes from the other, and each completion is a real one, of the messages as they stand, from
the fake engine, which says what it used.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from fake_go.app import FakeGo
from fake_go.engine import Call, FakeEngine, FakeEngineServer, calls, says
from fake_go.server import FakeGoServer
from parity.facade.completions import ChatCompletions
from parity.facade.host import NATIVE, Host
from parity.facade.keepimg_client import STATE_ROUTE, STORE_ROUTE
from parity.facade.timeouts import Timeouts
from parity.facade.transport import HttpTransport
from parity.facade.turn import Place, Turns
from parity.gostd.time import UTC
from parity.images.message import Message
from replay import fields as named
from replay.candidates.exact import exact_text
from replay.candidates.facade_images import FacadeImages
from replay.candidates.interface import THROUGH_GO, Actual, CandidateCrashed, Identity
from replay.candidates.port import (
    HTTP,
    KINDS,
    PortCall,
    PortSession,
    around,
    beginning,
    folder_for_memories,
    module_hashes,
    starting,
)
from replay.counted import counted
from replay.whereabouts import DEADLINE

if TYPE_CHECKING:
    from types import TracebackType

    from parity.facade.host import Outcome
    from parity.facade.turn import Ended
    from parity.images.store import ImageStore
    from replay.candidates.kept_images import KeptImagesCase
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step

_WAITS: Final = Timeouts(connect=2.0, read=5.0, total=20.0)
"""Both servers are in this process, so only a fault comes near these."""

_OF_IMAGES: Final = frozenset({STATE_ROUTE, STORE_ROUTE})
"""Where a turn may ask Go although it runs its tools by itself."""

_PIECES: Final = 5
"""Into how many pieces the engine cuts the arguments of a call."""

_QUESTION: Final = (Message("user", "Appelle l'outil."),)
_ANSWER: Final = "C'est fait."
_ROUNDS: Final = 2


class FacadeCandidate:
    """The façade: its turn, its host, its memory, over real HTTP on both sides."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        """``deadline`` in seconds, for whoever watches over this process."""
        self._deadline = deadline
        self.identity = Identity("facade", HTTP, module_hashes())
        self.fake = FakeGo()
        self.engine = FakeEngine()
        self._resources = contextlib.ExitStack()
        self._go: HttpTransport | None = None
        self._completions: ChatCompletions | None = None
        self._folders = itertools.count(1)
        self._root = Path()

    def __enter__(self) -> Self:
        """Start the fake Go and the fake engine and make a folder for memories; all go with :meth:`__exit__`.

        Raises CandidateNotReadyError when the system refuses one of them.
        """
        with starting(self._deadline), contextlib.ExitStack() as resources:
            enter = resources.enter_context
            self._root = enter(folder_for_memories())
            self.identity = replace(self.identity, folder=self._root)
            go, engine = enter(FakeGoServer(self.fake)), enter(FakeEngineServer(self.engine))
            self._go = enter(HttpTransport(go.url, connect=_WAITS.connect, read=_WAITS.read, total=_WAITS.total))
            self._completions = enter(ChatCompletions(engine.url, _WAITS))
            self._resources = resources.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop and remove."""
        with around("the façade's end"):
            self._resources.close()

    def offers(self, kind: str) -> bool:
        """Whether the tools of a kind of journal are ported."""
        return kind in KINDS

    def session(self, journal: Journal) -> FacadeSession:
        """A fresh session on the journal's initial state. Raises CandidateNotReadyError as the port's does."""
        if self._go is None or self._completions is None:
            message = "the candidate was not started"
            raise LookupError(message)
        journal_root = self._root / str(next(self._folders))
        with beginning(journal):
            return FacadeSession(
                journal, self.fake, self._go, journal_root, engine=self.engine, completions=self._completions
            )


class FacadeSession(PortSession):
    """One run of the façade through one journal: the port's session, but each call is a turn."""

    def __init__(  # noqa: PLR0913 - both ends of both wires
        self,
        journal: Journal,
        fake: FakeGo,
        go: HttpTransport,
        root: Path,
        *,
        engine: FakeEngine,
        completions: ChatCompletions,
    ) -> None:
        """Open the memory, if the journal has one, below ``root``; the façade holds it."""
        super().__init__(journal, fake, go, root)
        self.engine = engine
        self.now_ns = 0
        host = Host(
            go,
            self.env.need_archive(),
            memory=self.memory,
            target=journal.target,
            zone=self.env.zone or UTC,
            clock=lambda: self.now_ns,
        )
        self.turns = Turns(completions, host, most_rounds=_ROUNDS, target=journal.target)
        self.images = FacadeImages(go, fake, engine, self.turns)

    def call(self, step: Step) -> Actual:
        """Run one step as a turn. Raises CandidateCrashed when the façade raises or its turn does not end well."""
        self.now_ns = self.now_ns if step.now_ns is None else step.now_ns
        self._forget()
        self.engine.play(calls(Call(step.tool, step.raw_args, pieces=_PIECES)), says(_ANSWER))
        with PortCall(f"{self.name}, step {step.index} {step.tool}"):
            try:
                ended = self.turns.run(_QUESTION, Place())
            finally:
                self.fake.take_unexpected()
            return self._shown_by(ended)

    def _shown_by(self, ended: Ended) -> Actual:
        if ended.error or len(ended.ran) != 1:
            what = f"the turn ended after {counted(len(ended.ran), 'call')}: {ended.error or ended.finish_reason}"
            raise CandidateCrashed(what)
        return self._judged(ended.ran[0].outcome, received(self.engine.take_bodies()))

    def _started(self, case: KeepimgCase, store: ImageStore) -> KeptImagesCase:
        self._forget()
        return self.images.begin(case, store, self.journal.target)

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of a case. Raises CandidateCrashed when the façade raises."""
        self._forget()
        actual = super().operate(step)
        asked = [line for line in self.fake.take_requests() if line.partition(" ")[2] not in _OF_IMAGES]
        if asked:
            return replace(actual, route=THROUGH_GO, reason=f"Go was asked: {', '.join(asked)}")
        return actual

    def _forget(self) -> None:
        """Nothing of a step before: neither what it asked for, nor what it left to be asked."""
        self.fake.take_requests()
        self.engine.forget()
        self.engine.take_bodies()

    def _judged(self, outcome: Outcome, result: str) -> Actual:
        """What the step shows. A crash of Go is shown as one, though the model received a text for it."""
        asked = () if self.memory is None else tuple(self.fake.take_requests())
        if outcome.route != NATIVE or asked:
            reason = outcome.why or f"Go was asked: {', '.join(asked)}"
            return Actual(self._shown({}), route=THROUGH_GO, reason=exact_text("reason", reason))
        fields: dict[str, object] = {named.LABEL: outcome.label, named.DIFF: named.diff_value(outcome.diff)}
        if outcome.panic is None:
            fields[named.RESULT] = result
        else:
            fields[named.PANIC] = outcome.panic
        return Actual(self._shown(fields), system_error=outcome.system_error is True)


def received(bodies: list[bytes]) -> str:
    """The result that the model received: the last message of the last request. Raises CandidateCrashed."""
    try:
        message = json.loads(bodies[-1])["messages"][-1]
        result = message["content"]
    except (ValueError, LookupError, TypeError) as error:
        what = "the façade sent the engine something that is no request"
        raise CandidateCrashed(what) from error
    if message.get("role") != "tool" or not isinstance(result, str):
        what = "the façade did not send the engine the tool's result"
        raise CandidateCrashed(what)
    return result
