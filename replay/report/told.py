"""Values of a run's file, taken one by one: each must be there, of its type, and of a size that a report can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from replay.report.drawing import draw

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

LONGEST_NAME: Final = 1000
"""So many characters of a name, a note, a sentence are kept."""

_MOST: Final = 1 << 63


class MisshapenError(Exception):
    """A value is not what it must be; one clause that names its path."""


class Node:
    """A value and its path in the line."""

    __slots__ = ("_path", "value")

    def __init__(self, value: object, path: str = "") -> None:
        self.value = value
        self._path = path

    def refuse(self, expected: str) -> NoReturn:
        """Raise MisshapenError: this is not what it must be."""
        message = f"{self._path or 'the line'} is not {expected}"
        raise MisshapenError(message)

    def has(self, key: str) -> bool:
        """Whether an object has a key, and not null in it."""
        return self._object().get(key) is not None

    def __getitem__(self, key: str) -> Node:
        """What an object has under a key; MisshapenError where it lacks it."""
        found = self._object()
        path = f"{self._path}.{key}".removeprefix(".")
        if key not in found:
            message = f"{path} is missing"
            raise MisshapenError(message)
        return Node(found[key], path)

    def items(self) -> Iterator[tuple[str, Node]]:
        """The members of an object, keys drawn."""
        for key, value in self._object().items():
            name = _drawn(key)
            yield name, Node(value, f"{self._path}.{name}")

    def __iter__(self) -> Iterator[Node]:
        """The elements of an array."""
        if not isinstance(self.value, list):
            self.refuse("an array")
        for index, value in enumerate(self.value):
            yield Node(value, f"{self._path}[{index}]")

    def raw(self) -> str:
        """A text as it is: whoever shows it draws it."""
        if not isinstance(self.value, str):
            self.refuse("a text")
        return self.value

    def text(self) -> str:
        """A text of one line, drawn and bounded."""
        return _drawn(self.raw())

    def word(self, words: Collection[str]) -> str:
        """One of some words."""
        if not isinstance(self.value, str) or self.value not in words:
            self.refuse(f"one of {', '.join(words)}")
        return self.value

    def number(self) -> int:
        """A whole number, 0 or more."""
        if type(self.value) is not int or not 0 <= self.value < _MOST:
            self.refuse("a whole number")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def _object(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return self.value


def _drawn(text: str) -> str:
    left = len(text) - LONGEST_NAME
    return draw(text[:LONGEST_NAME], ends=False) + (f"…[{left:,} more]" if left > 0 else "")
