"""A turn: the model is asked, the tools it calls are run, and round again until it answers (facade.md, The turn).

Kept images (keepimg.md, In the turn loop) leave the messages before anybody asks for a summary, in three places: the
prompt was refused as too long; after a step the context is over the threshold; a completion was cut by a full window.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from parity.facade import arguments
from parity.facade.completions import PromptTooLong
from parity.facade.deltas import EngineFailed
from parity.facade.host import NATIVE, Outcome
from parity.facade.keepimg_client import wire
from parity.gostd import json, strings
from parity.gostd.target import GO_1_25
from parity.images import history, settings
from parity.images.cost import Usage, context_after
from parity.images.message import Message
from parity.images.references import for_model
from parity.images.state import Turn, TurnState
from parity.images.store import refuse
from parity.rules import rule
from parity.tools.labels import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from parity.facade.arguments import Given
    from parity.facade.deltas import Completion
    from parity.facade.keepimg_client import KeepimgClient
    from parity.gostd.target import GoTarget
    from parity.images.message import ToolCall
    from parity.tools.interface import Args

MOST_ROUNDS: Final = 32
LENGTH: Final = "length"
"""The finish_reason of a completion that was cut because there was no more room."""


class Engine(Protocol):
    """What answers: :class:`parity.facade.completions.ChatCompletions`."""

    def complete(self, body: bytes) -> Completion:
        """The completion of one request. Raises PromptTooLong and EngineFailed."""
        ...


class Runner(Protocol):
    """What runs tools: :class:`parity.facade.host.Host`."""

    def exec_tool(self, name: str, args: Args) -> Outcome:
        """Run a tool on decoded arguments."""
        ...


@dataclass(frozen=True, slots=True)
class Ran:
    """A tool call and what came of it."""

    call: ToolCall
    outcome: Outcome


def _shows_nothing(_ran: Ran) -> Sequence[Message]:
    return ()


def _keeps_nothing(_messages: Sequence[Message]) -> None:
    """Neither publishes nor summarises."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a turn asks of whoever runs it.

    ``shown`` gives the images that a tool shows, as relay messages. ``publish`` gets the whole history when it was
    rewritten within the turn. ``summarise`` gives other messages for these, None where it cannot: it is the compaction,
    which the contract leaves out. ``needed`` says at the turn's start whether compaction is needed; None: when the
    context is over the threshold.
    """

    shown: Callable[[Ran], Sequence[Message]] = _shows_nothing
    publish: Callable[[Sequence[Message]], None] = _keeps_nothing
    summarise: Callable[[Sequence[Message]], Sequence[Message] | None] = _keeps_nothing
    needed: Callable[[], bool] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn happens: the value of KEEP_TURN_IMAGES, the thread, the conversation, the window in tokens."""

    keep_turn_images: str = ""
    thread: str = settings.MAIN_THREAD
    conversation: str = ""
    window: int = settings.DEFAULT_WINDOW


@dataclass(frozen=True, slots=True)
class Ended:
    """How a turn ended: the model's text, or ``error``, one clause, empty where there was none.

    ``history`` is what the conversation holds from now on, ``ran`` every call in order, ``used`` the context in tokens
    (0: not known), ``rounds`` how many completions were asked for and came.
    """

    text: str
    error: str
    finish_reason: str
    history: tuple[Message, ...]
    ran: tuple[Ran, ...]
    used: int
    rounds: int


