"""Everything that can be fuzzed, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.fuzz import keepimg_calls, library, memory_calls, recall_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.fuzz.trial import Subject

ALL: Final[tuple[Subject, ...]] = (
    *library.FUNCTIONS,
    *recall_calls.SUBJECTS,
    *memory_calls.SUBJECTS,
    *keepimg_calls.SUBJECTS,
)
"""Go's library functions first, then the tools."""


class UnknownSubjectError(ValueError):
    """A name that no subject has; the message is one sentence."""


def chosen(names: Iterable[str]) -> Sequence[Subject]:
    """The subjects of these names, in the order of :data:`ALL`; every one when no name is given.

    ``stdlib`` and ``model`` stand for all that are judged so. Raises :class:`UnknownSubjectError`.
    """
    wanted = set(names)
    found = [one for one in ALL if not wanted or one.name in wanted or one.judge in wanted]
    strangers = wanted.difference((one.name for one in ALL), (one.judge for one in ALL))
    if strangers:
        message = f"nothing is called {min(strangers)!a} (choose from {', '.join(one.name for one in ALL)})"
        raise UnknownSubjectError(message)
    return found
