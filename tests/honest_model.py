"""The model's protocol answered by the port itself: what an oracle would say if the port were always right.

So everything about fuzzing but Go can be tried without Go. A fault, chosen by name, makes it say something else.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import pretended_go

from parity import zones
from parity.gostd import target as targets
from parity.images import files
from parity.stores.ram import RamMemory
from parity.stores.state import Settings, State
from parity.tools.interface import Env
from replay.candidates.kept_images import KeptImagesCase
from replay.candidates.written import files_written, frozen, plain, trackers_written
from replay.fuzz.library import FUNCTIONS
from replay.fuzz.recall_calls import MemoryArchive
from replay.fuzz.session_trial import run
from replay.journal import loads
from replay.journal.model import KEEPIMG, MEMORY, Expected, KeepimgCase, Place, Step
from replay.oracle import wire
from replay.oracle.client import Answer, Hello

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from parity.gostd.target import GoTarget
    from replay.oracle.client import Oracle, Question

HERE: Final = Path(__file__).parent
NOWHERE: Final = Place("", "", 0)

_BY_QUESTION: Final = {one.question: one for one in FUNCTIONS}
_TEXTS: Final = ("s", "a", "b", "json")


def _tree(value: Any) -> object:  # noqa: ANN401 - a value of any sort
    if isinstance(value, str):
        return _typed_text(value)
    if isinstance(value, tuple):
        return [_tree(one) for one in value]
    if isinstance(value, dict) and "m" in value:
        return {"m": [[_typed_text(key), _tree(one)] for key, one in value["m"]]}
    return value


def _typed_text(value: str) -> object:
    sent = wire.text(value)
    return {"s": sent} if isinstance(sent, str) else {"sb": sent["b64"]}


def _texts(values: Iterable[str]) -> list[object]:
    return [wire.text(value) for value in values]


def _optional(value: str | None) -> object:
    return None if value is None else wire.text(value)


_WRITE: Final[Mapping[str, Callable[[Any], object]]] = {
    "fields": _texts,
    "equal_fold": lambda value: value,
    "parse_uint": lambda value: {**value, "error": _optional(value["error"])},
    "parse_id": lambda value: {**value, "error": _optional(value["error"])},
    "tokens": lambda value: {"out": _texts(value)},
    "json_unmarshal": lambda value: {"value": _tree(value["value"]), "error": _error(value["error"])},
    "arguments": _tree,
    "json_marshal": lambda value: {"text": wire.text(value["text"]), "error": "refused" if value["error"] else None},
    "parse_in_location": lambda value: {**value, "errors": _texts(value["errors"])},
    "base64": lambda value: {"bytes": wire.text(value["bytes"]), "error": value["error"]},
    "parse_query": lambda value: {
        "values": [[wire.text(key), [wire.text(one) for one in held]] for key, held in value["values"]],
        "error": _optional(value["error"]),
    },
}
"""How the model writes what a function answers; those not named answer text."""


def _error(said: object) -> object:
    if isinstance(said, bool):
        return "refused" if said else None
    return said


class HonestModel:
    """Answers questions one by one. ``fault`` changes an answer: ``(question, answer) -> answer``."""

    def __init__(self, version: str = "go1.25.5", fault: Callable[[Question, Answer], Answer] | None = None) -> None:
        self.target: GoTarget = targets.parse(version)
        self.asked = 0
        self._fault = fault
        self._sessions: dict[object, Callable[[Question], Answer]] = {}

    @property
    def oracle(self) -> Oracle:
        """Itself, as those who ask know it."""
        return cast("Oracle", self)

    def hello(self) -> Hello:
        """Who it says it is."""
        return Hello(self.target.version, self.target.unicode, self.target.goarch, "1")

    def ask(self, questions: Iterable[Question]) -> Iterator[Answer]:
        """The answers, in order."""
        return map(self.ask_one, questions)

    def ask_one(self, question: Question) -> Answer:
        """One answer."""
        self.asked += 1
        answer = self._answer(question)
        return answer if self._fault is None else self._fault(question, answer)

    def _answer(self, question: Question) -> Answer:
        name = str(question["q"])
        if name == "hello":
            said = self.hello()
            head = {"version": said.version, "unicode": said.unicode, "goarch": said.goarch, "model": said.model}
            return Answer("stdlib", {**head, "questions": {}})
        session = question.get("session", "")
        if name == "reset":
            self._sessions[session] = self._begun({key: value for key, value in question.items() if key != "session"})
            return Answer("model", out=True)
        if name in {"exec", "restore"}:
            return self._sessions[session](question)
        if name == "close":
            del self._sessions[session]
            return Answer("model", out=True)
        return Answer("stdlib", self._function(name, question))

    def _function(self, name: str, question: Question) -> object:
        function = _BY_QUESTION[name]
        fields = {key: wire.read(value) if key in _TEXTS else value for key, value in question.items() if key != "q"}
        actual = function.given(fields, self.target).calls[0].actual
        return _WRITE.get(name, wire.text)(actual["out"])

    def _begun(self, question: Question) -> Callable[[Question], Answer]:
        head = {key: value for key, value in question.items() if key != "q"}
        if head["kind"] == KEEPIMG:
            return self._turn(cast("Mapping[str, Any]", head["case"]))
        tool = "mem_read" if head["kind"] == MEMORY else "recall"
        held = {**head, "go": {"version": self.target.version}, "steps": [{"tool": tool, "args": {}, "result": ""}]}
        journal = loads(json.dumps(held).encode(), "head")
        memory = None
        if journal.settings is not None and journal.initial is not None:
            nonces = itertools.count(1)
            memory = RamMemory(journal.settings, nonces=lambda: next(nonces).to_bytes(12, "big"))
            memory.restore(journal.initial)
        archive, zone = MemoryArchive(journal.blocks), zones.zone(journal.zone)

        def execute(asked: Question) -> Answer:
            if asked["q"] == "restore":
                assert memory is not None
                memory.restore(_state(asked, memory.snapshot()))
                return Answer("model", out=True)
            step = Step(1, str(asked["tool"]), "", wire.read(asked["args"]), None, Expected(), NOWHERE)
            actual, _ = run(step, Env(self.target, _now(asked), zone, archive, memory), self.target)
            panic = cast("str | None", actual.pop("panic", None))
            out = {key: plain(value) for key, value in actual.items()}
            if memory is not None:
                state = memory.snapshot()
                out |= {"files": files_written(state.files), "trackers": trackers_written(state.trackers)}
            return Answer("model", out, panic)

        return execute

    def _turn(self, head: Mapping[str, Any]) -> Callable[[Question], Answer]:
        messages = tuple(cast("Any", frozen(message)) for message in head["messages"])
        rest = {
            key: head[key] for key in ("name", "ctx_window", "keep_turn_images", "thread", "conversation", "vision")
        }
        case = KeepimgCase(index=1, messages=messages, steps=(), at=NOWHERE, **rest)
        turn = KeptImagesCase(case, files.in_ram(Settings(), nonces=lambda: bytes(12)))

        def operate(asked: Question) -> Answer:
            if asked["q"] == "restore":
                turn.restore_visible(cast("Any", frozen(asked["after"])))
                return Answer("model", out=True)
            return Answer("model", plain(turn.operate(cast("Any", frozen(asked["step"])))))

        return operate


def _state(asked: Question, own: State) -> State:
    """A recorded state; what it does not hold stays as it is."""
    initial = {key: asked[key] for key in ("files", "trackers") if key in asked}
    head = {"kind": "memory", "initial": initial, "steps": [{"tool": "mem_read", "args": {}, "result": ""}]}
    held = loads(json.dumps(head).encode(), "state").initial or State()
    return State(held.files if "files" in asked else own.files, held.trackers if "trackers" in asked else own.trackers)


def _now(asked: Question) -> int:
    """The clock's nanoseconds, from the text that the protocol has for it."""
    if "now" not in asked:
        return 0
    text = str(asked["now"])
    head = {"kind": "memory", "steps": [{"tool": "mem_read", "args": {}, "now": text, "result": ""}]}
    now = loads(json.dumps(head).encode(), "now").steps[0].now_ns
    assert now is not None
    return now


