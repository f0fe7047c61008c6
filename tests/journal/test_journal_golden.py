"""The golden journals load, and hold what another reader of JSON finds in the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from replay.journal import Journal, JournalError, load, loads
from replay.journal.model import KEEPIMG, MEMORY, RECALL

LOGS = Path(__file__).parents[2] / "logs"
GOLDEN = sorted(LOGS.glob("*.json"))

# 00-systems.md and journal.md, Journals given here.
SIZES = {
    "recall.json": (RECALL, 41, 35, 0),
    "outils.json": (MEMORY, 57, 0, 0),
    "scelles.json": (MEMORY, 9, 0, 0),
    "verrouille.json": (MEMORY, 9, 0, 0),
    "keepimg.json": (KEEPIMG, 0, 0, 32),
}


def plain(value: Any) -> Any:  # noqa: ANN401 - a JSON value
    """A frozen tree as Python's own reader gives it."""
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, (str, int, float)) or value is None:
        return value
    return {name: plain(one) for name, one in value.items()}


def content(value: str | dict[str, str]) -> bytes:
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


def check_steps(journal: Journal, raw: Any) -> None:  # noqa: ANN401 - a JSON value
    text = Path(journal.file).read_text(encoding="utf-8")
    for index, (step, recorded) in enumerate(zip(journal.steps, raw["steps"], strict=True)):
        assert (step.index, step.at.path) == (index + 1, f"steps[{index}]")
        assert text.split("\n")[step.at.line - 1] == "  {"
        assert (step.tool, step.note) == (recorded["tool"], recorded["note"])
        assert step.raw_args.decode() in text
        assert json.loads(step.raw_args) == recorded["args"]
        assert step.expected.result == recorded["result"]
        assert step.expected.panic is None
        assert step.expected.label == recorded.get("label")


def check_states(journal: Journal, raw: Any) -> None:  # noqa: ANN401 - a JSON value
    assert journal.initial is not None
    states = [
        (journal.initial.files, journal.initial.trackers, raw["initial"]),
        *(
            (step.expected.files, step.expected.trackers, recorded)
            for step, recorded in zip(journal.steps, raw["steps"], strict=True)
        ),
    ]
    for files, trackers, recorded in states:
        assert files == {name: content(value) for name, value in recorded["files"].items()}
        assert trackers is not None
        found = {
            key: (tracker.name, [(event.id, event.ts, event.text, event.date_only) for event in tracker.events])
            for key, tracker in trackers.items()
        }
        assert found == {
            key: (
                one["name"],
                [(event["id"], event["ts"], event["text"], event.get("date_only", False)) for event in one["events"]],
            )
            for key, one in recorded["trackers"].items()
        }
    for step, recorded in zip(journal.steps, raw["steps"], strict=True):
        assert step.clock_from == "recorded"
        assert [(line.op, line.text) for line in step.expected.diff or ()] == [
            (line["op"], line["text"]) for line in recorded["diff"]
        ]


def check_cases(journal: Journal, raw: Any) -> None:  # noqa: ANN401 - a JSON value
    for index, (case, recorded) in enumerate(zip(journal.cases, raw["cases"], strict=True)):
        assert (case.index, case.at.path, case.name) == (index + 1, f"cases[{index}]", recorded["name"])
        assert (case.ctx_window, case.keep_turn_images) == (recorded["ctx_window"], recorded["keep_turn_images"])
        assert (case.thread, case.conversation) == (recorded["thread"], recorded["conversation"])
        assert (case.vision, plain(case.messages)) == (recorded["vision"], recorded["messages"])
        for at, (step, pair) in enumerate(zip(case.steps, recorded["steps"], strict=True)):
            assert (step.index, step.at.path) == (at + 1, f"cases[{index}].steps[{at}]")
            assert step.op == pair["step"]["op"]
            assert (plain(step.step), plain(step.after)) == (pair["step"], pair["after"])


def test_there_are_golden_journals() -> None:
    assert LOGS / "recall.json" in GOLDEN


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_golden_journal_holds_what_another_reader_finds_in_it(path: Path) -> None:
    data = path.read_bytes()
    raw = json.loads(data)
    journal = load(path)
    assert journal.sha256 == hashlib.sha256(data).hexdigest()
    assert (journal.kind, journal.about, journal.source) == (raw["kind"], raw.get("about", ""), "recorded")
    assert (journal.target.version, journal.target.unicode) == (raw["go"]["version"], raw["go"]["unicode"])
    assert journal.notes == ()
    check_steps(journal, {"steps": [], **raw})
    if journal.kind == MEMORY:
        check_states(journal, raw)
        settings = journal.settings
        assert settings is not None
        assert (settings.project_slug, settings.project_name) == (raw["project"]["slug"], raw["project"]["name"])
        assert (settings.config, settings.locked) == (raw.get("config", {}), raw.get("locked", False))
        assert (settings.dek or b"").hex() == raw.get("dek", "")
        assert journal.zone == raw["clock"]["tz"]
    else:
        assert (journal.settings, journal.initial) == (None, None)
    assert [vars_of(block) for block in journal.blocks] == raw.get("blocks", [])
    check_cases(journal, {"cases": [], **raw})


def vars_of(block: object) -> dict[str, object]:
    return {name: getattr(block, name) for name in ("id", "seq", "label", "role", "content", "created")}


@pytest.mark.parametrize("path", [path for path in GOLDEN if path.name in SIZES], ids=lambda path: path.name)
def test_a_given_journal_has_the_size_that_the_contract_says(path: Path) -> None:
    journal = load(path)
    sizes = (journal.kind, len(journal.steps), len(journal.blocks), len(journal.cases))
    assert sizes == SIZES[path.name]


def test_equal_contents_are_held_once() -> None:
    for path in GOLDEN:
        states = [step.expected.files or {} for step in load(path).steps]
        contents = [content for files in states for content in files.values()]
        assert len({id(one) for one in contents}) == len(set(contents))


def test_a_journal_cut_anywhere_is_cut_off() -> None:
    data = (LOGS / "recall.json").read_bytes()
    whole = len(data.rstrip())
    for end in range(97, whole, 97):
        with pytest.raises(JournalError) as caught:
            loads(data[:end], "a.json")
        assert caught.value.kind == "cut-off"
        assert caught.value.place.line == data.count(b"\n", 0, end) + 1


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_a_journal_that_lacks_its_last_brace_is_cut_off(path: Path) -> None:
    with pytest.raises(JournalError) as caught:
        loads(path.read_bytes().rstrip()[:-1], "a.json")
    assert (caught.value.kind, caught.value.expected) == ("cut-off", '"," or "}"')
