"""The steps of a recall or memory journal, as they are written: what the kind of the journal adds comes later.

The kind may stand after the steps in the file, and so may the state that the first step starts from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from parity.tools.interface import DiffLine
from replay.journal import kinds, shapes, walk
from replay.journal.aliases import DIFF_LINE, STEP, one_of
from replay.journal.defects import Defect, Kind
from replay.journal.drawing import quoted
from replay.journal.instants import instant
from replay.journal.kinds import KIND_OF
from replay.journal.model import MEMORY, Expected, Step
from replay.journal.shapes import Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from parity.tools.interface import Tracker
    from replay.journal.model import Place
    from replay.journal.scan import Scanner
    from replay.journal.states import States
    from replay.journal.walk import Tree

_OPS: Final = (" ", "-", "+")


@dataclass(slots=True)
class Draft:
    """A step as written, from ``offset`` to ``end``. ``written`` is how it writes the keys that it has.

    The other fields are its members, by their own names; None: absent, null, or what Go writes for neither.
    """

    offset: int
    at: Place
    written: Mapping[str, str]
    tool: str = ""
    note: str | None = None
    now: int | None = None
    args: bytes = b"{}"
    result: str | None = None
    panic: str | None = None
    label: str | None = None
    diff: tuple[DiffLine, ...] | None = None
    files: Mapping[str, bytes] | None = None
    trackers: Mapping[str, Tracker] | None = None
    end: int = 0


class Steps:
    """Reads the steps of one journal."""

    def __init__(self, scanner: Scanner, states: States, *, inputs_only: bool = False) -> None:
        """No step has been read. ``inputs_only``: a step need not say what came of it."""
        self.drafts: list[Draft] = []
        self._inputs_only = inputs_only
        self.may_only_run = False
        """A step may lack a record: it is there for what it leaves behind. So it is in a reduced journal."""
        self._written: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._scanner = scanner
        self._readers: Mapping[str, Callable[[], object]] = {
            "args": scanner.raw,
            "files": states.files,
            "trackers": states.trackers,
            **{name: partial(scanner.leaf, convert) for name, convert in _MEMBERS.items()},
        }

    def read(self, _: int) -> None:
        """Read the next step and keep it."""
        self.drafts.append(self.draft())

    def draft(self) -> Draft:
        """Read the next step."""
        draft = Draft(self._scanner.at, self._scanner.place(), {})
        written = self._scanner.object(STEP, lambda name: setattr(draft, name, self._readers[name]()))
        draft.written = self._written.setdefault(tuple(written.items()), written)
        if not draft.tool:
            raise shapes.missing(STEP, "tool")
        if draft.result is None and draft.panic is None and not (self._inputs_only or self.may_only_run):
            raise Defect(Kind.MISSING_KEY, 'a step without "result" and without "panic"', "one of them")
        draft.end = self._scanner.at
        return draft


def finished(draft: Draft, kind: str, index: int, clock: tuple[int, str], text: str) -> Step:
    """The step that a draft is in a journal of a kind, ``index`` counting from 0.

    ``clock`` is its time and whence that is; ``text`` is what the draft was read from.

    Raises Defect, seen from the step, for what a step must not hold, its journal being of the kind.
    """
    _check(draft, kind, text)
    return Step(
        index=index + 1,
        tool=draft.tool,
        note=draft.note or "",
        raw_args=draft.args,
        now_ns=clock[0],
        expected=_expected(draft),
        at=draft.at,
        clock_from=clock[1],
    )


def _expected(draft: Draft) -> Expected:
    if draft.result is None and draft.panic is None:
        return Expected()  # a step of a reduced journal that only runs
    # No diff is an empty one, but beside a crash, where what is absent is not compared (journal.md, Shape).
    diff = () if draft.diff is None and draft.panic is None else draft.diff
    return Expected(draft.result, draft.panic, draft.label, diff, draft.files, draft.trackers)


def _check(draft: Draft, kind: str, text: str) -> None:
    tools = kinds.TOOLS[kind]
    misplaced = next((key for key in kinds.MEMORY_ONLY if kind != MEMORY and key in draft.written), None)
    if draft.tool not in tools:
        key = draft.written["tool"]
        defect = unknown_tool(draft.tool, tools)
    elif misplaced is not None:
        key = draft.written[misplaced]
        found = f"the key {quoted(key)} in a step of the kind {kind}"
        defect = Defect(Kind.MISPLACED_KEY, found, f"it in journals of the kind {MEMORY} only", at_key=True)
    else:
        return
    defect.offset = walk.find(text, draft.offset, [key], key=defect.at_key)
    raise defect.inside(key)


def unknown_tool(tool: str, known: Iterable[str]) -> Defect:
    """The defect of a tool that is none of those known."""
    return Defect(Kind.UNKNOWN_TOOL, f"the tool {quoted(tool)}", one_of(tool, known))


def _tool(tree: Tree) -> str:
    tool = shapes.text(tree)
    if tool not in KIND_OF:
        raise unknown_tool(tool, KIND_OF)
    return tool


def _text(tree: Tree) -> str | None:
    return None if tree is None else shapes.text(tree)


def _text_if_any(tree: Tree) -> str | None:
    """A text that is never empty: Go writes an empty one where there is none."""
    return _text(tree) or None


def _instant(tree: Tree) -> int | None:
    return None if tree is None or tree == "" else instant(tree)


def _diff(tree: Tree) -> tuple[DiffLine, ...]:
    return shapes.each(tree, _diff_line)


def _diff_line(tree: Tree) -> DiffLine:
    fields = Fields(tree, DIFF_LINE)
    return DiffLine(fields.need("op", _op), fields.need("text", shapes.text))


def _op(tree: Tree) -> str:
    op = shapes.text(tree)
    if op not in _OPS:
        raise shapes.wrong_value(tree, f"one of {', '.join(map(quoted, _OPS))}")
    return op


_MEMBERS: Final[Mapping[str, Callable[[Tree], object]]] = {
    "tool": _tool,
    "note": _text,
    "now": _instant,
    "result": _text,
    "panic": _text_if_any,
    "label": _text,
    "diff": _diff,
}
