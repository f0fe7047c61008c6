"""Colours, by what they mean. Without them every text stays as it is."""

from __future__ import annotations

from typing import Final


class Plain:
    """No colour."""

    def good(self, text: str) -> str:
        """Something that holds."""
        return self.mark("32", text)

    def bad(self, text: str) -> str:
        """Something that does not."""
        return self.mark("31", text)

    def strong(self, text: str) -> str:
        """A heading."""
        return self.mark("1", text)

    def faint(self, text: str) -> str:
        """Something beside the point."""
        return self.mark("2", text)

    def by_kind(self, kind: str, text: str) -> str:
        """A line of a rendered difference, by its kind."""
        code = _KINDS.get(kind)
        return text if code is None else self.mark(code, text)

    def mark(self, code: str, text: str) -> str:
        """The text, as it is."""
        del code
        return text


class Styles(Plain):
    """ANSI colours; a line at a time, so that a cut output leaves no terminal coloured."""

    def mark(self, code: str, text: str) -> str:
        """The text between two escape sequences."""
        return "\n".join(f"\x1b[{code}m{line}\x1b[0m" if line else line for line in text.split("\n"))


_KINDS: Final = {"step": "1", "removed": "31", "added": "32", "caret": "1", "cause": "33", "place": "2", "note": "2"}
"""What each kind of line of a rendered difference looks like; the others stay plain."""