# --- faults ---


def _changed(question: Question, answer: Answer, part: str, by: str) -> Answer:
    """The answer with one text of its result replaced."""
    del question
    if isinstance(answer.out, dict) and part in str(answer.out.get("result", "")):
        return Answer(answer.by, {**answer.out, "result": str(answer.out["result"]).replace(part, by)}, answer.panic)
    return answer


def absent(question: Question, answer: Answer) -> Answer:
    """Says ``perdu`` where a block is not there."""
    return _changed(question, answer, "introuvable", "perdu")


def quoting(question: Question, answer: Answer) -> Answer:
    """Quotes a Z as if it were no letter."""
    if question["q"] == "quote" and "Z" in str(answer.out):
        return Answer(answer.by, str(answer.out).replace("Z", "\\u005a"))
    return answer


def creating(question: Question, answer: Answer) -> Answer:
    """Makes a page in other words."""
    return _changed(question, answer, "créée", "faite")


def crashing(_: Question, answer: Answer) -> Answer:
    """Crashes where a page is not there."""
    if isinstance(answer.out, dict) and "introuvable" in str(answer.out.get("result")):
        rest = {key: value for key, value in answer.out.items() if key != "result"}
        return Answer(answer.by, rest, "runtime error: index out of range [0] with length 0")
    return answer


def counting(question: Question, answer: Answer) -> Answer:
    """Counts one request more than there were, once there is one."""
    del question
    if isinstance(answer.out, dict) and answer.out.get("requests"):
        return Answer(answer.by, {**answer.out, "requests": answer.out["requests"] + 1})
    return answer


def misshapen(question: Question, answer: Answer) -> Answer:
    """Leaves the label out of what a call shows, and shows a number for a turn."""
    if question["q"] != "exec":
        return answer
    return Answer(answer.by, {"result": "x"} if "tool" in question else 7)


FAULTS: Final = {
    "absent": absent,
    "quoting": quoting,
    "creating": creating,
    "crashing": crashing,
    "counting": counting,
    "misshapen": misshapen,
}


BUSY_AFTER: Final = 40
BUSY: Final = "-busy"
"""Once it has had so many questions, the program makes a file beside itself, of this name."""


def main(version: str, fault: str, dies_after: int) -> None:
    """The program: questions on standard input, answers on standard output."""
    model = HonestModel(version, FAULTS.get(fault))
    for count, line in enumerate(sys.stdin):
        if count == dies_after:
            sys.exit(7)
        if count == BUSY_AFTER:
            Path(sys.argv[0] + BUSY).touch()
        question = json.loads(line)
        number = question.pop("id")
        answer = model.ask_one(question)
        said = {"id": number, "by": answer.by, "out": answer.out}
        if answer.panic is not None:
            said["panic"] = answer.panic
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def go(folder: Path, *, version: str = "go1.25.5", fault: str = "", dies_after: int = -1) -> Path:
    """The path of a go command whose model is this one."""
    model = (
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {[str(HERE.parent), str(HERE)]!r}\n"
        f"import honest_model\nhonest_model.main({version!r}, {fault!r}, {dies_after})\n"
    )
    command = folder / f"honest-{version}-{fault}{dies_after}"
    command.write_text(pretended_go._GO.format(python=sys.executable, version=version, model=model), encoding="utf-8")
    command.chmod(0o700)
    return command
