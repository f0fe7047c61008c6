"""The drill: what it plants is found by a judge that works, and what it does not find makes the run red."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from fake_candidates import Echo, Truthful, Vicious, off_by_one_character
from real_command import LOGS

import replay.drill
from parity.stores import seal
from parity.tools.interface import DiffLine, Tracker, TrackerEvent
from replay.compare import ALL, Difference
from replay.drill import drill
from replay.exercise import FOUND, MISSED, NOT_PLANTABLE, misplaced
from replay.journal import load, loads
from replay.journal.model import Expected, Place
from replay.outcome import Compared, Diverged, Match, Mode, StepRef
from replay.plants import CLASSES

if TYPE_CHECKING:
    from replay.candidates.interface import Actual
    from replay.exercise import Exercise
    from replay.journal.model import Journal

RECALL: Final = load(LOGS / "recall.json", file_name="recall.json")
MEMORY: Final = load(LOGS / "outils.json", file_name="outils.json")
SEALED: Final = load(LOGS / "scelles.json", file_name="scelles.json")
PLANTS: Final = {kind.name: kind for kind in CLASSES}
KEY: Final = bytes(range(32))
MODE: Final = Mode.ISOLATED


def numbers(journal: Journal) -> set[str]:
    return {str(step.index) for step in journal.steps}


def drilled(journal: Journal, candidate: Truthful, **rest: Any) -> dict[str, Exercise]:  # noqa: ANN401 - drill's own
    return {one.name: one for one in drill(journal, candidate, numbers(journal), ALL, **rest)}


def made(*steps: dict[str, Any], **head: Any) -> Journal:  # noqa: ANN401 - JSON
    return loads(json.dumps(small_journals.memory(*steps, **head)).encode(), "journal.json")


@pytest.mark.parametrize("journal", [RECALL, MEMORY, SEALED], ids=lambda journal: journal.file)
def test_everything_that_can_be_planted_is_found(journal: Journal) -> None:
    found = drilled(journal, Truthful(journal))
    assert MISSED not in {one.outcome for one in found.values()}, found
    assert sum(one.outcome == FOUND for one in found.values()) >= 20
    assert ("read-too-many" in found) is (journal is RECALL)


def test_the_three_journals_together_leave_no_class_untried() -> None:
    tried = {
        name
        for journal in (RECALL, MEMORY, SEALED)
        for name, one in drilled(journal, Truthful(journal)).items()
        if one.outcome == FOUND
    }
    assert tried == {*PLANTS, "swapped-pair", "missing-step", "diff-not-recorded", "read-too-many"}


def test_who_repeats_the_record_is_found_out_by_every_class_but_the_one_about_the_engine() -> None:
    found = drilled(RECALL, Echo(RECALL))
    missed = {name for name, one in found.items() if one.outcome == MISSED}
    assert missed == {name for name, one in found.items() if one.outcome != NOT_PLANTABLE} - {
        "missing-step",
        "diff-not-recorded",
        "read-too-many",
    }
    assert found["character"].why == "the step matched"
    assert found["swapped-pair"].why == "diverged: steps none"


def test_a_read_that_is_made_whenever_it_is_asked_for_is_missed() -> None:
    def obliging(right: Actual) -> Actual:
        requests = right.fields["requests"]
        assert isinstance(requests, tuple)
        return replace(right, fields={**right.fields, "requests": (*requests, "GET /planted")})

    found = drilled(RECALL, Vicious(RECALL, obliging, 41))
    assert (found["read-too-many"].outcome, found["read-too-many"].why) == (MISSED, "no difference in requests")


def test_nothing_is_planted_where_no_step_matched() -> None:
    for journal in (RECALL, MEMORY):
        assert {one.outcome for one in drill(journal, Truthful(journal), ())} == {NOT_PLANTABLE}


def test_a_step_beside_the_planted_one_must_stay_as_it_is() -> None:
    candidate = Vicious(RECALL, off_by_one_character, 2)
    found = drilled(RECALL, candidate)
    assert (found["character"].outcome, found["character"].why) == (MISSED, "step 2 beside it diverged")


def test_a_step_that_was_chosen_and_no_longer_judged_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay.drill, "replay", lambda *_: iter(()))
    found = drilled(RECALL, Truthful(RECALL))
    assert found["character"].why == "the step has no outcome"
    assert found["missing-step"].why == "missing: 20, 21, 22"
    assert found["read-too-many"].why == "no difference in requests"


def test_nothing_is_planted_in_fields_that_are_not_judged() -> None:
    found = drilled(MEMORY, Truthful(MEMORY), fields=frozenset({"label"}))
    assert {name for name, one in found.items() if one.outcome == FOUND} == {"label", "missing-step"}
    assert MISSED not in {one.outcome for one in found.values()}
    found = drilled(RECALL, Truthful(RECALL), fields=frozenset({"requests"}))
    assert {name for name, one in found.items() if one.outcome == FOUND} == {"missing-step", "read-too-many"}
    assert drilled(RECALL, Truthful(RECALL, reads_seen=False))["read-too-many"].outcome == NOT_PLANTABLE


@pytest.mark.parametrize("name", ["\U0001fae9.md", "it's.md", "both'\".md", "a\u00a0b.md", "\x1b.md", "a\\b.md"])
def test_files_of_any_name_are_found_by_their_name(name: str) -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "x", files={name: "content\n"}, trackers={})
    journal = made(step, small_journals.step("mem_read", {}, "y", files={name: "content\n"}, trackers={}))
    found = drilled(journal, Truthful(journal))
    assert MISSED not in {one.outcome for one in found.values()}
    assert found["missing-file"].outcome == FOUND


def test_trackers_of_any_name_are_found_by_their_key() -> None:
    events = [{"id": "1", "ts": 1, "text": "x"}, {"id": "2", "ts": 2, "text": "y"}]
    trackers = {"generale/\U0001fae9'": {"name": "T", "events": events}}
    journal = made(small_journals.step("tracker", {}, "x", files={}, trackers=trackers))
    found = drilled(journal, Truthful(journal))
    for name in ("millisecond", "swapped-points", "date-only", "extra-tracker"):
        assert found[name].outcome == FOUND


def planted(name: str, expected: Expected, dek: bytes | None = None) -> tuple[Expected, str, int | None] | None:
    plant = PLANTS[name].plant(expected, dek)
    return None if plant is None else (plant.expected, plant.field, plant.rune)


TEXT: Final = "Tête\n- r1 — a <b\n- r2 — c\n- r3 — d"
RESULTS: Final = {
    "character": ("Tête\n- r1 — a <b\nX r2 — c\n- r3 — d", 17),
    "last-newline": (TEXT + "\n", len(TEXT)),
    "lost-last-character": (TEXT[:-1], len(TEXT) - 1),
    "crlf": ("Tête\r\n" + TEXT[5:], 4),
    "nfd": ("Te\u0302te\n" + TEXT[5:], 1),
    "nbsp": (TEXT.replace(" ", "\u00a0", 1), 6),
    "id": (TEXT.replace("1", "8", 1), 8),
    "letter-case": ("TêTe\n" + TEXT[5:], 2),
    "look-alike": (TEXT.replace("a", "\u0430", 1), 12),
    "trailing-space": ("Tête \n" + TEXT[5:], 4),
    "replacement-character": (TEXT[:17] + "\ufffd" + TEXT[17:], 17),
    "html-escape": (TEXT.replace("<", "\\u003c"), 14),
    "zero-width": (TEXT[:11] + "\u200b" + TEXT[11:], 11),
    "emptied": ("", 0),
    "order": ("Tête\n- r2 — c\n- r1 — a <b\n- r3 — d", 8),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_class_changes_the_result_in_one_place_and_says_where(name: str) -> None:
    changed, rune = RESULTS[name]
    assert planted(name, Expected(result=TEXT)) == (Expected(result=changed), "result", rune)
    assert planted(name, Expected(panic="x")) is None


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("character", ""),
        ("lost-last-character", ""),
        ("crlf", "one line"),
        ("nfd", "plain"),
        ("nbsp", "word"),
        ("id", "none"),
        ("letter-case", "É1"),
        ("look-alike", "none"),
        ("replacement-character", "a\ufffdb"),
        ("html-escape", "plain"),
        ("zero-width", "\u200b"),
        ("emptied", ""),
        ("order", "x\n- one"),
        ("order", "x\n- one\n- one"),
    ],
)
def test_a_class_that_a_result_cannot_hold_is_not_planted(name: str, result: str) -> None:
    assert planted(name, Expected(result=result)) is None


def test_a_character_that_stands_there_already_is_planted_as_another() -> None:
    assert planted("character", Expected(result="X")) == (Expected(result="Y"), "result", 0)
    assert planted("id", Expected(result="8")) == (Expected(result="9"), "result", 0)
    assert planted("trailing-space", Expected(result="x")) == (Expected(result="x "), "result", 1)
    assert planted("order", Expected(result="x\n- a\n- ab")) == (Expected(result="x\n- ab\n- a"), "result", 5)


def test_classes_of_diff_label_and_crash() -> None:
    line = DiffLine("+", "x")
    assert planted("extra-field", Expected()) == (Expected(diff=(DiffLine("+", "planted"),)), "diff[0]", None)
    assert planted("diff-text", Expected(diff=(line,))) == (Expected(diff=(DiffLine("+", "x."),)), "diff[0].text", 1)
    assert planted("diff-op", Expected(diff=(line,))) == (Expected(diff=(DiffLine("-", "x"),)), "diff[0].op", None)
    removed = (DiffLine("-", "x"),)
    assert planted("diff-op", Expected(diff=removed)) == (Expected(diff=(line,)), "diff[0].op", None)
    assert planted("label", Expected(label="a")) == (Expected(label="a."), "label", 1)
    panic = "runtime error: planted"
    assert planted("crash", Expected(result="x")) == (Expected(panic=panic), "panic", None)
    for name, expected in (
        ("diff-text", Expected(diff=())),
        ("diff-op", Expected()),
        ("label", Expected()),
        ("crash", Expected(panic="x")),
    ):
        assert planted(name, expected) is None


def test_classes_of_files() -> None:
    files = {"a.md": b"a\n", "a.md.bak": b"", "MEMORY.md": b"index"}
    for name, changed, field in (
        ("page-byte", {"a.md": b"a\x0b"}, "files['a.md'].content"),
        ("bak-byte", {"a.md.bak": b"\x00"}, "files['a.md.bak'].content"),
        ("index-last-newline", {"MEMORY.md": b"index\n"}, "files['MEMORY.md'].content"),
        ("extra-file", {"planted.md": b"planted\n"}, "files['planted.md']"),
    ):
        assert planted(name, Expected(files=files)) == (Expected(files={**files, **changed}), field, None)
    assert planted("index-last-newline", Expected(files={"MEMORY.md": b"x\n"})) == (
        Expected(files={"MEMORY.md": b"x"}),
        "files['MEMORY.md'].content",
        None,
    )
    without = {name: raw for name, raw in files.items() if name != "a.md"}
    assert planted("missing-file", Expected(files=files)) == (Expected(files=without), "files['a.md']", None)
    for name in ("page-byte", "bak-byte", "index-last-newline", "extra-file", "missing-file", "unsealed"):
        assert planted(name, Expected()) is None
    assert planted("missing-file", Expected(files={})) is None


def test_classes_of_sealed_files_need_the_key() -> None:
    nonce = bytes(12)
    sealed = seal.seal(b"secret", KEY, nonce)
    damaged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    twice = seal.seal(sealed, KEY, nonce)
    plant = planted("page-byte", Expected(files={"a.md": damaged, "b.md": sealed}), KEY)
    assert plant is not None
    changed, field, _ = plant
    assert field == "files['b.md'].content"
    assert changed.files is not None
    assert seal.unseal(changed.files["b.md"], KEY) == b"secreu"
    assert planted("page-byte", Expected(files={"a.md": sealed})) is None
    files = {"a.md": damaged, "b.md": twice, "c.md": sealed, "d.md": b"plain"}
    assert planted("unsealed", Expected(files=files), KEY) == (
        Expected(files={**files, "c.md": b"secret"}),
        "files['c.md'].sealed",
        None,
    )
    assert planted("unsealed", Expected(files=files)) is None
    assert planted("unsealed", Expected(files={"b.md": twice}), KEY) is None


def test_classes_of_trackers() -> None:
    first, second = TrackerEvent("1", 1, "x"), TrackerEvent("2", 2, "y", date_only=True)
    trackers = {"p/empty": Tracker("E"), "p/t": Tracker("T", (first, second))}

    def changed(*events: TrackerEvent) -> Expected:
        return Expected(trackers={**trackers, "p/t": Tracker("T", events)})

    for name, expected, field in (
        ("millisecond", changed(first, replace(second, ts=3)), "trackers['p/t'].events[1].ts"),
        ("swapped-points", changed(second, first), "trackers['p/t'].events"),
        ("date-only", changed(replace(first, date_only=True), second), "trackers['p/t'].events[0].date_only"),
        (
            "extra-tracker",
            Expected(trackers={**trackers, "planted/planted": Tracker("planted")}),
            "trackers['planted/planted']",
        ),
    ):
        assert planted(name, Expected(trackers=trackers)) == (expected, field, None)
        assert planted(name, Expected()) is None
    same = {"p/t": Tracker("T", (first, first))}
    assert planted("swapped-points", Expected(trackers=same)) is None


def outcome(number: str, *differences: Difference) -> Match | Diverged:
    step = StepRef("a.json", number, "recall", "", Place("a.json", "", 1), MODE)
    return Diverged(step, Compared({}), differences) if differences else Match(step, Compared({}))


def changed_text(field: str = "result", recorded: object = "ab", candidate: object = "aX") -> Difference:
    return Difference(field, "changed", recorded, candidate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        ([], "the step has no outcome"),
        ([outcome("1")], "the step has no outcome"),
        ([outcome("2")], "the step matched"),
        ([outcome("2", changed_text()), outcome("3", changed_text())], "step 3 beside it diverged"),
        ([outcome("2", changed_text("label"))], "found in label"),
        ([outcome("2", changed_text("results"))], "found in results"),
        ([outcome("2", changed_text(candidate="Xb"))], "located at rune 0, planted at 1"),
        ([outcome("2", changed_text(recorded=1, candidate=2))], "located at rune None, planted at 1"),
        ([outcome("1"), outcome("2", changed_text("label"), changed_text()), outcome("3")], None),
    ],
)
def test_found_means_in_that_step_and_field_and_at_that_character(
    outcomes: list[Match | Diverged], why: str | None
) -> None:
    assert misplaced(outcomes, "2", "result", 1) == why


@pytest.mark.parametrize("field", ["diff", "diff[0]", "diff[0].text"])
def test_a_difference_inside_the_field_is_in_the_field(field: str) -> None:
    assert misplaced([outcome("2", changed_text(field))], "2", "diff") is None
