"""Real Go as a candidate: our own Go program's reading of the contract, compiled by one Go version.

It is the ``model``, not Loki: passing the recorded journals is what gives it a say about anything else.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, Self, cast

from parity.gostd import utf8
from replay import fields as named
from replay.candidates.interface import Actual, CandidateCrashed, Identity
from replay.candidates.written import case_head, files_written, frozen, head, plain, trackers_written
from replay.compare.tolerances import is_contract_error
from replay.journal.model import KEEPIMG, MEMORY, RECALL
from replay.oracle import wire
from replay.oracle.answers import reading
from replay.oracle.errors import QuestionRefusedError
from replay.oracle.start import oracle, program_hashes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from parity.tools.interface import Tracker
    from replay.fields import Fields, Value
    from replay.journal.model import Journal, KeepimgCase, KeepimgStep, Step
    from replay.oracle.client import Answer, Oracle, Question

NAME: Final = "go"
PIPE: Final = "pipe"
KINDS: Final = frozenset({RECALL, MEMORY, KEEPIMG})

_ERROR: Final = "[erreur] "


class GoCandidate:
    """The model, built by a Go version such as ``1.25.5``."""

    def __init__(self, version: str, *, go: Path | None = None, cache: Path | None = None) -> None:
        """``go`` is the path of a go command to use, ``cache`` where built programs are kept."""
        self.identity = Identity(f"model go{version.removeprefix('go')}", PIPE, program_hashes(), reads_seen=False)
        self._version = version
        self._go = go
        self._cache = cache
        self._resources = contextlib.ExitStack()
        self._oracle: Oracle | None = None

    def __enter__(self) -> Self:
        """Find a Go, build the model unless it is there already, start it.

        Raises an :class:`replay.oracle.errors.OracleError`.
        """
        self._oracle = self._resources.enter_context(oracle(self._version, go=self._go, cache=self._cache))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self._oracle = None
        self._resources.close()

    def offers(self, kind: str) -> bool:
        """The model knows every kind."""
        return kind in KINDS

    def session(self, journal: Journal) -> GoSession:
        """A fresh session on the journal's initial state."""
        if self._oracle is None:
            message = "the candidate was not started"
            raise LookupError(message)
        return GoSession(self._oracle, journal)


class GoSession:
    """One run of the model through one journal.

    A question that the model refuses is a crash of that step; an oracle that breaks ends the whole run.
    """

    def __init__(self, asked: Oracle, journal: Journal) -> None:
        """Hand over the journal's head."""
        self._oracle = asked
        self._name = f"{id(self):x}"
        self._dek = None if journal.settings is None else journal.settings.dek
        if journal.kind != KEEPIMG:
            self._ask({"q": "reset", "kind": journal.kind, **head(journal)})

    def restore(self, files: Mapping[str, bytes] | None, trackers: Mapping[str, Tracker] | None) -> None:
        """Make the memory equal to a recorded state; a half that was not recorded stays as it is."""
        state: dict[str, object] = {}
        if files is not None:
            state["files"] = files_written(files)
        if trackers is not None:
            state["trackers"] = trackers_written(trackers)
        if state:
            self._ask({"q": "restore", **state})

    def call(self, step: Step) -> Actual:
        """Run one step on the state as it stands."""
        question: dict[str, object] = {"q": "exec", "tool": step.tool, "args": wire.text(step.raw_args)}
        if step.now_ns is not None:
            question["now"] = wire.moment(step.now_ns)
        return shown(self._ask(question), self._dek)

    def begin(self, case: KeepimgCase) -> None:
        """Start a case of kept images."""
        self._ask({"q": "reset", "kind": KEEPIMG, "case": case_head(case)})

    def visible(self, after: Fields) -> None:
        """Give the case the visible state that was recorded after its last step."""
        self._ask({"q": "restore", "after": plain(after)})

    def operate(self, step: KeepimgStep) -> Actual:
        """Run one operation of the case."""
        answer = self._ask({"q": "exec", "step": plain(step.step)})
        if not isinstance(answer.out, dict):
            with reading(answer):
                raise TypeError(answer.out)
        return Actual(cast("Fields", frozen(answer.out)))

    def close(self) -> None:
        """Let the model forget the session."""
        with contextlib.suppress(CandidateCrashed):
            self._ask({"q": "close"})

    def _ask(self, question: Question) -> Answer:
        try:
            return self._oracle.ask_one({"session": self._name, **question})
        except QuestionRefusedError as error:
            raise CandidateCrashed(str(error), str(question["q"])) from None


def shown(answer: Answer, dek: bytes | None) -> Actual:
    """What the model's ``exec`` shows, as JSON would carry it: U+FFFD for each byte that is not UTF-8.

    Raises OracleLiedError for an answer that holds something else.
    """
    with reading(answer):
        fields = _fields(answer, dek)
    return Actual(fields, system_error=_of_the_system(fields.get(named.RESULT)))


def _fields(answer: Answer, dek: bytes | None) -> dict[str, Value]:
    out = cast("Mapping[str, object]", answer.out)
    fields: dict[str, Value] = {}
    if answer.panic is not None:
        fields[named.PANIC] = answer.panic
    if named.RESULT in out:
        fields[named.RESULT] = _clean(out[named.RESULT])
    fields[named.LABEL] = _clean(out[named.LABEL])
    fields[named.DIFF] = tuple(
        {"op": str(line["op"]), "text": _clean(line["text"])}
        for line in cast("Sequence[Mapping[str, object]]", out[named.DIFF])
    )
    if named.FILES in out:
        files = cast("Mapping[str, object]", out[named.FILES])
        raw = {name: wire.read(content, "base64") for name, content in files.items()}
        fields[named.FILES] = named.files_value(raw, dek)
        trackers = cast("Mapping[str, object]", out[named.TRACKERS])
        fields[named.TRACKERS] = {key: _tracker_value(tracker) for key, tracker in trackers.items()}
    return fields


def _of_the_system(result: Value) -> bool:
    """Whether a result holds a text of the operating system: it is an error, and none of the contract's."""
    return isinstance(result, str) and result.startswith(_ERROR) and not is_contract_error(result.removeprefix(_ERROR))


def _clean(value: object) -> str:
    return value if isinstance(value, str) else utf8.decode(wire.read(value))


def _tracker_value(tracker: object) -> Value:
    said = cast("Mapping[str, object]", tracker)
    events = cast("Sequence[Mapping[str, Value]]", said["events"] or ())
    return {
        "name": cast("str", said["name"]),
        "events": tuple({"date_only": False, **event} for event in events),
    }
