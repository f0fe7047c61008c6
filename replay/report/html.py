"""A run as one HTML page: no network, no dependency, works from disk, with a keyboard and a screen reader.

The page's own policy lets nothing run but its one script and load nothing at all. What the run says stands in JSON that
the script turns into text, never into markup; the details of a step are made when it is opened: thousands cost nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, Final

import jinja2

from replay.counted import counted
from replay.exercise import FOUND, NOT_PLANTABLE
from replay.report.pieces import Names, pieces
from replay.report.run_values import DIVERGED, MATCH, MODES, WAIVED
from replay.report.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.report.run_values import JournalTold, Side, Told, ToldDifference, ToldRun, ToldStep

MOST_MATCHES: Final = 20_000
"""How many steps that match get a row; the others are counted. Every step that does not match has one."""

_BEFORE: Final = 300
_SHOWN: Final = 1000
"""So many characters of each side are shown, so many of them before the place."""

_INHERITED: Final = {
    None: "",
    True: "inherited: from Go's own state this step matches, so only an earlier divergence explains it",
    False: "its own: it differs from Go's own state too",
}
_HOLDS_NO_MARKUP: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclass(frozen=True, slots=True)
class RuleLink:
    """A rule of the contract, as the page lists it."""

    id: str
    section: str
    function: str


def html(run: ToldRun, rules: Mapping[str, Sequence[RuleLink]]) -> Iterator[str]:
    """The page in pieces. ``rules`` holds, to a tool, the rules of the contract that say what it does."""
    templates = resources.files("replay.report").joinpath("templates")
    style = templates.joinpath("report.css").read_text(encoding="utf-8")
    script = templates.joinpath("report.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: templates.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    page = _Page(run, rules)
    details = [_data(one) for one in page.details()]
    return environment.get_template("report.html.jinja").generate(
        run=run,
        verdict=verdict(run),
        counted=counted,
        journals=[_receipt(one) for one in run.journals],
        rules=page.rules_named(),
        policy=_policy(style, script),
        style=style,
        script=script,
        steps=_data(page.steps()),
        details=details,
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _data(value: object) -> str:
    """JSON that ends no element, whatever stands in it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_HOLDS_NO_MARKUP)


@dataclass(frozen=True, slots=True)
class _Receipt:
    """A journal's row in the summary."""

    told: JournalTold
    modes: list[tuple[str, str, str, bool]]
    """Mode, score, what was compared, whether all matched."""
    found: int
    planted: int
    left_out: str


def _receipt(told: JournalTold) -> _Receipt:
    modes = []
    for mode, tally in told.modes.items():
        matched = tally.outcomes.get(MATCH, 0)
        others = [f"{count:,} {name}" for name, count in tally.outcomes.items() if name != MATCH and count]
        facts = [counted(tally.characters, "character"), counted(tally.requests, "request")]
        facts += [f"{field} {count:,}" for field, count in tally.fields.items()]
        facts += [f"not recorded: {field} {count:,}" for field, count in tally.absent.items()]
        facts += [
            f"tolerance {name}: {counted(times, 'time')}, {counted(hidden, 'character')}"
            for name, (times, hidden) in tally.tolerances.items()
        ]
        score = ", ".join([f"{matched:,} of {tally.steps:,} match", *others])
        fine = matched + tally.outcomes.get(WAIVED, 0)
        modes.append((mode, score, " · ".join(facts), fine == tally.steps))
    outcomes = [one.outcome for one in told.drill]
    return _Receipt(
        told=told,
        modes=modes,
        found=outcomes.count(FOUND),
        planted=len(outcomes) - outcomes.count(NOT_PLANTABLE),
        left_out=", ".join(one.name for one in told.drill if one.outcome == NOT_PLANTABLE),
    )


