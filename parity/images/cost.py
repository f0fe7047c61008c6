"""What images cost, measured from the prompt that first held them (contract: keepimg.md, Operations, observe)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd.convert import wrap_int64
from parity.images.message import tokens
from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parity.images.message import Message

LEAST: Final = 16
"""Tokens that an image costs at least."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the engine says of a completion, in tokens; ``echoed``: the reasoning is sent back with the history."""

    prompt: int = 0
    generated: int = 0
    reasoning: int = 0
    echoed: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Noted:
    """What the first image on trial notes.

    ``request`` is the number of the request that will show it, ``base`` the context before, in tokens,
    ``first_result`` the index, in the messages, of the step's first tool result.
    """

    request: int = 0
    base: int = 0
    first_result: int = 0


@rule("keepimg/context/after-completion")
def context_after(usage: Usage) -> int:
    """The context after a completion: reasoning that is not sent back counts for nothing."""
    forgotten = 0 if usage.echoed else min(usage.generated, usage.reasoning)
    return wrap_int64(usage.prompt + usage.generated - forgotten)


@rule("keepimg/observe/after")
def known_context(usage: Usage) -> int:
    """The context after a completion, 0 where it is not known: cut off, or without a prompt."""
    return context_after(usage) if usage.complete and usage.prompt else 0


@rule("keepimg/measure/impossible")
def is_measurable(noted: Noted, after: int, request: int, sent: int, there: int) -> bool:
    """Whether what request number ``request``, of ``sent`` messages, has cost can be told; ``there``: messages now."""
    return after > 0 and noted.base > 0 and request == noted.request and 0 <= noted.first_result <= sent <= there


@rule("keepimg/measure/cost")
def cost(prompt: int, base: int, sent: Iterable[Message]) -> int:
    """What the prompt holds over its base, without the unmarked messages that were sent since then."""
    return wrap_int64(prompt - base - sum(tokens(message) for message in sent if not message.relay))


@rule("keepimg/measure/refused")
def fits(cost: int, images: int, kept: int, budget: int) -> bool:
    """Whether a cost is one of so many images at all, and is within the budget with those kept already."""
    return cost >= LEAST * images and wrap_int64(kept + cost) <= budget


@rule("keepimg/measure/shares")
def shares(cost: int, weights: Sequence[int]) -> tuple[int, ...]:
    """A cost shared by byte weight, in integers; the last takes what is left."""
    total = sum(weights)
    first = [wrap_int64(cost * weight) // total for weight in weights[:-1]]
    return (*first, cost - sum(first))


@rule("keepimg/measure/small-share")
def are_enough(parts: Iterable[int]) -> bool:
    """Whether every share is one of an image: a single one below the least, and none is kept."""
    return all(part >= LEAST for part in parts)
