"""When images are kept, and how many tokens they may cost (contract: keepimg.md, On and Constants)."""

from __future__ import annotations

from typing import Final

from parity.gostd import strings
from parity.gostd.convert import divide, wrap_int64
from parity.gostd.target import GO_1_25
from parity.rules import rule

SETTING: Final = "KEEP_TURN_IMAGES"
YES: Final = frozenset(("on", "1", "true", "yes", "oui"))
MAIN_THREAD: Final = "main"

DEFAULT_WINDOW: Final = 32_768
"""Tokens of the context window where none is set."""

_BUDGET_PERCENT: Final = 10
_THRESHOLD_PERCENT: Final = 75


@rule("keepimg/on/setting")
def is_on(setting: str) -> bool:
    """Whether the configuration's value, trimmed and in lower case, is one of ``on 1 true yes oui``.

    The five words lower-case alike under every Unicode that Go has had, so no target is asked for.
    """
    return strings.to_lower(strings.trim_space(setting), GO_1_25) in YES


@rule("keepimg/on/state")
def keeps(setting: str, thread: str, conversation: str, *, vision: bool) -> bool:
    """Whether a turn has a state: the key is on, the thread the main one, of a conversation, and vision is active."""
    return is_on(setting) and thread == MAIN_THREAD and bool(conversation) and vision


@rule("keepimg/constants/window")
def context_window(window: int) -> int:
    """The context window in tokens: the default where none is set."""
    return window if window > 0 else DEFAULT_WINDOW


@rule("keepimg/constants/budget")
def budget(window: int) -> int:
    """How many tokens all kept images together may cost: a tenth of the context window, in Go's integers."""
    return divide(wrap_int64(context_window(window) * _BUDGET_PERCENT), 100)


@rule("keepimg/turn-start/threshold")
def over_threshold(used: int, window: int) -> bool:
    """Whether a context of ``used`` tokens asks for compaction: three quarters of the window, or more."""
    return used * 100 >= context_window(window) * _THRESHOLD_PERCENT
