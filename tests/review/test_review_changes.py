"""Changes of a journal one by one: which are the same edit, and what a journal holds that takes over some of them."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
import small_journals
from real_command import BAD_INPUT, LOGS, MATCH
from waiting_journals import found, journal, written

from replay.cli import main
from replay.compare import ABSENT, Difference
from replay.journal import JournalError
from replay.journal.load import loads
from replay.review.changes import JournalChanges
from replay.review.edits import edits, sort
from replay.review.outline import Document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from replay.compare import Path as FieldPath
    from replay.fields import Value
    from replay.review.changes import Change

Json = dict[str, Any]


def changes(old: bytes, new: bytes) -> JournalChanges:
    return JournalChanges(loads(old, "old"), loads(new, "new"), (Document(old), Document(new)))


def told(old: Json, new: Json) -> list[tuple[str, str]]:
    return [(one.what, one.number) for one in changes(written(old), written(new)).all]


def groups(found: Sequence[Change]) -> list[list[str]]:
    grouped: dict[object, list[str]] = {}
    for one in found:
        grouped.setdefault(one.key, []).append(one.number)
    return list(grouped.values())


def same(one: tuple[Value, Value], other: tuple[Value, Value], path: FieldPath = ("result",)) -> bool:
    """Whether two replacements are the same edit."""
    first, second = (frozenset(edits(Difference("", "changed", *sides, path))) for sides in (one, other))
    return first == second


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (("page a", "fiche a"), ("la page b", "la fiche b"), True),
        (("total…", "total..."), ("prix…", "prix..."), True),
        (("r7…", "r7..."), ("prix…", "prix..."), False),  # after a digit, after a letter
        (("a…", "a..."), ("b … c", "b ... c"), False),
        (("été", "ete"), ("l'été !", "l'ete !"), True),
        (("étés", "etes"), ("été", "ete"), False),  # whole words
        (("x y", "x  y"), ("a b c", "a b  c"), True),
        (("page 1 page 2", "fiche 1 fiche 2"), ("page 3", "fiche 3"), True),
        (("page 1 page 2", "fiche 1 page 2"), ("page 3", "fiche 3"), True),
        (("page 1 ici", "fiche 1 là"), ("page 3", "fiche 3"), False),
        (("fin", "fin."), ("fin", "fin!"), False),
        (("", "a"), ("", "b"), False),
        ((b"page \xff", b"fiche \xff"), (b"une page", b"une fiche"), True),
        ((1, 2), (1, 2), True),
        ((1, 2), (1, 3), False),
        ((1, True), (1, 1.0), False),
        ((ABSENT, "a"), (ABSENT, "a"), True),
        ((ABSENT, "a"), ("a", ABSENT), False),
    ],
)
def test_an_edit_is_what_is_replaced_by_what_beside_which_sort_of_character(
    one: tuple[Value, Value],
    other: tuple[Value, Value],
    alike: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert same(one, other) is alike


def test_a_field_is_called_without_its_places() -> None:
    paths: list[FieldPath] = [
        ("result",),
        ("diff", 3, "text"),
        ("files", "a.md", "content"),
        ("trackers", "a/b", "events", 2, "ts"),
    ]
    assert [sort(Difference("", "changed", 1, 2, path)) for path in paths] == [
        "result",
        "diff.text",
        "files.content",
        "trackers.events.ts",
    ]


def test_the_same_page_that_came_in_many_steps_is_one_edit_and_another_name_is_another() -> None:
    page: Value = {"sealed": False, "content": b"x"}
    one, other = (frozenset(edits(Difference("", "extra", ABSENT, page, ("files", name)))) for name in ("a.md", "b.md"))
    assert one != other
    assert one == frozenset(
        edits(Difference("", "extra", ABSENT, {"content": b"x", "sealed": False}, ("files", "a.md")))
    )


def test_forty_steps_with_one_edit_are_one_decision() -> None:
    old = [found(f"mot{at}", f"[ok] page {at} trouvée") for at in range(40)]
    new = [{**one, "result": one["result"].replace("page", "fiche")} for one in old]
    assert groups(changes(written(journal(*old)), written(journal(*new))).all) == [[str(at) for at in range(1, 41)]]


def test_steps_that_came_went_moved_and_heads_are_changes_of_their_own() -> None:
    one, two, three = (found(f"q{at}", f"r{at}") for at in (1, 2, 3))
    assert told(journal(one, two), journal(one, two, three)) == [("a step that came", "3")]
    assert told(journal(one, two, three), journal(two, three)) == [("a step that went", "1")]
    assert told(journal(one, two, three), journal(two, three, one)) == [("a step that moved", "1")]
    assert told(journal(one), journal(one, about="x", go={"version": "go1.26.6"})) == [
        ("about", ""),
        ("go.version", ""),
    ]
    less = {**journal(one), "blocks": journal()["blocks"][1:]}
    assert told(journal(one), less) == [("a block that went", "")]
    assert told(less, journal(one)) == [("a block that came", "")]
    other = copy.deepcopy(journal(one))
    other["blocks"][1]["content"] = "other"
    other["blocks"].pop()
    assert told(journal(one), other) == [("blocks.content", ""), ("a block that went", "")]


def test_blocks_in_another_order_or_under_null_are_taken_whole() -> None:
    old, new = journal(found("q", "r")), copy.deepcopy(journal(found("q", "r")))
    new["blocks"].reverse()
    new["blocks"][0]["content"] = "other"
    (change,) = changes(written(old), written(new)).all
    assert json.loads(changes(written(old), written(new)).rewritten(0, [change])) == new
    empty = {**old, "blocks": None}
    assert (
        json.loads(changes(written(old), written(empty)).rewritten(0, changes(written(old), written(empty)).all))
        == empty
    )


def test_the_head_of_a_memory_is_taken_over_where_it_stands_in_the_file() -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "x")
    initial = {"files": {"a.md": "a", "b.md": "b"}, "trackers": {}}
    old = small_journals.memory(step, clock={"tz": "UTC"}, initial=initial)
    new = small_journals.memory(step, clock={"tz": "Europe/Paris"}, initial={**initial, "files": {"a.md": "aa"}})
    found = changes(written(old), written(new))
    assert [one.what for one in found.all] == ["zone", "files.content", "files"]
    page = found.rewritten(0, found.all[1:2])
    assert json.loads(page) == {**old, "initial": {**initial, "files": {"a.md": "aa", "b.md": "b"}}}
    bare = small_journals.memory(step)
    whole = changes(written(bare), written(new))
    assert [one.what for one in whole.all] == ["zone", "files"]
    assert json.loads(whole.rewritten(0, whole.all)) == new


def test_a_page_that_is_sealed_anew_is_no_change() -> None:
    old = (LOGS / "scelles.json").read_bytes()
    files = [step.get("files", {}) for step in json.loads(old)["steps"]]
    sealed = [page["base64"] for one in files for page in one.values() if isinstance(page, dict)]
    assert len(set(sealed)) > 1
    assert changes(old, old).all == ()


def test_every_other_byte_stays_as_it_is() -> None:
    old = (
        b'{"kind" :"recall","blocks":[ ],\r\n"\\u00e9tapes":[{"tool":"recall",'
        b'"args":{ "x":1e400,"id":\t"\\u0041\xff" },"result":"a\\u00e9","label" : "l"} , '
        b'{"tool":"recall","args":{},"result":"b"}]}\n\n'
    )
    new = old.replace(b'"b"', b'"c\\/d"').replace(b'"a\\u00e9"', b'"A"').replace(b',"label" : "l"', b"")
    found = changes(old, new)
    assert [one.what for one in found.all] == ["result", "label", "result"]
    assert found.rewritten(0, found.all[2:]) == old.replace(b'"b"', b'"c\\/d"')
    assert found.rewritten(0, found.all[1:2]) == old.replace(b',"label" : "l"', b"")
    assert found.rewritten(1, found.all[1:2]) == new.replace(b'"result":"A"', b'"result":"A","label" : "l"')
    assert found.rewritten(0, []) == old


def test_an_element_or_a_member_that_comes_is_set_off_as_the_others_are() -> None:
    one, two, three = (found(f"q{at}", f"r{at}") for at in (1, 2, 3))
    labelled = {"tool": "recall_search", "label": "l", **{key: value for key, value in one.items() if key != "tool"}}
    pairs = [
        (journal(one, two), journal(three, one, two)),
        (journal(one, two), journal(one, two, three)),
        (journal(one), journal(one, two)),
        (journal(one, two), journal(labelled, two)),
    ]
    for old, new in pairs:
        both = changes(written(old), written(new))
        assert both.rewritten(0, both.all) == written(new)
        assert both.rewritten(1, both.all) == written(old)


def test_a_file_that_comes_into_an_empty_state_and_the_last_that_goes() -> None:
    step = small_journals.step("mem_read", {"file": "a"}, "x", trackers={})
    old, new = (small_journals.memory({**step, "files": files}) for files in ({}, {"a.md": "a"}))
    both = changes(written(old), written(new))
    assert both.rewritten(0, both.all) == written(new)
    assert json.loads(both.rewritten(1, both.all)) == old


def test_of_two_members_that_come_one_can_come_alone() -> None:
    lines = [{"op": "+", "text": "x"}]
    old, new = journal(found("q", "r")), journal({**found("q", "r"), "label": "l", "diff": lines})
    both = changes(written(old), written(new))
    assert [one.what for one in both.all] == ["diff", "label"]
    assert json.loads(both.rewritten(0, both.all[:1])) == journal({**found("q", "r"), "diff": lines})


def test_operations_of_a_case_come_and_go_and_cases_too() -> None:
    old = json.loads((LOGS / "keepimg.json").read_bytes())
    old["cases"] = [case for case in old["cases"] if len(case["steps"]) > 2][:3]
    new = copy.deepcopy(old)
    gone = new["cases"][0]["steps"].pop(0)
    new["cases"][1]["steps"].append(gone)
    new["cases"][1]["name"] = "renamed"
    del new["cases"][2]
    both = changes(written(old), written(new))
    assert json.loads(both.rewritten(0, both.all)) == new
    assert json.loads(both.rewritten(1, both.all)) == old
    assert [one.what for one in both.all if one.number.startswith("1.")] == ["a step that went"]
    assert [one.what for one in both.all if one.number == "3"] == ["a case that went"]


def mutated(base: Json, chance: random.Random) -> Json:  # noqa: C901, PLR0912 - a table of everything that can change
    """A journal with some changes of every sort."""
    made = copy.deepcopy(base)
    steps = made.get("steps")
    for _ in range(chance.randint(1, 6)):
        kind = chance.randrange(8)
        if steps is None:
            case = chance.choice(made["cases"])
            operation = chance.choice(case["steps"])
            if kind < 2:
                operation["after"]["requests"] = chance.randrange(9)
            elif kind == 2:
                operation["after"].pop("weight", None)
            elif kind == 3 and len(case["steps"]) > 1:
                case["steps"].remove(operation)
            elif kind == 4 and len(made["cases"]) > 1:
                made["cases"].remove(case)
            elif kind == 5:
                made["cases"].insert(0, {**copy.deepcopy(case), "name": f"new {chance.randrange(99)}"})
            else:
                case["ctx_window"] = chance.randrange(1000, 2000)
            continue
        step = chance.choice(steps)
        if kind < 2:
            step["result"] = step.get("result", "").replace("e", "E", chance.randint(1, 3)) + "x"
        elif kind == 2:
            step["label"] = "new"
        elif kind == 3:
            step.pop("diff", None)
        elif kind == 4 and len(steps) > 2:
            steps.remove(step)
        elif kind == 5:
            steps.insert(chance.randrange(len(steps)), {**copy.deepcopy(step), "note": f"new {chance.randrange(99)}"})
        elif kind == 6 and step.get("files"):
            step["files"].pop(chance.choice(list(step["files"])))
            step["files"]["z.md"] = "new"
        elif kind == 7:
            steps.remove(step)
            steps.insert(chance.randrange(len(steps) + 1), step)
    return made


@pytest.mark.parametrize("name", ["recall", "scelles", "verrouille", "keepimg"])
def test_whatever_is_accepted_and_rejected_the_two_files_end_up_alike(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - no secret
    base = json.loads((LOGS / f"{name}.json").read_bytes())
    if name == "keepimg":
        base["cases"] = base["cases"][:12]
    tried = 0
    while tried < 6:
        old, new = (
            json.dumps(mutated(base, chance), ensure_ascii=chance.random() < 0.5, indent=2).encode() for _ in "ab"
        )
        both = changes(old, new)
        assert changes(both.rewritten(0, both.all), new).all == ()
        assert changes(old, both.rewritten(1, both.all)).all == ()
        accepted = [one for one in both.all if chance.random() < 0.5]
        try:
            journal, rest = both.rewritten(0, accepted), [one for one in both.all if one not in accepted]
            assert changes(journal, both.rewritten(1, rest)).all == ()
            assert sorted(one.what for one in changes(journal, new).all) == sorted(one.what for one in rest)
        except JournalError:  # half of what belongs together: the command refuses it
            continue
        tried += 1


def signed(*results: str) -> bytes:
    """A signed journal, its chain as replay/journal/signing.py says in its first lines."""
    own = {"go": {"version": "go1.25.5", "commit": "0a1b"}, "recorder": "loki-parity 9", "count": len(results)}
    steps = [f'{{"tool":"recall","args":{{}},"result":"{one}"}}' for one in results]
    head = f'loki-parity-journal/1 signed\n{json.dumps(own)}\n"kind":"recall"\n"blocks":[]'
    links = [hashlib.sha256(head.encode()).digest()]
    for step in steps:
        links.append(hashlib.sha256(links[-1] + step.encode()).digest())
    told = {**own, "head": links[0].hex(), "steps": [one.hex() for one in links[1:]]}
    return f'{{"kind":"recall","signed":{json.dumps(told)},"blocks":[],"steps":[{",".join(steps)}]}}'.encode()


def test_a_signed_journal_is_taken_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = signed("a", "b"), signed("c", "d")
    (tmp_path / "a.json").write_bytes(old)
    (tmp_path / "a.json.pending").write_bytes(new)
    for part in (["--accept", "1"], ["--reject", "2"], ["--accept", "1", "--reject", "2"]):
        assert main(["review", "a.json", *part]) == BAD_INPUT
        says = "a.json can only be accepted or rejected as a whole, for it is signed: its hash chain holds all of it or"
        assert says in capsys.readouterr().err
        assert ((tmp_path / "a.json").read_bytes(), (tmp_path / "a.json.pending").read_bytes()) == (old, new)
    assert main(["review", "a.json", "--accept-all"]) == MATCH
    assert (tmp_path / "a.json").read_bytes() == new
