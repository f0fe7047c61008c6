"""Rules as data: every numbered sentence of the contract is one named function that carries its id.

``PORT.toml`` lists the same ids with the contract's section and the tests; a test holds the two together. The
decorator gives back the very function it was given, so a rule costs nothing when nobody counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")

_RULES: dict[str, Callable[..., Any]] = {}


def rule(*ids: str) -> Callable[[F], F]:
    """Mark a function as the one place where the rules ``ids`` of the contract live, such as ``recall/id/prefix``.

    Raises ValueError if an id is already taken by another function.
    """

    def mark(function: F) -> F:
        for one in ids:
            if one in _RULES:
                message = f"two functions claim the rule {one}"
                raise ValueError(message)
            _RULES[one] = function
        return function

    return mark


def registered() -> Mapping[str, Callable[..., Any]]:
    """Every rule whose module has been imported: id to function, in id order."""
    return dict(sorted(_RULES.items()))
