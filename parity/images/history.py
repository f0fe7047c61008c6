"""Kept images in a list of messages: what they cost, what may be published, how they go (contract: keepimg.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parity.gostd.convert import wrap_int64
from parity.images import settings
from parity.images.message import image_count, is_kept, without_image
from parity.rules import rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parity.images.message import Message


@rule("keepimg/kept/tokens")
def kept_tokens(messages: Sequence[Message]) -> int:
    """What the kept images among these messages cost together."""
    return wrap_int64(sum(message.cost for message in messages if is_kept(message)))


@rule("keepimg/publishable")
def publishable(messages: Sequence[Message]) -> list[Message]:
    """The messages without the marked ones whose image is not kept: no cost, and yet an image part."""
    return [one for one in messages if not (one.relay and not is_kept(one) and image_count(one))]


@rule("keepimg/drop")
def drop(messages: list[Message]) -> tuple[list[Message], int]:
    """A copy without kept images, captions left, and the tokens freed; nothing kept: the very same list, and 0."""
    if not any(map(is_kept, messages)):
        return messages, 0
    return [without_image(one) if is_kept(one) else one for one in messages], kept_tokens(messages)


@rule("keepimg/turn-start")
def turn_start(  # noqa: PLR0913 - the contract names them
    messages: list[Message],
    used: int,
    *,
    setting: str,
    vision: bool,
    window: int = settings.DEFAULT_WINDOW,
    needed: Callable[[], bool] | None = None,
) -> tuple[list[Message], int]:
    """The history and the used context with which a turn starts; the very same ones unless kept images must go.

    ``needed`` says whether compaction is needed; it is asked only when something is kept that could stay.
    """
    if not any(map(is_kept, messages)):
        return messages, used
    asked = needed or (lambda: settings.over_threshold(used, window))
    if settings.is_on(setting) and vision and not asked():
        return messages, used
    left, freed = drop(messages)
    return left, used_without(used, freed)


@rule("keepimg/turn-start/used")
def used_without(used: int, freed: int) -> int:
    """The used context once tokens are freed: at least 1 where it was known, as it was (0) where it was not."""
    return max(used - freed, 1) if used > 0 else used
