"""The cases of a keepimg journal: one turn each, its operations and what stands after each of them (keepimg.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from replay.journal import shapes, walk
from replay.journal.aliases import CASE, OPERATION, Names, one_of
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.messages import message, messages
from replay.journal.model import KeepimgCase, KeepimgStep
from replay.journal.shapes import Fields, Freezer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from replay.journal.model import Json, Place
    from replay.journal.scan import Scanner
    from replay.journal.walk import Tree

_WINDOW: Final = 32_768
"""The context window where none is named (keepimg.md)."""

OPERATIONS: Final = (
    "append", "relay", "sending", "observe", "rewritten", "publishable", "finish", "drop", "store"
)  # fmt: skip
_WITH_MESSAGE: Final = ("append", "relay", "store")


def _text(tree: Tree) -> Tree:
    shapes.text(tree)
    return tree


def _boolean(tree: Tree) -> Tree:
    return shapes.boolean(tree)


def _integer(tree: Tree) -> Tree:
    shapes.int64(tree)
    return tree


def _count(tree: Tree) -> Tree:
    shapes.integer(tree, (0, shapes.INT64[1]))
    return tree


_STEP_MEMBERS: Final[Mapping[str, Callable[[Tree], Tree]]] = {
    "op": _text,
    "note": _text,
    "message": message,
    "from": _count,
    "store_fails": _boolean,
    "complete": _boolean,
    "prompt_tokens": _integer,
    "gen_tokens": _integer,
    "reasoning_tokens": _integer,
    "reasoning_echoed": _boolean,
}
_AFTER_MEMBERS: Final[Mapping[str, Callable[[Tree], Tree]]] = {
    "messages": messages,
    "extra": messages,
    "active": _boolean,
    "budget": _integer,
    "kept_tokens": _integer,
    "stopped": _boolean,
    "on_trial": _integer,
    "requests": _integer,
    "published": messages,
    "freed": _integer,
    "stored": _boolean,
    "weight": _integer,
    "message": message,
}
_SHOWN: Final = ("messages", "extra", "active", "budget", "kept_tokens")
"""What ``after`` holds whatever the operation (journal.md)."""

_OF_A_STATE: Final = ("stopped", "on_trial", "requests")
_ADDED: Final[Mapping[str, tuple[str, ...]]] = {
    "publishable": ("published",),
    "drop": ("freed",),
    "store": ("stored", "weight"),
}

_STEP: Final = Names("a step", dict.fromkeys(_STEP_MEMBERS, ()))
_AFTER: Final = Names("after", dict.fromkeys(_AFTER_MEMBERS, ()))


@dataclass(slots=True)
class _Case:
    """A case as far as it has been read; the fields but the first are its members, by their own names."""

    at: Place
    steps: list[KeepimgStep] = field(default_factory=list)
    name: str = ""
    ctx_window: int = _WINDOW
    keep_turn_images: str = ""
    thread: str = ""
    conversation: str = ""
    vision: bool = False
    messages: tuple[Json, ...] = ()


@dataclass(slots=True)
class _Operation:
    at: Place
    step: Mapping[str, Json] = field(default_factory=dict)
    after: Mapping[str, Json] = field(default_factory=dict)


class Cases:
    """Reads the cases of one journal."""

    def __init__(self, scanner: Scanner) -> None:
        """No case has been read."""
        self.cases: list[KeepimgCase] = []
        self.may_only_run = False
        """An operation may hold nothing of what stands after it: so it is in a reduced journal."""
        self._scanner = scanner
        self._freezer = Freezer(scanner.limits.depth)
        self._leaves: Mapping[str, Callable[[Tree], object]] = {
            "name": shapes.text,
            "ctx_window": shapes.int64,
            "keep_turn_images": shapes.text,
            "thread": shapes.text,
            "conversation": shapes.text,
            "vision": shapes.boolean,
            "messages": self._messages,
        }

    def read(self, index: int) -> None:
        """Read the next case and keep it."""
        self.cases.append(self.case(index))

    def forget(self) -> None:
        """Let go of what is held to be recognised: a long journal would fill the memory with it."""
        self._freezer = Freezer(self._scanner.limits.depth)

    def case(self, index: int) -> KeepimgCase:
        """Read the next case."""
        case = _Case(self._scanner.place())
        written = self._scanner.object(CASE, partial(self._member, case))
        _need(written, CASE, ("keep_turn_images", "thread", "conversation", "vision", "steps"))
        if not case.steps:
            raise Defect(Kind.NO_STEPS, "a case without operations", "at least one")
        return KeepimgCase(
            index=index + 1,
            name=case.name,
            ctx_window=case.ctx_window,
            keep_turn_images=case.keep_turn_images,
            thread=case.thread,
            conversation=case.conversation,
            vision=case.vision,
            messages=case.messages,
            steps=tuple(case.steps),
            at=case.at,
        )

    def _member(self, case: _Case, name: str) -> None:
        if name != "steps":
            setattr(case, name, self._scanner.leaf(self._leaves[name]))
        elif not self._scanner.null():
            self._scanner.array(partial(self._operation, case))

    def _operation(self, case: _Case, index: int) -> None:
        start = self._scanner.at
        operation = _Operation(self._scanner.place())
        written = self._scanner.object(OPERATION, partial(self._half, operation))
        _need(written, OPERATION, ("step", "after"))
        op = operation.step["op"]
        assert isinstance(op, str)  # noqa: S101 - for the type checker: _step saw to it
        try:
            if operation.after or not self.may_only_run:
                _need(operation.after, _AFTER, _shown_after(op, operation.after))
        except Defect as defect:
            defect.offset = walk.find(self._scanner.text, start, [written["after"]], key=False)
            raise defect.inside(written["after"]) from None
        case.steps.append(KeepimgStep(index + 1, op, operation.step, operation.after, operation.at))

    def _half(self, operation: _Operation, name: str) -> None:
        setattr(operation, name, self._scanner.leaf(self._step if name == "step" else self._after))

    def _step(self, tree: Tree) -> Mapping[str, Json]:
        fields = Fields(tree, _STEP)
        op = fields.need("op", _operation)
        if op in _WITH_MESSAGE:
            fields.need("message", message)
        return self._record(fields, _STEP_MEMBERS)

    def _after(self, tree: Tree) -> Mapping[str, Json]:
        return self._record(Fields(tree, _AFTER), _AFTER_MEMBERS)

    def _record(self, fields: Fields, table: Mapping[str, Callable[[Tree], Tree]]) -> Mapping[str, Json]:
        """The members as a frozen object. Null is an empty list where a list belongs, and else as if absent."""
        record: dict[str, Json] = {}
        for name, tree in fields.items():
            check = table[name]
            if tree is not None or check is messages:
                record[name] = fields.need(name, partial(self._frozen, check))
        return MappingProxyType(record)

    def _frozen(self, check: Callable[[Tree], Tree], tree: Tree) -> Json:
        return self._freezer.value(check(tree), above=1)

    def _messages(self, tree: Tree) -> tuple[Json, ...]:
        frozen = self._freezer.value(messages(tree))
        assert isinstance(frozen, tuple)  # noqa: S101 - for the type checker: they were a list
        return frozen


def _need(written: Mapping[str, object], names: Names, needed: Iterable[str]) -> None:
    for name in needed:
        if name not in written:
            raise shapes.missing(names, name)


def _shown_after(op: str, after: Mapping[str, Json]) -> Iterator[str]:
    """The keys that ``after`` must have, in the order of the contract."""
    yield from _SHOWN
    if after.get("active"):
        yield from _OF_A_STATE
    yield from _ADDED.get(op, ())
    if after.get("stored") and op == "store":
        yield "message"


def _operation(tree: Tree) -> str:
    op = shapes.text(tree)
    if op not in OPERATIONS:
        raise Defect(Kind.UNKNOWN_OPERATION, f"the operation {quoted(op)}", one_of(op, OPERATIONS))
    return op
