"""Candidates that need no port: one that answers as Go did, and others, each named for its vice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from parity.gostd import json
from replay import fields as named
from replay.candidates.interface import (
    EVERYTHING,
    THROUGH_GO,
    Actual,
    CandidateCrashed,
    CandidateNotReadyError,
    Identity,
)
from replay.journal.model import RECALL
from replay.requirements import requests_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.candidates.interface import Capabilities
    from replay.fields import Fields
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step


def answer(journal: Journal, step: Step) -> Actual:
    """What Go answered, with every field that a record can hold, and the reads that it took."""
    fields = named.expected_fields(step.expected, None if journal.settings is None else journal.settings.dek)
    fields = {named.LABEL: "", named.DIFF: (), **fields}
    if journal.kind == RECALL:
        fields[named.REQUESTS] = requests_of(step.tool, json.unmarshal_args(step.raw_args, journal.target))
    return Actual(fields)


class Truthful:
    """Answers every step of one journal as Go did, whatever is planted in copies of that journal."""

    def __init__(self, journal: Journal, *, can: Capabilities = EVERYTHING, reads_seen: bool = True) -> None:
        self.identity = Identity("truthful", "memory", {"truthful": "0" * 64}, reads_seen, can)
        self.journal = journal
        self.log: list[str] = []

    def offers(self, kind: str) -> bool:
        return kind == self.journal.kind

    def session(self, _: Journal) -> Session:
        self.log.append("session")
        return Session(self)

    def answer(self, step: Step, *, restored: bool) -> Actual:
        """The answer to a step; ``restored``: the session was put on the state before it."""
        del restored
        return answer(self.journal, self.journal.steps[step.index - 1])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class Session:
    """One run of a fake candidate."""

    def __init__(self, candidate: Truthful) -> None:
        self._candidate = candidate
        self._restored = False

    def restore(self, _: Mapping[str, bytes] | None, __: Mapping[str, Tracker] | None) -> None:
        self._candidate.log.append("restore")
        self._restored = True

    def call(self, step: Step) -> Actual:
        self._candidate.log.append(str(step.index))
        restored, self._restored = self._restored, False
        return self._candidate.answer(step, restored=restored)

    def begin(self, case: KeepimgCase) -> None:
        raise NotImplementedError

    def visible(self, after: Fields) -> None:
        raise NotImplementedError

    def operate(self, step: KeepimgStep) -> Actual:
        raise NotImplementedError

    def close(self) -> None:
        self._candidate.log.append("close")


class Echo(Truthful):
    """Peeks at the record: it repeats whatever the journal says, and so can never be found wrong."""

    def answer(self, step: Step, *, restored: bool) -> Actual:
        del restored
        return answer(self.journal, step)


class Vicious(Truthful):
    """Answers as Go did but for some steps, whose answers a vice changes."""

    def __init__(self, journal: Journal, vice: Callable[[Actual], Actual], *steps: int) -> None:
        super().__init__(journal)
        self._vice = vice
        self._steps = steps

    def answer(self, step: Step, *, restored: bool) -> Actual:
        right = super().answer(step, restored=restored)
        return self._vice(right) if step.index in self._steps else right


class Drifting(Truthful):
    """Forgets what one step did: every later step is wrong, unless it starts from Go's own state."""

    def __init__(self, journal: Journal, first: int) -> None:
        super().__init__(journal)
        self._first = first

    def answer(self, step: Step, *, restored: bool) -> Actual:
        right = super().answer(step, restored=restored)
        return off_by_one_character(right) if step.index >= self._first and not restored else right


class NotReady(Truthful):
    """Cannot keep a memory: the system refuses it, from some step on or from the start."""

    def __init__(self, journal: Journal, first: int) -> None:
        super().__init__(journal)
        self._first = first

    def session(self, journal: Journal) -> Session:
        self._refuse(1)
        return super().session(journal)

    def answer(self, step: Step, *, restored: bool) -> Actual:
        self._refuse(step.index)
        return super().answer(step, restored=restored)

    def _refuse(self, number: int) -> None:
        if number >= self._first:
            message = "no room is left"
            raise CandidateNotReadyError(message)


def off_by_one_character(right: Actual) -> Actual:
    result = right.fields[named.RESULT]
    assert isinstance(result, str)
    middle = len(result) // 2
    other = "X" if result[middle : middle + 1] != "X" else "Y"
    return replace(right, fields={**right.fields, named.RESULT: result[:middle] + other + result[middle + 1 :]})


def writes_a_file_too_many(right: Actual) -> Actual:
    files = right.fields[named.FILES]
    assert isinstance(files, dict)
    extra: Fields = {"extra.md": {"sealed": False, "content": b"extra\n"}}
    return replace(right, fields={**right.fields, named.FILES: {**files, **extra}})


def reads_twice(right: Actual) -> Actual:
    requests = right.fields[named.REQUESTS]
    assert isinstance(requests, tuple)
    return replace(right, fields={**right.fields, named.REQUESTS: requests * 2})


def panics(right: Actual) -> Actual:
    fields = {name: value for name, value in right.fields.items() if name != named.RESULT}
    return replace(right, fields={**fields, named.PANIC: "runtime error: invented"})


def goes_through_go(right: Actual) -> Actual:
    return replace(right, route=THROUGH_GO, reason="Go answered with status 500")


def crashes(_: Actual) -> Actual:
    what = "KeyError: 'seq'"
    raise CandidateCrashed(what, "tool.py:3 in call")
