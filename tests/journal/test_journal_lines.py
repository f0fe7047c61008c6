"""A journal of lines: the same steps as in one JSON object, read when they are asked for; every defect has its line."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import small_journals
from journal_lines import FORMAT, golden, lines

from replay.journal import JournalError, load
from replay.journal.limits import Limits
from replay.journal.line_file import LineFile
from replay.journal.model import Expected, ReducedFrom

if TYPE_CHECKING:
    from replay.journal.model import KeepimgCase, Step

OPEN: Final = Path("/proc/self/fd")


def recall(*steps: dict[str, Any]) -> list[str]:
    return lines(small_journals.recall(*(steps or (small_journals.right(), small_journals.searched()))))


def written(folder: Path, text: str | list[str] | bytes, ending: str = "\n") -> Path:
    file = folder / "journal.jsonl"
    if isinstance(text, list):
        text = "".join(f"{line}{ending}" for line in text)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def refused(folder: Path, text: str | list[str] | bytes, **limits: int) -> str:
    file = written(folder, text)
    with pytest.raises(JournalError) as caught:
        load(file, file_name="j.jsonl", limits=Limits(**limits))
    return str(caught.value)


def without_place(one: Step | KeepimgCase) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__ if name not in ("at", "steps")}


@pytest.mark.parametrize("name", ["recall", "outils", "scelles", "verrouille", "keepimg"])
def test_lines_hold_the_same_journal_as_one_object(name: str, tmp_path: Path) -> None:
    journal = golden(name)
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps(journal, ensure_ascii=False), encoding="utf-8")
    one = load(plain)
    other = load(written(tmp_path, lines(journal)))
    for field in ("kind", "about", "target", "source", "blocks", "settings", "zone", "initial"):
        assert getattr(one, field) == getattr(other, field)
    assert list(map(without_place, one.steps)) == list(map(without_place, other.steps))
    assert list(map(without_place, one.cases)) == list(map(without_place, other.cases))
    for ours, theirs in zip(one.cases, other.cases, strict=True):
        assert [(step.step, step.after) for step in ours.steps] == [(step.step, step.after) for step in theirs.steps]


def test_a_step_is_at_its_line_and_at_its_path(tmp_path: Path) -> None:
    journal = load(written(tmp_path, recall()), file_name="j.jsonl")
    assert [str(step.at) for step in journal.steps] == ["j.jsonl:2 at steps[0]", "j.jsonl:3 at steps[1]"]


def test_steps_can_be_asked_for_in_any_order_and_again(tmp_path: Path) -> None:
    steps = [small_journals.step("recall", {"id": f"r{at}"}, str(at)) for at in range(50)]
    found = load(written(tmp_path, recall(*steps))).steps
    assert (len(found), found[49].index, found[-1].index, found[0].index) == (50, 50, 50, 1)
    assert [step.index for step in found[10:13]] == [11, 12, 13]
    assert [step.index for step in found[10:40][-2:]] == [39, 40]
    assert [step.index for step in found[::20]] == [1, 21, 41]
    assert found[20].raw_args == b'{"id": "r20"}'
    with pytest.raises(IndexError):
        found[50]


def test_many_lines_at_once_are_read_in_pieces(tmp_path: Path) -> None:
    steps = [small_journals.step("recall", {"id": "r1"}, "x" * 100_000) for _ in range(7)]
    assert [step.index for step in load(written(tmp_path, recall(*steps))).steps] == list(range(1, 8))


def test_args_keep_their_very_bytes_and_a_line_may_end_in_cr_lf(tmp_path: Path) -> None:
    head, _, _, end = recall()
    step = '{"tool":"recall","args":{"id" : "r1", "id":"\\ud800", "n":1e999},"result":""}'
    journal = load(written(tmp_path, [head, step, end.replace("2", "1")], "\r\n"))
    assert journal.steps[0].raw_args == b'{"id" : "r1", "id":"\\ud800", "n":1e999}'


def test_the_last_line_needs_no_line_end(tmp_path: Path) -> None:
    assert len(load(written(tmp_path, "\n".join(recall()))).steps) == 2


def point(added: str, points: list[str]) -> dict[str, Any]:
    events = [{"id": one, "ts": 0, "text": ""} for one in points]
    result = f"[ok] point ajouté à « poids » (id {added})." if added else ""
    return small_journals.step("tracker", {}, result, trackers={"generale/poids": {"name": "poids", "events": events}})


def test_the_clock_of_a_step_that_names_none_is_that_of_the_whole_journal(tmp_path: Path) -> None:
    now = {"now": "2026-10-16T09:30:00.000000001Z"}
    read = small_journals.step("mem_read", {}, "")
    steps = [read, point("7", ["7"]), read, {**read, **now}, read, read, point("", ["7", "9"]), read, point("9", [])]
    found = load(written(tmp_path, lines(small_journals.memory(*steps)))).steps
    moment = 1792143000 * 10**9 + 1
    clocks = [
        (0, "carried"),
        (7, "new-id"),
        (7, "carried"),
        (moment, "recorded"),
        (moment, "carried"),
        (moment, "carried"),
        (9, "new-id"),
        (9, "carried"),
        (9, "new-id"),
    ]
    assert [(step.now_ns, step.clock_from) for step in found] == clocks
    assert [(found[at].now_ns, found[at].clock_from) for at in reversed(range(9))] == clocks[::-1]


HEAD, ONE, TWO, END = recall()
REDUCED_FROM: Final = f'"reduced_from": {{"journal": "a.json", "sha256": "{"0" * 64}", "step": "1"}}'
REPORT: Final = '{"type":"header","schema":"loki-parity-run/1"}'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "j.jsonl:1:1: found an empty file, expected the head of a journal of lines, whole on the first line"),
        ("\n", "j.jsonl:1:1: found nothing but white space, expected a journal"),
        (b"\xef\xbb\xbf" + HEAD.encode(), "j.jsonl:1:1: found a byte order mark before the JSON"),
        ([REPORT, END], "j.jsonl:1:1: found the report of a run, expected a journal"),
        (["{", '"kind":"recall"}'], "j.jsonl:1:2: found the end of the line, expected the head of a journal of lines"),
        ([HEAD[:-9], ONE], "j.jsonl:1:"),
        ([HEAD + "x", ONE], f'j.jsonl:1:{len(HEAD) + 1}: found "x", expected the end of the line'),
        (['{"kind":"recall"}'], 'found the head of a journal of lines without "format", expected it'),
        ([f'{{"format":"{FORMAT}","kind":null}}'], 'found the head of a journal of lines without "kind"'),
        ([f'{{"format":"{FORMAT}","kind":"recall","blocks":[]}}'], 'lines without "follow", expected it'),
        ([HEAD.replace('"follow": "steps"', '"follow": "steps", "étapes": []')], 'the key "steps" in the head of'),
        ([HEAD.replace('"follow"', '"signed": {}, "follow"')], 'found the key "signed" in the head of a journal of'),
        ([HEAD.replace('"follow": "steps"', '"follow": "step"')], 'found the string "step", expected "steps"'),
        ([HEAD.replace('"follow": "steps"', '"follow": "cases"')], 'found "cases" in a journal of the kind recall'),
        ([HEAD.replace('"follow"', '"locked": true, "follow"')], 'found the key "locked" in a journal of the kind'),
        ([HEAD.replace('"recall"', '"memory"'), END], 'found the key "blocks" in a journal of the kind memory'),
        ([f'{{"format":"{FORMAT}","kind":"recall","follow":"steps"}}'], 'of the kind recall without "blocks"'),
        ([HEAD], "j.jsonl:1:1: found the end of the file, expected the last line, "),
        ([HEAD, ONE, TWO], 'j.jsonl:3:1: found the end of the file, expected the last line, {"end":{"steps":2}}'),
        ("\n".join((HEAD, ONE, TWO[:20])), "j.jsonl:3:21 at steps[1].tool: found the end of the file, expected "),
        ([HEAD, ONE[:20], TWO, END], "j.jsonl:2:21 at steps[0]: found the end of the line, expected "),
        ([HEAD, ONE + ONE, END], f'j.jsonl:2:{len(ONE) + 1} at steps[0]: found "{{", expected the end of the line'),
        ([HEAD, ONE, "", TWO, END], "j.jsonl:3:1: found an empty line, expected one of the steps, or the end"),
        ([HEAD, ONE, TWO, END, ""], "j.jsonl:5:1: found a line after the end of the journal"),
        ([HEAD, ONE, TWO, END, END], "j.jsonl:5:1: found a line after the end of the journal"),
        ([HEAD, ONE, TWO, TWO, END], "j.jsonl:5:9 at end: found 3 steps, expected 2, as this line says"),
        ([HEAD, ONE, END], "j.jsonl:3:9 at end: found 1 step, expected 2, as this line says"),
        ([HEAD, '{"end":{"steps":0}}'], "j.jsonl:2:1: found no steps, expected at least one"),
        ([HEAD, ONE, '{"end":{"cases":1}}'], 'j.jsonl:3:9 at end.cases: found the key "cases" in a journal of steps'),
        ([HEAD, ONE, '{"end":{}}'], 'found the end of a journal of lines without "steps"'),
        ([HEAD, ONE, '{"end":{"steps":"1"}}'], 'at end.steps: found the string "1", expected an integer'),
        ([HEAD, ONE, '{"end":{"steps":1},"x":1}'], 'found the unknown key "x"'),
        ([HEAD, ONE, '{"end":{"steps":1}} 1'], 'found "1", expected the end of the line'),
        ([HEAD, HEAD, END], 'j.jsonl:2:2 at steps[0].format: found the unknown key "format"'),
        ([HEAD, "[]", END], "j.jsonl:2:1 at steps[0]: found an array, expected an object"),
        ([HEAD, ONE.replace('"tool"', '"files": {}, "tool"'), END], 'found the key "files" in a step of the'),
        ([HEAD.replace(FORMAT, FORMAT[:-1] + "2")], "the only version that this loki-parity reads: a newer one wrote"),
        ([HEAD.replace("{", '{"zzz": 1, ', 1).replace(FORMAT, FORMAT[:-1] + "2")], "j.jsonl:1:22 at format: found the"),
        ([HEAD.replace('"follow"', f'{REDUCED_FROM}, "follow"')], 'the key "reduced_from" in a journal whose source'),
        ([HEAD.replace('"follow"', '"source": "reduced", "follow"')], 'kind recall without "reduced_from"'),
        ([HEAD, '{"tool": "recall"}', END], 'at steps[0]: found a step without "result" and without "panic"'),
        ([HEAD, ONE.replace('"recall"', '"tracker"'), END], 'at steps[0].tool: found the tool "tracker"'),
    ],
)  # fmt: skip
def test_every_defect_is_a_sentence_with_its_line(text: str | list[str] | bytes, sentence: str, tmp_path: Path) -> None:
    assert sentence in refused(tmp_path, text)


def test_a_giant_line_is_refused_before_it_is_held(tmp_path: Path) -> None:
    giant = [HEAD, ONE, TWO.replace("rien", "x" * 5000), END]
    assert "j.jsonl:3:1: found a longer line, expected at most 4000 bytes" in refused(tmp_path, giant, line=4000)
    assert "j.jsonl:1:1: found a longer line, expected at most 100 bytes" in refused(tmp_path, giant, size=100)


def test_a_cut_journal_of_cases_is_cut_off(tmp_path: Path) -> None:
    cut = lines(golden("keepimg"))[:3]
    assert 'j.jsonl:3:1: found the end of the file, expected the last line, {"end":{"cases":2}}' in refused(
        tmp_path, cut
    )


def test_no_journal_has_one_step_twice_under_other_names(tmp_path: Path) -> None:
    step = ONE.replace('"tool"', '"outil": "recall", "tool"')
    assert 'found "tool" beside "outil"' in refused(tmp_path, [HEAD, step, END])


def test_other_names_of_keys_are_noted(tmp_path: Path) -> None:
    step = ONE.replace('"tool"', '"outil"')
    (note,) = load(written(tmp_path, [HEAD, step, TWO, END])).notes
    assert note == '"outil" is read as "tool"'


def test_a_line_that_changes_after_it_was_checked_is_an_error(tmp_path: Path) -> None:
    file = written(tmp_path, recall())
    journal = load(file, file_name="j.jsonl")
    data = file.read_bytes()
    assert b"automne" in data
    with file.open("r+b") as stream:
        stream.write(data.replace(b"automne", b"AUTOMNE"))
    assert journal.steps[0].index == 1
    with pytest.raises(JournalError, match=r"^j\.jsonl:3: found another line than when the journal was checked"):
        list(journal.steps)
    os.truncate(file, 10)
    with pytest.raises(JournalError, match=r"^j\.jsonl:2: found another line"):
        journal.steps[0]


def test_a_file_that_another_takes_the_place_of_is_still_read(tmp_path: Path) -> None:
    file = written(tmp_path, recall())
    journal = load(file)
    file.unlink()
    written(tmp_path, [HEAD])
    assert [step.index for step in journal.steps] == [1, 2]


def test_a_file_is_closed_with_its_journal(tmp_path: Path) -> None:
    gc.collect()
    before = len(list(OPEN.iterdir()))
    journal = load(written(tmp_path, recall()))
    assert len(list(OPEN.iterdir())) == before + 1
    del journal
    assert len(list(OPEN.iterdir())) == before


def test_a_line_that_the_system_refuses_to_read_is_an_error() -> None:
    descriptor = os.open(".", os.O_RDONLY)
    file = LineFile(descriptor, "j.jsonl")
    file.add(0, b"{}\n")
    with pytest.raises(JournalError, match=r"^j\.jsonl:2: found a line that the system refuses to read"):
        list(file.read(0, 1))


def test_what_is_held_to_be_recognised_is_let_go(tmp_path: Path) -> None:
    steps = [small_journals.step("mem_read", {}, "", files={"a.md": f"{at}\n"}, trackers={}) for at in range(1500)]
    found = load(written(tmp_path, lines(small_journals.memory(*steps)))).steps
    assert [(step.expected.files or {})["a.md"] for step in found] == [b"%d\n" % at for at in range(1500)]


@pytest.mark.parametrize("path", ["nothing.jsonl", "folder.jsonl"])
def test_what_is_no_file_is_said(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(JournalError, match=r"found (no such file|a folder)"):
        load(tmp_path / path)


def test_a_scenario_passes_over_what_was_recorded(tmp_path: Path) -> None:
    head = HEAD.replace('"follow"', '"signed": {"any": 1}, "go": 7, "follow"')
    found = load(written(tmp_path, [head, '{"tool":"recall"}', '{"end":{"steps":1}}']), inputs_only=True)
    assert (found.signed, found.steps[0].expected.result) == (None, None)


def test_a_step_of_a_reduced_journal_may_only_run(tmp_path: Path) -> None:
    head = HEAD.replace('"follow"', f'"source": "reduced", {REDUCED_FROM}, "follow"')
    journal = load(written(tmp_path, [head, '{"tool": "recall"}', TWO, END]))
    assert journal.reduced_from == ReducedFrom("a.json", "0" * 64, "1")
    assert journal.steps[0].expected == Expected()
    assert journal.steps[1].expected.result is not None


KEYED: Final = f'{{"format":"{FORMAT}","kind":"memory","dek":"{"0a" * 32}","follow":"steps"}}'


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (KEYED, "a string (not shown: the file may hold the key of a sealed memory)"),
        (KEYED.replace("0a" * 32, ""), 'the string "secret"'),
    ],
)
def test_a_defect_behind_a_key_tells_no_text(head: str, found: str, tmp_path: Path) -> None:
    head = head.replace('"dek":"",', "")
    step = '{"tool": "mem_read", "result": "", "diff": [{"op": "secret", "text": ""}]}'
    assert f"j.jsonl:2:52 at steps[0].diff[0].op: found {found}" in refused(tmp_path, [head, step, END])
