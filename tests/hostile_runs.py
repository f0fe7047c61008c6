"""Runs whose every text is anything: what property tests of reports draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st
from run_files import difference, footer, header, receipt, side, spot, step

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MARKUP: Final = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "&lt;b&gt;",
    "]]>",
    "\x00\x1b[31m\x9b\x7f\r\n",
    "\u202e\u2066\ufeff",
    "\u2028\u2029\ufffe\uffff\ud800\udcff",
    "{{ 7 * 7 }}",
    "::error::%0A",
    "| `a` | <br> **b** @somebody #1",
    "'\"",
    "e\u0301\u0301\u0301\u0301\u0301\u0301",
)

TEXTS: Final = st.one_of(
    st.sampled_from(MARKUP), st.text(st.characters(exclude_categories=()), max_size=12), st.text(max_size=12)
)
"""Any text, half of a pair included; often one that would mean something to whoever does not escape it."""


def sides() -> SearchStrategy[dict[str, Any] | None]:
    return st.one_of(st.none(), st.builds(side, TEXTS, st.integers(0, 99), st.integers(0, 99)))


@st.composite
def differences(draw: st.DrawFn) -> dict[str, Any]:
    place = draw(st.one_of(st.none(), st.integers(0, 12)))
    more = {} if place is None else {"place": spot(0, "a", "b") | {"rune": place, "recorded": draw(TEXTS)}}
    return difference(
        field=draw(TEXTS),
        kind=draw(st.sampled_from(["changed", "missing", "extra", "type"])),
        recorded=draw(sides()),
        candidate=draw(sides()),
        causes=[{"name": draw(TEXTS), "extent": draw(TEXTS)}],
        **more,
    )


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The lines of a run: up to four steps of any outcome, refusals and problems."""
    steps = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        outcome = draw(st.sampled_from(["match", "diverged", "crashed", "went-through-go"]))
        more: dict[str, Any] = {name: draw(TEXTS) for name in ("note", "tool", "step")}
        more |= {"journal": draw(st.sampled_from(MARKUP)), "path": draw(TEXTS), "step": f"{number}{more['step']}"}
        if outcome != "match":
            more |= {
                "shown": draw(st.lists(TEXTS, max_size=3)),
                "inherited": draw(st.sampled_from([None, True, False])),
            }
        if outcome == "diverged":
            more |= {"differences": draw(st.lists(differences(), max_size=2))}
        if outcome == "crashed":
            more |= {"crash": {"what": draw(TEXTS), "where": draw(TEXTS)}}
        if outcome == "went-through-go":
            more |= {"reason": draw(TEXTS)}
        steps.append(step(number, outcome, **more))
    end = footer(steps, problems=draw(st.lists(TEXTS, max_size=2)), exit=draw(st.sampled_from([1, 2, 3, 130])))
    end["interrupted"] = end["exit"] == 130
    end["refusals"] = [{"journal": draw(TEXTS), "exit": 2, "sentence": draw(TEXTS)}]
    if steps and draw(st.sampled_from([True, False])):
        end["journals"] = [
            receipt([one for one in steps if one["journal"] == name], problems=[draw(TEXTS)], about=draw(TEXTS))
            for name in dict.fromkeys(one["journal"] for one in steps)
        ]
    top = header(selection={"tools": [draw(TEXTS)], "steps": [], "fields": None}, shard=draw(TEXTS))
    top["candidate"]["name"] = draw(TEXTS)
    return [top, *steps, end]
