"""A turn and its images: on trial from the request that shows them until its cost is known, then kept or let go.

The two lists (contract: keepimg.md, A message) are ``messages``, which the model sees, and ``extra``, which the turn
will leave in the history. An image on trial stands in both; where is noted by index, so only the operations here may
take anything out of the lists or put anything before their ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from parity.images import cost, history
from parity.images.cost import Noted
from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parity.images.cost import Usage
    from parity.images.message import Message
    from parity.images.store import Keep, Stored


@dataclass(frozen=True, slots=True)
class Trial:
    """An image on trial: its indexes in ``messages`` and in ``extra``, and its weight in bytes."""

    in_messages: int
    in_extra: int
    weight: int


@dataclass(slots=True)
class TurnState:
    """What a turn that keeps images knows; once ``stopped``, it keeps no further one.

    ``sent``: messages in the last request; ``context``: tokens after the last completion, 0 where unknown.
    """

    stopped: bool = False
    requests: int = 0
    sent: int = 0
    context: int = 0
    trials: list[Trial] = field(default_factory=list)
    noted: Noted = field(default_factory=Noted)


class Turn:
    """The messages of one turn and, where images are kept, their state; without one, the key might not exist."""

    def __init__(self, messages: Iterable[Message], budget: int, state: TurnState | None) -> None:
        """``budget`` is in tokens; ``state`` is None unless :func:`parity.images.settings.keeps` holds."""
        self.messages = list(messages)
        self.extra: list[Message] = []
        self.budget = budget
        self.state = state

    @property
    def kept_tokens(self) -> int:
        """What the kept images among ``messages`` cost."""
        return history.kept_tokens(self.messages)

    def append(self, message: Message) -> None:
        """A message that is no image of a tool: the model sees it, and the turn leaves it in the history."""
        self.messages.append(message)
        self.extra.append(message)

    @rule("keepimg/on/without-state", "keepimg/relay/mark", "keepimg/relay/refused")
    def relay(self, message: Message, first_result: int, keep: Keep) -> None:
        """Show an image of a tool. ``first_result`` is the index of the step's first tool result.

        Without a state it is appended as it is. With one it is marked; if it is not stored, the turn is stopped and
        the model sees it once, with the URL that it came with.
        """
        state = self.state
        if state is None:
            self.messages.append(message)
            return
        marked = replace(message, relay=True)
        stored = self._stored(state, marked, keep)
        if stored is None:
            state.stopped = True
            self.messages.append(marked)
        else:
            self._try(state, stored, first_result)

    @rule("keepimg/relay/stopped", "keepimg/relay/budget-full")
    def _stored(self, state: TurnState, marked: Message, keep: Keep) -> Stored | None:
        """The stored image; None if it is refused. It is not even tried when stopped or when the budget is full."""
        if state.stopped or self.kept_tokens >= self.budget:
            return None
        return keep(marked)

    @rule("keepimg/relay/on-trial", "keepimg/relay/first-notes")
    def _try(self, state: TurnState, stored: Stored, first_result: int) -> None:
        """Put the referenced form into both lists, on trial; the first one notes what its cost is measured from."""
        if not state.trials:
            state.noted = Noted(state.requests + 1, state.context, first_result)
        state.trials.append(Trial(len(self.messages), len(self.extra), stored.weight))
        self.append(stored.message)

    @rule("keepimg/sending")
    def sending(self, messages: int) -> None:
        """One more request goes out, with so many messages."""
        if self.state is not None:
            self.state.requests += 1
            self.state.sent = messages

    @rule("keepimg/observe", "keepimg/observe/remembered")
    def observe(self, usage: Usage) -> None:
        """A completion is in: what is on trial is measured or rejected, then the context after it is remembered."""
        state = self.state
        if state is None:
            return
        after = cost.known_context(usage)
        if state.trials:
            measured = self._measured(state, usage.prompt, after)
            if measured is None:
                self._reject(state)
            else:
                self._keep(state, measured)
        state.context = after

    @rule("keepimg/measure")
    def _measured(self, state: TurnState, prompt: int, after: int) -> tuple[int, ...] | None:
        """The cost of each image on trial; None where it cannot be told, or does not fit."""
        noted = state.noted
        if not cost.is_measurable(noted, after, state.requests, state.sent, len(self.messages)):
            return None
        found = cost.cost(prompt, noted.base, self.messages[noted.first_result : state.sent])
        if not cost.fits(found, len(state.trials), self.kept_tokens, self.budget):
            return None
        shares = cost.shares(found, [trial.weight for trial in state.trials])
        return shares if cost.are_enough(shares) else None

    @rule("keepimg/observe/measured")
    def _keep(self, state: TurnState, measured: tuple[int, ...]) -> None:
        """The measured cost goes into both lists; none stays on trial."""
        for trial, share in zip(state.trials, measured, strict=True):
            for messages, at in ((self.messages, trial.in_messages), (self.extra, trial.in_extra)):
                messages[at] = replace(messages[at], cost=share)
        state.trials = []

    @rule("keepimg/observe/rejected")
    def _reject(self, state: TurnState) -> None:
        """What is on trial leaves extra, and the turn is stopped; in messages it stays, marked, without cost."""
        on_trial = {trial.in_extra for trial in state.trials}
        self.extra = [message for at, message in enumerate(self.extra) if at not in on_trial]
        state.trials = []
        state.stopped = True

    @rule("keepimg/rewritten")
    def rewritten(self, messages: Iterable[Message] | None = None) -> None:
        """The history was rewritten, to ``messages`` if given: extra is empty; what was on trial stops the turn.

        The context after the last completion stays remembered.
        """
        if messages is not None:
            self.messages = list(messages)
        self.extra = []
        if self.state is not None and self.state.trials:
            self.state.trials = []
            self.state.stopped = True

    def publishable(self) -> list[Message]:
        """The messages that may go into the history; without a state, all of them."""
        return list(self.messages) if self.state is None else history.publishable(self.messages)

    @rule("keepimg/finish")
    def finish(self) -> None:
        """The turn ends: what is still on trial is rejected; nothing on trial, nothing changes."""
        if self.state is not None and self.state.trials:
            self._reject(self.state)

    def drop(self) -> int:
        """Take the kept images out of ``messages``; gives the tokens that this frees."""
        self.messages, freed = history.drop(self.messages)
        return freed
