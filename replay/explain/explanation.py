"""An explanation as a value: the steps of a rule with what each gives, the answer, and what real Go can be asked.

Nothing is worked out here a second time: a part names the function of the port whose value it holds, and its text is
that function's own first sentence.
"""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, field
from functools import lru_cache
from textwrap import dedent
from typing import TYPE_CHECKING, Final

from parity.gostd import utf8
from replay.oracle import wire
from replay.rules.book import marked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from parity.gostd.target import GoTarget
    from replay.fields import Value
    from replay.oracle.client import Answer, Oracle, Question

_ROLE: Final = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")


class ExplainError(Exception):
    """What is to be explained makes no sense; one sentence."""


@dataclass(frozen=True, slots=True)
class Part:
    """One step. ``rules`` are the ids of the function that gave ``value``; Go's library has a ``section`` instead.

    ``lines`` are drawn already, and stand in the place of a value.
    """

    says: str
    value: Value = None
    rules: tuple[str, ...] = ()
    section: str = ""
    lines: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What real Go answered: who judged (``stdlib`` or ``model``), what, and whether the port answers the same."""

    about: str
    by: str
    go: Value
    port: Value

    @property
    def same(self) -> bool:
        """Whether the two answers are one."""
        return self.go == self.port


@dataclass(frozen=True, slots=True)
class Explanation:
    """The whole. ``asks`` are what real Go can be asked about it, each with the port's own answer to compare."""

    title: str
    target: GoTarget
    parts: tuple[Part, ...]
    result: str
    asks: tuple[Callable[[Oracle], Verdict], ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def rules(self) -> list[str]:
        """The ids of every rule that took part, as met."""
        return list(dict.fromkeys(name for part in self.parts for name in part.rules))


def part(function: Callable[..., object], value: Value = None, *, lines: tuple[str, ...] | None = None) -> Part:
    """What a rule function of the port gave."""
    return Part(first_sentence(function), value, _ids().get(function, ()), lines=lines)


def library(go_function: str, section: str, value: Value = None, *, lines: tuple[str, ...] | None = None) -> Part:
    """What a function of Go's library gives, as ``parity.gostd`` has it; ``section`` is of go-semantics.md."""
    return Part(f"Go's {go_function}.", value, section=f"go-semantics.md, {section}", lines=lines)


def question(
    about: str, asked: Question, port: Value, read: Callable[[Value], Value] = lambda value: value
) -> Callable[[Oracle], Verdict]:
    """Something to ask of real Go; ``read`` takes from its answer what is to be held against the port's."""

    def ask(oracle: Oracle) -> Verdict:
        answer = oracle.ask_one(asked)
        return Verdict(about, answer.by, read(plain(answer)), port)

    return ask


def plain(answer: Answer) -> Value:
    """An answer in plain values: texts that are no UTF-8 as the port holds them, a crash as ``{"panic": …}``."""
    return {"panic": answer.panic} if answer.panic is not None else _plain(answer.out)


def text_of(given: str) -> str:
    """A text from the command line as JSON would bring it to a tool: U+FFFD for each byte that is not UTF-8."""
    return utf8.decode(bytes_of(given))


def bytes_of(given: str) -> bytes:
    """The bytes of a text from the command line. Raises :class:`ExplainError` for half of a surrogate pair."""
    try:
        return utf8.encode(given)
    except UnicodeEncodeError:
        message = "a text holds half of a surrogate pair, which no Go string can"
        raise ExplainError(message) from None


def first_sentence(function: Callable[..., object]) -> str:
    """The first sentence of a function's own description, without its markup.

    It is read in the source: Python leaves descriptions out when it is asked to optimise.
    """
    (definition,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)  # noqa: S101 - a rule is a function
    first = (ast.get_docstring(definition) or "").partition("\n")[0]
    return _ROLE.sub(r"\1", first).replace("``", "`")


def _plain(out: object) -> Value:
    if isinstance(out, dict):
        if set(out) == {"b64"}:
            return utf8.text(wire.read(out))
        return {str(key): _plain(value) for key, value in out.items()}
    if isinstance(out, list):
        return tuple(map(_plain, out))
    assert out is None or isinstance(out, bool | int | float | str)  # noqa: S101 - JSON holds nothing else
    return out


@lru_cache(maxsize=1)
def _ids() -> Mapping[Callable[..., object], tuple[str, ...]]:
    found: dict[Callable[..., object], tuple[str, ...]] = {}
    for name, function in marked().items():
        found[function] = (*found.get(function, ()), name)
    return found