class _Page:
    """What the script gets: tables of names, a row for each step, details for each that does not match."""

    def __init__(self, run: ToldRun, rules: Mapping[str, Sequence[RuleLink]]) -> None:
        self._rules = rules
        unequal = [step for step in run.steps if step.told is not None]
        matches = [step for step in run.steps if step.told is None][:MOST_MATCHES]
        listed = {step.key for step in matches}
        self._left_out = len(run.steps) - len(unequal) - len(matches)
        self._rows = [step for step in run.steps if step.told is not None or step.key in listed]
        self._names = Names()
        self._outcomes = run.outcomes

    def steps(self) -> dict[str, object]:
        """The tables and the rows; ask for the details first, since they name the characters."""
        candidates, journals, tools, fields = Names(), Names(), Names(), Names()
        rows = [
            [
                candidates.number(step.candidate),
                journals.number(step.journal),
                MODES.index(step.mode),
                step.number,
                tools.number(step.tool),
                self._outcomes.index(step.outcome),
                step.note,
                step.characters,
                [fields.number(_head(one.field)) for one in step.told.differences] if step.told else [],
            ]
            for step in self._rows
        ]
        return {
            "candidates": list(candidates),
            "journals": list(journals),
            "modes": MODES,
            "tools": list(tools),
            "outcomes": self._outcomes,
            "fields": list(fields),
            "names": list(self._names),
            "rules": {tool: [one.id for one in self._rules.get(tool, ())] for tool in tools},
            "leftOut": self._left_out,
            "rows": rows,
        }

    def details(self) -> Iterator[dict[str, object]]:
        """The details of the steps that do not match, in the order of their rows."""
        for step in self._rows:
            if step.told is not None:
                yield self._detail(step, step.told)

    def rules_named(self) -> list[RuleLink]:
        """The rules of every tool of the run that did not match, each once, by id."""
        tools = {step.tool for step in self._rows if step.told is not None}
        found = {rule.id: rule for tool in tools for rule in self._rules.get(tool, ())}
        return [found[name] for name in sorted(found)]

    def _detail(self, step: ToldStep, told: Told) -> dict[str, object]:
        detail: dict[str, object] = {
            "at": f"{step.journal}:{step.line} at {step.path}",
            "inherited": _INHERITED[told.inherited],
            "says": told.waived or told.says,
            "sealed": told.sealed,
            "shown": "\n".join(told.shown),
            "total": told.differences_total if step.outcome in {DIVERGED, WAIVED} else 0,
            "differences": [self._difference(one, one.recorded, one.candidate) for one in told.differences],
        }
        if told.opened:
            detail["opened"] = {
                "shown": "\n".join(told.opened),
                "differences": [
                    self._difference(one, recorded, candidate)
                    for one, (recorded, candidate) in zip(told.differences, told.opened_sides, strict=False)
                ],
            }
        return detail

    def _difference(self, one: ToldDifference, recorded: Side | None, candidate: Side | None) -> dict[str, object]:
        place = None if one.spot is None else one.spot.rune
        told: dict[str, object] = {
            "field": one.field,
            "kind": one.kind,
            "sealed": one.sealed,
            "sides": [self._side(side, place) for side in (recorded, candidate)],
            "causes": [f"{name} ({extent})" for name, extent in one.causes],
        }
        if one.spot is not None:
            told["at"] = (
                f"line {one.spot.line:,}, column {one.spot.column:,} "
                f"(byte {one.spot.byte:,}, rune {one.spot.rune:,}, UTF-16 {one.spot.utf16:,})"
            )
            told["points"] = [one.spot.recorded, one.spot.candidate]
        return told

    def _side(self, side: Side | None, place: int | None) -> dict[str, object] | None:
        if side is None:
            return None
        side = _near(side, place)
        found = pieces(side, place, self._names)
        return {
            "type": side.type,
            "length": side.length,
            "from": side.start,
            "left": max(0, side.length - side.start - len(side.text)),
            "mark": found.mark,
            "pieces": found.pieces,
        }


def _near(side: Side, place: int | None) -> Side:
    """The part of a side that a page shows: thousands of steps must stay a page that opens at once."""
    first = max(0, (0 if place is None else place - side.start) - _BEFORE)
    return replace(side, text=side.text[first : first + _SHOWN], start=side.start + first)


def _head(field: str) -> str:
    """The name by which a field is filtered: ``files`` of ``files['a.md'].content``."""
    return field.split("[", 1)[0].split(".", 1)[0]
