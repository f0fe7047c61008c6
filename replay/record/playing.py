"""A scenario is played: call after call, each answer checked, redacted and kept before the next is made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from parity.gostd import utf8
from parity.stores.state import Settings, State
from replay.candidates.written import files_written, head, trackers_written
from replay.compare import ALL as TOLERANCES
from replay.compare import StepContext, compare, field_of
from replay.fields import (
    DIFF,
    FILES,
    LABEL,
    PANIC,
    RESULT,
    TRACKERS,
    expected_fields,
    files_value,
    page_value,
    trackers_value,
)
from replay.interrupts import HELD, holdable
from replay.journal import JournalError, loads
from replay.journal.model import CARRIED, MEMORY, Expected, LooseField
from replay.record.redaction import Hidden, texts_of, texts_of_args
from replay.record.refusal import GoRefusedError, RecordingRefusedError
from replay.record.written import answered, inputs, read_step, step_bytes, step_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.candidates.interface import Capabilities
    from replay.fields import Fields
    from replay.journal.model import Journal, Step
    from replay.record.live_go import GoIdentity, LiveGo
    from replay.record.partial import Partial
    from replay.record.redaction import Redaction
    from replay.record.state import States

NOW: Final = "now"
_FREE: Final = (FILES, TRACKERS)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A step as it will stand in the journal; what was answered, as the loader reads it; what was left out of it."""

    raw: bytes
    expected: Expected
    redacted: tuple[LooseField, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """What is played, against whom, and what is done with the answers. ``states`` None: no state can be had."""

    scenario: Journal
    go: LiveGo
    identity: GoIdentity
    can: Capabilities
    states: States | None
    redaction: Redaction
    twice: bool = False

    @property
    def clock(self) -> bool:
        """Whether Go is told the time of each step."""
        return self.scenario.kind == MEMORY and self.can.set_clock

    @property
    def dek(self) -> bytes | None:
        """The key of the memory."""
        return (self.scenario.settings or Settings()).dek

    def about(self) -> dict[str, object]:
        """What is recorded, for a partial recording to know itself by."""
        digest = hashlib.sha256(json.dumps(inputs(self.scenario)).encode())
        for step in self.scenario.steps:
            digest.update(json.dumps(step_inputs(self.scenario, step, clock=self.clock)).encode() + step.raw_args)
        return {
            "scenario": digest.hexdigest(),
            "go": {"version": self.identity.target.version, "commit": self.identity.commit},
            "capabilities": [asdict(self.can), type(self.states).__name__],
            "options": {"twice": self.twice, "rules": sorted(self.redaction.rules)},
        }


class Player:
    """Plays one session; ``notices`` are what could not be recorded or checked, a sentence each."""

    def __init__(self, session: Session) -> None:
        """Raises RecordingRefusedError if an input holds what must not be kept, or nothing can be played twice."""
        self._session = session
        self._scenario = session.scenario
        self._memory = session.scenario.kind == MEMORY
        self.notices: list[str] = []
        if session.twice and self._memory and not session.can.reset:
            message = "it cannot be reset, so nothing can be played twice from the same state (--twice)"
            raise GoRefusedError(message)
        for where, texts in self._inputs():
            leak = session.redaction.leak(texts)
            if leak is not None:
                message = f"{where} holds {leak}: inputs are kept as they are, so put a stand-in there"
                raise RecordingRefusedError(message)
        if self._memory and session.states is None:
            self.notices.append(
                "no files and no trackers: Go does not show its state, and no --memory-folder was named"
            )
        if self._memory and not session.can.set_clock:
            self.notices.append("no times: Go cannot be told what time it is")
        elif self._memory and any(step.clock_from == CARRIED for step in self._scenario.steps):
            self.notices.append("no time in some steps: the scenario gives none, so Go's clock was left where it stood")

    def _inputs(self) -> Iterator[tuple[str, Iterator[str]]]:
        scenario = self._scenario
        yield "the scenario's head", texts_of(inputs(scenario))
        if scenario.initial is not None:
            yield "the initial state", self._sealed_texts(scenario.initial.files)
        for step in scenario.steps:
            yield f"step {step.index}, its note", iter((step.note,))
            yield f"step {step.index}, its args", texts_of_args(step.raw_args)

    def _sealed_texts(self, files: Mapping[str, bytes]) -> Iterator[str]:
        """The texts that no plain string in a journal holds: sealed pages, opened, and bytes that are no UTF-8."""
        for raw in files.values():
            content = page_value(raw, self._session.dek)["content"]
            if isinstance(content, bytes) and (content is not raw or not utf8.valid(raw)):
                yield utf8.decode(content)

    def play(self, partial: Partial) -> list[list[Recorded]]:
        """The steps of each pass. Raises RecordingRefusedError; an interrupt comes between two steps or in a call."""
        steps = self._scenario.steps
        total = len(steps) * (2 if self._session.twice else 1)
        if len(partial.kept) > total:
            message = "the partial recording holds more steps than the scenario"
            raise RecordingRefusedError(message)
        done = [self._kept(record, index % len(steps)) for index, record in enumerate(partial.kept)]
        with holdable():
            for index in range(len(done), total):
                at = index % len(steps)
                if at == 0:
                    self._start()
                elif index == len(partial.kept):
                    self._go_on(done[-1], steps[:at])
                recorded = self._step(steps[at])
                with HELD:
                    partial.add(_packed(recorded))
                    done.append(recorded)
        return [done[: len(steps)], done[len(steps) :]] if self._session.twice else [done]

    def _kept(self, record: bytes, at: int) -> Recorded:
        meta, _, raw = record.partition(b"\n")
        step = self._scenario.steps[at]
        told = step_inputs(self._scenario, step, clock=self._session.clock)
        try:
            redacted = tuple(LooseField(**one) for one in json.loads(meta))
            expected = read_step(self._scenario.kind, raw)
        except (ValueError, TypeError, GoRefusedError):
            redacted, expected = (), Expected()
        if step_bytes(told, step.raw_args, answered(expected)) != raw:
            message = f"the partial recording's step {at + 1} was changed: remove it to record from the start"
            raise RecordingRefusedError(message)
        leak = self._session.redaction.leak(texts_of(answered(expected)))
        if leak is not None:
            message = f"the partial recording's step {at + 1} holds {leak}: remove it to record from the start"
            raise RecordingRefusedError(message)
        return Recorded(raw, expected, redacted)

    # ---- where Go stands

    def _start(self) -> None:
        """Go stands at the scenario's start, as far as it can be put or seen there."""
        session = self._session
        if session.can.reset:
            session.go.tell("reset", self._head())
        if not self._memory:
            self._check_blocks()
        elif session.states is not None:
            self._check_state(self._scenario.initial, "the scenario's initial state")
        elif not session.can.reset:
            self.notices.append("the start was not checked: Go can neither be reset nor show its state")

    def _head(self) -> dict[str, object]:
        scenario = self._scenario
        return {"kind": scenario.kind, "go": "", "target": self._session.identity.target.version, **head(scenario)}

    def _check_blocks(self) -> None:
        served = self._session.go.blocks()
        if served is None:
            if not self._session.can.reset:
                self.notices.append("the blocks were not checked: Go does not serve its archive")
            return
        raw = json.dumps({"kind": "recall", "blocks": served, "steps": [{"tool": "recall", "result": ""}]})
        try:
            blocks = loads(raw.encode("utf-8", "replace"), "").blocks
        except JournalError as error:
            message = f"its archive cannot be read: found {error.found} at {error.place.path}"
            raise GoRefusedError(message) from None
        if blocks != self._scenario.blocks:
            ours = {block.seq: block for block in self._scenario.blocks}
            theirs = {block.seq: block for block in blocks}
            seq = min(seq for seq in ours.keys() | theirs.keys() if ours.get(seq) != theirs.get(seq))
            message = f"its archive is not the scenario's: block r{seq} differs"
            raise GoRefusedError(message)

    def _check_state(self, wanted: State | None, what: str) -> None:
        assert self._session.states is not None  # noqa: S101 - asked only where there is one
        assert wanted is not None  # noqa: S101 - a memory's scenario has one
        shown = self._session.states.read()
        raw = step_bytes({"tool": "mem_search"}, b"{}", {RESULT: "", **shown})
        found = read_step(MEMORY, raw)
        dek = self._session.dek
        ours: Fields = {FILES: files_value(wanted.files, dek), TRACKERS: trackers_value(wanted.trackers)}
        differences = compare(ours, expected_fields(found, dek)).differences
        if differences:
            message = f"it does not stand at {what}: {differences[0].field} differs"
            raise GoRefusedError(message)

    def _go_on(self, last: Recorded, played: Sequence[Step]) -> None:
        """Go stands where the partial recording ends; its clock too."""
        session = self._session
        state = last.expected
        if not self._memory:
            if session.can.reset:
                session.go.tell("reset", self._head())
            self._check_blocks()
            return
        if state.files is None or state.trackers is None or any(_is_state(one.field) for one in last.redacted):
            message = "nothing tells whether it stands where the partial recording ends: record from the start"
            raise GoRefusedError(message)
        if session.can.reset:
            session.go.tell("reset", self._head())
            written = {FILES: files_written(state.files), TRACKERS: trackers_written(state.trackers)}
            session.go.tell("restore", written)
        said = (step_inputs(self._scenario, step, clock=session.clock) for step in reversed(played))
        time = next((one[NOW] for one in said if NOW in one), None)
        if time is not None:
            session.go.tell("clock", {NOW: time})
        self._check_state(_state_of(state), "the end of the partial recording")

    # ---- one step

    def _step(self, step: Step) -> Recorded:
        try:
            return self._asked(step)
        except GoRefusedError as refused:
            message = f"step {step.index} ({step.tool}): {refused}"
            raise type(refused)(message) from None

    def _asked(self, step: Step) -> Recorded:
        session = self._session
        told = step_inputs(self._scenario, step, clock=session.clock)
        if self._memory and NOW in told:
            session.go.tell("clock", {NOW: told[NOW]})
        said = session.go.call(step.tool, step.raw_args)
        shown: dict[str, object] = {name: said[name] for name in (RESULT, LABEL, DIFF) if name in said}
        if said.get(PANIC) not in (None, ""):
            shown[PANIC] = said[PANIC]
        if self._memory and session.states is not None:
            shown |= session.states.read()
        hidden = Hidden()
        raw = step_bytes(told, step.raw_args, session.redaction.answer(shown, hidden))
        expected = read_step(self._scenario.kind, raw)
        self._check_leaks(expected)
        raw = step_bytes(told, step.raw_args, answered(expected))
        return Recorded(raw, expected, tuple(hidden.fields(step.index)))

    def _check_leaks(self, expected: Expected) -> None:
        """What a marker cannot be put into must not hold what has to be hidden."""
        redaction = self._session.redaction
        if redaction.holds_token(texts_of(answered(expected))):
            message = "its answer holds the token it was asked with"
            raise GoRefusedError(message)
        for names in (expected.files, expected.trackers):
            self._check_leak("a name", redaction.leak(iter(names or ())))
        self._check_leak("a sealed or binary file", redaction.leak(self._sealed_texts(expected.files or {})))

    def _check_leak(self, what: str, leak: str | None) -> None:
        if leak is not None:
            message = f"{what} of its state holds {leak}, and no marker can be put there"
            raise GoRefusedError(message)


def _is_state(field: str) -> bool:
    return field.startswith(_FREE)


def unstable(session: Session, first: Sequence[Recorded], second: Sequence[Recorded]) -> list[LooseField]:
    """What Go did not answer the same way twice, by step and field.

    Raises GoRefusedError where it crashed only once: nobody could be held to either.
    """
    found: list[LooseField] = []
    scenario = session.scenario
    settings = scenario.settings or Settings()
    for step, one, other in zip(scenario.steps, first, second, strict=True):
        ours, theirs = (expected_fields(each.expected, session.dek) for each in (one, other))
        if (PANIC in ours) != (PANIC in theirs) or (RESULT in ours) != (RESULT in theirs):
            message = f"step {step.index} ({step.tool}): it crashed once and answered once"
            raise GoRefusedError(message)
        context = StepContext(
            step.tool, step.raw_args, ours, theirs, target=session.identity.target, project=settings.project_slug
        )
        differences = compare(ours, theirs, TOLERANCES, context).differences
        fields = {field_of(one.path[: 2 if one.path[0] in _FREE else 1]) for one in differences}
        fields |= ours.keys() ^ theirs.keys()
        found.extend(LooseField(step.index, field) for field in sorted(fields))
    return found


def _state_of(expected: Expected) -> State:
    return State(expected.files or {}, expected.trackers or {})


def _packed(recorded: Recorded) -> bytes:
    return json.dumps([asdict(one) for one in recorded.redacted]).encode() + b"\n" + recorded.raw
