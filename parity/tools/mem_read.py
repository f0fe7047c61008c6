"""``mem_read(file, offset, limit)``: a page's lines, numbered (contract: memory.md, mem_read)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from parity.gostd import utf8
from parity.rules import rule
from parity.tools.interface import ToolAnswer
from parity.tools.labels import label
from parity.tools.pages import PageError, error_text, number_argument, read_page, result_text, text_argument

if TYPE_CHECKING:
    from parity.tools.interface import Args, Env

LINE: Final = "{number}\t{line}\n"
MOST_LINES: Final = 500


@rule("memory/mem_read/offset")
def offset_argument(args: Args) -> int:
    """The number of the first line, from 1; 0 and below are 1."""
    return max(number_argument(args, "offset"), 1)


@rule("memory/mem_read/limit")
def limit_argument(args: Args) -> int:
    """How many lines; 0 and below and over 500 are 500."""
    limit = number_argument(args, "limit")
    return limit if 0 < limit <= MOST_LINES else MOST_LINES


@rule("memory/mem_read/lines")
def lines_text(content: bytes, offset: int, limit: int) -> str:
    """Number, tab, line, newline; lines are cut at newlines only; the trailing newlines of the whole are removed.

    Past the end it is empty. An offset near 2^63 is past the end too: what Go would add to it never matters.
    """
    lines = utf8.text(content).split("\n")[offset - 1 : offset - 1 + limit]
    numbered = (LINE.format(number=number, line=line) for number, line in enumerate(lines, offset))
    return "".join(numbered).rstrip("\n")


def mem_read(args: Args, env: Env) -> ToolAnswer:
    """The tool."""
    return ToolAnswer(_result(args, env), label("mem_read", args, env.target))


def _result(args: Args, env: Env) -> str:
    try:
        _, content = read_page(text_argument(args, "file"), env)
    except PageError as error:
        return error_text(error.reason)
    return result_text(lines_text(content, offset_argument(args), limit_argument(args)))
