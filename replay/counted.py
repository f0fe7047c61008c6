"""A number and what it counts, as a person writes them: ``1 step``, ``2 steps``, ``1,204 more steps``."""

from __future__ import annotations


def counted(number: int, what: str, many: str | None = None) -> str:
    """The number, and ``what`` in the singular or the plural: ``many``, or with an s."""
    return f"{number:,} {named(number, what, many)}"


def named(number: int, what: str, many: str | None = None) -> str:
    """The word alone; also for a verb: ``named(number, "was", "were")``."""
    return what if number == 1 else many or f"{what}s"
