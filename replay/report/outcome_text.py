"""An outcome that is no match, as a terminal, a CI log and a failing test show it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from replay.journal.drawing import visible
from replay.outcome import Crashed, Diverged, Waived, WentThroughGo, name
from replay.report import terminal_difference
from replay.report.secrets import without_secrets
from replay.report.terminal_difference import FACT, FIELD, PLACE, STEP
from replay.report.value_text import cut

if TYPE_CHECKING:
    from replay.outcome import Outcome
    from replay.report.styles import Plain

_MOST: Final = 300

_INHERITED: Final = {
    True: "inherited: from Go's own state this step matches, so only an earlier divergence explains it",
    False: "its own: it differs from Go's own state too",
}


def render(outcome: Outcome, styles: Plain, *, reveal: bool = False) -> str:
    """The outcome in full, without a final newline; at most 20 KB before colours.

    What is sealed is left out unless ``reveal`` asks for it (:mod:`replay.report.secrets`).
    """
    lines = [f"{styles.strong(draw_journal(outcome))} {styles.bad(name(outcome))}"]
    inherited = getattr(outcome, "inherited", None)
    if inherited is not None:
        lines.append(styles.faint(f"  {_INHERITED[inherited]}"))
    if isinstance(outcome, Waived):
        lines.append(styles.faint(f"  {_waived(outcome)}"))
    if isinstance(outcome, (Diverged, Waived)):
        shown = terminal_difference.render(
            outcome.step, outcome.differences, outcome.compared.tolerated, styler=styles.by_kind, reveal=reveal
        )
        return "\n".join(lines) + "\n" + shown.rstrip("\n")
    step = outcome.step
    note = f" — {cut(step.note, _MOST)}" if step.note else ""
    lines.append(styles.by_kind(STEP, f"step {step.number} {step.tool} ({step.mode}){note}"))
    lines.append(styles.by_kind(PLACE, f"  at {cut(str(step.at), _MOST)}"))

    def said(sentence: str) -> str:
        return cut(sentence if reveal else without_secrets(step, sentence), _MOST)

    if isinstance(outcome, Crashed):
        lines.append(styles.by_kind(FIELD, f"  the candidate crashed: {said(outcome.what)}"))
        if outcome.where:
            lines.append(styles.by_kind(FACT, f"    in {cut(outcome.where, _MOST)}"))
    elif isinstance(outcome, WentThroughGo):
        lines.append(styles.by_kind(FIELD, f"  the call went through Go: {said(outcome.reason)}"))
    return "\n".join(lines)


def rules_of(outcome: Outcome, styles: Plain) -> str:
    """The command that leads from a step to the rules of the contract that it exercises, and to their functions."""
    step = outcome.step
    return styles.faint(visible(f"  its rules: loki-parity rules {shlex.quote(step.journal)} --step {step.number}"))


def one_line(outcome: Outcome, styles: Plain) -> str:
    """The outcome in a line: which step, and the field of its first difference."""
    step = outcome.step
    what = name(outcome)
    if isinstance(outcome, Diverged):
        what = f"{what} in {cut(outcome.differences[0].field, _MOST)}"
    return f"{draw_journal(outcome)} step {step.number} {step.tool} ({step.mode}): {styles.bad(what)}"


def waived_line(outcome: Waived) -> str:
    """A divergence that is accepted for now, in a line."""
    step = outcome.step
    return f"{draw_journal(outcome)} step {step.number} {step.tool} ({step.mode}): {_waived(outcome)}"


def _waived(outcome: Waived) -> str:
    by = outcome.by
    return f"waived until {by.until}, {cut(by.reason, _MOST)} ({cut(by.file, _MOST)})"


def draw_journal(outcome: Outcome) -> str:
    """The journal's name, drawn: a file name can hold anything."""
    return cut(outcome.step.journal, _MOST)
