"""Calls of tools, one after the other on one archive or one memory; our own Go program, the model, judges them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from parity.gostd import json
from parity.tools import registry
from parity.tools.interface import GoPanic
from parity.tools.labels import label
from replay import fields as named
from replay.candidates.go import shown
from replay.compare import ALL as TOLERANCES
from replay.compare import StepContext, compare
from replay.fuzz.trial import CRASH, Call, crashed
from replay.journal.model import RECALL
from replay.oracle import wire
from replay.requirements import requests_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parity.gostd.target import GoTarget
    from parity.tools.interface import Env
    from replay.compare import Difference
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, Step
    from replay.oracle.client import Answer, Question


@dataclass(frozen=True)
class SessionTrial:
    """A journal without what Go recorded in it, and what the port showed at each step.

    ``calls[n].at`` is n + 1: the first question makes the session.
    """

    journal: Journal
    head: Question
    calls: Sequence[Call]

    @cached_property
    def questions(self) -> Sequence[Question]:
        """The session made anew, then its calls."""
        asked: list[Question] = [self.head]
        for step in self.journal.steps:
            question: dict[str, object] = {"q": "exec", "tool": step.tool, "args": wire.text(step.raw_args)}
            if step.now_ns is not None:
                question["now"] = wire.moment(step.now_ns)
            asked.append(question)
        return asked

    def expected(self, call: Call, answer: Answer) -> Fields:
        """What the model showed, and the reads of the archive that the call must make, which it does not tell."""
        settings = self.journal.settings
        fields = shown(answer, None if settings is None else settings.dek).fields
        if self.journal.kind != RECALL:
            return fields
        return {**fields, named.REQUESTS: requests_of(call.tool, cast("Mapping[str, object]", call.seen["args"]))}

    def differences(self, call: Call, expected: Fields) -> Sequence[Difference]:
        """What differs, the tolerances of the gate used."""
        if expected == call.actual and (call.tool not in _NUMBERS or repr(expected) == repr(call.actual)):
            return ()
        found = compare(expected, call.actual).differences
        if not found or CRASH in call.actual:
            return found
        settings = self.journal.settings
        context = StepContext(
            tool=call.tool,
            expected=expected,
            actual=call.actual,
            system_error=call.seen.get("system_error") is True,
            target=self.journal.target,
            project="generale" if settings is None else settings.project_slug,
        )
        return compare(expected, call.actual, TOLERANCES, context).differences


_NUMBERS: Final = frozenset({"tracker"})
"""Tools that put numbers into what is compared: ``==`` takes 1 for True and for 1.0, as neither ``repr`` nor
:func:`compare` does. The latter is asked only where something may differ: it takes ten times as long."""


def run(step: Step, env: Env, target: GoTarget) -> tuple[dict[str, Value], dict[str, object]]:
    """What the port answers to a call, and what buckets may know of it; a crash is an answer too."""
    args = json.unmarshal_args(step.raw_args, target)
    seen: dict[str, object] = {"args": args, "raw": step.raw_args}
    try:
        answer = registry.TOOLS[step.tool](args, env)
    except GoPanic as panic:
        announced = label(step.tool, args, target)
        return {named.PANIC: panic.text, named.LABEL: announced, named.DIFF: ()}, seen
    except Exception as error:  # noqa: BLE001 - whatever the port raises is what was looked for
        return dict(crashed(error)), seen
    seen["system_error"] = answer.system_error
    return {named.RESULT: answer.result, named.LABEL: answer.label, named.DIFF: named.diff_value(answer.diff)}, seen
