"""A journal in one JSON object as lines, and back: every value keeps its own characters, only line ends go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.journal import octets
from replay.journal.aliases import HEAD
from replay.journal.drawing import quoted
from replay.journal.kinds import FORMAT
from replay.journal.limits import DEFAULT
from replay.journal.model import KEEPIMG
from replay.journal.scan import Scanner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.journal.model import Journal


def as_lines(data: bytes, journal: Journal) -> Iterator[bytes]:
    """The lines of a journal, which was read from these bytes: those of one JSON object."""
    follow = "cases" if journal.kind == KEEPIMG else "steps"
    scanner = Scanner(octets.seen(data), journal.file, DEFAULT)
    head: list[bytes] = []
    each: list[bytes] = []

    def member(name: str) -> None:
        if name == follow:
            scanner.array(lambda _: each.append(_on_a_line(scanner.raw())))
        elif name not in ("format", "kind"):
            head.append(f'"{name}":'.encode() + _on_a_line(scanner.raw()))
        else:
            scanner.raw()

    scanner.object(HEAD, member)
    named = (("format", FORMAT), ("kind", journal.kind))
    first = [f'"{name}":{quoted(value)}'.encode() for name, value in named]
    yield b"{" + b",".join((*first, *head, f'"follow":"{follow}"'.encode())) + b"}\n"
    for one in each:
        yield one + b"\n"
    yield f'{{"end":{{"{follow}":{len(each)}}}}}\n'.encode()


def _on_a_line(value: bytes) -> bytes:
    """A JSON value without its line ends and the blanks beside them: none of them can stand inside a string."""
    return b"".join(line.strip(b" \t\r") for line in value.split(b"\n"))