class Turns:
    """Runs turns of one model with one host."""

    def __init__(  # noqa: PLR0913 - a turn stands on all of these, and none is a global
        self,
        engine: Engine,
        host: Runner,
        *,
        model: str = "",
        tools: Sequence[dict[str, object]] = (),
        keepimg: KeepimgClient | None = None,
        hooks: Hooks = Hooks(),
        most_rounds: int = MOST_ROUNDS,
        target: GoTarget = GO_1_25,
    ) -> None:
        """``tools`` are descriptions for the engine, JSON trees; without ``keepimg`` no image is ever kept."""
        self.engine = engine
        self.host = host
        self.model = model
        self.tools = tools
        self.keepimg = keepimg
        self.hooks = hooks
        self.most_rounds = most_rounds
        self.target = target

    def run(self, messages: Iterable[Message], place: Place, used: int = 0) -> Ended:
        """One turn; ``messages`` end with what the person said, ``used`` is the context before it, 0 if not known."""
        vision = self.keepimg.vision() if self.keepimg and settings.is_on(place.keep_turn_images) else None
        start, used = history.turn_start(
            list(messages),
            used,
            setting=place.keep_turn_images,
            # Where Go did not say, nothing new is kept, and nothing that is kept is lost for it.
            vision=vision is None or vision.active,
            window=place.window,
            needed=self.hooks.needed,
        )
        kept = vision is not None and settings.keeps(
            place.keep_turn_images, place.thread, place.conversation, vision=vision.active
        )
        budget = vision.budget if vision is not None else 0
        return _Running(self, Turn(start, budget, TurnState() if kept else None), place.window, used).run()

    @rule("facade/turn/request")
    def body(self, messages: Iterable[Message]) -> bytes:
        """The request for a completion: references become images again, the marks never leave."""
        members: dict[str, object] = {
            "model": self.model,
            "messages": [wire(for_model(message, self._image)) for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.tools:
            members["tools"] = list(self.tools)
        return json.marshal(json.Struct(members), self.target)

    def _image(self, name: str) -> bytes | None:
        return None if self.keepimg is None else self.keepimg.read(name)


class _Running:
    """One turn while it runs."""

    def __init__(self, turns: Turns, turn: Turn, window: int, used: int) -> None:
        self.turns = turns
        self.turn = turn
        self.window = window
        self.used = used
        self.published = list(turn.messages)
        self.ran: list[Ran] = []
        self.rounds = 0
        self.was_cut = False

    @rule("facade/turn/rounds")
    def run(self) -> Ended:
        """Ask, run, ask again; at most so many times."""
        try:
            while self.rounds < self.turns.most_rounds:
                completion = self._ask()
                if self._is_cut_by_full_window(completion) and self._make_room():
                    continue
                if not completion.calls:
                    self.turn.append(Message("assistant", completion.text))
                    return self._ended(completion.text, finish_reason=completion.finish_reason)
                self._step(completion)
                if self._is_over_threshold():
                    self._make_room()
        except EngineFailed as failed:
            return self._ended(error=failed.reason)
        return self._ended(error=f"the model did not answer within {self.turns.most_rounds} rounds")

    def _ended(self, text: str = "", *, error: str = "", finish_reason: str = "") -> Ended:
        self.turn.finish()
        kept = (*self.published, *self.turn.extra)
        return Ended(text, error, finish_reason, kept, tuple(self.ran), self.used, self.rounds)

    def _ask(self) -> Completion:
        """The next completion. Raises EngineFailed."""
        completion = self._complete()
        self.rounds += 1
        said = completion.usage
        usage = Usage() if said is None else Usage(said.prompt, said.generated, said.reasoning)
        self.turn.observe(usage)
        self.used = context_after(usage)
        return completion

    @rule("facade/turn/refused-prompt")
    def _complete(self) -> Completion:
        """Ask; when the prompt is too long, without the kept images; when it still is, with a summary, once."""
        summarised = False
        while True:
            self.turn.sending(len(self.turn.messages))
            try:
                return self.turns.engine.complete(self.turns.body(self.turn.messages))
            except PromptTooLong:
                if self._drop():
                    continue
                if summarised or not self._summarise():
                    raise
                summarised = True

    @rule("facade/turn/calls-in-order")
    def _step(self, completion: Completion) -> None:
        """Run the calls of a message in order; a tool message for each, then the images that they show."""
        given = [arguments.read(call.arguments, self.turns.target) for call in completion.calls]
        calls = [replace(call, arguments=one.history) for call, one in zip(completion.calls, given, strict=True)]
        self.turn.append(Message("assistant", completion.text, tool_calls=tuple(calls)))
        first_result = len(self.turn.messages)
        shown: list[Message] = []
        for call, one in zip(completion.calls, given, strict=True):
            ran = Ran(call, self._outcome(call.name, one))
            self.ran.append(ran)
            self.turn.append(Message("tool", ran.outcome.result, tool_call_id=call.id))
            shown.extend(self.turns.hooks.shown(ran))
        keep = refuse if self.turns.keepimg is None else self.turns.keepimg.store
        for image in shown:
            self.turn.relay(image, first_result, keep)

    def _outcome(self, name: str, given: Given) -> Outcome:
        if given.args is not None:
            return self.turns.host.exec_tool(name, given.args)
        announced = label(name, {}, self.turns.target)
        why = "the arguments are not JSON, so the tool was not run"
        return Outcome(arguments.UNREADABLE, announced, (), NATIVE, why, answered=False)

    @rule("facade/turn/cut-by-full-window")
    def _is_cut_by_full_window(self, completion: Completion) -> bool:
        """Whether there was no room for an answer; told once per turn."""
        if self.was_cut or completion.finish_reason != LENGTH or completion.calls:
            return False
        self.was_cut = not strings.trim_space(completion.text) and self._is_over_threshold()
        return self.was_cut

    def _is_over_threshold(self) -> bool:
        """Whether the context asks for room; one that is not known does not."""
        return self.used > 0 and settings.over_threshold(self.used, self.window)

    @rule("facade/turn/images-before-summary")
    def _make_room(self) -> bool:
        """Kept images go first; the summary only if it is still needed. Whether there is more room now."""
        dropped = self._drop()
        return (self._is_over_threshold() and self._summarise()) or dropped

    def _drop(self) -> bool:
        """Take the kept images out; False if there is none."""
        freed = self.turn.drop()
        if not freed:
            return False
        self.used = history.used_without(self.used, freed)
        self.turn.rewritten()
        self._publish()
        return True

    def _summarise(self) -> bool:
        """Other messages for these; False if there are none."""
        summary = self.turns.hooks.summarise(tuple(self.turn.messages))
        if summary is None:
            return False
        self.used = 0
        self.turn.rewritten(summary)
        self._publish()
        return True

    def _publish(self) -> None:
        """The history as it now stands becomes what the conversation holds."""
        self.published = self.turn.publishable()
        self.turns.hooks.publish(tuple(self.published))
