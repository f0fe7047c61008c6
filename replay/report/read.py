"""A run's file, read and checked: header, steps, footer; each defect has its name, its line and one sentence.

What the file says is not trusted: its texts are drawn, its sizes bounded, its sums worked out again.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NoReturn

from replay.counted import counted, named
from replay.report.defects import Defect, RunFileError
from replay.report.jsonl import MOST_DIFFERENCES, MOST_TEXT, SCHEMA
from replay.report.run_values import (
    CRASHED,
    DIVERGED,
    MATCH,
    MODES,
    OUTCOMES,
    WAIVED,
    WENT_THROUGH_GO,
    CandidateTold,
    Exercise,
    Header,
    JournalTold,
    ModeTally,
    Refusal,
    Side,
    Spot,
    Told,
    ToldDifference,
    ToldRun,
    ToldStep,
)
from replay.report.told import MisshapenError, Node
from replay.run import Exit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MOST_BYTES: Final = 1 << 30
"""The largest file that is read."""

LONGEST_LINE: Final = 1 << 24
"""The longest line that is read; the largest that a run writes has a third of it."""

_NEWER: Final = re.compile(f"{re.escape(SCHEMA.removesuffix('1'))}[1-9][0-9]{{0,8}}")
_MOST_SHOWN: Final = 2000
_KINDS: Final = ("changed", "missing", "extra", "type")
_EXITS: Final = tuple(int(one) for one in Exit)


def read(file: Path, name: str | None = None, *, reveal: bool = False) -> ToldRun:
    """The run in a file; ``name`` is what errors call it. Without ``reveal`` what is sealed is not even taken in.

    Raises :class:`RunFileError` for everything that can be wrong with it.
    """
    return _Reader(file, str(file) if name is None else name, reveal=reveal).run()


class _Reader:
    """One reading of one file."""

    def __init__(self, file: Path, name: str, *, reveal: bool) -> None:
        self._file = file
        self._name = name
        self._reveal = reveal
        self._line = 0
        self._steps: list[ToldStep] = []
        self._names: dict[str, str] = {}
        self._seen: set[tuple[str, str, str, str]] = set()

    def run(self) -> ToldRun:
        header: Header | None = None
        footer: Node | None = None
        for node in self._nodes():
            try:
                if footer is not None:
                    self._fail(Defect.DUPLICATED, "something follows the footer: is this two files in one?")
                if header is None:
                    header = self._header(node)
                elif node["type"].value == "footer":
                    footer = node
                else:
                    self._step(node)
            except MisshapenError as error:
                self._fail(Defect.MALFORMED, str(error))
        if header is None:
            self._line = 0
            self._fail(Defect.EMPTY, "an empty file, and no run")
        if footer is None:
            self._fail(Defect.CUT_OFF, "the file ends here without a footer: it is not whole")
        try:
            return self._whole(header, footer)
        except MisshapenError as error:
            self._fail(Defect.MALFORMED, str(error))

    def _fail(self, kind: Defect, sentence: str) -> NoReturn:
        raise RunFileError(kind, self._name, self._line, sentence)

    def _nodes(self) -> Iterator[Node]:
        """Each line as a value."""
        try:
            with self._file.open("rb") as stream:
                size = 0
                while line := stream.readline(LONGEST_LINE + 1):
                    self._line += 1
                    size += len(line)
                    if len(line) > LONGEST_LINE:
                        self._fail(Defect.TOO_LARGE, f"a line of more than {LONGEST_LINE:,} bytes")
                    if size > MOST_BYTES:
                        self._fail(Defect.TOO_LARGE, f"more than {MOST_BYTES:,} bytes")
                    yield self._node(line)
        except OSError as error:
            self._line = 0
            self._fail(Defect.UNREADABLE, f"it cannot be read: {error.strerror or error}")

    def _node(self, line: bytes) -> Node:
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n") and self._line > 1:
                self._fail(Defect.CUT_OFF, "the file ends inside this line: it is not whole")
            reason = "nested too deeply" if isinstance(error, RecursionError) else "no JSON"
            self._fail(Defect.NOT_JSON, f"this line is {reason}, and a run is one JSON object a line")
        return Node(value)

    def _header(self, node: Node) -> Header:
        if not isinstance(node.value, dict) or node.value.get("type") != "header":
            self._fail(Defect.WRONG_SCHEMA, "the first line is not the header of a run")
        if node["schema"].value != SCHEMA:
            newer = _NEWER.fullmatch(node["schema"].text()) is not None
            why = ", the only version that this loki-parity reads: a newer one wrote the file" if newer else ""
            self._fail(Defect.WRONG_SCHEMA, f"the schema is {node['schema'].text()}, and {SCHEMA} is read{why}")
        candidates = node["candidates"] if node.has("candidates") else [node["candidate"]]
        return Header(
            version=node["version"].text(),
            candidates=tuple(map(_candidate, candidates)),
            modes=tuple(one.word(MODES) for one in node["modes"]),
            selection=_selection(node["selection"]),
            floors=(node["floors"]["journals"].number(), node["floors"]["steps"].number()),
            least_compared=tuple(_counts(node["floors"]["compared"]).items()) if node["floors"].has("compared") else (),
            today=node["today"].text() if node.has("today") else "",
            journals=tuple(one.text() for one in node["journals"]),
            shard=node["shard"].text() if node.has("shard") else "",
        )

    def _step(self, node: Node) -> None:
        if node["type"].value == "header":
            self._fail(Defect.DUPLICATED, "a second header: is this two files in one?")
        if node["type"].value != "step":
            node["type"].refuse("header, step or footer")
        outcome = node["outcome"].word(OUTCOMES)
        step = ToldStep(
            candidate=self._once(_of(node)),
            journal=self._once(node["journal"].text()),
            mode=self._once(node["mode"].word(MODES)),
            number=self._once(node["step"].text()),
            tool=self._once(node["tool"].text()),
            note=self._once(node["note"].text()),
            path=node["at"]["path"].text(),
            line=node["at"]["line"].number(),
            outcome=self._once(outcome),
            characters=_total(node["compared"]) if outcome in {MATCH, DIVERGED, WAIVED} else 0,
            told=None if outcome == MATCH else self._told(node, outcome),
        )
        if step.key in self._seen:
            self._fail(Defect.DUPLICATED, f"{step.named} is there twice")
        self._seen.add(step.key)
        self._steps.append(step)

    def _once(self, text: str) -> str:
        """Equal texts are held once: a run repeats the same few for every step."""
        return self._names.setdefault(text, text)

    def _told(self, node: Node, outcome: str) -> Told:
        sealed = node.has("sealed") and node["sealed"].flag()
        says = ""
        if outcome == CRASHED:
            crash = node["crash"]
            where = crash["where"].text()
            says = crash["what"].text() + (f" in {where}" if where else "")
        elif outcome == WENT_THROUGH_GO:
            says = node["reason"].text()
        different = outcome in {DIVERGED, WAIVED}
        opened = node["opened"] if self._reveal and node.has("opened") else None
        return Told(
            inherited=node["inherited"].flag() if node.has("inherited") else None,
            sealed=sealed,
            shown=_lines(node["shown"]) if node.has("shown") else (),
            differences=tuple(map(_difference, _bounded(node["differences"]))) if different else (),
            differences_total=node["differences_total"].number() if different else 0,
            says=says,
            opened=() if opened is None else _lines(opened["shown"]),
            opened_sides=()
            if opened is None
            else tuple((_side(one["recorded"]), _side(one["candidate"])) for one in _bounded(opened["sides"])),
            waived=_waived(node["waived"]) if outcome == WAIVED else "",
        )

    def _whole(self, header: Header, footer: Node) -> ToldRun:
        run = ToldRun(
            header=header,
            steps=tuple(self._steps),
            journals=tuple(_journal(one) for one in footer["journals"]),
            refusals=tuple(map(_refusal, footer["refusals"])),
            problems=tuple(one.text() for one in footer["problems"]),
            exit=_exit(footer["exit"]),
            interrupted=footer["interrupted"].flag(),
            stopped=footer["stopped"].flag(),
        )
        self._check_sums(run)
        return run

    def _check_sums(self, run: ToldRun) -> None:
        """The receipt counts the very steps that stand in the file, and its verdict is not better than they are."""
        told = Counter((one.candidate, one.journal, one.mode, one.outcome) for one in self._steps)
        claimed = Counter(
            {
                (one.candidate, one.journal, mode, outcome): count
                for one in run.journals
                for mode, tally in one.modes.items()
                for outcome, count in tally.outcomes.items()
                if count
            }
        )
        for key in sorted({*told, *claimed}):
            if told[key] != claimed[key]:
                _, journal, mode, outcome = key
                steps = f"{counted(told[key], 'step')} of {journal} ({mode}) {named(told[key], 'is', 'are')} {outcome}"
                sentence = f"{steps}, and the footer counts {claimed[key]}"
                self._fail(Defect.INCONSISTENT, sentence)
        if run.exit == Exit.MATCH and (run.unequal or run.problems or run.refusals):
            self._fail(Defect.INCONSISTENT, "the footer says that all is well, and not all is")


def _waived(node: Node) -> str:
    return f"waived until {node['until'].text()}, {node['reason'].text()} ({node['file'].text()})"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _selection(node: Node) -> str:
    """The selection in words; nothing where everything was judged."""
    tools = [one.text() for one in node["tools"]]
    steps = ["-".join(dict.fromkeys(one.text() for one in step)) for step in node["steps"]]
    fields = [one.text() for one in node["fields"]] if node.has("fields") else []
    chosen = (("tools", tools), ("steps", steps), ("fields", fields))
    return "; ".join(f"{name} {', '.join(some)}" for name, some in chosen if some)


def _candidate(node: Node) -> CandidateTold:
    return CandidateTold(
        name=node["name"].text(),
        transport=node["transport"].text(),
        modules=tuple((name, one.text()) for name, one in node["modules"].items()),
    )


def _of(node: Node) -> str:
    """The candidate of a line, where there are several."""
    return node["candidate"].text() if node.has("candidate") else ""


def _refusal(node: Node) -> Refusal:
    return Refusal(_of(node), node["journal"].text(), _exit(node["exit"]), node["sentence"].text())


def _lines(node: Node) -> tuple[str, ...]:
    return tuple(one.text() for one in _bounded(node, _MOST_SHOWN))


def _bounded(node: Node, most: int = MOST_DIFFERENCES) -> Sequence[Node]:
    found = list(node)
    if len(found) > most:
        node.refuse(f"an array of at most {most} elements")
    return found


def _difference(node: Node) -> ToldDifference:
    return ToldDifference(
        field=node["field"].text(),
        kind=node["kind"].word(_KINDS),
        sealed=node.has("sealed") and node["sealed"].flag(),
        recorded=_side(node["recorded"]),
        candidate=_side(node["candidate"]),
        spot=_spot(node["place"]) if node.has("place") else None,
        causes=tuple((one["name"].text(), one["extent"].text()) for one in _bounded(node["causes"]))
        if node.has("causes")
        else (),
    )


def _side(node: Node) -> Side | None:
    if node.value is None:
        return None
    text = node["text"].raw()
    if node.has("base64"):
        try:
            text = base64.b64decode(node["base64"].raw(), validate=True).decode("utf-8", "surrogateescape")
        except (binascii.Error, ValueError):
            node["base64"].refuse("base64")
    if len(text) > MOST_TEXT:
        node["text"].refuse(f"a text of at most {MOST_TEXT} characters")
    return Side(node["type"].text(), text, node["from"].number(), node["length"].number())


def _spot(node: Node) -> Spot:
    return Spot(
        line=node["line"].number(),
        column=node["column"].number(),
        byte=node["byte"].number(),
        rune=node["rune"].number(),
        utf16=node["utf16"].number(),
        recorded=node["recorded"].text(),
        candidate=node["candidate"].text(),
    )


def _journal(node: Node) -> JournalTold:
    go = node["go"]
    return JournalTold(
        candidate=_of(node),
        journal=node["journal"].text(),
        sha256=node["sha256"].text(),
        kind=node["kind"].text(),
        source=node["source"].text(),
        go=f"{go['version'].text()}, Unicode {go['unicode'].text()}, {go['goarch'].text()}",
        modes={mode: _tally(tally) for mode, tally in node["modes"].items()},
        drill=tuple(
            Exercise(
                one["class"].text(), one["outcome"].text(), one["step"].text(), one["field"].text(), one["why"].text()
            )
            for one in node["drill"]
        ),
        problems=tuple(one.text() for one in node["problems"]),
        left_out=tuple(f"{one['what'].text()}: {one['why'].text()}" for one in node["left_out"])
        if node.has("left_out")
        else (),
        notes=tuple(one.text() for one in node["notes"]) if node.has("notes") else (),
    )


def _tally(node: Node) -> ModeTally:
    return ModeTally(
        steps=node["steps"].number(),
        outcomes=_counts(node["outcomes"]),
        fields=_counts(node["fields"]),
        absent=_counts(node["absent"]),
        characters=_total(node["characters"]),
        requests=node["requests"].number(),
        tolerances={
            name: (one["times"].number(), one["characters"].number()) for name, one in node["tolerances"].items()
        },
        of=node["of"].number() if node.has("of") else None,
    )


def _counts(node: Node) -> Mapping[str, int]:
    return {name: one.number() for name, one in node.items()}


def _total(node: Node) -> int:
    return sum(_counts(node).values())


def _exit(node: Node) -> int:
    number = node.number()
    if number not in _EXITS:
        node.refuse("an exit status of a run")
    return number
