"""An oracle that is not there: it answers what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from replay.oracle.client import Answer, Hello

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replay.oracle.client import Oracle, Question


class StandIn:
    """Answers questions by a function; a GoPanic's text as ``Answer(panic=…)`` is up to that function."""

    def __init__(self, answer: Callable[[Question], Any], version: str = "go1.25.5", by: str = "stdlib") -> None:
        self.asked: list[Question] = []
        self._answer = answer
        self._version = version
        self._by = by

    @classmethod
    def saying(cls, out: object) -> Self:
        """One that has the same answer to everything."""
        return cls(lambda _: out)

    @property
    def oracle(self) -> Oracle:
        """Itself, as those who ask know it."""
        return cast("Oracle", self)

    def ask_one(self, question: Question) -> Answer:
        """One answer."""
        self.asked.append(question)
        found = self._answer(question)
        return found if isinstance(found, Answer) else Answer(self._by, found)

    def ask(self, questions: Iterable[Question]) -> Iterator[Answer]:
        """The answers in order."""
        return map(self.ask_one, questions)

    def hello(self) -> Hello:
        """Who it says it is."""
        return Hello(self._version, "15.0.0", "amd64", "1")
